"""What the daemon publishes for each bundled ride, byte for byte: the same recording gives the same output.

`HANDLEBAR_REMAKE=1` writes the expected files anew; read the difference before it is committed.
"""

import os
import pathlib
import socket

import pytest

from handlebar_harness import ROOT, Daemon

RIDES = sorted(path.relative_to(ROOT) for path in (ROOT / "recordings").glob("*.nmea"))


def published(folder, ride, speed):
    """Every line that a subscriber with the default filter gets, from the first one to the end of the recording."""
    # The device is told as it is named: the name must not depend on where the checkout is.
    with Daemon(folder, f"recording:{ride}?speed={speed}&start=watch", cwd=ROOT) as daemon:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
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


def test_speed_changes_nothing(folder):
    """At a multiple of real time a client that is held up misses fixes, as on the road; of the rest it misses nothing."""

    def events(lines):
        return [line for line in lines.splitlines() if not line.startswith((b'{"class":"TPV"', b'{"class":"SKY"'))]

    ride = pathlib.Path("recordings/tunnel.nmea")
    expected = (ROOT / ride.with_suffix(".expected")).read_bytes()
    assert events(published(folder, ride, "60")) == events(expected)
