"""The published lines of each bundled ride, byte for byte: the same recording gives the same output.

`HANDLEBAR_REMAKE=1` rewrites the expected files; review the difference before you commit it.
"""

import contextlib
import os
import pathlib
import signal
import socket
import threading

import pytest

from handlebar_harness import ROOT, Daemon

RIDES = sorted(path.relative_to(ROOT) for path in (ROOT / "recordings").glob("*.nmea"))


def published(folder, ride, speed, meanwhile=contextlib.nullcontext):
    """Every line for a subscriber with the default filter, from the first one to the end of the recording."""
    # The device is published as given: the name must not depend on the path of the checkout.
    with Daemon(folder, f"recording:{ride}?speed={speed}&start=watch", cwd=ROOT) as daemon:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection, meanwhile(daemon.pid):
            connection.settimeout(60)
            connection.connect(str(daemon.socket))
            connection.sendall(b'?WATCH={"enable":true,"json":true};')
            lines = []
            for line in connection.makefile("rb"):
                lines.append(line)
                if line.startswith(b'{"class":"PLAYBACK"') and b'"ended":true' in line:
                    break
    assert lines[0].startswith(b'{"class":"VERSION"')
    return b"".join(lines[1:])


@pytest.mark.parametrize("ride", RIDES, ids=lambda ride: ride.stem)
def test_published_lines_are_the_expected_ones(folder, ride):
    expected = ROOT / ride.with_suffix(".expected")
    came = published(folder, ride, "max")
    if os.environ.get("HANDLEBAR_REMAKE") == "1":
        expected.write_bytes(came)
    assert came.decode().splitlines() == expected.read_bytes().decode().splitlines()


def test_every_ride_has_its_expected_file():
    assert len(RIDES) >= 4
    rides = {path.stem for path in RIDES}
    assert rides == {path.stem for path in (ROOT / "recordings").glob("*.expected")}


def test_repetition_changes_nothing(folder):
    ride = pathlib.Path("recordings/tunnel.nmea")
    assert published(folder, ride, "max") == (ROOT / ride.with_suffix(".expected")).read_bytes()


@contextlib.contextmanager
def held_up(pid):
    """Stops a process for half of the time, a tenth of a second at once."""
    over = threading.Event()

    def stop_and_go():
        while not over.wait(0.1):
            os.kill(pid, signal.SIGSTOP)
            over.wait(0.1)
            os.kill(pid, signal.SIGCONT)

    thread = threading.Thread(target=stop_and_go)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@pytest.mark.parametrize("meanwhile", [contextlib.nullcontext, held_up], ids=["free", "held up"])
def test_speed_changes_nothing(folder, meanwhile):
    """At a multiple of real time a delayed client misses fixes, as in real time; of the rest it misses nothing.
    A delayed daemon publishes the same lines as one in time."""

    def events(lines):
        return [line for line in lines.splitlines() if not line.startswith((b'{"class":"TPV"', b'{"class":"SKY"'))]

    ride = pathlib.Path("recordings/tunnel.nmea")
    expected = (ROOT / ride.with_suffix(".expected")).read_bytes()
    assert events(published(folder, ride, "60", meanwhile).replace(b'"speed":60,', b"")) == events(expected)
