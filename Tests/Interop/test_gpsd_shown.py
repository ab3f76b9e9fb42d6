"""What gpsd's clients show from the daemon, beside what they show from gpsd: the same ride, played into both at once."""

import contextlib
import csv
import io
import itertools
import json
import os
import pathlib
import re
import select
import shutil
import subprocess
import sys
import threading
import time

import pytest

from gpsd_harness import DEBIAN_PYTHON, Gpsd, debian, free_port, has_modules, needs, needs_gpsd
from handlebar_harness import ROOT, TIMEOUT, Daemon, Late, Receiver, until
from test_gpsd_clients import screen
from test_gpsd_fields import log_of

pytestmark = needs_gpsd
RIDE = ROOT / "recordings" / "motorway.nmea"  # without GST
SPEED = 4
# The receiver of the ride sends no variation, and the daemon has no model of it.
MODELLED = {"magvar", "magtrack", "Mag Var", "Track Mag"}


@pytest.fixture
def ports(folder):
    """The ports of gpsd and of the daemon, behind the same receiver."""
    number = free_port()
    stop = threading.Event()
    with contextlib.ExitStack() as stack:
        receivers = [stack.enter_context(Receiver(folder / name)) for name in ("gps0", "gps1")]
        gpsd = stack.enter_context(Gpsd(receivers[0].link))
        daemon = stack.enter_context(
            Daemon(folder, f"serial:{receivers[1].link}?speed=9600", options=["--tcp", f"127.0.0.1:{number}"])
        )
        _, bursts = log_of(RIDE, epochs=None)

        def play():
            begin = time.monotonic()
            length = bursts[-1][0] + 1
            # Again and again: it must not end before a test does.
            for turn, second, data in ((turn, *burst) for turn in itertools.count() for burst in bursts):
                if stop.wait(max(0, begin + (turn * length + second) / SPEED - time.monotonic())):
                    return
                for receiver in receivers:
                    with contextlib.suppress(OSError):
                        os.write(receiver.master, data)

        thread = threading.Thread(target=play, daemon=True)
        thread.start()
        with daemon.connect() as client:
            client.watch(distanceFilter=0)
            client.wait("TPV")
        # gpsd does not know the device's driver before it has read from it.
        stack.enter_context(gpsd.watch()).wait("TPV")
        yield gpsd.port, number
        stop.set()
        thread.join()
        daemon.stop()


def output(*command, **options):
    """The output of a program that ends by itself."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=False, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


def same(ports, shown, least):
    """Demands that a client shows from the daemon everything that it shows from gpsd."""
    theirs, ours = (shown(port) for port in ports)
    assert len(theirs) >= least, f"gpsd shows too little to compare: {theirs}"
    assert theirs - ours <= MODELLED, f"missing: {sorted(theirs - ours)}"


def same_on_screen(ports, opened, least):
    """Demands the same of a program that goes on, which `opened` starts; it yields a function that gives the names on the screen.
    From gpsd they are read until they are enough to compare and none is added for 4 s, in which 16 s of the ride are played; from
    the daemon, until all came."""

    def gathered(port, is_all):
        seen, newest = set(), time.monotonic()

        def is_complete():
            nonlocal newest
            new = names() - seen
            if new:
                seen.update(new)
                newest = time.monotonic()
            return seen and is_all(seen, time.monotonic() - newest)

        with opened(port) as names, contextlib.suppress(Late):
            until(is_complete, "all that the screen shows", pause=0.1)
        return seen

    theirs = gathered(ports[0], lambda seen, age: len(seen) >= least and age > 4)
    same(ports, lambda port: theirs if port == ports[0] else gathered(port, lambda seen, _: theirs - seen <= MODELLED), least)


LIBRARY = """
import gps, math
session = gps.gps(host="127.0.0.1", port="{port}", mode=gps.WATCH_ENABLE | gps.WATCH_NEWSTYLE)
names, fixes, skies = set(), 0, 0
for report in session:
    if report["class"] == "TPV" and session.fix.mode >= 2:
        fixes += 1
        for name, value in vars(session.fix).items():
            if value == value and value not in (None, ""): names.add(name)
    if report["class"] == "SKY":
        skies += 1
        names.update(name for name in "xdop ydop hdop vdop pdop tdop gdop".split() if getattr(session, name) == getattr(session, name))
        if session.satellites: names.add("satellites")
    if report["class"] in ("DEVICE", "DEVICES"): names.add("device")
    if fixes > 20 and skies > 4: break
print(" ".join(sorted(names)))
"""


@pytest.mark.skipif(not has_modules("gps"), reason="python3-gps is not installed")
def test_python3_gps(ports):
    same(ports, lambda port: set(output(DEBIAN_PYTHON, "-c", LIBRARY.format(port=port)).split()), 20)


AIOGPS = """
import asyncio, math
import gps.aiogps
async def main():
    names, accepted, total = set(), 0, 0
    async with gps.aiogps.aiogps(connection_args={{"host": "127.0.0.1", "port": {port}}}) as session:
        async for report in session:
            if report["class"] == "TPV" and session.fix.mode >= 2:
                total += 1
                accepted += all(math.isfinite(x) for x in (session.fix.epx, session.fix.epy, session.fix.epv))
                names.update(name for name, value in vars(session.fix).items() if value == value and value not in (None, ""))
                if total == 20: break
    print(*names, *["position"] * (accepted > 10))
asyncio.run(main())
"""


@pytest.fixture
def aiogps(folder):
    """The environment of a Python that has aiogps, which came with gpsd 3.24: the installed one, or else Debian 13's."""
    if has_modules("gps.aiogps"):
        return os.environ
    place = folder / "trixie"
    place.mkdir()
    done = debian("trixie", place)("download", "python3-gps")
    assert done.returncode == 0, done.stderr
    subprocess.run(["dpkg-deb", "-x", next(place.glob("*.deb")), place / "root"], check=True)
    return os.environ | {"PYTHONPATH": str(place / "root/usr/lib/python3/dist-packages")}


@pytest.mark.slow
def test_aiogps(aiogps, ports):
    """The fields of a fix, and the positions that pizero_bikecomputer accepts."""
    same(ports, lambda port: set(output(DEBIAN_PYTHON, "-c", AIOGPS.format(port=port), env=aiogps).split()), 15)


GPS3 = """
import time
from gps3 import gps3
connection, data = gps3.GPSDSocket(), gps3.DataStream()
connection.connect("127.0.0.1", {port})
connection.watch()
names, updates, skies, end = set(), 0, 0, time.monotonic() + 50
while True:
    line = connection.next(timeout=1)
    if line:
        data.unpack(line)
        updates += 1
        for kind in ("TPV", "SKY"):
            names.update(name for name, value in getattr(data, kind).items() if value != "n/a")
        skies += '"SKY"' in line
    # Of the lines that it reads at once it takes the first, and may miss the satellites when it is late.
    if updates >= (60 if skies >= 2 else 180) or time.monotonic() > end: break
if skies >= 2: names.add("SKY")
print(" ".join(sorted(names)))
"""


def test_gps3(ports):
    """It uses one line of what it reads at once: satellites come only if they are written apart."""
    pytest.importorskip("gps3")
    same(ports, lambda port: set(output(sys.executable, "-c", GPS3.format(port=port)).split()), 15)


GPSD_PY3 = """
import gpsd, time
gpsd.connect(host="127.0.0.1", port={port})
names = set()
for _ in range(8):
    packet = gpsd.get_current()
    names.update(name for name, value in packet.error.items() if value)
    names.update(name for name in "alt track climb hspeed time lat lon sats sats_valid".split() if getattr(packet, name))
    if all(packet.position_precision()): names.add("precision")
    time.sleep(0.3)  # as its users poll
names.update(name for name, value in gpsd.device().items() if value)
print(" ".join(sorted(names)))
"""


def test_gpsd_py3(ports):
    same(ports, lambda port: set(output(sys.executable, "-c", GPSD_PY3.format(port=port)).split()), 12)


GPSDCLIENT = """
from gpsdclient import GPSDClient
names = set()
with GPSDClient(host="127.0.0.1", port={port}) as client:
    for number, report in enumerate(client.dict_stream(convert_datetime=True, filter=["TPV", "SKY"])):
        names.update(report)
        if number == 40: break
print(" ".join(sorted(names - set("class device leapseconds".split()))))
"""


def test_gpsdclient(ports):
    same(ports, lambda port: set(output(sys.executable, "-c", GPSDCLIENT.format(port=port)).split()), 20)


@needs("gpscsv")
@pytest.mark.parametrize("kind", ["TPV", "SKY"])
def test_gpscsv(ports, kind):
    def shown(port):
        rows = csv.DictReader(io.StringIO(output("gpscsv", "-c", kind, "-n", "12", f"127.0.0.1:{port}")))
        return {name for row in rows for name, value in row.items() if value and value != "n/a"}

    same(ports, shown, 4)


@needs("gpxlogger")
def test_gpxlogger(ports, folder):
    def shown(port):
        path = folder / f"{port}.gpx"
        with subprocess.Popen(["gpxlogger", "-i", "1", "-f", path, f"127.0.0.1:{port}"]) as logger:
            until(lambda: path.exists() and path.read_text().count("<trkpt") >= 12, "points in the file", pause=0.1)
            logger.terminate()
        return set(re.findall(r"<(\w+)", path.read_text()))

    same(ports, shown, 8)


@contextlib.contextmanager
def terminal(folder, names, *command):
    """A function that gives the names on the screen of a program."""
    tmux = ["tmux", "-S", folder / f"tmux-{time.monotonic_ns()}", "-f", "/dev/null"]
    subprocess.run([*tmux, "new-session", "-d", "-x", "120", "-y", "50", " ".join(command)], check=True)
    try:
        yield lambda: names(subprocess.run([*tmux, "capture-pane", "-p"], capture_output=True, text=True, check=False).stdout)
    finally:
        subprocess.run([*tmux, "kill-server"], check=False, capture_output=True)


CGPS = re.compile(
    r"(Latitude|Longitude|Alt \(HAE, MSL\)|Speed|Track \(true, var\)|Climb|Status|Long Err|Lat Err|Alt Err|Speed Err|Track Err"
    r"|2D Err|3D Err|Sph Err|Time Err|Grid Square|ECEF [XYZ]|Time offset)[^:│]*:?\s+([^│\n]*)"
)


@needs("cgps")
@needs("tmux")
def test_cgps(ports, folder):
    def names(text):
        return {name for name, value in CGPS.findall(text) if value.strip() and "n/a" not in value}

    same_on_screen(ports, lambda port: terminal(folder, names, "cgps", "-s", f"127.0.0.1:{port}"), 9)


@needs("gpsmon")
@needs("tmux")
def test_gpsmon(ports, folder):
    """Its JSON window: the classes and fields that it receives."""

    def names(text):
        fields = re.findall(r'"(ep[xyvtsc]|sep|eph|climb|[xyvthgp]dop|mode|lat|lon)"', text)
        return {*fields, *re.findall(r"\$..(RMC|GGA|GSA|GSV)", text)}

    same_on_screen(ports, lambda port: terminal(folder, names, "gpsmon", "-a", f"127.0.0.1:{port}"), 2)


@contextlib.contextmanager
def window(names, command, environment):
    """A function that gives the names in the next line that a program on a screen prints."""
    with (
        screen() as display,
        subprocess.Popen(command, env=environment | {"DISPLAY": display}, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as program,
    ):

        def read():
            return names(program.stdout.readline().decode()) if select.select([program.stdout], [], [], 0.5)[0] else set()

        try:
            yield read
        finally:
            program.kill()


@pytest.mark.desktop
@needs("xgps")
@needs("Xvfb")
def test_xgps(ports, folder):
    reporter = pathlib.Path(__file__).with_name("reporters") / "xgps.py"

    def names(line):
        texts = json.loads(line)
        shown = (
            name.removesuffix(":") for value, name in zip(texts, texts[1:])
            if value and value != "n/a" and not value.startswith("0 ") and not name[:1].isdigit())
        # Names begin with a capital; a Maidenhead locator is a value.
        return {name for name in shown if re.fullmatch(r"[A-Z](?![A-Z]\d)[\w /().]+", name)}

    def opened(port):
        command = [DEBIAN_PYTHON, "-u", reporter, shutil.which("xgps"), folder / "xgps.png", f"127.0.0.1:{port}"]
        return window(names, command, os.environ | {"NO_AT_BRIDGE": "1", "GSETTINGS_BACKEND": "memory"})

    same_on_screen(ports, opened, 8)


# Its line below the map: `129.5 km/h trp 1.30 km alt 130 m hdg 286° 10/0.7`, the last two satellites in use and HDOP.
FOXTROT = re.compile(r"([\d.]+|nan)km/h trp ([\d.]+|nan)km alt (-?[\d.]+|nan)m hdg ([\d.]+|nan)° (\d+)/([\d.]+|nan)")


@pytest.mark.desktop
@needs("foxtrotgps")
@needs("cc")
@needs("Xvfb")
def test_foxtrotgps(ports, folder):
    """It takes its numbers from libgps; the line of them is read by a library that is preloaded."""
    reporter = folder / "foxtrotgps.so"
    source = pathlib.Path(__file__).with_name("reporters") / "foxtrotgps.c"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", reporter, source], check=True)

    def names(line):
        found = FOXTROT.search(re.sub("<[^>]*>", "", line))
        values = zip("speed trip altitude heading satellites HDOP".split(), found.groups()) if found else ()
        return {name for name, value in values if value != "nan" and float(value) != 0}

    def opened(port):
        settings = folder / str(port) / "glib-2.0" / "settings"
        settings.mkdir(parents=True)
        (settings / "keyfile").write_text(
            f"[org/foxtrotgps]\ngpsd-host='127.0.0.1'\ngpsd-port='{port}'\nauto-download=false\n")
        environment = os.environ | {
            "HOME": str(folder / str(port)), "XDG_CONFIG_HOME": str(folder / str(port)), "LANG": "C.UTF-8",
            "GSETTINGS_BACKEND": "keyfile", "LD_PRELOAD": str(reporter), "NO_AT_BRIDGE": "1",
        }
        return window(names, ["foxtrotgps"], environment)

    same_on_screen(ports, opened, 6)
