"""Real clients of gpsd on the daemon's TCP port: each shows the positions of the recording."""

import contextlib
import json
import os
import pathlib
import re
import select
import shutil
import socket
import subprocess
import sys
import time

import pynmea2
import pytest

from gpsd_harness import DEBIAN_PYTHON, free_port, has_modules, needs, needs_ipv6
from handlebar_harness import RECORDING, RIDE_FORMS, TIMEOUT, Client, Daemon, Late, on_track, received, until

every_form = pytest.mark.parametrize("ride", RIDE_FORMS, indirect=True)


@pytest.fixture
def port(folder, ride):
    """The port of a daemon that replays the ride."""
    number = free_port()
    source = f"recording:{ride}?speed=4&loop=true"
    with Daemon(folder, source, options=["--tcp", f"localhost:{number}"]) as daemon:
        # The bundled recording begins with a cold start.
        with daemon.connect() as client:
            client.watch(distanceFilter=0)
            client.wait("STATE", lambda state: state.get("mode") == 3)
        yield number
        daemon.stop()


def output(*command):
    """The output of a program that ends by itself."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@needs("gpspipe")
@every_form
def test_gpspipe_w(port, track):
    lines = [json.loads(line) for line in output("gpspipe", "-w", "-n", "25", f"127.0.0.1:{port}").splitlines()]
    names = [line["class"] for line in lines]
    assert names[:3] == ["VERSION", "DEVICES", "WATCH"]
    assert set(names) <= {"VERSION", "DEVICES", "WATCH", "TPV", "SKY", "GST"}, "a class that was not requested"
    fixes = [line for line in lines if line["class"] == "TPV"]
    assert len(fixes) > 4
    assert all(on_track(track, fix["lat"], fix["lon"]) for fix in fixes)
    assert all(fix["status"] == 1 and fix["alt"] == fix["altMSL"] for fix in fixes)
    assert all("nSat" in sky and "uSat" in sky for sky in lines if sky["class"] == "SKY")
    times = [fix["time"] for fix in fixes]
    assert len(set(times)) == len(times), "an epoch is published twice"


@needs("gpspipe")
def test_gpspipe_r(port):
    known = {line.strip() for line in RECORDING.read_text().splitlines()}
    sentences = [line for line in output("gpspipe", "-r", "-n", "20", f"127.0.0.1:{port}").splitlines() if line[0] == "$"]
    assert len(sentences) > 10
    assert all(line.strip() in known for line in sentences)


def fit_for_readers(sentences, track):
    """Demands bursts of sentences made from fixes, which pynmea2 reads, with the positions of the track."""
    read = [pynmea2.parse(line, check=True) for line in sentences]
    assert {one.sentence_type for one in read} == {"RMC", "GGA", "GSA", "GSV", "GST"}
    assert {one.talker for one in read if one.sentence_type != "GSV"} == {"GN"}
    fixes = [one for one in read if one.sentence_type in ("RMC", "GGA")]
    assert len(fixes) > 8 and all(on_track(track, one.latitude, one.longitude) for one in fixes)
    # One burst an epoch: RMC first, each time once.
    times = [one.timestamp for one in read if one.sentence_type == "RMC"]
    assert len(set(times)) == len(times)


@needs("gpspipe")
@pytest.mark.parametrize("ride", ["ubx"], indirect=True)
def test_gpspipe_r_of_a_receiver_without_sentences(port, track):
    lines = output("gpspipe", "-r", "-n", "80", f"127.0.0.1:{port}").splitlines()
    fit_for_readers([line.strip() for line in lines if line[0] == "$"][:-1], track)


@pytest.mark.parametrize("ride", ["ubx"], indirect=True)
def test_raw_2_gives_the_bytes_of_a_receiver(port, ride):
    with Client(("127.0.0.1", port)) as client:
        client.send('?WATCH={"enable":true,"raw":2};')
        deadline, data = time.monotonic() + TIMEOUT, b""
        while data.count(b"\xb5\x62\x01\x07") < 8:
            assert select.select([client], [], [], max(0, deadline - time.monotonic()))[0], "no bytes"
            data += client.socket.recv(65536)
    begin = data.index(b"\xb5\x62\x01\x07")
    sent = received(ride.read_bytes())
    assert data[begin:] in sent + sent


# gpsd's clients warn of another release than their own.
GPSD_RELEASE = next(iter(re.findall(r"\d+\.\d+", subprocess.run(
    ["cgps", "--version"], capture_output=True, text=True, check=False).stdout)), "") if shutil.which("cgps") else ""


@needs("cgps")
@needs("tmux")
def test_cgps(port, track, folder):
    tmux = ["tmux", "-S", folder / "tmux", "-f", "/dev/null"]

    def screen():
        return subprocess.run([*tmux, "capture-pane", "-p"], capture_output=True, text=True, check=False).stdout

    def shown():
        text = screen()
        latitude = re.search(r"Latitude:?\s+(\d+\.\d+) N", text)
        longitude = re.search(r"Longitude:?\s+(\d+\.\d+) E", text)
        # While it is drawn, one of them is still that of the fix before.
        return latitude and longitude and on_track(track, float(latitude[1]), float(longitude[1]), 1e-8)

    subprocess.run([*tmux, "new-session", "-d", "-x", "100", "-y", "40", f"cgps -s 127.0.0.1:{port} 2>{folder}/errors"], check=True)
    try:
        until(shown, "a position of the ride on the screen", pause=0.1)
        until(lambda: re.search(r"Status:?\s+3D FIX", screen()), "the status on the screen", pause=0.1)
        until(lambda: re.search(r"Speed:?\s+\d+\.\d+", screen()), "the speed on the screen", pause=0.1)
        assert GPSD_RELEASE != "3.22" or "WARNING" not in (folder / "errors").read_text()
    finally:
        subprocess.run([*tmux, "kill-server"], check=False)


@pytest.mark.skipif(not has_modules("gps"), reason="python3-gps is not installed")
def test_python3_gps(port, track):
    program = f"""
import gps
session = gps.gps(host="127.0.0.1", port="{port}", mode=gps.WATCH_ENABLE | gps.WATCH_NEWSTYLE)
seen = 0
for report in session:
    if report["class"] == "TPV":
        print(session.fix.latitude, session.fix.longitude, session.fix.mode, session.fix.altitude)
        seen += 1
        if seen == 8:
            break
"""
    for line in output(DEBIAN_PYTHON, "-c", program).splitlines():
        latitude, longitude, mode, altitude = map(float, line.split())
        assert on_track(track, latitude, longitude) and mode == 3 and altitude == altitude


def test_gpsd_py3(port, track):
    program = f"""
import time, gpsd
gpsd.connect(host="127.0.0.1", port={port})
for _ in range(5):
    packet = gpsd.get_current()
    print(*packet.position(), packet.mode, packet.sats, packet.get_time())
    time.sleep(0.3)  # as its users poll
"""
    for line in output(sys.executable, "-c", program).splitlines():
        latitude, longitude, mode = map(float, line.split()[:3])
        assert on_track(track, latitude, longitude) and mode == 3


def test_gpsdclient(port, track):
    program = f"""
from gpsdclient import GPSDClient
with GPSDClient(host="127.0.0.1", port={port}) as client:
    for count, report in enumerate(client.dict_stream(convert_datetime=True, filter=["TPV"])):
        print(report["lat"], report["lon"], report["time"].isoformat())
        if count == 8:
            break
"""
    lines = output(sys.executable, "-c", program).splitlines()
    assert len(lines) == 9
    for line in lines:
        latitude, longitude = map(float, line.split()[:2])
        assert on_track(track, latitude, longitude)


@contextlib.contextmanager
def screen():
    """The name of a virtual X display."""
    reader, writer = os.pipe()
    command = ["Xvfb", "-displayfd", str(writer), "-screen", "0", "1000x900x24", "-nolisten", "tcp"]
    with subprocess.Popen(command, pass_fds=[writer], stderr=subprocess.DEVNULL) as server:
        os.close(writer)
        try:
            with open(reader, encoding="ascii") as number:
                assert select.select([number], [], [], TIMEOUT)[0], "Xvfb has no display"
                yield f":{number.readline().strip()}"
        finally:
            server.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                server.wait(TIMEOUT)
            server.kill()


@pytest.mark.desktop
@needs("xgps")
@needs("Xvfb")
@every_form
def test_xgps(port, track, folder):
    """The texts of its window; the window is drawn."""
    picture = folder / "xgps.png"
    reporter = pathlib.Path(__file__).with_name("reporters") / "xgps.py"

    def shown(program):
        """The texts of the window, value by name, once it has a position."""
        deadline = time.monotonic() + 3 * TIMEOUT
        while select.select([program.stdout], [], [], max(0, deadline - time.monotonic()))[0]:
            line = program.stdout.readline()
            assert line, f"xgps has ended with {program.wait()}"
            texts = json.loads(line)
            # A value precedes its name; some names are repeated for the noise, without a unit.
            values = {}
            for value, name in zip(texts, texts[1:]):
                values.setdefault(name.removesuffix(":"), []).append(value)
            if "3D FIX" in values.get("Status", []) and values["Sats Used"][0].isdigit():
                return values
        raise Late("no fix in the window of xgps")

    with screen() as display:
        environment = os.environ | {"DISPLAY": display, "NO_AT_BRIDGE": "1", "GSETTINGS_BACKEND": "memory"}
        with subprocess.Popen(
            [DEBIAN_PYTHON, "-u", reporter, shutil.which("xgps"), picture, f"127.0.0.1:{port}"],
            env=environment, stdout=subprocess.PIPE, stderr=(folder / "errors").open("w"),
        ) as program:
            try:
                values = shown(program)
                assert GPSD_RELEASE != "3.22" or "WARNING gpsd" not in (folder / "errors").read_text()
                until(lambda: picture.stat().st_size > 20_000, "anything drawn", pause=0.1)
            finally:
                program.kill()
    latitude = next(value for value in values["Latitude"] if value.endswith(" N"))
    longitude = next(value for value in values["Longitude"] if value.endswith(" E"))
    assert on_track(track, float(latitude[:-2]), float(longitude[:-2]), 1e-8), values
    assert re.fullmatch(r"\d+\.\d+ km/h", values["Speed"][0])
    assert re.fullmatch(r"\d+\.\d+ m", values["Altitude MSL"][0])


@needs("gpxlogger")
def test_gpxlogger(port, track, folder):
    path = folder / "track.gpx"
    with subprocess.Popen(["gpxlogger", "-i", "1", "-f", path, f"127.0.0.1:{port}"]) as logger:
        point = re.compile(r'<trkpt lat="([\d.]+)" lon="([\d.]+)">')
        until(lambda: path.exists() and len(point.findall(path.read_text())) >= 8, "points in the file", pause=0.1)
        logger.terminate()
    places = point.findall(path.read_text())
    assert all(on_track(track, float(latitude), float(longitude)) for latitude, longitude in places)


@needs_ipv6
def test_both_protocols_of_the_internet(port):
    for host in ("127.0.0.1", "::1"):
        with contextlib.closing(Client((host, port)).socket):
            pass


@needs_ipv6
def test_ipv6_by_its_address(folder):
    number = free_port()
    with Daemon(folder, f"recording:{RECORDING}", options=["--tcp", f"[::1]:{number}"]) as daemon:
        with Client(("::1", number)) as client:
            assert client.next()["class"] == "VERSION"
        with pytest.raises(OSError):
            socket.create_connection(("127.0.0.1", number), 1)
        daemon.stop()


def test_port_is_taken(folder):
    """The message names the port and another one; nothing is left behind."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        number = other.getsockname()[1]
        with Daemon(folder, f"recording:{RECORDING}", options=["--tcp", f"127.0.0.1:{number}"], wait=False) as daemon:
            assert daemon.wait_end() == 71
            assert f"127.0.0.1:{number} is taken" in daemon.log
            assert f"--tcp 127.0.0.1:{number + 1}" in daemon.log
            assert not daemon.socket.exists()


def test_gpsd_has_the_port(folder):
    """On gpsd's own port the message names gpsd; skipped where the port is unavailable."""
    try:
        other = socket.create_server(("127.0.0.9", 2947))
    except OSError as error:
        pytest.skip(f"127.0.0.9:2947: {error}")
    with other, Daemon(folder, f"recording:{RECORDING}", options=["--tcp", "127.0.0.9:2947"], wait=False) as daemon:
        assert daemon.wait_end() == 71
        assert "probably gpsd" in daemon.log and "systemctl stop gpsd.socket gpsd" in daemon.log
        assert "--tcp 127.0.0.9:2948" in daemon.log


def test_additions_on_request(port):
    with Client(("127.0.0.1", port)) as client:
        client.watch()
        client.send("?STATUS;")
        assert "handlebar" in client.wait("ERROR")["message"]
        client.send('?WATCH={"json":true,"handlebar":true};')
        client.wait("STATE")
        client.send("?STATUS;")
        assert client.wait("STATUS")["state"] == "tracking"


def test_nmea_socket(folder):
    """One way, whole sentences of the leading source and nothing else."""
    path = folder / "nmea.sock"
    known = {line.strip().encode() for line in RECORDING.read_text().splitlines()}
    with Daemon(folder, f"recording:{RECORDING}?speed=4&loop=true", options=["--nmea-socket", path]) as daemon:
        with socket.socket(socket.AF_UNIX) as reader:
            reader.connect(str(path))
            reader.sendall(b"?WATCH={};\r\nwhat is this\r\n" * 50)
            text, deadline = b"", time.monotonic() + TIMEOUT
            while text.count(b"\n") < 30:
                if not select.select([reader], [], [], max(0, deadline - time.monotonic()))[0]:
                    raise Late("no sentences")
                text += reader.recv(65536)
        *lines, _ = text.split(b"\r\n")
        assert all(line in known for line in lines)
        daemon.stop()


@pytest.mark.parametrize("ride", ["ubx"], indirect=True)
def test_nmea_socket_of_a_receiver_without_sentences(folder, ride, track):
    path = folder / "nmea.sock"
    with Daemon(folder, f"recording:{ride}?speed=4&loop=true", options=["--nmea-socket", path]) as daemon:
        with socket.socket(socket.AF_UNIX) as reader:
            reader.connect(str(path))
            text, deadline = b"", time.monotonic() + TIMEOUT
            while text.count(b"\n") < 80:
                if not select.select([reader], [], [], max(0, deadline - time.monotonic()))[0]:
                    raise Late("no sentences")
                text += reader.recv(65536)
        fit_for_readers([line.decode() for line in text.split(b"\r\n")[:-1]], track)
        daemon.stop()


def test_clients_are_there():
    """Names the programs that are not installed."""
    missing = [name for name in ("gpspipe", "cgps", "tmux", "gpxlogger", "gpsfake") if shutil.which(name) is None]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
