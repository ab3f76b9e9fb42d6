"""What the threaded client of gps3, which bike computers use, takes from the daemon and from gpsd in real time. It sleeps for
200 ms when it finds nothing to read, and uses one line of what it finds then."""

import contextlib
import json
import os
import re
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

import epoch_oracle
from gpsd_harness import Gpsd, free_port, needs_gpsd
from handlebar_harness import BIN, DEVICE_LOGS, Daemon, Receiver, own_folder, until
from test_gpsd_fields import log_of

# The client's thread ends with an exception when the other end closes.
pytestmark = [needs_gpsd, pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")]
agps3threaded = pytest.importorskip("gps3.agps3threaded")
SECONDS = 20
LOG_SECONDS = 60  # of a log


class Reader:
    """One threaded client, and what it unpacks."""

    def __init__(self, port):
        self.positions, self.skies = 0, 0
        self.times = []  # of the positions
        self.client = agps3threaded.AGPS3mechanism()
        stream = self.client.data_stream
        unpack = stream.unpack

        def count(line):
            unpack(line)
            try:
                kind = json.loads(line)["class"]
            except ValueError:  # a part of a line, which the client reports
                return
            # As pizero_bikecomputer accepts a position.
            if kind == "TPV" and all(getattr(stream, name) != "n/a" for name in ("lat", "lon", "epx", "epy", "epv")):
                self.positions += 1
                self.times.append(stream.time)
            self.skies += kind == "SKY" and bool(stream.satellites)

        stream.unpack = count
        self.client.stream_data(host="127.0.0.1", port=port)
        self.client.run_thread()

    @property
    def counts(self):
        return self.positions, self.skies


@contextlib.contextmanager
def both(folder):
    """The threaded clients of gpsd and of the daemon, and a function that sends bytes to both of their receivers."""
    number = free_port()
    with contextlib.ExitStack() as stack:
        receivers = [stack.enter_context(Receiver(folder / name)) for name in ("gps0", "gps1")]
        gpsd = stack.enter_context(Gpsd(receivers[0].link))
        stack.enter_context(
            Daemon(folder, f"serial:{receivers[1].link}?speed=115200", options=["--tcp", f"127.0.0.1:{number}"])
        )

        def send(data):
            for receiver in receivers:
                with contextlib.suppress(OSError):
                    os.write(receiver.master, data)

        yield [Reader(port) for port in (gpsd.port, number)], send


def play(bursts, send, rate, stop):
    """Sends the bursts of a log of one epoch a second at another rate, until stopped."""
    begin = time.monotonic()
    for second, data in bursts:
        if stop.wait(max(0, begin + second / rate - time.monotonic())):
            return
        send(data)


@pytest.mark.slow
@pytest.mark.parametrize("rate", [1, 5, 10])
def test_satellites_and_positions_of_the_threaded_client(rate, folder):
    ride = folder / "ride.nmea"
    options = ["--ride", "motorway", "--receiver", f"ublox-{rate}hz", "--seed", "3", "-o", ride]
    subprocess.run([BIN / "handlebarctl", "simulate", *options], check=True, capture_output=True)
    _, bursts = log_of(ride, epochs=None)
    stop = threading.Event()
    with both(folder) as (readers, send), contextlib.ExitStack() as stack:
        player = threading.Thread(target=play, args=(bursts, send, 1, stop), daemon=True)
        player.start()
        stack.callback(player.join)
        stack.callback(stop.set)
        # Of gpsd's positions with errors there may be none.
        until(lambda: readers[1].positions and any(readers[0].counts), "reports of both")

        def shows_as_much():
            begin = [reader.counts for reader in readers]
            end = time.monotonic() + SECONDS
            until(lambda: time.monotonic() >= end, "the end of the measurement", pause=0.2)
            theirs, ours = (
                [now - before for now, before in zip(reader.counts, old)] for reader, old in zip(readers, begin)
            )
            print(f"{rate} Hz: positions {theirs[0]} from gpsd, {ours[0]} from the daemon; satellites {theirs[1]}, {ours[1]}")
            # Whether a line waits after the client's sleep is chance on a busy machine; beyond three a second it proves
            # nothing. A position in 25 gives way to satellites at higher rates.
            return ours[0] >= min(theirs[0] - 1, 3 * SECONDS) and ours[1] >= (SECONDS / 4 if rate == 1 else 1)

        # While a thread stands still, the lines are lost that wait behind the first.
        assert any(shows_as_much() for _ in range(3))


def without_height(log):
    """The times of day of the epochs for which the receiver's newest GSA states two dimensions, with four satellites at
    most. gpsd calls them three-dimensional because GGA repeats an altitude, and takes their vertical error from a VDOP of
    another geometry: 0 m or 635 m in one log."""
    found = epoch_oracle.epochs(log)
    ends = [epoch.start for epoch in found[1:]] + [len(log)]
    times, is_flat = set(), False
    for epoch, end in zip(found, ends):
        for mode, satellites in re.findall(rb"GSA,[AM],([123]),([^*]*)[*]", log[epoch.start : end]):
            is_flat = mode == b"2" and sum(map(bool, satellites.split(b",")[:12])) <= 4
        if is_flat:
            times.add(round(epoch.key, 2))
    return times


def second_of(text):
    """The time of day of a report, in seconds."""
    hour, minute, second = text.rstrip("Z").partition("T")[2].split(":")
    return round(3600 * int(hour) + 60 * int(minute) + float(second), 2)


@pytest.mark.slow
@pytest.mark.logs
@pytest.mark.parametrize("rate", [1, 5, 10])
def test_each_log_gives_the_threaded_client_as_many_positions_as_gpsd(rate):
    def measure(path):
        log, bursts = log_of(path, epochs=None)
        bursts = [(second, data) for second, data in bursts if second <= LOG_SECONDS * rate]
        flat = without_height(log)
        with own_folder() as folder, both(folder) as (readers, send):
            play(bursts, send, rate, threading.Event())
            seen = []

            def settled():
                seen.append([reader.counts for reader in readers])
                return seen[-1] if seen[-2:-1] == seen[-1:] else None

            counts = until(settled, "the end of the reports", pause=1)
            exempt = sum(second_of(text) in flat for text in readers[0].times if text != "n/a")
        return path.stem, counts, exempt

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(measure, DEVICE_LOGS))
    missing = []
    for name, (theirs, ours), exempt in results:
        print(f"{rate} Hz {name}: positions {theirs[0]} ({exempt} without height) from gpsd, {ours[0]} from the daemon;",
              f"satellites {theirs[1]}, {ours[1]}")
        # Whether a line waits after the client's sleep is chance on a busy machine.
        if ours[0] < theirs[0] - exempt - 1:
            missing.append(name)
    assert not missing
