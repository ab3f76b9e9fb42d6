"""Poses: the lines of `decode --poses`, and of a subscription with poses."""

import datetime
import json
import math
import statistics
import subprocess

import pytest

import nmea_sender
from gpsd_harness import free_port
from handlebar_harness import BIN, RECORDING, ROOT, TIMEOUT, Client, Daemon, Receiver, Stopwatch, control


def decode(path, rate):
    tool = [BIN / "handlebarctl", "decode", "--poses", str(rate), path]
    out = subprocess.run(tool, capture_output=True, check=True, timeout=TIMEOUT).stdout
    return [json.loads(line) for line in out.splitlines()]


def seconds(line):
    return datetime.datetime.fromisoformat(line["time"].replace("Z", "+00:00")).timestamp()


def advance(earlier, pose):
    """Metres from one pose to the next along its track."""
    north = (pose["lat"] - earlier["lat"]) * 111_200
    east = (pose["lon"] - earlier["lon"]) * 111_300 * math.cos(math.radians(pose["lat"]))
    track = math.radians(pose["track"])
    return east * math.sin(track) + north * math.cos(track)


@pytest.mark.parametrize("ride", ["city", "motorway", "mountain", "tunnel"])
def test_decoded_rides_are_drawn_forward(ride):
    poses = decode(ROOT / "recordings" / f"{ride}.nmea", 60)
    assert len(poses) > 5000
    assert {pose["class"] for pose in poses} == {"POSE"}
    assert {pose["basis"] for pose in poses} <= {"fix", "predicted", "held"}
    times = [seconds(pose) for pose in poses]
    assert all(earlier < time for earlier, time in zip(times, times[1:]))
    assert all(pose["eph"] > 0 and pose["speed"] >= 0 and 0 <= pose["age"] < 3.1 for pose in poses)
    for earlier, pose in zip(poses, poses[1:]):
        if "track" not in pose or "jump" in pose:
            continue
        way = advance(earlier, pose)
        assert way > -2e-3, (earlier, pose)
        if pose["speed"] > 2 and pose["basis"] == "predicted":
            assert way > 0, (earlier, pose)


def test_the_grid_is_the_fix_time_plus_multiples_of_the_interval():
    fixes = {}
    tool = [BIN / "handlebarctl", "decode", RECORDING]
    for line in subprocess.run(tool, capture_output=True, check=True, timeout=TIMEOUT).stdout.splitlines():
        if "seq" in (fix := json.loads(line)):
            fixes[fix["seq"]] = seconds(fix)
    for pose in decode(RECORDING, 10):
        age = seconds(pose) - fixes[pose["fixSeq"]]
        assert abs(age - pose["age"]) < 2e-3
        assert abs(age * 10 - round(age * 10)) < 0.02


def test_decoded_poses_are_those_of_the_daemon(folder):
    ride = ROOT / "recordings" / "motorway.nmea"
    expected = {(pose["fixSeq"], pose["time"]): pose for pose in decode(ride, 10)}
    with Daemon(folder, f"recording:{ride}") as daemon, daemon.connect() as client:
        client.watch(poses=10, distanceFilter=0)
        poses = [client.wait("POSE") for _ in range(100)]
    # A fix that is late on a busy machine takes effect at a later pose.
    pairs = [(expected[key], pose) for pose in poses if (key := (pose["fixSeq"], pose["time"])) in expected]
    assert len(pairs) > 80
    same = [pose for decoded, pose in pairs if decoded == {name: pose[name] for name in pose if name != "_at"}]
    assert len(same) > 0.8 * len(pairs)


def test_poses_are_not_recorded(folder):
    rides = folder / "rides"
    rides.mkdir()
    with (
        Receiver(folder / "gps0") as receiver,
        Daemon(folder, f"serial:{receiver.link}?speed=115200", options=["--record", rides]) as daemon,
        daemon.connect() as client,
    ):
        client.watch(poses=60, distanceFilter=0)
        for number in range(4):
            receiver.write(nmea_sender.epoch(number, period=1))
            client.wait("POSE", lambda pose, seq=number + 1: pose["fixSeq"] == seq)
        daemon.stop()
    recorded = b"".join(path.read_bytes() for path in rides.rglob("*") if path.is_file())
    assert recorded.count(b"RMC") == 4 and b"POSE" not in recorded


def test_a_subscriber_receives_poses_at_its_rate(folder):
    with Daemon(folder, f"recording:{ROOT / 'recordings' / 'motorway.nmea'}") as daemon, daemon.connect() as client:
        assert client.watch(poses=20, distanceFilter=0)["poses"] == 20
        client.wait("POSE")
        begin = len(client.lines)
        while sum(line["class"] == "POSE" for line in client.lines[begin:]) < 60:
            client.wait("POSE")
        poses = [line for line in client.lines[begin:] if line["class"] == "POSE"]
        steps = [seconds(later) - seconds(sooner) for sooner, later in zip(poses, poses[1:])]
        # A reader that is late gets the newest: some steps are longer then.
        assert 2.5 < sum(steps) and 0.045 < statistics.median(steps) < 0.055
        fixes = {line["seq"] for line in client.lines if line["class"] == "TPV" and "seq" in line}
        assert {pose["fixSeq"] for pose in poses} <= fixes
        assert "poses" not in client.watch(poses=0)
        client.settle()
        begin = len(client.lines)
        client.wait("TPV")
        assert "POSE" not in [line["class"] for line in client.lines[begin:]]


def test_a_fast_replay_has_as_many_poses_per_second_of_the_machines_clock(folder):
    ride = ROOT / "recordings" / "motorway.nmea"
    with Daemon(folder, f"recording:{ride}?speed=1000&loop=true") as daemon, daemon.connect() as client:
        client.watch(poses=60, distanceFilter=1_000_000, satellites=False)
        begin = client.wait("POSE")["_at"]
        clock, poses = Stopwatch(daemon.pid), []
        while len(poses) < 90 or poses[-1]["_at"] < begin + 3:
            poses.append(client.wait("POSE"))
        end = poses[-1]["_at"]
        print(f"{len(poses) / (end - begin):.0f} poses a second")
        # The most by the ride's time, as a replay that is late goes on faster.
        step = statistics.median(seconds(later) - seconds(sooner) for sooner, later in zip(poses, poses[1:]))
        assert 1000 / step < 66 and len(poses) > 10 * clock.at(end)


def test_poses_are_refused_on_tcp_and_out_of_range(folder):
    port = free_port()
    options = ["--tcp", f"127.0.0.1:{port}"]
    with Daemon(folder, f"recording:{RECORDING}", options=options) as daemon, daemon.connect() as client:
        client.send('?WATCH={"enable":true,"json":true,"poses":61};')
        assert "poses" in client.wait("ERROR")["message"]
        with Client(("127.0.0.1", port)) as other:
            other.send('?WATCH={"enable":true,"json":true,"handlebar":true,"poses":10};')
            assert "Unix socket" in other.wait("ERROR")["message"]


def test_the_latency_is_configured_and_stated(folder):
    config = folder / "handlebard.toml"
    config.write_text("latency = 0.4\n")
    with Daemon(folder, f"recording:{RECORDING}", options=["--config", config]) as daemon, daemon.connect() as client:
        assert client.watch(poses=20, distanceFilter=0)["latency"] == 0.4
        ages = [client.wait("POSE")["age"] for _ in range(40)]
        assert min(ages[20:]) > 0.39


def test_options_that_do_not_fit(folder):
    for arguments in (["--poses", "0"], ["--poses", "61"], ["--poses", "10", "--stats"], ["--poses", "10", "--filter", "5"]):
        assert control(folder, "decode", *arguments, RECORDING)[0] == 64
    assert control(folder, "watch", "--poses", "10")[0] == 64
