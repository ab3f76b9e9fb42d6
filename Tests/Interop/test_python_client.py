"""The Python client, clients/python: against the daemon, and against a peer that misbehaves."""

import ast
import asyncio
import contextlib
import dataclasses
import datetime
import gc
import importlib.metadata
import importlib.util
import itertools
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import sysconfig
import threading
import venv

import pytest

import nmea_sender
from gpsd_harness import free_port
from handlebar_harness import BIN, BUNDLED, RECORDING, ROOT, SANITIZED, TIMEOUT, Daemon, Receiver, until
from measuring import anonymous

FOLDER = ROOT / "clients" / "python"
sys.path.insert(0, str(FOLDER))
import handlebar  # noqa: E402
from handlebar import Arrival, AsyncClient, Client, Connected, Disconnected, Fix, Follow, Pose, State  # noqa: E402

pytestmark = pytest.mark.usefixtures("patient")

GREETING = b'{"class":"VERSION","release":"0.1.0","rev":"0.1.0","proto_major":3,"proto_minor":14,"handlebar":1}\r\n'
WATCH = b'{"class":"WATCH","enable":true,"json":true}\r\n'


def tpv(seq, reason="moved"):
    line = {"class": "TPV", "mode": 3, "lat": 48 + seq / 1e4, "lon": 11, "seq": seq, "reason": reason}
    return json.dumps(line).encode() + b"\r\n"


def wait(updates, kind, matching=lambda _: True):
    """The next update of that type that matches."""
    while True:
        update = updates.next(TIMEOUT)
        if isinstance(update, kind) and matching(update):
            return update


async def wait_async(updates, kind, matching=lambda _: True):
    while True:
        update = await updates.next(TIMEOUT)
        if isinstance(update, kind) and matching(update):
            return update


class Peer:
    """A socket in place of the daemon's, which does what the test does."""

    def __init__(self, folder):
        self.path = folder / "peer.sock"
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.listener.bind(str(self.path))
        self.listener.listen()
        self.listener.settimeout(TIMEOUT)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.listener.close()

    @contextlib.contextmanager
    def accept(self, *lines):
        """A connection that has been sent these bytes; its last request was read if they greet it."""
        connection, _ = self.listener.accept()
        with connection:
            connection.settimeout(TIMEOUT)
            connection.sendall(b"".join(lines))
            if lines[:1] == (GREETING,):
                read(connection, b"?WATCH={")
            yield connection


def read(connection, words, data=b""):
    """Everything that is received up to a line with these words."""
    while not re.search(re.escape(words) + b".*;\n", data):
        more = connection.recv(65536)
        assert more, f"the client closed before it sent {words!r}: {data!r}"
        data += more
    return data


@pytest.fixture
def peer(folder):
    with Peer(folder) as one:
        yield one


@pytest.fixture
def ride(folder):
    """A daemon whose receiver sends an epoch for each call."""
    with Receiver(folder / "gps0") as receiver, Daemon(folder, f"serial:{receiver.link}?speed=115200") as daemon:
        numbers = iter(range(1_000_000))

        def epoch():
            receiver.write(nmea_sender.epoch(next(numbers), period=1))
            receiver.wait_read()

        daemon.epoch = epoch
        yield daemon


# The module


def test_the_syntax_is_that_of_python_3_9_and_nothing_else_is_imported():
    tree = ast.parse((FOLDER / "handlebar.py").read_text(), feature_version=(3, 9))
    modules = {one.name for node in ast.walk(tree) if isinstance(node, ast.Import) for one in node.names}
    modules |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    modules = {name.partition(".")[0] for name in modules}
    assert modules <= set(getattr(sys, "stdlib_module_names", modules))


def test_its_version_is_the_daemons():
    release = subprocess.run([BIN / "handlebard", "--version"], capture_output=True, text=True, check=True).stdout
    assert handlebar.__version__ == release.strip()
    assert (ROOT / "CHANGELOG.md").read_text().partition("\n## ")[2].startswith(release.strip())


def test_pip_installs_it(folder):
    """Without a network: the build's only requirement is that of the tests."""
    release = importlib.metadata.version("setuptools") if importlib.util.find_spec("setuptools") else "0"
    if tuple(map(int, release.split(".")[:2])) < (70, 1):
        pytest.skip(f"setuptools {release} cannot build a wheel alone; 70.1 can")
    venv.create(folder / "venv")
    python = folder / "venv/bin/python"
    # A build leaves files in the source.
    source = shutil.copytree(FOLDER, folder / "python", ignore=shutil.ignore_patterns("__pycache__"))
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-index", "--no-build-isolation", source]
    environment = os.environ | {"PYTHONPATH": sysconfig.get_path("purelib")}
    done = subprocess.run(pip, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    program = "import handlebar, importlib.metadata as m; print(handlebar.__file__, m.version('handlebar-client'))"
    done = subprocess.run([python, "-c", program], cwd=folder, capture_output=True, text=True, check=True)
    file, version = done.stdout.split()
    assert pathlib.Path(file).is_relative_to(folder / "venv") and version == handlebar.__version__


def test_the_examples_of_its_readme_run(folder):
    examples = re.findall(r"```python\n(.*?)```", (FOLDER / "README.md").read_text(), re.DOTALL)
    assert len(examples) >= 2
    with Daemon(folder, f"recording:{RECORDING}?speed=20&loop=true") as daemon:
        for example in examples:
            environment = os.environ | {"HANDLEBAR_SOCKET": str(daemon.socket), "PYTHONPATH": str(FOLDER)}
            command = [sys.executable, "-u", "-W", "error", "-c", example]
            with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as process:
                try:
                    assert all(process.stdout.readline() for _ in range(3)), example
                finally:
                    process.kill()


# Reports


# Names on the wire, and how the client calls them.
NAMES = {
    "lat": "latitude", "lon": "longitude", "altMSL": "altitude_msl", "altHAE": "altitude_hae", "geoidSep": "geoid_separation",
    "track": "course", "magvar": "magnetic_variation", "eph": "horizontal_accuracy", "epv": "vertical_accuracy",
    "eps": "speed_accuracy", "epd": "course_accuracy", "suspect": "is_suspect", "fixSeq": "fix_seq", "jump": "is_jump",
    "PRN": "prn", "gnssid": "gnss_id", "svid": "sv_id", "el": "elevation", "az": "azimuth", "ss": "signal", "used": "is_used",
    "uSat": "used_count", "recordingError": "recording_error", "following": "is_following", "paused": "is_paused",
    "ended": "has_ended", "lastKnown": "last_known",
}
OF_ESTIMATES = {
    "rms": "range_error", "orient": "orientation", "lat": "latitude_error", "lon": "longitude_error", "alt": "altitude_error",
}
# Values that the client leaves out, beside the copy `alt`.
LEFT_OUT = {"class", "epx", "epy", "magtrack", "dgpsAge", "dgpsSta", "nSat"}


def as_sent(value, names):
    """A value of the client in place of the one on the wire."""
    if isinstance(value, datetime.datetime):
        return value.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    if isinstance(value, tuple) and value and dataclasses.is_dataclass(value[0]):
        return [values(one, names) for one in value]
    if dataclasses.is_dataclass(value):
        return values(value, names)
    return list(value) if isinstance(value, tuple) else value


def values(report, names):
    """What a report says, by the names of the wire."""
    wire = {ours: theirs for theirs, ours in names.items()}
    fields = {one.name: getattr(report, one.name) for one in dataclasses.fields(report) if one.metadata}
    said = {wire.get(name, name): as_sent(value, names) for name, value in fields.items() if value is not None}
    return {name: value for name, value in said.items() if not (value is False and name in ("suspect", "jump"))}


def recorded(ride):
    """The daemon's lines for a ride, without those that no consumer is handed."""
    lines = [json.loads(line) for line in ride.with_suffix(".expected").read_bytes().splitlines()]
    return [line for line in lines if line["class"] not in ("WATCH", "DEVICES")]


@pytest.mark.parametrize("ride", BUNDLED, ids=lambda ride: ride.stem)
def test_every_report_of_a_recording_is_what_the_socket_sends(folder, ride):
    uri = f"recording:{ride.relative_to(ROOT)}?speed=max&start=watch"
    with Daemon(folder, uri, cwd=ROOT) as daemon, Client(daemon.socket) as client:
        received = []
        for update in client.updates(every_report=True):
            received.append(update)
            if isinstance(update, handlebar.Playback) and update.has_ended:
                break
    assert isinstance(received.pop(0), Connected)
    expected = recorded(ride)
    assert len(received) == len(expected)
    for report, line in zip(received, expected):
        names = NAMES | OF_ESTIMATES if line["class"] == "GST" else NAMES
        said = {name: value for name, value in line.items() if name not in LEFT_OUT}
        if isinstance(report, Fix):
            said.pop("alt", None)
            assert ",".join(report.reasons) == said.pop("reasons", report.reason)
        assert values(report, names) == said


def test_a_missing_value_is_none_and_an_unknown_class_a_report():
    fix = handlebar.read_report(b'{"class":"TPV","mode":2,"lat":0,"lon":-0.5}\r')
    assert (fix.latitude, fix.longitude, fix.speed, fix.time, fix.seq, fix.reasons) == (0, -0.5, None, None, None, ())
    other = handlebar.read_report(b'{"class":"LAPS","name":"day","laps":[{"lap":1}]}')
    assert other == handlebar.Report("LAPS", {"name": "day", "laps": [{"lap": 1}]})
    assert isinstance(handlebar.read_report(b'{"class":"TPV","mode":1}'), handlebar.Report)
    assert handlebar.read_report(b'{"class":"ARRIVAL","name":"x"}').state is None


def test_bytes_arrive_in_any_pieces():
    stream = GREETING + b"".join(tpv(number) for number in range(20))
    whole = list(handlebar.Session().receive(stream))
    assert len(whole) == 21
    for size in (1, 7, 100):
        session = handlebar.Session()
        pieces = [stream[at : at + size] for at in range(0, len(stream), size)]
        assert [report for piece in pieces for report in session.receive(piece)] == whole


def test_status_and_satellites(folder):
    with Daemon(folder, f"recording:{RECORDING}?speed=20&loop=true") as daemon, Client(daemon.socket) as client:
        sky = wait(client.updates(), handlebar.Satellites, lambda sky: sky.used_count)
        assert sum(one.is_used for one in sky.satellites) == sky.used_count > 3
        status = client.status()
        assert (status.release, status.client_limit, status.sources[0].source) == (handlebar.__version__, 256, "recording")
        assert status.counts["clientsAccepted"] >= 2
        updates = client.updates(distance_filter=0, satellites=False)
        kinds = {type(updates.next(TIMEOUT)) for _ in range(30)}
        assert Fix in kinds and handlebar.Satellites not in kinds


def test_poses(folder):
    with Daemon(folder, f"recording:{BUNDLED[0]}?speed=10") as daemon, Client(daemon.socket) as client:
        updates = client.updates(distance_filter=0, poses=20)
        poses = [wait(updates, Pose) for _ in range(20)]
        assert {pose.basis for pose in poses} <= {"fix", "predicted", "held"}
        assert all(pose.horizontal_accuracy > 0 and pose.fix_seq > 0 for pose in poses)
        assert [pose.time for pose in poses] == sorted(pose.time for pose in poses)


# Requests


def test_locate_answers_or_times_out_with_the_last_known_position(ride):
    with Client(ride.socket) as client:
        with pytest.raises(handlebar.TimedOut) as caught:
            client.locate(timeout=0.05)
        assert (caught.value.code, caught.value.report.latitude) == ("timedOut", None)
        assert isinstance(caught.value, TimeoutError) and "no fix in time" in str(caught.value)
        ride.epoch()
        fix = client.locate(max_age=TIMEOUT)
        assert (fix.reason, fix.seq) == ("requested", 1)
        with pytest.raises(handlebar.TimedOut) as caught:
            client.locate(timeout=0, max_age=0)
        assert caught.value.report.latitude == fix.latitude and caught.value.report.age > 0


def test_refused_requests_are_exceptions_with_code_and_message(ride):
    with Client(ride.socket) as client:
        with pytest.raises(handlebar.Refused) as caught:
            client.playback(pause=True)
        assert caught.value.code == "request" and "recording" in caught.value.message
        with pytest.raises(handlebar.Refused, match="Unrecognized request"):
            client.request("NONSENSE", {"number": 1})
        assert client.request("RECORD") == [handlebar.Report("RECORD", {"state": "off"})]
        assert client.targets() == []
        updates = client.updates()
        for number in range(8):
            updates.set_target(f"target {number}", 1, 2)
        with pytest.raises(handlebar.Refused, match="8"):
            updates.set_target("one too many", 1, 2)
        # The subscription goes on.
        ride.epoch()
        assert wait(updates, Fix).seq == 1


INVALID = [
    ("updates", {"distance_filter": -1}), ("updates", {"distance_filter": float("nan")}), ("updates", {"heartbeat": 0.05}),
    ("updates", {"poses": 61}), ("updates", {"poses": 0.5}), ("locate", {"timeout": float("inf")}), ("locate", {"max_age": -1}),
    ("set_target", {"name": "", "latitude": 1, "longitude": 2}),
    ("set_target", {"name": "é" * 33, "latitude": 1, "longitude": 2}),
    ("trip", {"name": ""}), ("trip", {"name": "day", "change": "off"}),
    ("set_target", {"name": "x", "latitude": 91, "longitude": 2}), ("follow", {"view": "\ud800"}),
    ("set_target", {"name": "x", "latitude": 1, "longitude": 2, "radius": 0.5}), ("playback", {"seek": -1}),
    ("playback", {"speed": 1001}), ("request", {"name": "STATUS;"}), ("request", {"name": "WATCH", "fields": {"enable": True}}),
]


@pytest.mark.parametrize("method, arguments", INVALID, ids=str)
def test_an_invalid_value_is_an_error_at_the_call(folder, method, arguments):
    with Client(folder / "absent.sock") as client, pytest.raises(ValueError):
        getattr(client, method)(**arguments)


def test_an_invalid_view_or_endpoint_is_an_error_at_the_call(folder):
    with Client(folder / "absent.sock") as client, client.updates() as updates:
        for arguments in ({"latitude": 91}, {"cause": "wind"}, {"seq": -1}, {"view": ""}):
            with pytest.raises(ValueError):
                updates.report_view(**({"latitude": 1, "longitude": 2} | arguments))
    with pytest.raises(ValueError):
        Client(("localhost", 0))
    with Client(("localhost", 2947)) as client, pytest.raises(ValueError, match="Unix socket"):
        client.updates(poses=10)


def test_playback_is_controlled(folder):
    with Daemon(folder, f"recording:{RECORDING}?speed=5") as daemon, Client(daemon.socket) as client:
        updates = client.updates()
        wait(updates, Connected)
        assert client.playback(pause=True).is_paused
        assert wait(updates, handlebar.Playback).is_paused
        assert client.playback(seek=120).position >= 120
        state = client.playback(speed="max", pause=False)
        assert state.speed is None and not state.is_paused
        assert wait(updates, handlebar.Playback, lambda state: state.has_ended).position > 400


def test_targets_and_follow_mode(ride):
    with Client(ride.socket) as client, client.updates(distance_filter=0) as updates:
        ride.epoch()
        fix = wait(updates, Fix)
        arrival = updates.set_target("home", fix.latitude, fix.longitude)
        assert (arrival.name, arrival.state) == ("home", "away") and arrival.distance < 1
        ride.epoch()
        fix = wait(updates, Fix)
        assert wait(updates, Arrival, lambda one: one.state == "arriving").name == "home"
        assert client.set_target("far", 10, 20).state == "away"
        assert sorted(one.name for one in client.targets()) == ["far", "home"]
        updates.remove_target("home")
        client.remove_target("far")
        assert wait(updates, Arrival, lambda one: one.state == "removed").name == "home"
        with pytest.raises(handlebar.Refused):
            client.request("TARGET", {"name": 1})

        # The number of the newest fix ends the grace in which a new view's reports are ignored.
        assert client.follow().is_following
        assert updates.report_view(fix.latitude + 1, fix.longitude, seq=fix.seq, cause="user")
        drift = wait(updates, Follow, lambda follow: not follow.is_following)
        assert (drift.reason, drift.seq) == ("drift", fix.seq) and drift.distance > 100_000
        assert updates.set_following(True).is_following
        assert not client.set_following(False).is_following
        assert not client.follow().is_following


def test_trips(ride):
    with Client(ride.socket) as client, client.updates(distance_filter=0) as updates:
        assert client.trips() == []
        assert client.trip("day") == handlebar.Trip("day", "lost")
        for _ in range(3):
            ride.epoch()
            wait(updates, Fix)
        trip = wait(updates, handlebar.Trip, lambda one: one.state == "moving")
        assert trip.name == "day" and trip.lap == 1
        lap = client.trip("day", "lap")
        assert (lap.lap, lap.lap_distance) == (2, 0)
        # Without further fixes, the last one is lost in the end.
        assert [dataclasses.replace(one, state=lap.state) for one in client.trips()] == [lap]
        assert client.trip("day", "reset").distance == 0
        assert client.trip("day", "end").state == "ended"
        assert wait(updates, handlebar.Trip, lambda one: one.state == "ended").name == "day"
        with pytest.raises(handlebar.Refused, match="no trip"):
            client.trip("day", "lap")


# Connections


def test_views_and_targets_come_back_after_a_restart(folder):
    source = f"serial:{folder}/absent"
    with contextlib.ExitStack() as stack:
        daemon = stack.enter_context(Daemon(folder, source))
        client = stack.enter_context(Client(daemon.socket))
        updates = stack.enter_context(client.updates(distance_filter=25))
        wait(updates, Connected)
        assert updates.report_view(48, 11, "main", cause="follow")
        assert updates.report_view(48, 11, "inset", cause="follow")
        updates.set_target("kept", 48, 11, radius=50)
        updates.set_target("given up", 48, 11)
        updates.remove_target("given up")
        updates.set_target("lasting", 48, 11, persistent=True)
        assert not updates.set_following(False).is_following
        daemon.stop()
        stopping = wait(updates, Disconnected).error
        assert isinstance(stopping, handlebar.Refused) and stopping.code == "stopping"
        stack.enter_context(Daemon(folder, source))
        wait(updates, Connected)
        until(lambda: [one.name for one in client.targets()] == ["kept"], "the target")
        assert not client.follow("main").is_following
        assert client.follow("inset").is_following
        assert wait(updates, Follow, lambda follow: follow.view == "main").is_following is False
        # It ends with the subscription.
        updates.close()
        until(lambda: client.targets() == [], "the end of the target")


@pytest.mark.slow
def test_kills_of_the_daemon_lose_neither_views_nor_targets_nor_trips(folder):
    """The subscription restores its own; the daemon keeps persistent targets, and trips to the last transition."""
    options = ["--state", folder / "state"]
    numbers = itertools.count()
    with contextlib.ExitStack() as stack:
        receiver = stack.enter_context(Receiver(folder / "gps0"))
        client = stack.enter_context(Client(folder / "location.sock"))
        updates = stack.enter_context(client.updates(distance_filter=25, every_report=True))

        def start():
            daemon = stack.enter_context(Daemon(folder, f"serial:{receiver.link}?speed=115200", options=options))
            wait(updates, Connected)
            return daemon

        def ride(epochs):
            for _ in range(epochs):
                before = client.status().counts["epochs"]
                receiver.write(nmea_sender.epoch(next(numbers)))
                until(lambda: client.status().counts["epochs"] > before, "the epoch")

        def is_kept(lap):
            """Whether the target and the trip in this lap are stored."""
            targets, trips = (folder / "state" / name for name in ("targets", "trips"))
            if not (targets.exists() and trips.exists()):
                return False
            return '"lasting"' in targets.read_text() and any(
                line.startswith(b"day".hex()) and line.split()[3] == str(lap) for line in trips.read_text().splitlines())

        daemon = start()
        ride(3)
        fix = wait(updates, Fix)
        assert updates.report_view(fix.latitude, fix.longitude, "main", fix.seq, "follow")
        assert updates.report_view(fix.latitude, fix.longitude, "inset", fix.seq, "follow")
        assert not updates.set_following(False).is_following
        updates.set_target("own", fix.latitude, fix.longitude, radius=50)
        client.set_target("lasting", fix.latitude + 1, fix.longitude)
        client.trip("day")
        for lap in range(2, 5):
            ride(30)
            before = client.trip("day", "lap")
            assert before.lap == lap and before.distance > 0
            until(lambda: is_kept(lap), "what is stored")
            daemon.process.kill()
            daemon.wait_end()
            assert isinstance(wait(updates, Disconnected).error, handlebar.ConnectionClosed)
            daemon = start()
            until(lambda: sorted(one.name for one in client.targets()) == ["lasting", "own"], "the targets")
            assert not client.follow("main").is_following and client.follow("inset").is_following
            (trip,) = client.trips()
            assert (trip.name, trip.lap, trip.distance) == ("day", lap, before.distance)
            ride(30)
            # The filter is that of the subscription.
            first, second = (wait(updates, Fix, lambda one: one.reason == "moved").latitude for _ in range(2))
            assert second - first > 24 / 111_200
            assert wait(updates, handlebar.Trip, lambda one: one.distance > before.distance).lap == lap


def test_a_daemon_that_is_not_there_yet(folder):
    with Client(folder / "location.sock") as client:
        with pytest.raises(handlebar.CannotConnect, match=r"location\.sock .*systemctl start handlebard"):
            client.status()
        updates = client.updates()
        # The same error is not repeated: the next update is the connection.
        assert isinstance(updates.next(TIMEOUT).error, handlebar.CannotConnect)
        assert updates.report_view(1, 2) is False
        with pytest.raises(TimeoutError):
            updates.next(0.5)
        with Daemon(folder, f"serial:{folder}/absent"):
            # An attempt between bind(2) and listen(2) is refused, which is another error.
            assert wait(updates, Connected).version.release == handlebar.__version__
            assert wait(updates, State).state == "failed"


def test_attempts_are_spread_from_a_tenth_of_a_second_to_five():
    subscriber = handlebar.Subscriber(handlebar.Subscription())
    assert [subscriber.delay(1) for _ in range(8)] == [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5, 5]
    assert subscriber.delay(0) == 2.5
    subscriber.register(handlebar.Report("WATCH", {}))
    assert subscriber.delay(1) == 0.1


def test_tcp(folder):
    port = free_port()
    options = ["--tcp", f"127.0.0.1:{port}"]
    with Daemon(folder, f"recording:{RECORDING}?speed=20&loop=true", options=options), Client(("127.0.0.1", port)) as client:
        updates = client.updates(distance_filter=0)
        fix = wait(updates, Fix)
        assert fix.seq and fix.reason and fix.source == "recording"
        assert client.locate().reason == "requested"
        assert client.status().clients == 2
        for refused in (lambda: client.set_following(False), lambda: updates.set_target("x", 1, 2)):
            with pytest.raises(handlebar.Refused) as caught:
                refused()
            assert caught.value.code == "forbidden"


HOSTILE = {
    "no JSON": b"hello\r\n",
    "no object": b"[1]\r\n",
    "no class": b'{"mode":3}\r\n',
    "a class that is a number": b'{"class":3}\r\n',
    "a text for a number": b'{"class":"TPV","mode":3,"lat":"48","lon":11}\r\n',
    "a boolean for a number": b'{"class":"TPV","mode":3,"lat":true,"lon":11}\r\n',
    "not a number": b'{"class":"TPV","mode":3,"lat":NaN,"lon":11}\r\n',
    "too large": b'{"class":"TPV","mode":3,"lat":1e999,"lon":11}\r\n',
    "a large whole number": b'{"class":"TPV","mode":3,"lat":' + b"9" * 4000 + b',"lon":11}\r\n',
    "half a fix": b'{"class":"TPV","mode":3,"lat":48}\r\n',
    "an impossible day": b'{"class":"TPV","mode":3,"lat":4,"lon":1,"time":"2026-02-30T00:00:00.000Z"}\r\n',
    "a view without a name": b'{"class":"FOLLOW","following":true}\r\n',
    "satellites that are none": b'{"class":"SKY","satellites":[1]}\r\n',
    "counters that are none": b'{"class":"STATE","state":"lost","counts":[]}\r\n',
    "half a character": b'{"class":"STATE","state":"\\ud800"}\r\n',
    "bytes that are no text": b'{"class":"STATE","state":"\xff"}\r\n',
    "VERSION unasked": GREETING,
    "a line of 10,240 bytes": b'{"class":"X","y":"' + b"y" * (10_240 - 22) + b'"}\r\n',
    "a line without an end": b"{" * 100_000,
}


@pytest.mark.parametrize("line", HOSTILE.values(), ids=HOSTILE)
def test_a_line_that_breaks_the_protocol_ends_the_connection(peer, line):
    with Client(peer.path) as client, client.updates() as updates:
        with peer.accept(GREETING) as connection:
            # The client may close before it has read all.
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                connection.sendall(WATCH + tpv(1) + line + tpv(2))
            assert wait(updates, Fix).seq == 1
            assert isinstance(wait(updates, Disconnected).error, handlebar.ProtocolError)
        with peer.accept(GREETING) as connection:
            connection.sendall(tpv(3))
            assert isinstance(updates.next(TIMEOUT), Connected)
            assert wait(updates, Fix).seq == 3


def test_deep_nesting_is_read_or_refused():
    """The limit is that of the Python."""
    line = b'{"class":"X","y":' + b"[" * 5000 + b"]" * 5000 + b"}\r\n"
    with contextlib.suppress(handlebar.ProtocolError):
        assert handlebar.read_report(line).class_ == "X"


def test_the_longest_line_is_read():
    line = b'{"class":"X","y":"' + b"y" * (handlebar.MAXIMUM_LINE - 22) + b'"}\r\n'
    assert len(line) == handlebar.MAXIMUM_LINE
    session = handlebar.Session()
    assert len(list(session.receive(GREETING + line + line))) == 3


def test_a_greeting_that_is_a_refusal_or_something_else(peer):
    refusal = b'{"class":"ERROR","message":"too many clients","code":"tooManyClients","remedy":"close one"}\r\n'
    with Client(peer.path) as client, client.updates() as updates:
        with peer.accept(refusal):
            pass
        error = wait(updates, Disconnected).error
        assert (error.code, str(error)) == ("tooManyClients", "too many clients; close one")
        with peer.accept(tpv(1)):
            assert "before VERSION" in str(wait(updates, Disconnected).error)


def test_a_connection_that_is_half_closed_is_made_again(peer):
    with Client(peer.path) as client, client.updates() as updates:
        with peer.accept(GREETING) as connection:
            connection.sendall(tpv(1) + tpv(2)[:20])
            connection.shutdown(socket.SHUT_WR)
            assert isinstance(wait(updates, Disconnected).error, handlebar.ConnectionClosed)
        with peer.accept(GREETING) as connection:
            # The peer reads no more: what is sent fails.
            connection.shutdown(socket.SHUT_RD)
            wait(updates, Connected)
            until(lambda: not updates.report_view(1, 2), "the end of the connection")
        with peer.accept(GREETING, tpv(3)):
            assert wait(updates, Fix, lambda fix: fix.seq == 3)


def test_a_target_that_was_removed_with_its_answer_does_not_come_back(peer):
    """What was set stays set also if its answer is not awaited any more; what another client removed stays removed."""
    answers = b'{"class":"ARRIVAL","name":"%s"}\r\n' + GREETING

    async def run():
        async with AsyncClient(peer.path) as client, client.updates() as updates:
            await wait_async(updates, Connected)
            await updates.set_target("first", 1, 2)
            second = asyncio.ensure_future(updates.set_target("second", 1, 2))
            await asyncio.get_running_loop().run_in_executor(None, asked.wait, TIMEOUT)
            second.cancel()
            with pytest.raises(asyncio.CancelledError):
                await second
            cancelled.set()
            await wait_async(updates, Disconnected)
            await wait_async(updates, Connected)

    asked, cancelled = threading.Event(), threading.Event()
    restored = []

    def serve():
        with peer.listener.accept()[0] as connection:
            connection.sendall(GREETING)
            read(connection, b'"first"')
            connection.sendall(answers % b"first" + b'{"class":"ARRIVAL","name":"first","state":"removed"}\r\n')
            read(connection, b'"second"')
            asked.set()
            assert cancelled.wait(TIMEOUT)
            connection.sendall(answers % b"second")
        with peer.listener.accept()[0] as connection:
            connection.sendall(GREETING)
            restored.append(read(connection, b'"json":true'))
            connection.recv(1)

    thread = threading.Thread(target=serve)
    thread.start()
    asyncio.run(run())
    thread.join()
    assert b'"second"' in restored[0] and b'"first"' not in restored[0]


def test_a_daemon_that_does_not_answer(peer, monkeypatch):
    monkeypatch.setattr(handlebar, "ANSWER_TIMEOUT", 0.2)
    with Client(peer.path) as client, client.updates() as updates:
        with peer.accept(GREETING) as connection:
            with pytest.raises(handlebar.NoAnswer):
                updates.set_target("x", 1, 2)
            assert b'"name":"x"' in read(connection, b"?VERSION")
            assert isinstance(wait(updates, Disconnected).error, handlebar.NoAnswer)
        monkeypatch.setattr(handlebar, "CONNECT_TIMEOUT", 0.2)
        with pytest.raises(handlebar.CannotConnect, match="accepts a connection and sends nothing"):
            client.status()
        peer.close()
        with client.updates() as others:
            wait(others, Disconnected)
            with pytest.raises(handlebar.CannotConnect):
                others.set_target("x", 1, 2)


def test_an_answer_that_does_not_end(peer):
    with Client(peer.path) as client, client.updates() as updates, peer.accept(GREETING) as connection:
        def flood():
            read(connection, b"?TARGET")
            with contextlib.suppress(OSError):
                while True:
                    connection.sendall(b'{"class":"ARRIVAL","name":"x"}\r\n' * 100)

        thread = threading.Thread(target=flood)
        thread.start()
        with pytest.raises(handlebar.ProtocolError, match="does not end"):
            updates.set_target("x", 1, 2)
        thread.join()


# Consumers


def test_a_slow_consumer_receives_the_newest_fix_and_a_count(peer):
    """Fixes are replaced, and their reasons kept; of events the last 64 are."""

    async def consume():
        async with AsyncClient(peer.path) as client, client.updates() as updates:
            send = asyncio.get_running_loop().run_in_executor(None, serve)
            await wait_async(updates, Connected)
            go.set()
            # Nothing is consumed until everything has been read.
            await send
            while updates.missed_events < 36:
                await asyncio.sleep(0)
            received = [await updates.next(TIMEOUT) for _ in range(65)]
            with pytest.raises(TimeoutError):
                await updates.next(0)
            return received, updates.missed_fixes, updates.missed_events

    go = threading.Event()
    kept = []

    def serve():
        with contextlib.ExitStack() as stack:
            connection = stack.enter_context(peer.accept(GREETING))
            assert go.wait(TIMEOUT)
            reasons = ("first", "stopped", "started", "moved")
            connection.sendall(b"".join(tpv(seq, reason) for seq, reason in enumerate(reasons, 1)))
            connection.sendall(b"".join(b'{"class":"ARRIVAL","name":"%d"}\r\n' % number for number in range(100)))
            kept.append(stack.pop_all())

    received, missed_fixes, missed_events = asyncio.run(consume())
    kept[0].close()
    (fix,) = [one for one in received if isinstance(one, Fix)]
    assert (fix.seq, fix.reason, fix.reasons) == (4, "moved", ("first", "stopped", "started", "moved"))
    assert [one.name for one in received if isinstance(one, Arrival)] == [str(number) for number in range(36, 100)]
    assert (missed_fixes, missed_events) == (3, 36)


def test_a_consumer_of_the_newest_accounts_for_every_fix_of_a_recording(folder):
    uri = f"recording:{RECORDING.relative_to(ROOT)}?speed=max&start=watch"
    expected = [line for line in recorded(RECORDING) if line["class"] == "TPV"]

    async def consume():
        async with AsyncClient(folder / "location.sock") as client, client.updates() as updates:
            fixes = []
            async for update in updates:
                if isinstance(update, Fix):
                    fixes.append(update)
                if isinstance(update, handlebar.Playback) and update.has_ended:
                    return fixes, updates.missed_fixes

    with Daemon(folder, uri, cwd=ROOT):
        fixes, missed = asyncio.run(consume())
    assert len(fixes) + missed == len(expected)
    assert fixes[-1].seq == expected[-1]["seq"]
    assert {reason for fix in fixes for reason in fix.reasons} == {line["reason"] for line in expected}


def test_a_slow_consumer_of_every_report_stops_the_reading(peer):
    """A flood stays in the socket until it is consumed, and nothing is missed."""
    with Client(peer.path) as client, client.updates(every_report=True) as updates, peer.accept(GREETING) as connection:
        wait(updates, Connected)
        count = 8_000
        sender = threading.Thread(target=lambda: connection.sendall(b"".join(tpv(seq) for seq in range(count))))
        sender.start()
        until(lambda: len(updates._updates._stream.queue) >= handlebar.MAXIMUM_EVENTS, "a queue that is full")
        assert sender.is_alive()
        assert [wait(updates, Fix).seq for _ in range(count)] == list(range(count))
        assert (updates.missed_fixes, updates.missed_events) == (0, 0)
        sender.join()


@contextlib.contextmanager
def stalled(client):
    """Within the block, the client's thread neither reads nor writes."""
    go = threading.Event()
    client._loop.call_soon_threadsafe(go.wait)
    try:
        yield
    finally:
        go.set()


def settled(client, epochs):
    """The status once the fix of the last of so many epochs is published; of fixes that are late together, only one is."""

    def status():
        one = client.status()
        return one if (one.seq or 0) + one.counts["lateFixes"] == epochs else None

    return until(status, "the newest fix")


def test_a_slow_reader_receives_the_newest_fix(ride):
    """What the daemon could not write to it was replaced, and counted; nothing grows meanwhile."""
    with Client(ride.socket) as client, Client(ride.socket) as other, client.updates(distance_filter=0) as updates:
        ride.epoch()
        received = [wait(updates, Fix)]
        memory = []
        with stalled(client):
            for _ in range(10):
                for _ in range(200):
                    ride.epoch()
                memory.append(anonymous(ride.pid))
            status = settled(other, 2001)
            newest = status.seq
            assert status.counts["replacedFixes"] > 1000 or status.counts["clientsStalled"]
        while received[-1].seq < newest:
            received.append(wait(updates, Fix))
        # The last of what was written before, and the newest.
        assert len(received) < 20
        # Where all of that took 10 s, it was closed, and misses what came before it was back.
        if not other.status().counts["clientsStalled"]:
            assert len(received) + updates.missed_fixes + other.status().counts["replacedFixes"] == newest
        assert SANITIZED or max(memory) - memory[1] < 256, memory
        ride.epoch()
        assert wait(updates, Fix).seq == newest + 1


@pytest.mark.slow
def test_a_reader_that_was_stalled_for_too_long_is_restored(ride):
    """The daemon closes a connection from which nothing is read for 10 s; its targets come back with the next one."""
    with Client(ride.socket) as client, Client(ride.socket) as other, client.updates(distance_filter=0) as updates:
        ride.epoch()
        fix = wait(updates, Fix)
        updates.set_target("own", fix.latitude + 1, fix.longitude)
        epochs = itertools.count(1)
        with stalled(client):
            def is_closed():
                ride.epoch()
                next(epochs)
                return other.status().counts["clientsStalled"]

            until(is_closed, "the end of the connection")
            until(lambda: other.targets() == [], "the end of the target")
            newest = settled(other, next(epochs)).seq
        wait(updates, Disconnected)
        wait(updates, Connected)
        fix = wait(updates, Fix)
        assert (fix.seq, fix.reason) == (newest, "snapshot")
        assert [one.name for one in other.targets()] == ["own"]


def test_cancellation(ride):
    """A request that is cancelled closes its connection; a consumer that is cancelled misses nothing."""

    async def clients(client):
        return (await client.status()).clients

    async def run():
        async with AsyncClient(ride.socket) as client, client.updates(distance_filter=0, satellites=False) as updates:
            await wait_async(updates, State)
            for steps in range(100):
                request = asyncio.ensure_future(client.locate(timeout=3600))
                for _ in range(steps):
                    await asyncio.sleep(0)
                request.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await request
            while await clients(client) > 2:
                pass
            consumer = asyncio.ensure_future(wait_async(updates, Fix))
            while updates._stream.queue:
                await asyncio.sleep(0)
            consumer.cancel()
            with pytest.raises(asyncio.CancelledError):
                await consumer
            ride.epoch()
            assert (await wait_async(updates, Fix)).seq == 1
            # Nothing but its loss, on a machine that stood still for 3 s.
            with contextlib.suppress(TimeoutError):
                assert (await updates.next(0)).state == "lost"

    asyncio.run(run())


def test_the_end_of_a_client_ends_everything(ride):
    """A consumer that waits in another thread receives the end; no connection and no thread is left."""
    before = set(threading.enumerate())
    with Client(ride.socket) as observer:
        with Client(ride.socket) as client:
            updates = client.updates()
            wait(updates, State)
            ended = []
            consumer = threading.Thread(target=lambda: ended.append(list(updates)))
            consumer.start()
            until(lambda: updates._updates._stream._waiters, "a consumer that waits")
            assert observer.status().clients == 2
        consumer.join(TIMEOUT)
        assert len(ended) == 1
        assert list(updates) == [] and updates.missed_fixes == 0
        with pytest.raises(handlebar.ConnectionClosed):
            client.status()
        client.close()
        until(lambda: observer.status().clients == 1, "the end of the connection")

        # One that nobody refers to any more.
        client = Client(ride.socket)
        wait(client.updates(), State)
        gc.collect()
        until(lambda: observer.status().clients == 1, "the end of a subscription that is not referenced")
        del client
        gc.collect()
    until(lambda: set(threading.enumerate()) <= before, "the end of the threads")


def test_requests_of_several_threads(ride):
    ride.epoch()
    with Client(ride.socket) as client, client.updates(distance_filter=0) as updates:
        results = []

        def work(number):
            name = f"target {number}"
            for _ in range(10):
                results.append(updates.set_target(name, 48, 11).name == name)
                results.append(client.follow(name).view == name)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
        for thread in threads:
            thread.start()
        wait(updates, Fix)
        for thread in threads:
            thread.join()
        assert results == [True] * 120
