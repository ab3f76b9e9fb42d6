"""Real clients of the NMEA socket: GeoClue and Qt Positioning report the positions of the recording."""

import contextlib
import os
import pathlib
import subprocess

import pytest

from gpsd_harness import DEBIAN_PYTHON, has_modules, needs
from handlebar_harness import TIMEOUT, RECORDING, Daemon, on_track, until

pytestmark = pytest.mark.desktop
REPORTERS = pathlib.Path(__file__).with_name("reporters")
GEOCLUE = pathlib.Path("/usr/libexec/geoclue")
BUS = """
<busconfig>
  <type>system</type>
  <listen>unix:path={folder}/bus</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow user="*"/> <allow own="*"/> <allow send_destination="*"/> <allow receive_sender="*"/>
    <allow send_type="signal"/> <allow send_type="method_return"/> <allow send_type="error"/>
  </policy>
</busconfig>
"""
# Its other sources use the network and the modem.
GEOCLUE_CONFIGURATION = """
[agent]
whitelist=rider
[network-nmea]
enable=true
nmea-socket={folder}/nmea.sock
[3g]
enable=false
[cdma]
enable=false
[modem-gps]
enable=false
[wifi]
enable=false
[compass]
enable=false
[rider]
allowed=true
system=true
users=
"""


@pytest.fixture
def socket(folder):
    """The NMEA socket of a daemon that replays the recording."""
    path = folder / "nmea.sock"
    with Daemon(folder, f"recording:{RECORDING}?speed=4&loop=true", options=["--nmea-socket", path]) as daemon:
        yield path
        daemon.stop()


def reported(program, count):
    """The first positions that a program prints, a line each."""
    places = []
    os.set_blocking(program.stdout.fileno(), False)
    partial = b""

    def read():
        nonlocal partial
        data = program.stdout.read()
        assert data is None or data or program.poll() is None, f"it has ended with {program.returncode}"
        *lines, partial = (partial + (data or b"")).split(b"\n")
        places.extend(tuple(map(float, line.split())) for line in lines)
        return len(places) >= count

    until(read, f"{count} places", timeout=3 * TIMEOUT)
    return places


@contextlib.contextmanager
def ended(process):
    """Kills a child at the end of the block."""
    try:
        yield
    finally:
        process.kill()


@pytest.mark.skipif(not has_modules("PyQt5.QtPositioning"), reason="python3-pyqt5.qtpositioning is not installed")
def test_qt(socket, track):
    command = [DEBIAN_PYTHON, "-u", REPORTERS / "qt.py", socket]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as program, ended(program):
        places = reported(program, 8)
    assert all(on_track(track, latitude, longitude) for latitude, longitude, _ in places)


@pytest.mark.skipif(not GEOCLUE.exists(), reason="geoclue-2.0 is not installed")
@pytest.mark.skipif(not has_modules("gi"), reason="python3-gi is not installed")
@needs("dbus-daemon")
def test_geoclue(socket, track, folder):
    """On a private bus, with a private configuration, which GeoClue reads from one fixed path."""
    (folder / "bus.conf").write_text(BUS.format(folder=folder))
    (folder / "geoclue.conf").write_text(GEOCLUE_CONFIGURATION.format(folder=folder))
    hide = ["unshare", "--mount", "sh", "-c", f'mount --bind {folder}/geoclue.conf /etc/geoclue/geoclue.conf && exec "$0"']
    if subprocess.run([*hide, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no mount namespace to be had")
    environment = os.environ | {"DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={folder}/bus"}
    quiet = {"env": environment, "stderr": subprocess.DEVNULL}
    with (
        subprocess.Popen(["dbus-daemon", "--nofork", f"--config-file={folder}/bus.conf"], **quiet) as bus,
        ended(bus),
    ):
        until((folder / "bus").exists, "the bus")
        with (
            subprocess.Popen([*hide, GEOCLUE], **quiet) as geoclue,
            ended(geoclue),
            subprocess.Popen([DEBIAN_PYTHON, "-u", REPORTERS / "geoclue.py", "rider"], stdout=subprocess.PIPE, **quiet) as program,
            ended(program),
        ):
            places = reported(program, 4)
    assert all(on_track(track, latitude, longitude) for latitude, longitude, _ in places)
