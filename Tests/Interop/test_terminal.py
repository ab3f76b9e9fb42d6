"""What a person sees and presses: `watch`, `replay` and `make run` on a terminal, which is afterwards as it was before."""

import contextlib
import fcntl
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
from handlebar_harness import BIN, ROOT, TIMEOUT, Client, Daemon, Late, until
from measuring import measured

TOOL = str(BIN / "handlebarctl")
# What ends a program, and its exit code then.
ENDS = [(b"q", 0), (b"Q", 0), (b"\x03", 130), (signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
ends = pytest.mark.parametrize(("how", "code"), ENDS, ids=["q", "Q", "Ctrl-C", "SIGINT", "SIGTERM", "SIGHUP"])


class Terminal:
    """A terminal with a program on it, in a session of its own."""

    def __init__(self, folder, *command):
        self.master, self.slave = pty.openpty()
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
        self.before = termios.tcgetattr(self.slave)
        self.text = self.transcript = ""
        clean = {k: v for k, v in os.environ.items() if not k.startswith("HANDLEBAR_")}
        # The folders that the programs make are made where a test can see that they go away again.
        own = {"XDG_RUNTIME_DIR": str(folder), "TMPDIR": str(folder), "TERM": "xterm", "SWIFT_BACKTRACE": "enable=no"}
        self.process = subprocess.Popen(
            ["setsid", "--ctty", *map(str, command)],
            stdin=self.slave, stdout=self.slave, stderr=self.slave, env=clean | own,
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
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
            piece = os.read(self.master, 65536).decode(errors="replace")
            self.text += piece
            self.transcript += piece

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
        """Presses keys, or sends a signal."""
        self.text = ""
        if isinstance(keys, signal.Signals):
            self.process.send_signal(keys)
        else:
            os.write(self.master, keys)

    def end(self):
        """Waits for its end and returns its exit code; settings, screen and cursor must be as they were at the start."""
        until(lambda: self.read() or self.process.poll() is not None, "the end", pause=0)
        assert termios.tcgetattr(self.slave) == self.before
        for on, off in ("\x1b[?1049h", "\x1b[?1049l"), ("\x1b[?25l", "\x1b[?25h"):
            assert self.transcript.count(on) == self.transcript.count(off)
        return self.process.returncode

    def reads_keys(self):
        """Whether each key is delivered at once, without echo, and Ctrl-C remains a signal."""
        flags = termios.tcgetattr(self.slave)[3]
        return not flags & (termios.ICANON | termios.ECHO) and bool(flags & termios.ISIG)

    def suspend_and_resume(self, shown):
        """Presses Ctrl-Z, which restores the terminal, and continues; waits until the program shows that."""
        self.press(b"\x1a")
        status = pathlib.Path(f"/proc/{self.process.pid}/stat")
        until(lambda: self.read() or status.read_text().rpartition(")")[2].split()[0] == "T", "the program is stopped", pause=0)
        assert termios.tcgetattr(self.slave) == self.before
        self.press(signal.SIGCONT)
        self.shows(shown)
        until(self.reads_keys, "keys")


@contextlib.contextmanager
def watching(folder):
    """A daemon that plays a ride, and a terminal on which it is watched."""
    (folder / "ride.nmea").write_bytes(replay_files.recording(3000))
    with Daemon(folder, f"recording:{folder}/ride.nmea") as daemon:
        with Terminal(folder, TOOL, "--socket", daemon.socket, "watch") as terminal:
            terminal.shows(r"36\.0 km/h")
            until(terminal.reads_keys, "keys")
            yield daemon, terminal


@ends
def test_watch_ends_by_key_and_signal_and_restores_the_terminal(folder, how, code):
    with watching(folder) as (_, terminal):
        terminal.press(how)
        assert terminal.end() == code
        assert re.search(r"last position: 48\.\d+, 11\.5", terminal.transcript.rpartition("\x1b[?1049l")[2])


def test_watch_ignores_other_keys(folder):
    with watching(folder) as (_, terminal):
        terminal.press(b" x\x1b[A\x1b[C+-\x1b")
        terminal.shows(r"36\.0 km/h")
        assert terminal.reads_keys()
        terminal.press(b"q")
        assert terminal.end() == 0


def test_watch_restores_the_terminal_while_it_is_suspended(folder):
    with watching(folder) as (_, terminal):
        terminal.suspend_and_resume(r"36\.0 km/h")
        terminal.press(b"q")
        assert terminal.end() == 0


@ends
def test_watch_outlives_a_crash_of_the_daemon_and_then_restores_the_terminal(folder, how, code):
    with watching(folder) as (daemon, terminal):
        daemon.process.kill()
        terminal.shows(r"[Dd]isconnected|connection|not running|waiting")
        assert terminal.reads_keys()
        terminal.press(how)
        assert terminal.end() == code


# replay


@contextlib.contextmanager
def replaying(folder, *options):
    """A terminal with a replay on it; nothing of it is left afterwards."""
    (folder / "ride.nmea").write_bytes(replay_files.recording(3000))
    with Terminal(folder, TOOL, "replay", *options, folder / "ride.nmea") as terminal:
        terminal.shows(r"playing 00:0\d / 49:59 \[ +\] 1x  48\.\d+, 11\.5\d*  36\.0 km/h")
        until(terminal.reads_keys, "keys")
        yield terminal
    until(lambda: not list(folder.glob("handlebar-replay-*")), "the folder of the socket goes away")


@ends
def test_replay_ends_by_key_and_signal_and_restores_the_terminal(folder, how, code):
    with replaying(folder) as terminal:
        terminal.press(how)
        assert terminal.end() == code


def test_replay_restores_the_terminal_while_it_is_suspended(folder):
    with replaying(folder) as terminal:
        terminal.suspend_and_resume("playing")
        terminal.press(b"q")
        assert terminal.end() == 0


def test_replay_ends_with_a_crash_of_its_daemon_and_restores_the_terminal(folder):
    place = folder / "location.sock"
    with replaying(folder, "--socket", place) as terminal:
        with Client(place) as client:
            daemon = struct.unpack("3i", client.socket.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]
        os.kill(daemon, signal.SIGKILL)
        assert terminal.end() not in (0, 130)


def seconds(clock):
    parts = [int(part) for part in clock.split(":")]
    return sum(part * 60**power for power, part in enumerate(reversed(parts)))


def clock(seconds_):
    return f"{seconds_ // 60:02d}:{seconds_ % 60:02d}"


def test_each_key_of_replay_has_its_effect(folder):
    with replaying(folder) as terminal:
        assert re.search(r"listening on (\S+)", terminal.transcript)
        assert "space pause" in terminal.transcript
        terminal.press(b" ")
        stood = terminal.shows(r"paused  (\d\d:\d\d) ")[1]
        terminal.press(b"\x1b[C\x1b[C\x1b[C")
        terminal.shows(rf"paused  {clock(seconds(stood) + 30)} ")
        terminal.press(b"\x1b[D")
        terminal.shows(rf"paused  {clock(seconds(stood) + 20)} ")
        terminal.press(b"+++")
        terminal.shows(r"\] 10x")
        terminal.press(b"-")
        terminal.shows(r"\] 5x")
        terminal.press(b" ")
        terminal.shows(r"playing 0[1-9]:\d\d / 49:59 \[")
        assert all(len(line) < 100 for line in re.split(r"\r\x1b\[K|\r\n", terminal.text))
        terminal.press(b"q")
        assert terminal.end() == 0


def test_the_bar_of_replay_ends_full_with_the_recording(folder):
    (folder / "ride.nmea").write_bytes(replay_files.recording(300))
    with Terminal(folder, TOOL, "replay", "--speed", "100", folder / "ride.nmea") as terminal:
        terminal.shows(r"ended   04:59 / 04:59 \[=+\] 100x.*\r\n")
        assert terminal.end() == 0


# make run


@measured
@pytest.mark.parametrize(("how", "code"), [(b"q", 0), (b"\x03", 0), (signal.SIGTERM, 0)], ids=["q", "Ctrl-C", "SIGTERM"])
def test_make_run_shows_the_ride_and_its_map_and_ends_at_once(folder, how, code):
    with Terminal(folder, ROOT / "scripts" / "run") as terminal:
        terminal.shows(r"Map: (http://127\.0\.0\.1:\d+/\S*)")
        terminal.shows(r"\d km/h")
        until(terminal.reads_keys, "keys")
        begin = time.monotonic()
        terminal.press(how)
        assert terminal.end() == code
        assert time.monotonic() - begin < 2
    assert not list(folder.iterdir())
