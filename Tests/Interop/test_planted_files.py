"""Links, pipes and files of any size in a directory that others can write to: nothing else is written, nothing hangs."""

import contextlib
import os
import resource
import signal
import subprocess
import threading

import pytest

import nmea_sender
from handlebar_harness import BIN, TIMEOUT, Daemon, Receiver, Stopwatch, control, small_disk, until
from measuring import measured
from mqtt_peers import Broker
from test_forward import name, once, recording, write_rides

SECRET = b"not to be touched\n"


@pytest.fixture
def victim(folder):
    """A file that only its owner may write, and that must stay as it is."""
    file = folder / "victim"
    file.write_bytes(SECRET)
    yield file
    assert file.read_bytes() == SECRET and not file.is_symlink()


def plant(kind, place, victim):
    if kind == "pipe":
        os.mkfifo(place)
    elif kind == "folder":
        place.mkdir()
    else:
        place.symlink_to(victim)


def listed(rides):
    code, out, err = control("/nonexistent", "rides", "--json", "--dir", rides)
    assert code == 0, err
    return out.splitlines()


@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
@pytest.mark.parametrize("ending", [".figures.new", ".figures", "-002.nmea"])
def test_what_is_planted_beside_a_ride_is_neither_written_nor_read(folder, victim, kind, ending):
    (ride,) = write_rides(folder, 1, 5)
    planted = folder / "rides" / f"{name(0)}{ending}"
    plant(kind, planted, victim)
    for _ in range(2):
        (one,) = listed(folder / "rides")
        assert '"fixes":5' in one and '"files":1' in one
    for export in (["export", "--gpx"], ["plot"], ["decode"]):
        code, _, err = control("/nonexistent", *export, ride)
        assert code == 0, err
    if ending != ".figures" or kind == "folder":
        assert planted.exists()
    if ending == ".figures.new":
        # The figures were kept in a regular file.
        assert (folder / "rides" / f"{name(0)}.figures").stat().st_size > 100


@pytest.mark.parametrize("kind", ["link", "pipe"])
@pytest.mark.parametrize("place", ["cursor.new", "cursor"])
def test_what_is_planted_beside_the_cursor_is_neither_written_nor_read(folder, victim, kind, place):
    write_rides(folder, 1, 5)
    state = folder / "state"
    state.mkdir()
    plant(kind, state / place, victim)
    with Broker(folder) as broker:
        code, err = once(folder, broker.url, timeout=TIMEOUT)
    if place == "cursor":
        assert code == 66 and "cursor" in err
    else:
        assert (code, err) == (0, "")
        assert f"ride={name(0)} " in (state / "cursor").read_text()


def test_a_pipe_in_place_of_a_ride_is_no_ride(folder):
    (ride,) = write_rides(folder, 1, 5)
    os.mkfifo(folder / "rides" / f"{name(1)}.nmea")
    (folder / "rides" / f"{name(2)}.nmea").symlink_to(ride)
    (one,) = listed(folder / "rides")
    assert name(0) in one
    with Broker(folder) as broker:
        assert once(folder, broker.url, timeout=TIMEOUT) == (0, "")
    # A file that the user names may be a link, and a pipe where it is read once.
    link = folder / "link.nmea"
    link.symlink_to(ride)
    assert control("/nonexistent", "export", "--csv", link)[0] == 0
    for command, code in ((["decode"], 0), (["export", "--csv"], 66)):
        script = f'"$1" {" ".join(command)} <(cat "$2")'
        done = subprocess.run(
            ["bash", "-c", script, "bash", BIN / "handlebarctl", ride], capture_output=True, timeout=TIMEOUT, check=False
        )
        assert done.returncode == code, done.stderr
    done = subprocess.run(
        ["bash", "-c", 'cat "$2" | "$1" export --csv -', "bash", BIN / "handlebarctl", ride], capture_output=True,
        timeout=TIMEOUT, check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.limits
def test_a_process_that_replaces_every_new_file_by_a_link_changes_nothing_else(folder, victim):
    """Another user of the directory exchanges each new name for a link as fast as it can."""
    rides = folder / "rides"
    write_rides(folder, 20, 3)
    ours = set(os.listdir(rides))
    script = """
import os, sys
rides, victim = sys.argv[1:3]
ours = set(os.listdir(rides))
print("ready", flush=True)
while True:
    for file in os.listdir(rides):
        if file not in ours:
            try:
                os.symlink(victim, f"{rides}/mine")
                os.rename(f"{rides}/mine", f"{rides}/{file}")
            except OSError:
                pass
"""
    with subprocess.Popen(["python3", "-c", script, rides, victim], stdout=subprocess.PIPE) as attacker:
        try:
            assert attacker.stdout.readline() == b"ready\n"
            for _ in range(10):
                assert len(listed(rides)) == 20
                for file in set(os.listdir(rides)) - ours:
                    with contextlib.suppress(FileNotFoundError):
                        (rides / file).unlink()
        finally:
            attacker.kill()


def test_two_processes_keep_the_same_figures(folder):
    rides = folder / "rides"
    write_rides(folder, 30, 3)
    wanted = listed(rides)
    found = []

    def read():
        for _ in range(5):
            for file in rides.glob("*.figures"):
                file.unlink(missing_ok=True)
            found.append(listed(rides))

    threads = [threading.Thread(target=read) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [wanted] * 10
    for file in rides.glob("*.figures"):
        assert file.read_text().splitlines()[-1].startswith("sum="), file
    assert not [file for file in os.listdir(rides) if not file.endswith((".nmea", ".figures"))]


def test_exports_appear_complete_and_leave_nothing_else(folder, victim):
    (ride,) = write_rides(folder, 1, 5)
    place = folder / "exports"
    place.mkdir()
    (place / "link.gpx").symlink_to(victim)
    for file in ("new.gpx", "link.gpx"):
        for _ in range(2):
            code, _, err = control("/nonexistent", "export", "--gpx", "-o", place / file, ride)
            assert code == 0, err
        assert (place / file).read_text().rstrip().endswith("</gpx>") and not (place / file).is_symlink()
    assert sorted(os.listdir(place)) == ["link.gpx", "new.gpx"]
    code, _, err = control("/nonexistent", "export", "--gpx", "-o", "/dev/full", ride)
    assert code == 74, err
    code, _, err = control("/nonexistent", "export", "--gpx", "-o", folder / "nowhere" / "a.gpx", ride)
    assert code == 73, err


def new_ride(rides, before):
    """Bytes of the receiver that are in files that the recorder made."""
    found = b""
    for path in rides.glob("*.nmea"):
        if path.name not in before:
            with contextlib.suppress(FileNotFoundError):
                found += path.read_bytes()
    return found


def record_beside(folder, rides):
    """Starts a daemon beside rides; the seconds until a burst is in a file of its own, and until it has stopped."""
    before = set(os.listdir(rides))
    with (
        Receiver(folder / "gps0") as receiver,
        Daemon(folder, f"serial:{receiver.link}?speed=115200", options=["--record", rides]) as daemon,
    ):
        clock = Stopwatch(daemon.pid)
        burst = nmea_sender.epoch(86400)
        receiver.write(burst)
        until(lambda: burst in strip(new_ride(rides, before)), "the burst in a file", timeout=60)
        written = clock.now()
        clock = Stopwatch(daemon.pid)
        daemon.stop(signal.SIGTERM, clock)
        return written, clock.now()


def strip(text):
    return b"".join(line for line in text.splitlines(keepends=True) if not line.startswith(b"#"))


@measured
@pytest.mark.parametrize("rides_count", [1, 3])
def test_a_ride_is_on_the_disk_at_once_beside_huge_ones_without_figures(folder, rides_count):
    rides = folder / "rides"
    rides.mkdir()
    for number in range(rides_count):
        file = rides / f"{name(number)}.nmea"
        file.write_bytes(recording(range(number * 3600, number * 3600 + 5)))
        os.truncate(file, 8 << 30)
    written, stopped = record_beside(folder, rides)
    assert written < 5, written
    assert stopped < 1, stopped


@measured
def test_a_ride_is_recorded_beside_files_whose_sizes_have_no_sum(folder):
    with small_disk(folder / "rides") as rides:
        for file in (f"{name(1)}.nmea", f"{name(1)}-002.nmea", f"{name(1)}-003.nmea", f"{name(0)}.nmea"):
            (rides / file).write_bytes(recording(range(3)))
            os.truncate(rides / file, (1 << 62) + (1 << 61))
        (rides / f"{name(2)}-9223372036854775807.nmea").write_bytes(recording(range(3)))
        written, stopped = record_beside(folder, rides)
        assert written < 5 and stopped < 1


def seconds_of_children():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


@measured
@pytest.mark.limits
def test_thousands_of_rides_are_listed_and_forwarded(folder):
    """Time of the processor that grows with their number, not with its square."""
    (one,) = write_rides(folder, 1, 1)
    for number in range(1, 3000):
        (folder / "rides" / f"{name(number)}.nmea").write_bytes(one.read_bytes())
    before = seconds_of_children()
    assert len(listed(folder / "rides")) == 3000
    with Broker(folder) as broker:
        assert once(folder, broker.url) == (0, "")
    assert seconds_of_children() - before < 60
    assert (folder / "state" / "cursor").read_text().count(" 1-1000001") == 3000
