"""`handlebarctl replay`: its own daemon, lines without a terminal. What it does on one is in test_terminal.py."""

import json
import os
import pathlib
import signal
import socket
import struct
import subprocess

import pytest

import replay_files
from handlebar_harness import BIN, TIMEOUT, Client, Daemon, until
from measuring import measured

TOOL = str(BIN / "handlebarctl")


def environment(folder):
    clean = {k: v for k, v in os.environ.items() if not k.startswith("HANDLEBAR_")}
    # The folder of its socket is made where this test can see that it goes away again.
    return clean | {"XDG_RUNTIME_DIR": str(folder), "SWIFT_BACKTRACE": "enable=no"}


def replay(folder, *arguments):
    done = subprocess.run(
        [TOOL, "replay", *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=3 * TIMEOUT, env=environment(folder), check=False,
    )
    return done.returncode, done.stdout, done.stderr


def leftovers(folder):
    return [path.name for path in folder.iterdir() if path.name.startswith("handlebar-replay-")]


@pytest.mark.parametrize("speed", ["max", pytest.param("100", marks=measured)])
def test_prints_a_line_a_fix_and_ends_with_the_recording(folder, speed):
    (folder / "a, b.nmea").write_bytes(replay_files.plain(10))
    (folder / "c&d.json").write_bytes(replay_files.gpsd(10, start=13 * 3600))
    code, out, err = replay(folder, "--speed", speed, folder / "a, b.nmea", folder / "c&d.json")
    assert (code, err) == (0, "")
    lines = [json.loads(line) for line in out.splitlines()]
    assert {line["class"] for line in lines} == {"TPV"}
    numbers, every = [line["seq"] for line in lines if line["mode"] > 1], range(1, 21)
    # At a given speed no replay waits for a reader that is late: of what it has missed it gets the newest.
    assert numbers == [*every] or speed != "max" and numbers == sorted({1, 20, *numbers} & {*every})
    assert not leftovers(folder)


def test_the_state_directory_of_a_service_stays_as_it_is(folder, monkeypatch):
    (folder / "ride.nmea").write_bytes(replay_files.plain(2))
    (folder / "state").mkdir()
    monkeypatch.setenv("STATE_DIRECTORY", str(folder / "state"))
    code, _, err = replay(folder, "--speed", "max", folder / "ride.nmea")
    assert (code, err) == (0, "") and not [*(folder / "state").iterdir()]


def test_an_unplayable_file_is_reported_before_the_start(folder):
    (folder / "good.nmea").write_bytes(replay_files.plain(2))
    (folder / "x.txt").write_text("hello\n")
    code, out, err = replay(folder, folder / "good.nmea", folder / "x.txt")
    assert (code, out) == (65, "") and str(folder / "x.txt") in err and err.count("\n") == 1
    code, out, err = replay(folder, folder / "none.nmea")
    assert (code, out) == (66, "") and "No such file" in err and err.count("\n") == 1
    for wrong in (["--speed", "0"], ["--speed", "1001"], ["--speed", "fast"], ["--speed", "max", "--loop"]):
        code, out, err = replay(folder, *wrong, folder / "good.nmea")
        assert (code, out) == (64, "") and "1000" in err
    assert not leftovers(folder)


def test_other_clients_watch_on_the_named_socket(folder):
    (folder / "ride.nmea").write_bytes(replay_files.recording(300))
    place = folder / "own.sock"
    process = subprocess.Popen(
        [TOOL, "replay", "--socket", place, "--loop", "--speed", "20", folder / "ride.nmea"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(folder),
    )
    try:
        assert json.loads(process.stdout.readline())["class"] == "TPV"
        with Client(place) as client:
            client.watch(distanceFilter=0)
            client.wait("TPV", lambda fix: fix["seq"] > 5)
        process.send_signal(signal.SIGINT)
        process.stdout.read()
        assert process.wait(TIMEOUT) == 130
        assert process.stderr.read() == b""
        assert not place.exists()
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()


def test_a_socket_that_is_taken_is_left_alone(folder):
    (folder / "ride.nmea").write_bytes(replay_files.plain(5))
    with Daemon(folder, f"recording:{folder}/ride.nmea?loop=true") as daemon:
        code, out, err = replay(folder, "--socket", daemon.socket, folder / "ride.nmea")
        assert (code, out) == (71, "") and str(daemon.pid) in err
        assert daemon.is_alive()
        daemon.stop()


def test_a_closed_pipe_ends_it_quietly(folder):
    (folder / "ride.nmea").write_bytes(replay_files.plain(2000))
    done = subprocess.run(
        ["bash", "-c", '"$0" replay --speed max "$1" | head -n 1', TOOL, folder / "ride.nmea"],
        capture_output=True, text=True, timeout=TIMEOUT, env=environment(folder), check=False,
    )
    assert done.returncode == 0 and done.stdout.count("\n") == 1 and done.stderr == ""
    until(lambda: not leftovers(folder), "the folder of the socket goes away")


def test_killed_it_leaves_no_daemon_behind(folder):
    """After a SIGKILL the daemon ends by itself."""
    (folder / "ride.nmea").write_bytes(replay_files.plain(2000))
    with subprocess.Popen(
        [TOOL, "replay", "--socket", str(folder / "location.sock"), str(folder / "ride.nmea")],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, env=environment(folder),
    ) as process:
        assert process.stdout.readline()
        with Client(folder / "location.sock") as client:
            assert client.next()["class"] == "VERSION"
            owner = struct.unpack("3i", client.socket.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]
            assert owner != process.pid and pathlib.Path(f"/proc/{owner}").exists()
            process.kill()
            process.wait(TIMEOUT)
            until(lambda: client.receive() or client.ended, "the daemon closes")
        until(lambda: not (folder / "location.sock").exists(), "its socket goes away")
        until(lambda: has_ended(owner), "its end")


def has_ended(pid):
    """Whether a process has ended; a zombie has."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True
