"""What survives the daemon in its state directory: persistent targets and the last position."""

import itertools
import signal
import sys

import pytest

import nmea_sender
from handlebar_harness import ROOT, TIMEOUT, Daemon, Receiver, control, fill, small_disk, until

sys.path.insert(0, str(ROOT / "clients" / "python"))
import handlebar  # noqa: E402

pytestmark = pytest.mark.usefixtures("patient")


@pytest.fixture
def receiver(folder):
    with Receiver(folder / "gps0") as one:
        yield one


def start(folder, receiver):
    return Daemon(folder, f"serial:{receiver.link}?speed=115200", options=["--state", folder / "state"])


def ride(receiver, numbers):
    for number in numbers:
        receiver.write(nmea_sender.epoch(number))
        receiver.wait_read()


def first_state(daemon):
    """The state of the snapshot."""
    with daemon.connect() as client:
        client.watch()
        return client.wait("STATE")


def content(folder, name):
    path = folder / "state" / name
    return path.read_text() if path.exists() else ""


def test_targets_and_the_last_position_survive_a_kill(folder, receiver):
    with start(folder, receiver) as daemon:
        assert "lastKnown" not in first_state(daemon)
        with handlebar.Client(daemon.socket) as client:
            client.set_target("home \u00e9 \n", 48.1, 11.5, radius=500)
            client.set_target("far", 10, 20)
            with client.updates() as updates:
                updates.set_target("of the subscription", 48.1, 11.5)
                ride(receiver, range(5))
                until(lambda: '"lat"' in content(folder, "position"), "the position")
                until(lambda: " arriving " in content(folder, "targets"), "the arrival")
        daemon.process.send_signal(signal.SIGKILL)
        daemon.wait_end()
    names = sorted(path.name for path in (folder / "state").iterdir())
    assert names == ["position", "targets"] and all(
        (folder / "state" / name).stat().st_mode & 0o027 == 0 for name in names)

    with start(folder, receiver) as daemon:
        last = first_state(daemon)["lastKnown"]
        assert abs(last["lat"] - 48.1) < 0.001 and last["lon"] == 11.5 and last["source"] == "serial"
        assert last["time"].startswith("2026-03-19T12:00:0") and 0 <= last["age"] < TIMEOUT and "seq" not in last
        with handlebar.Client(daemon.socket) as client:
            kept = {one.name: one for one in client.targets()}
            assert {name: one.state for name, one in kept.items()} == {"home \u00e9 \n": "arriving", "far": "away"}
            assert (kept["far"].latitude, kept["far"].longitude, kept["far"].radius) == (10, 20, 100)
            with pytest.raises(handlebar.TimedOut) as error:
                client.locate(timeout=0)
            assert error.value.report.latitude == last["lat"] and error.value.report.source == "serial"
            assert client.status().last_known.latitude == last["lat"]
            code, out, _ = control(daemon.socket, "status")
            assert code == 1 and "last position  48.1" in out and " ago" in out
            client.remove_target("far")
            numbers = itertools.count(5)

            def published():
                """The status and the number of the newest epoch, once its fix is published."""
                number = next(numbers)
                ride(receiver, [number])
                one = client.status()
                is_newest = one.state == "tracking" and one.seq + one.counts["lateFixes"] == number - 4
                return (one, number) if is_newest else None

            status, newest = until(published, "a fix")
            assert status.last_known is None
        daemon.stop()
        # The newest position is stored at the end.
        assert f'"time":"2026-03-19T12:00:{newest:02d}.000Z"' in content(folder, "position")
        assert '"far"' not in content(folder, "targets")


def test_damaged_files_are_set_aside_and_named_in_the_log(folder, receiver):
    state = folder / "state"
    state.mkdir()
    (state / "targets").write_text("# handlebard targets 1\n1000 away {\"request\":\"TARGET\"")
    (folder / "elsewhere").write_text("# handlebard position 1\nx 1 {\"lat\":1,\"lon\":2}\nend\n")
    (state / "position").symlink_to(folder / "elsewhere")
    with start(folder, receiver) as daemon:
        assert "lastKnown" not in first_state(daemon)
        ride(receiver, range(3))
        until(lambda: '"lat":48' in content(folder, "position"), "the position")
        daemon.stop()
        for name in ("targets", "position"):
            assert f"{name} is damaged or of another version; it is renamed to {name}.damaged" in daemon.log
    assert (folder / "elsewhere").read_text().endswith("end\n")
    assert not (state / "position").is_symlink()


def test_a_full_disk_is_logged_once_and_written_to_when_there_is_room(folder, receiver):
    with small_disk(folder / "state", size="64k") as disk:
        filler = fill(disk)
        with start(folder, receiver) as daemon, handlebar.Client(daemon.socket) as client:
            for number in range(5):
                client.set_target(f"target {number}", 1, 2)
            until(lambda: "cannot write" in daemon.log, "the failure")
            assert len(client.targets()) == 5
            filler.unlink()
            client.remove_target("target 0")
            until(lambda: '"target 4"' in content(folder, "targets"), "the targets")
            daemon.stop()
            assert daemon.log.count("cannot write") == 1 and "can be written to again" in daemon.log
            assert '"target 0"' not in content(folder, "targets")


def test_a_simulation_does_not_change_the_position(folder, receiver):
    with start(folder, receiver) as daemon:
        ride(receiver, range(3))
        until(lambda: '"lat":48' in content(folder, "position"), "the position")
        daemon.stop()
    before = content(folder, "position")
    with Daemon(folder, "simulate:tour", options=["--state", folder / "state"]) as daemon:
        with daemon.connect() as client:
            client.watch(distanceFilter=0)
            client.wait("TPV")
        daemon.stop()
    assert content(folder, "position") == before
