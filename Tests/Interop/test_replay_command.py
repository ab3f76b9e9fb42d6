"""`handlebarctl replay`: its own daemon, lines without a terminal, a bar and keys on one."""

import fcntl
import json
import os
import pathlib
import pty
import re
import select
import signal
import socket
import struct
import subprocess
import termios
import time

import pytest

import replay_files
from handlebar_harness import BIN, TIMEOUT, Client, Daemon, Late, until
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


class Screen:
    """A terminal with a replay on it."""

    def __init__(self, folder, *arguments):
        self.master, self.slave = pty.openpty()
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
        self.before = termios.tcgetattr(self.slave)
        self.text = ""
        self.process = subprocess.Popen(
            ["setsid", "--ctty", TOOL, "replay", *map(str, arguments)],
            stdin=self.slave, stdout=self.slave, stderr=self.slave, env=environment(folder),
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(TIMEOUT)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        os.close(self.master)
        os.close(self.slave)

    def read(self):
        while select.select([self.master], [], [], 0.05)[0]:
            self.text += os.read(self.master, 65536).decode(errors="replace")

    def shows(self, pattern, timeout=TIMEOUT):
        """Waits until what came since the last match has the pattern."""
        deadline = time.monotonic() + timeout
        while True:
            self.read()
            if match := re.search(pattern, self.text):
                self.text = self.text[match.end() :]
                return match
            if time.monotonic() > deadline:
                raise Late(f"{pattern!r} was not shown within {timeout} s, but {self.text[-300:]!r}")

    def press(self, keys):
        self.text = ""
        os.write(self.master, keys)

    def end(self):
        until(lambda: self.read() or self.process.poll() is not None, "the end of the replay", pause=0)
        return self.process.returncode

    def is_restored(self):
        return termios.tcgetattr(self.slave) == self.before


def seconds(clock):
    parts = [int(part) for part in clock.split(":")]
    return sum(part * 60**power for power, part in enumerate(reversed(parts)))


def clock(seconds_):
    return f"{seconds_ // 60:02d}:{seconds_ % 60:02d}"


@pytest.mark.parametrize("speed", ["max", pytest.param("100", marks=measured)])
def test_prints_a_line_a_fix_and_ends_with_the_recording(folder, speed):
    (folder / "a, b.nmea").write_bytes(replay_files.plain(10))
    (folder / "c&d.json").write_bytes(replay_files.gpsd(10, start=13 * 3600))
    code, out, err = replay(folder, "--speed", speed, folder / "a, b.nmea", folder / "c&d.json")
    assert (code, err) == (0, "")
    lines = [json.loads(line) for line in out.splitlines()]
    assert {line["class"] for line in lines} == {"TPV"}
    fixes = [line for line in lines if line["mode"] > 1]
    assert [fix["seq"] for fix in fixes] == list(range(1, 21))
    assert not leftovers(folder)


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


@pytest.mark.slow
def test_keys_and_the_bar(folder):
    (folder / "ride.nmea").write_bytes(replay_files.recording(3000))
    with Screen(folder, folder / "ride.nmea") as screen:
        screen.shows(r"listening on (\S+)")
        screen.shows(r"space pause")
        screen.shows(r"playing 00:0\d / 49:59 \[ +\] 1x  48\.\d+, 11\.5\d*  36\.0 km/h")
        screen.press(b" ")
        stood = screen.shows(r"paused  (\d\d:\d\d) ")[1]
        screen.press(b"\x1b[C\x1b[C\x1b[C")
        screen.shows(rf"paused  {clock(seconds(stood) + 30)} ")
        screen.press(b"\x1b[D")
        screen.shows(rf"paused  {clock(seconds(stood) + 20)} ")
        screen.press(b"+++")
        screen.shows(r"\] 10x")
        screen.press(b"-")
        screen.shows(r"\] 5x")
        screen.press(b" ")
        screen.shows(r"playing 0[1-9]:\d\d / 49:59 \[")
        assert all(len(line) < 100 for line in re.split(r"\r\x1b\[K|\r\n", screen.text))
        screen.press(b"q")
        assert screen.end() == 0
        assert screen.is_restored()
    assert not leftovers(folder)


def test_the_bar_ends_full_with_the_recording(folder):
    (folder / "ride.nmea").write_bytes(replay_files.recording(300))
    with Screen(folder, "--speed", "100", folder / "ride.nmea") as screen:
        screen.shows(r"ended   04:59 / 04:59 \[=+\] 100x.*\r\n")
        assert screen.end() == 0
        assert screen.is_restored()


@pytest.mark.parametrize("how", ["key", "SIGTERM", "SIGHUP"])
def test_the_terminal_is_restored(folder, how):
    (folder / "ride.nmea").write_bytes(replay_files.recording(3000))
    with Screen(folder, folder / "ride.nmea") as screen:
        screen.shows(r"playing 00:0\d ")
        assert not screen.is_restored()
        if how == "key":
            screen.press(b"\x03")
            number = signal.SIGINT
        else:
            number = getattr(signal, how)
            screen.process.send_signal(number)
        assert screen.end() == 128 + number
        assert screen.is_restored()
    assert not leftovers(folder)
