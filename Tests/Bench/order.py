#!/usr/bin/env python3
"""Writes .make/order: the functions that run in every epoch, so that the release build puts them together.

They stand as they are called, each in front of what it calls, first those of nearly every epoch: then the processor
fetches ahead what comes next. Those stand between two markers, and the daemon reads them ahead itself.

A receiver speaks ten times a second; in between the processor forgets the daemon's code. What an epoch then costs is
not its instructions but the memory that they lie in: apart, its 340 functions touch 170 pages, together 35.

    order.py handlebard

The program must have its symbols and a section for each function: `make build STRIP='-Xlinker --strip-debug'`. Needs
valgrind and nm.
"""

import bisect
import collections
import os
import pathlib
import pty
import re
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
import tty

PATIENCE = 120
WARM_UP = 60
EPOCHS = 100
# Satellites are told once in ten epochs, a timer fires once in thirty.
SHARE = 0.02
BEGIN, END = "handlebar_epoch_code_begin", "handlebar_epoch_code_end"


def sentence(content):
    checksum = 0
    for byte in content.encode():
        checksum ^= byte
    return f"${content}*{checksum:02X}\r\n".encode()


def epoch(number):
    """What a u-blox M8 says at 10 Hz on a ride to the north: ten sentences."""
    clock = f"{8 + number // 36000:02d}{number // 600 % 60:02d}{number // 10 % 60:02d}.{number % 10}0"
    position = f"48{7 + number * 0.0004:08.5f},N,01131.00200,E"
    signal_level = 20 + number % 20
    return b"".join(map(sentence, [
        f"GNRMC,{clock},A,{position},15.55{number % 10},0.{number % 10},190326,,,A,V",
        f"GNVTG,0.{number % 10},T,,M,15.55{number % 10},N,28.80{number % 10},K,A",
        f"GNGGA,{clock},{position},1,12,0.84,545.{number % 10},M,46.9,M,,",
        "GNGSA,A,3,02,05,07,13,15,20,29,30,,,,,1.52,0.84,1.27,1",
        "GNGSA,A,3,68,69,78,79,,,,,,,,,1.52,0.84,1.27,2",
        f"GPGSV,2,1,08,02,35,108,{signal_level},05,64,281,41,07,22,057,38,13,48,205,44,1",
        f"GPGSV,2,2,08,15,17,163,33,20,08,312,{signal_level},29,71,094,46,30,30,250,39,1",
        f"GLGSV,2,1,07,68,41,072,36,69,58,337,{signal_level},70,11,311,,77,09,021,22,1",
        f"GLGSV,2,2,07,78,52,058,40,79,46,151,{signal_level},80,05,189,,1",
        f"GNGLL,{position},{clock},A,A",
    ]))


def connect(path):
    """A client of the daemon, which under valgrind takes its time to begin."""
    deadline = time.monotonic() + PATIENCE
    while True:
        client = socket.socket(socket.AF_UNIX)
        try:
            client.connect(str(path))
            return client
        except OSError:
            client.close()
            if time.monotonic() > deadline:
                sys.exit("order: the daemon does not start under valgrind")
            time.sleep(0.1)


def ride(master, client, numbers):
    """Sends epochs at 10 Hz, takes in what comes back and tells how many fixes that was."""
    received = b""
    for number in numbers:
        os.write(master, epoch(number))
        end = time.monotonic() + 0.1
        while (rest := end - time.monotonic()) > 0:
            if select.select([client], [], [], rest)[0]:
                if not (data := client.recv(65536)):
                    sys.exit("order: the daemon hung up")
                received += data
    return received.count(b'"class":"TPV"')


def profile(program, folder):
    """How often each instruction ran in EPOCHS epochs, as callgrind writes it."""
    master, slave = pty.openpty()
    tty.setraw(slave)
    output = folder / "callgrind"
    process = subprocess.Popen(
        ["valgrind", "--tool=callgrind", "--dump-instr=yes", "--compress-pos=no", f"--callgrind-out-file={output}",
         program, "--source", f"serial:{os.ttyname(slave)}", "--socket", folder / "socket"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        with connect(folder / "socket") as client:
            client.sendall(b'?WATCH={"enable":true,"json":true,"distanceFilter":0};\n')
            ride(master, client, range(WARM_UP))
            subprocess.run(["callgrind_control", "--zero", str(process.pid)], check=True, capture_output=True)
            if ride(master, client, range(WARM_UP, WARM_UP + EPOCHS)) < EPOCHS - 1:
                sys.exit("order: the daemon does not publish every epoch")
            subprocess.run(["callgrind_control", "--dump", str(process.pid)], check=True, capture_output=True)
            dump = folder / "callgrind.1"
            deadline = time.monotonic() + PATIENCE
            while not dump.exists() or "totals:" not in dump.read_text()[-200:]:
                if time.monotonic() > deadline:
                    sys.exit("order: callgrind writes nothing")
                time.sleep(0.1)
            return dump.read_text()
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()


def costs(text, program):
    """How often each instruction of the program ran, and what it calls: [(from, to, how often)]."""
    objects, current, called, counts, calls, call = {}, None, None, collections.Counter(), [], None
    address = 0
    for line in text.splitlines():
        if match := re.match(r"(c?)ob=\((\d+)\)(?: (.*))?$", line):
            if match[3]:
                objects[match[2]] = match[3]
            if match[1]:
                called = objects[match[2]]
            else:
                current = objects[match[2]]
        elif match := re.match(r"calls=(\d+) (0x[0-9a-f]+)", line):
            call = (int(match[2], 16), int(match[1]), called or current)
        elif match := re.match(r"(0x[0-9a-f]+|[+-]\d+|\*) \S+ (\d+)$", line):
            place = match[1]
            if place.startswith("0x"):
                address = int(place, 16)
            elif place != "*":
                address += int(place)
            if not call:
                if current == program:
                    counts[address] = max(counts[address], int(match[2]))
                continue
            # The line behind a call tells what the called function cost.
            if current == program == call[2]:
                calls.append((address, call[0], call[1]))
            call = called = None
    return counts, calls


class Symbols:
    """The functions of a program: at each start the names that it has."""

    def __init__(self, program):
        self.names = collections.defaultdict(list)
        self.sizes = {}
        for line in subprocess.run(["nm", "--defined-only", "-S", program], check=True, capture_output=True,
                                   text=True).stdout.splitlines():
            words = line.split()
            if len(words) == 4 and words[2] in "tTwW":
                start = int(words[0], 16)
                self.names[start].append(words[3])
                self.sizes[start] = max(self.sizes.get(start, 0), int(words[1], 16))
        self.starts = sorted(self.names)

    def at(self, address):
        """Where the function begins that this address lies in, which has no names if it is one without a symbol."""
        start = self.starts[bisect.bisect_right(self.starts, address) - 1]
        end = start + self.sizes[start]
        return start if address < end else end


def ordered(symbols, counts, calls, least):
    """The functions that ran at least so often, each in front of what it calls."""
    entries, callees = collections.Counter(), collections.defaultdict(list)
    for source, target, count in sorted(calls):
        caller, callee = symbols.at(source), symbols.at(target)
        if caller != callee:
            entries[callee] += count
            if count >= least:
                callees[caller].append(callee)
    # What waits for epochs is not called again for each.
    hot = {function for function in (symbols.at(address) for address, count in counts.items() if count >= least)
           if not entries[function] or entries[function] >= least}
    called = {callee for caller in hot for callee in callees[caller]}
    found, waiting = {}, sorted(hot - called, reverse=True)
    while waiting:
        function = waiting.pop()
        if function in hot and function not in found:
            found[function] = True
            waiting.extend(reversed(callees[function]))
    # What calls itself in a circle has nobody in front of it; the order of what is left is that of before.
    return [*found, *sorted(hot - found.keys())]


def names(symbols, functions):
    """All names that the functions have, in order."""
    return [name for start in functions for name in sorted(symbols.names.get(start, []))]


def main():
    program = os.path.realpath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        counts, calls = costs(profile(program, pathlib.Path(folder)), program)
    symbols = Symbols(program)
    # What runs in nearly every epoch, then what runs in some.
    always = ordered(symbols, counts, calls, EPOCHS / 2)
    if not always:
        sys.exit(f"order: {program} has no symbols; make build STRIP= makes one that has")
    sometimes = [function for function in ordered(symbols, counts, calls, SHARE * EPOCHS) if function not in always]
    lines = [BEGIN, *names(symbols, always), END, *names(symbols, sometimes)]
    order = pathlib.Path(__file__).parents[2] / ".make" / "order"
    order.write_text("".join(f".text.{name}\n" for name in lines))
    print(f"{len(always)} functions of every epoch and {len(sometimes)} of some in {order}")


if __name__ == "__main__":
    main()
