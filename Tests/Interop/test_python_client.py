"""The Python client, clients/python, against the daemon. What needs none is tested in clients/python/tests."""

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
import subprocess
import sys
import sysconfig
import tarfile
import threading
import venv

import pytest

import nmea_sender
from gpsd_harness import free_port
from handlebar_harness import BIN, BUNDLED, RECORDING, ROOT, SANITIZED, TIMEOUT, Daemon, Receiver, own_folder, until
from measuring import anonymous

FOLDER = ROOT / "clients" / "python"
sys.path[:0] = [str(FOLDER), str(FOLDER / "tests")]
import handlebar  # noqa: E402
from handlebar import Arrival, AsyncClient, Client, Connected, Disconnected, Fix, Follow, Pose, State  # noqa: E402
from peer import wait, wait_async  # noqa: E402

pytestmark = pytest.mark.usefixtures("patient")


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
    trees = [ast.parse(file.read_text(), feature_version=(3, 9)) for file in (FOLDER / "handlebar").glob("*.py")]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    modules = {one.name for node in nodes if isinstance(node, ast.Import) for one in node.names}
    modules |= {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.level == 0}
    modules = {name.partition(".")[0] for name in modules}
    assert modules <= set(getattr(sys, "stdlib_module_names", modules))


def test_its_version_is_the_daemons():
    release = subprocess.run([BIN / "handlebard", "--version"], capture_output=True, text=True, check=True).stdout
    assert handlebar.__version__ == release.strip()
    assert (ROOT / "CHANGELOG.md").read_text().partition("\n## ")[2].startswith(release.strip())


WRONG = """
from handlebar import Client, Trip
Trip("day", "parked")
Client().trip("day", "stop")
reveal_type(Client().updates)
"""


@pytest.fixture
def installed():
    """A virtual environment with the package, from a source distribution, without a network: the build's only requirement is
    that of the tests."""
    release = importlib.metadata.version("setuptools") if importlib.util.find_spec("setuptools") else "0"
    if int(release.split(".")[0]) < 77:
        pytest.skip(f"setuptools {release} cannot build the package alone; 77 can")
    with own_folder() as folder:
        venv.create(folder / "venv")
        python = folder / "venv/bin/python"
        # A build leaves files in the source.
        source = shutil.copytree(FOLDER, folder / "python", ignore=shutil.ignore_patterns("__pycache__"))
        build = f"import setuptools.build_meta as backend; print(backend.build_sdist({str(folder)!r}))"
        subprocess.run([sys.executable, "-c", build], cwd=source, stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT, check=True)
        archive, = folder.glob("*.tar.gz")
        pip = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-index", "--no-build-isolation", archive]
        environment = os.environ | {"PYTHONPATH": sysconfig.get_path("purelib")}
        done = subprocess.run(pip, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        yield python, archive


@pytest.mark.limits
def test_pip_installs_it_with_its_types(folder, installed):
    python, archive = installed
    program = "import handlebar, importlib.metadata as m; print(handlebar.__file__, m.version('handlebar-client'))"
    done = subprocess.run([python, "-c", program], cwd=folder, capture_output=True, text=True, check=True)
    file, version = done.stdout.split()
    assert pathlib.Path(file).is_relative_to(python.parents[1]) and version == handlebar.__version__
    assert (pathlib.Path(file).parent / "py.typed").exists()
    metadata = next(python.parents[1].glob("lib/python*/site-packages/handlebar_client-*/METADATA")).read_text()
    for name in ("License-Expression: Apache-2.0", "Author-email", "Project-URL: Homepage", "Typing :: Typed", "course=True"):
        assert name in metadata, name
    with tarfile.open(archive) as files:
        names = {name.partition("/")[2] for name in files.getnames()}
    assert {f"tests/{one.name}" for one in (FOLDER / "tests").glob("*.py")} | {"LICENSE"} <= names
    # For a type checker, the examples, outside the tree, are free of errors, and words that the protocol does not have are errors.
    examples = re.findall(r"```python\n(.*?)```", (FOLDER / "README.md").read_text(), re.DOTALL)
    for number, example in enumerate([*examples, WRONG]):
        (folder / f"example{number}.py").write_text(example)
    command = [sys.executable, "-m", "mypy", "--strict", "--python-executable", installed[0], "--cache-dir", os.devnull]
    done = subprocess.run([*command, *folder.glob("*.py")], cwd=folder, capture_output=True, text=True, check=False)
    faults = re.findall(r"example(\d+)\.py:(\d+): (error|note): .*", done.stdout)
    wrong = str(len(examples))
    assert faults == [(wrong, "3", "error"), (wrong, "4", "error"), (wrong, "5", "note")], done.stdout + done.stderr
    assert "-> handlebar._blocking.Updates" in done.stdout


def readme_example(number, socket):
    """A process that runs an example, and prints as it goes."""
    example = re.findall(r"```python\n(.*?)```", (FOLDER / "README.md").read_text(), re.DOTALL)[number]
    environment = os.environ | {"HANDLEBAR_SOCKET": str(socket), "PYTHONPATH": str(FOLDER)}
    return subprocess.Popen([sys.executable, "-u", "-W", "error", "-c", example], stdout=subprocess.PIPE, env=environment, text=True)


def line(process, words):
    """The next line of its output with these words, and those before it."""
    lines = []
    while not lines or words not in lines[-1]:
        lines.append(process.stdout.readline())
        assert lines[-1], f"it ended before it printed {words!r}"
    return lines


def test_the_dashboard_of_its_readme_outlives_kills_and_a_late_daemon(folder):
    uri = f"recording:{RECORDING}?speed=20&loop=true"
    with readme_example(0, folder / "location.sock") as process:
        try:
            for kills in range(2):
                with Daemon(folder, uri) as daemon:
                    # A daemon that is late is no error, one that was killed is, before the connection to the next; while the
                    # next is late, too, each reason once.
                    words = line(process, f"connected to release {handlebar.__version__}")
                    line(process, "moved")
                    with Client(daemon.socket) as client:
                        client.set_course("way", [(48.0, 11.0), (48.1, 11.1)])
                    line(process, "way before")
                    daemon.process.kill()
                    daemon.wait_end()
                assert len(set(words)) == len(words) <= 1 + 2 * kills, words
                assert "closed the connection" in line(process, "the daemon")[-1]
        finally:
            process.kill()


def test_the_other_examples_of_its_readme_run(folder):
    with Daemon(folder, f"recording:{RECORDING}?speed=20&loop=true") as daemon, readme_example(1, daemon.socket) as process:
        try:
            assert all(process.stdout.readline() for _ in range(3))
        finally:
            process.kill()


# Reports


# Names on the wire, and how the client calls them.
NAMES = {
    "lat": "latitude", "lon": "longitude", "altMSL": "altitude_msl", "altHAE": "altitude_hae", "geoidSep": "geoid_separation",
    "track": "course", "magvar": "magnetic_variation", "eph": "horizontal_accuracy", "epv": "vertical_accuracy",
    "eps": "speed_accuracy", "epd": "course_accuracy", "suspect": "is_suspect", "fixSeq": "fix_seq", "jump": "is_jump",
    "PRN": "prn", "gnssid": "gnss_id", "svid": "sv_id", "el": "elevation", "az": "azimuth", "ss": "signal", "used": "is_used",
    "uSat": "used_count", "recordingError": "recording_error", "following": "is_following", "paused": "is_paused", "repeated": "is_repeated",
    "estimating": "is_estimating",
    "ended": "has_ended", "lastKnown": "last_known", "reasonSince": "reason_since", "strongSignals": "strong_signals",
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
    return {name: value for name, value in said.items() if not (value is False and name in ("estimating", "suspect", "jump", "repeated"))}


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
        assert client.request("RECORD") == [handlebar.Recording("off")]
        assert client.targets() == []
        updates = client.updates()
        for number in range(8):
            updates.set_target(f"target {number}", 1, 2)
        with pytest.raises(handlebar.Refused, match="8"):
            updates.set_target("one too many", 1, 2)
        # The subscription goes on.
        ride.epoch()
        assert wait(updates, Fix).seq == 1


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
        with client.updates(distance_filter=0, trips=False) as others:
            kinds = []
            while kinds.count(Fix) < 3:
                ride.epoch()
                kinds.append(type(others.next(TIMEOUT)))
            assert handlebar.Trip not in kinds
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


# Consumers


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
