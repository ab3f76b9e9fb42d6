"""What a person sees and presses: `watch`, `replay` and `make run` on a terminal, which is afterwards as it was before."""

import contextlib
import os
import re
import signal
import socket
import struct

import pytest

import replay_files
from handlebar_harness import BIN, ROOT, Client, Daemon, control, until
from measuring import measured
from terminal import Terminal

TOOL = str(BIN / "handlebarctl")
# What ends a program, and its exit code then.
ENDS = [(b"q", 0), (b"Q", 0), (b"\x03", 130), (signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
ends = pytest.mark.parametrize(("how", "code"), ENDS, ids=["q", "Q", "Ctrl-C", "SIGINT", "SIGTERM", "SIGHUP"])


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


def test_a_key_of_watch_begins_the_next_lap_of_the_trips(folder):
    with watching(folder) as (daemon, terminal):
        for name in "day", "tour":
            assert control(daemon.socket, "trip", name)[0] == 0
        terminal.shows("day: moving")
        terminal.press(b"l")
        terminal.shows(r"day: moving.*, lap 2")
        until(lambda: control(daemon.socket, "trip")[1].count("lap 2") == 2, "the laps of both trips")
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
        terminal.shows(r"playing 00:[0-5]\d / 49:59 \[ +\] 1x  48\.\d+, 11\.5\d*  36\.0 km/h")
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


def stays(pattern):
    """The pattern of a bar that shows the same five times: no report of the daemon is on its way that was sent before."""
    return rf"({pattern}) (?:[^\r]*\r[^\r]*\1 ){{4}}"


def test_each_key_of_replay_has_its_effect(folder):
    with replaying(folder) as terminal:
        assert re.search(r"listening on (\S+)", terminal.transcript)
        assert "space pause" in terminal.transcript
        terminal.press(b" ")
        stood = terminal.shows(stays(r"paused  \d\d:\d\d"))[1].split()[1]
        terminal.press(b"\x1b[C\x1b[C\x1b[C")
        terminal.shows(stays(f"paused  {clock(seconds(stood) + 30)}"))
        terminal.press(b"\x1b[D")
        terminal.shows(stays(f"paused  {clock(seconds(stood) + 20)}"))
        terminal.press(b"+++")
        terminal.shows(stays(r"\] 10x"))
        terminal.press(b"-")
        terminal.shows(stays(r"\] 5x"))
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
        terminal.press(how)
        assert terminal.end() == code
    assert not list(folder.iterdir())
