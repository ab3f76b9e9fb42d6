"""The mark of tests that measure seconds or kilobytes, and the measurement of an attack."""

import contextlib
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys

import pytest

from handlebar_harness import SANITIZED, TIMEOUT, Stopwatch

measured = pytest.mark.skipif(SANITIZED, reason="a build with a sanitizer is slower and larger than what is measured here")

# Subscribes, sends a request every 10 ms until its input ends, and prints the seconds to each answer, the numbers of the fixes
# and the greatest anonymous memory of the daemon, KiB.
WITNESS = """
import json, re, select, socket, sys, time
client = socket.socket(socket.AF_UNIX)
client.connect(sys.argv[1])
lines = client.makefile("rb")
client.sendall(b'?WATCH={"enable":true,"json":true,"distanceFilter":0,"satellites":false};')
print(lines.readline(), flush=True)
seconds, numbers, memory = [], [], 0
while True:
    begin = time.monotonic()
    client.sendall(b"?VERSION;")
    while b'"VERSION"' not in (line := lines.readline()):
        assert line, "the daemon closed the connection"
        if line.startswith(b'{"class":"TPV"'):
            numbers.append(json.loads(line)["seq"])
    seconds.append(time.monotonic() - begin)
    with open(f"/proc/{sys.argv[2]}/status") as status:
        memory = max(memory, int(re.search("RssAnon:\\\\s+(\\\\d+)", status.read())[1]))
    if select.select([sys.stdin], [], [], 0.01)[0]:
        break
print(json.dumps([seconds, numbers, memory]))
"""


def processor(pid):
    """The processor time of a process, seconds."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def tree_processor(pid):
    """The processor time of a process and of those it has started, seconds, as finely as the scheduler counts it."""
    total = 0
    for task in pathlib.Path(f"/proc/{pid}/task").glob("*"):
        # One that ends meanwhile.
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            total += int((task / "schedstat").read_text().split()[0]) / 1e9
            total += sum(tree_processor(int(child)) for child in (task / "children").read_text().split())
    return total


def anonymous(pid):
    """Anonymous memory, KiB."""
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        return int(re.search(r"RssAnon:\s+(\d+)", status.read())[1])


@contextlib.contextmanager
def harmless(daemon, kilobytes=4096, seconds=0.5):
    """Demands of what happens meanwhile that another client is answered within a time, that it keeps receiving fixes, and that
    the daemon's memory never grows by more."""
    before = anonymous(daemon.pid)
    command = [sys.executable, "-c", WITNESS, daemon.socket, daemon.pid]
    with subprocess.Popen(
        list(map(str, command)), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as witness:
        try:
            assert "VERSION" in witness.stdout.readline()
            clock = Stopwatch(daemon.pid, witness.pid)
            yield
            # The time for which other processes held the processors does not count.
            withheld = clock.look() - clock.before
            answers, numbers, memory = json.loads(witness.communicate("\n", timeout=TIMEOUT)[0])
        finally:
            witness.kill()
    # For a client that does not keep up, fixes are replaced by newer ones.
    assert numbers == sorted(set(numbers)) and len(numbers) > (numbers[-1] - numbers[0] if numbers else -1) / 2, numbers
    worst, median = max(answers), statistics.median(answers)
    # Shown by pytest -rP.
    print(f"answered within {1000 * worst:.1f} ms, median {1000 * median:.1f} ms; memory {memory - before:+} KiB")
    if not SANITIZED:
        assert worst - withheld < seconds and median - withheld < 0.05, f"{worst} s, median {median} s"
        assert memory - before < kilobytes, f"{before} KiB, then {memory} KiB"
