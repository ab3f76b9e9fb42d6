"""Rides survive a kill, a power cut, a full disk and a read-only one."""

import contextlib
import fcntl
import json
import random
import subprocess
import time

import pytest

import epoch_oracle
import nmea_sender
from handlebar_harness import LONG, Daemon, Receiver, control, fill, small_disk, until

PERIOD = 0.1


def listed(rides, *options):
    """The output of `handlebarctl rides --json`."""
    code, out, err = control("/nonexistent", "rides", *options, "--json", "--dir", rides)
    assert code == 0, err
    return [json.loads(line) for line in out.splitlines()]


def recording(client, state):
    """The RECORD that matches, requested until it arrives."""

    def asked():
        client.send("?RECORD;")
        report = client.wait("RECORD")
        return report if report["state"] == state else None

    return until(asked, f"RECORD {state}")


def on_disk(rides):
    """The bytes of the rides, of which the newest may just get its name."""
    while True:
        with contextlib.suppress(FileNotFoundError):
            return b"".join({path.stat().st_ino: path.read_bytes() for path in sorted(rides.glob("*.nmea"))}.values())


def is_written(rides):
    """Whether a recording is open: it is locked until everything is on the disk."""
    for path in rides.glob("*.nmea"):
        with open(path, "rb") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
    return False


class Ride:
    """A receiver that continues its ride from one daemon to the next."""

    def __init__(self):
        self.number = 0

    def go(self, receiver, client, epochs):
        for _ in range(epochs):
            receiver.write(nmea_sender.epoch(self.number, period=PERIOD))
            self.number += 1
            begin = time.monotonic()
            until(lambda: client.receive() or time.monotonic() >= begin + PERIOD / 2, "the period")


@pytest.mark.parametrize("seed", range(200 if LONG else 3))
def test_a_ride_continues_after_a_kill(folder, seed):
    """`kill -9` at a random moment: readable data stays, and the next run continues the ride."""
    chance = random.Random(seed)
    rides = folder / "rides"
    ride = Ride()
    with Receiver(folder / "gps0") as receiver:
        for life in (chance.randrange(3, 30), chance.randrange(3, 20)):
            with (
                Daemon(folder, f"serial:{receiver.link}?speed=115200", options=["--record", rides]) as daemon,
                daemon.connect() as client,
            ):
                client.watch(distanceFilter=0)
                # A run that ends sooner leaves no file.
                recording(client, "recording")
                ride.go(receiver, client, life)
                seen = client.wait("TPV", lambda fix: fix["mode"] == 3)
                assert seen
                until(lambda: recording(client, "recording").get("fixes", 0) >= 2, "some fixes in the file")
                # At any moment: everything that the kernel was given is there whatever happens to the process.
                time.sleep(chance.uniform(0, 0.15))
                before = on_disk(rides)
                daemon.process.kill()
                daemon.wait_end()
                assert on_disk(rides).startswith(before) or len(list(rides.glob("*.nmea"))) > 1
    (one,) = listed(rides)
    whole = [epoch for epoch in epoch_oracle.epochs(on_disk(rides)) if epoch.has_fix]
    assert one["fixes"] >= len(whole) - 1 > 0
    assert one["files"] == 2
    assert one["start"].startswith("2026-03-19T12:00:0")


FIGURES = ("distance", "duration", "movingTime", "ascent", "descent", "averageSpeed", "maxSpeed")


@pytest.mark.parametrize("seed", range(200 if LONG else 4))
def test_a_trip_has_the_figures_of_its_ride_after_kills_within_a_second(folder, seed):
    """Runs without a fix, or a byte, hide neither the ride nor its fixes from the next."""
    chance = random.Random(seed)
    rides, state = folder / "rides", folder / "state"
    ride = Ride()
    with Receiver(folder / "gps0") as receiver:

        @contextlib.contextmanager
        def running():
            options = ["--record", rides, "--state", state]
            with Daemon(folder, f"serial:{receiver.link}?speed=115200", options=options) as daemon:
                with daemon.connect() as client:
                    yield daemon, client

        lives = [chance.choice([0, 0, 1, chance.randrange(10)]) for _ in range(6)]
        for number, epochs in enumerate(lives):
            with running() as (daemon, client):
                client.send('?TRIP={"name":"day"};')
                client.wait("TRIP")
                until((state / "trips").exists, "the trip")
                ride.go(receiver, client, epochs)
                time.sleep(chance.uniform(0, PERIOD) if number % 2 else 0)
                daemon.process.kill()
                daemon.wait_end()
        with running() as (daemon, client):
            client.watch(distanceFilter=0)
            ride.go(receiver, client, 20)
            client.wait("TPV", lambda fix: fix["mode"] == 3)
            daemon.stop()
    (one,) = listed(rides)
    with Daemon(folder, f"serial:{folder}/none", options=["--state", state]) as daemon, daemon.connect() as client:
        client.send("?TRIP;")
        trip = client.wait("TRIP")
    assert {name: trip.get(name) for name in FIGURES} == {name: one.get(name) for name in FIGURES}


def test_a_full_disk_stops_the_recording_and_not_the_fixes(folder):
    """A full tmpfs is reported in RECORD, STATUS and STATE, fixes continue, and recording resumes when there is room."""
    with small_disk(folder / "rides") as rides:
        with (
            Receiver(folder / "gps0") as receiver,
            Daemon(folder, f"serial:{receiver.link}?speed=115200", options=["--record", rides]) as daemon,
            daemon.connect() as client,
        ):
            client.watch(distanceFilter=0)
            ride = Ride()
            ride.go(receiver, client, 10)
            before = recording(client, "recording")
            filler = fill(rides)

            def failed():
                ride.go(receiver, client, 5)
                client.send("?RECORD;")
                report = client.wait("RECORD")
                return report if report["state"] == "failed" else None

            report = until(failed, "the failure")
            assert "No space left" in report["error"] and "free some space" in report["error"], report
            client.send("?STATUS;")
            assert "No space left" in client.wait("STATUS")["recordingError"]
            until(lambda: "recording failed" in daemon.log, "the line in the log")
            newest = max(line["seq"] for line in client.lines if line["class"] == "TPV")
            ride.go(receiver, client, 3)
            client.wait("TPV", lambda fix: fix["seq"] > newest)
            filler.unlink()

            def recovered():
                ride.go(receiver, client, 5)
                client.send("?RECORD;")
                return client.wait("RECORD")["state"] == "recording"

            until(recovered, "the recording again")
            ride.go(receiver, client, 5)
            after = recording(client, "recording")
            assert after["ride"] == "20260319T120000Z" and after["file"] != before["file"]
            daemon.stop()
        (one,) = listed(rides)
        assert one["files"] == 2 and one["ride"] == "20260319T120000Z"


def test_a_read_only_disk_is_reported_and_used_when_writable(folder):
    with small_disk(folder / "rides", "ro") as rides:
        with (
            Receiver(folder / "gps0") as receiver,
            Daemon(folder, f"serial:{receiver.link}?speed=115200", options=["--record", rides]) as daemon,
            daemon.connect() as client,
        ):
            client.watch(distanceFilter=0)
            assert "Read-only file system" in recording(client, "failed")["error"]
            ride = Ride()
            ride.go(receiver, client, 5)
            client.wait("TPV", lambda fix: fix["mode"] == 3)
            code, out, _ = control(daemon.socket, "record", "status")
            assert code == 1 and "mount the file system writable" in out
            subprocess.run(["mount", "-o", "remount,rw", rides], check=True)
            recording(client, "recording")
            ride.go(receiver, client, 5)
            daemon.stop()
        (one,) = listed(rides)
        assert one["fixes"] >= 4


def test_a_directory_that_cannot_be_written(folder):
    """A directory that cannot be made is reported, and recording starts once it can."""
    parent = folder / "disk"
    parent.write_text("no directory")
    rides = parent / "rides"
    with (
        Receiver(folder / "gps0") as receiver,
        Daemon(folder, f"serial:{receiver.link}?speed=115200", options=["--record", rides]) as daemon,
        daemon.connect() as client,
    ):
        client.watch(distanceFilter=0)
        failed = recording(client, "failed")
        assert str(rides) in failed["error"]
        ride = Ride()
        ride.go(receiver, client, 5)
        client.wait("TPV", lambda fix: fix["mode"] == 3)
        client.send("?WATCH={\"json\":true};")
        assert str(rides) in client.wait("STATE")["recordingError"]
        parent.unlink()
        parent.mkdir()
        assert recording(client, "recording")["directory"] == str(rides)
        daemon.stop()


def test_recording_started_and_stopped_by_a_client(folder):
    rides = folder / "rides"
    with (
        Receiver(folder / "gps0") as receiver,
        Daemon(folder, f"serial:{receiver.link}?speed=115200", options=["--record", rides]) as daemon,
        daemon.connect() as client,
    ):
        client.watch(distanceFilter=0)
        ride = Ride()
        ride.go(receiver, client, 30)
        report = until(
            lambda: (one := recording(client, "recording")).get("fixes", 0) > 20 and one, "the figures")
        assert report["distance"] > 10 and report["ride"] == "20260319T120000Z"
        code, out, err = control(daemon.socket, "record", "status")
        assert code == 0 and "20260319T120000Z" in out, err

        code, _, err = control(daemon.socket, "rides", "rm", "last", "--dir", rides)
        assert code == 1 and "being recorded" in err
        code, out, err = control(daemon.socket, "record", "stop")
        assert code == 0 and "stopped" in out, err
        assert control(daemon.socket, "record", "status")[0] == 1
        until(lambda: not is_written(rides), "the end of the file")
        size = len(on_disk(rides))
        client.until_quiet(0.5)
        ride.go(receiver, client, 5)
        client.wait("TPV")
        assert len(on_disk(rides)) == size

        # Only the directory that is configured.
        for elsewhere in ("/tmp", f"{rides}/..", f"{rides}/deeper", "relative"):
            client.send(f'?RECORD={{"enable":true,"directory":"{elsewhere}"}};')
            assert client.wait("ERROR")["request"] == "RECORD"
        assert recording(client, "stopped")
        code, out, err = control(daemon.socket, "record", "start", f"{rides}/")
        assert code == 0 and "20260319T120000Z" in out, err
        ride.go(receiver, client, 10)

        # The daemon reports the directory of its rides.
        code, out, err = control(daemon.socket, "rides")
        assert code == 0 and "20260319T120000Z" in out and "recording" in out, err
        code, out, err = control(daemon.socket, "rides", "show", "last")
        assert code == 0 and "distance" in out, err
        daemon.stop()
    (one,) = listed(rides)
    assert one["files"] == 2 and not one["recording"] and one["gaps"] <= 1
    code, _, err = control("/nonexistent", "rides", "rm", "20260319T120000Z", "--dir", rides)
    assert code == 0, err
    assert list(rides.iterdir()) == []
    code, _, err = control("/nonexistent", "rides", "show", "20260319T120000Z", "--dir", rides)
    assert code == 66 and "there is no ride" in err


def test_without_a_directory_nothing_can_be_recorded(folder):
    with Receiver(folder / "gps0") as receiver, Daemon(folder, f"serial:{receiver.link}") as daemon:
        code, _, err = control(daemon.socket, "record", "start")
        assert code == 1 and "--record DIR" in err
        code, out, _ = control(daemon.socket, "record", "status")
        assert code == 1 and "off" in out
        code, _, err = control(daemon.socket, "rides")
        assert code == 64 and "--dir" in err
        with daemon.connect() as client:
            for wrong in ('{"enable":1}', '{"directory":"/tmp"}', '{"enable":true,"file":"x"}', "{}"):
                client.send(f"?RECORD={wrong};")
                assert client.wait("ERROR")["request"] == "RECORD"
        daemon.stop()


def test_endless_view_reports_do_not_fill_the_disk(folder):
    rides = folder / "rides"
    with (
        Receiver(folder / "gps0") as receiver,
        Daemon(folder, f"serial:{receiver.link}?speed=115200", options=["--record", rides]) as daemon,
        daemon.connect() as client,
    ):
        client.watch(distanceFilter=0)
        Ride().go(receiver, client, 3)
        client.wait("TPV", lambda fix: fix["mode"] == 3)
        begin = time.monotonic()
        for _ in range(100):
            client.send(b'?VIEW={"view":"main","lat":48.1,"lon":11.5,"cause":"follow"};' * 20)
            client.receive()
        client.send('?VIEW={"view":"main","lat":91,"lon":11.5};')
        client.wait("ERROR")
        client.send("?STATUS;")
        took = time.monotonic() - begin
        unrecorded = client.wait("STATUS")["counts"]["unrecordedEvents"]
        daemon.stop()
    events = on_disk(rides).count(b"# e {")
    assert 200 <= events <= 203 + 110 * took and unrecorded >= 1800 - 110 * took
    assert b'"lat":91' not in on_disk(rides)


def test_figures_need_no_permission_to_write(folder):
    """In a read-only directory the figures are read from the ride each time, and are the same."""
    rides = folder / "rides"
    rides.mkdir()
    lines = b"".join(
        b"# t=%d src=0\n" % (1000 * number) + nmea_sender.epoch(number).replace(b"\r\n", b"\n") for number in range(60))
    (rides / "20260319T120000Z.nmea").write_bytes(b"# handlebar-recording 1\n# device=/dev/gps0\n" + lines)
    (one,) = listed(rides)
    assert (rides / "20260319T120000Z.figures").exists()
    assert one["fixes"] == 60 and abs(one["distance"] - 590) < 1 and one["movingTime"] == 59
    (rides / "20260319T120000Z.figures").unlink()
    rides.chmod(0o500)
    try:
        assert listed(rides) == [one]
        code, out, _ = control("/nonexistent", "rides", "--dir", rides)
        header, row = out.splitlines()
        assert code == 0 and header.split()[:2] == ["RIDE", "START"] and row.split()[0] == "20260319T120000Z"
    finally:
        rides.chmod(0o700)

