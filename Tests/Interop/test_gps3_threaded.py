"""What the threaded client of gps3, which bike computers use, takes from the daemon and from gpsd in real time. It sleeps for
200 ms when it finds nothing to read, and uses one line of what it finds then."""

import contextlib
import json
import os
import subprocess
import threading
import time

import pytest

from gpsd_harness import Gpsd, free_port, needs_gpsd
from handlebar_harness import BIN, Daemon, Receiver, until
from test_gpsd_fields import log_of

pytestmark = needs_gpsd
agps3threaded = pytest.importorskip("gps3.agps3threaded")
SECONDS = 20


class Reader:
    """One threaded client, and what it unpacks."""

    def __init__(self, port):
        self.positions, self.skies = 0, 0
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
            self.positions += kind == "TPV" and all(getattr(stream, name) != "n/a" for name in ("lat", "lon", "epx", "epy", "epv"))
            self.skies += kind == "SKY" and bool(stream.satellites)

        stream.unpack = count
        self.client.stream_data(host="127.0.0.1", port=port)
        self.client.run_thread()

    @property
    def counts(self):
        return self.positions, self.skies


@pytest.mark.slow
@pytest.mark.parametrize("rate", [1, 5, 10])
def test_satellites_and_positions_of_the_threaded_client(rate, folder):
    ride = folder / "ride.nmea"
    options = ["--ride", "motorway", "--receiver", f"ublox-{rate}hz", "--seed", "3", "-o", ride]
    subprocess.run([BIN / "handlebarctl", "simulate", *options], check=True, capture_output=True)
    _, bursts = log_of(ride, epochs=None)
    number = free_port()
    with contextlib.ExitStack() as stack:
        receivers = [stack.enter_context(Receiver(folder / name)) for name in ("gps0", "gps1")]
        gpsd = stack.enter_context(Gpsd(receivers[0].link))
        stack.enter_context(
            Daemon(folder, f"serial:{receivers[1].link}?speed=115200", options=["--tcp", f"127.0.0.1:{number}"])
        )
        readers = [Reader(port) for port in (gpsd.port, number)]
        stop = threading.Event()
        stack.callback(stop.set)

        def play():
            begin = time.monotonic()
            for second, data in bursts:
                if stop.wait(max(0, begin + second - time.monotonic())):
                    return
                for receiver in receivers:
                    with contextlib.suppress(OSError):
                        os.write(receiver.master, data)

        threading.Thread(target=play, daemon=True).start()
        # Of gpsd's positions with errors there may be none.
        until(lambda: readers[1].positions and any(readers[0].counts), "reports of both", timeout=40)
        begin = [reader.counts for reader in readers]
        end = time.monotonic() + SECONDS
        until(lambda: time.monotonic() >= end, "the end of the measurement", timeout=SECONDS + 5, pause=0.2)
        theirs, ours = (
            [now - before for now, before in zip(reader.counts, old)] for reader, old in zip(readers, begin)
        )
        print(f"{rate} Hz: positions {theirs[0]} from gpsd, {ours[0]} from the daemon; satellites {theirs[1]}, {ours[1]}")
        # Whether a line waits after the client's sleep is chance on a busy machine; beyond three a second it proves nothing.
        assert ours[0] >= min(theirs[0] - 1, 3 * SECONDS)
        # A position in 25 gives way to satellites at higher rates.
        assert ours[1] >= (SECONDS / 4 if rate == 1 else 1)
