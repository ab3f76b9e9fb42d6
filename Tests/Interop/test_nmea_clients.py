"""Real clients of the NMEA socket: GeoClue and Qt Positioning report the positions of the ride, of a receiver that sends
sentences and of one that sends UBX only."""

import contextlib
import os
import pathlib
import pwd
import shutil
import socket as sockets
import subprocess

import pytest

from gpsd_harness import DEBIAN_PYTHON, debian, has_modules, needs
from handlebar_harness import LONG, RIDE_FORMS, ROOT, TIMEOUT, Daemon, on_track, until

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
[static-source]
enable=false
[rider]
allowed=true
system=true
users=
"""


every_form = pytest.mark.parametrize("ride", RIDE_FORMS, indirect=True)


@pytest.fixture
def socket(folder, ride):
    """The NMEA socket of a daemon that replays the ride."""
    path = folder / "nmea.sock"
    with Daemon(folder, f"recording:{ride}?speed=4&loop=true", options=["--nmea-socket", path]) as daemon:
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


def accepts(path):
    """Whether a process listens on a socket: its file is there before."""
    with sockets.socket(sockets.AF_UNIX) as one:
        try:
            one.connect(str(path))
            return True
        except (FileNotFoundError, ConnectionRefusedError):
            return False


@contextlib.contextmanager
def ended(process):
    """Kills a child at the end of the block."""
    try:
        yield
    finally:
        process.kill()


@pytest.mark.skipif(not has_modules("PyQt5.QtPositioning"), reason="python3-pyqt5.qtpositioning is not installed")
@every_form
def test_qt(socket, track):
    command = [DEBIAN_PYTHON, "-u", REPORTERS / "qt.py", socket]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as program, ended(program):
        places = reported(program, 8)
    assert all(on_track(track, latitude, longitude) for latitude, longitude, _ in places)


def installed(folder):
    """The installed GeoClue: its command and version."""
    if not GEOCLUE.exists():
        pytest.skip("geoclue-2.0 is not installed")
    version = subprocess.run(["dpkg-query", "-W", "-f=${Version}", "geoclue-2.0"], capture_output=True, text=True, check=True)
    return [GEOCLUE], version.stdout


def of_debian_13(folder):
    """That of Debian 13, with its libraries."""
    if not LONG:
        pytest.skip("HANDLEBAR_LONG=1 fetches the GeoClue of Debian 13")
    closure = debian("trixie", folder)("--no-install-recommends", "--download-only", "--yes", "install", "geoclue-2.0")
    assert closure.returncode == 0, closure.stderr
    root = folder / "root"
    for package in (folder / "cache" / "archives").glob("*.deb"):
        subprocess.run(["dpkg-deb", "-x", package, root], check=True)
        if package.name.startswith("geoclue-2.0_"):
            version = package.name.split("_")[1]
    loader = next(root.glob("**/ld-linux-*.so.*"))
    libraries = os.pathsep.join(sorted({str(path.parent) for path in root.glob("**/lib*.so.*")}))
    return [loader, "--library-path", libraries, root / "usr" / "libexec" / "geoclue"], version


@pytest.mark.skipif(not has_modules("gi"), reason="python3-gi is not installed")
@needs("dbus-daemon")
@every_form
@pytest.mark.parametrize("release", [installed, of_debian_13])
def test_geoclue(socket, track, folder, release):
    """With the file of the package, as its own user, in the group of the socket; on a private bus. Version 2.6 does not read
    conf.d: the file is appended to GeoClue's."""
    user = next((one for one in pwd.getpwall() if one.pw_name == "geoclue"), None)
    if os.geteuid() or user is None:
        pytest.skip("needs root and the user geoclue")
    program, version = release(folder)
    configuration = GEOCLUE_CONFIGURATION
    (folder / "etc" / "conf.d").mkdir(parents=True)
    part = ROOT / "systemd" / "geoclue.conf"
    if version < "2.7":
        configuration += part.read_text()
    else:
        shutil.copy(part, folder / "etc" / "conf.d" / "90-handlebar.conf")
    (folder / "etc" / "geoclue.conf").write_text(configuration)
    (folder / "bus.conf").write_text(BUS.format(folder=folder))
    # Its fixed paths, and the directory of the socket, which everybody may search.
    folder.chmod(0o755)
    mounts = (
        f"mount --bind {folder}/etc /etc/geoclue && mount -t tmpfs tmpfs /run && mkdir /run/handlebar"
        f" && mount --bind {folder} /run/handlebar"
    )
    own = ["unshare", "--mount", "sh", "-c", f'{mounts} && exec "$@"', "sh"]
    if subprocess.run([*own, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no mount namespace to be had")
    rights = ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", f"--groups={socket.stat().st_gid}"]
    environment = os.environ | {"DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={folder}/bus"}
    quiet = {"env": environment, "stderr": subprocess.DEVNULL}
    with (
        subprocess.Popen(["dbus-daemon", "--nofork", f"--config-file={folder}/bus.conf"], **quiet) as bus,
        ended(bus),
    ):
        until(lambda: accepts(folder / "bus"), "the bus")
        with (
            subprocess.Popen([*own, *rights, *program], **quiet) as geoclue,
            ended(geoclue),
            subprocess.Popen([DEBIAN_PYTHON, "-u", REPORTERS / "geoclue.py", "rider"], stdout=subprocess.PIPE, **quiet) as report,
            ended(report),
        ):
            places = reported(report, 4)
    assert all(on_track(track, latitude, longitude) for latitude, longitude, _ in places)
