"""What the daemon publishes for each bundled ride, byte for byte: the same recording gives the same output.

`HANDLEBAR_REMAKE=1` writes the expected files anew; read the difference before it is committed.
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
    """Every line that a subscriber with the default filter gets, from the first one to the end of the recording."""
    # The device is told as it is named: the name must not depend on where the checkout is.
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
    """Keeps a process from running half of the time, a tenth of a second at once."""
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
    """At a multiple of real time a client that is held up misses fixes, as on the road; of the rest it misses nothing.
    A daemon that is held up tells what it would have told in time."""

    def events(lines):
        return [line for line in lines.splitlines() if not line.startswith((b'{"class":"TPV"', b'{"class":"SKY"'))]

    ride = pathlib.Path("recordings/tunnel.nmea")
    expected = (ROOT / ride.with_suffix(".expected")).read_bytes()
    assert events(published(folder, ride, "60", meanwhile)) == events(expected)
