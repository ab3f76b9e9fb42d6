"""Starts the daemon and uses it from outside: a socket, JSON lines, a PTY in place of the receiver.

Every wait is for a condition and has a deadline. Every child is ended by its own pid.
"""

import contextlib
import fcntl
import json
import os
import pathlib
import pty
import select
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import termios
import time
import tty
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("BIN", ROOT / ".build" / "release")).absolute()
RECORDING = ROOT / "recordings" / "city.nmea"
# Tests of what clients show run on a receiver that sends sentences, and on one that sends UBX only.
RIDE_FORMS = ["sentences", "ubx"]
LONG = os.environ.get("HANDLEBAR_LONG") == "1"
SANITIZED = "HANDLEBAR_SANITIZER" in os.environ
BUNDLED = sorted((ROOT / "recordings").glob("*.nmea"))


def named(variable, pattern):
    """The files of the folder that a variable names, none without it: what is not part of the project."""
    return sorted(pathlib.Path(os.environ[variable]).absolute().glob(pattern)) if os.environ.get(variable) else []


def received(text):
    """The receiver's bytes in the text of a recording, by the description of the format alone."""
    result, cut = b"", False
    for line in text.splitlines(keepends=True):
        if line.startswith(b"# x "):
            result += bytes.fromhex(line[4:].decode())
        elif line.startswith(b"# cut"):
            cut = True
        elif not line.startswith(b"#"):
            result += line.removesuffix(b"\n") if cut else line
            cut = False
    return result


# Of real receivers. Tests that read them have the mark `logs`: `make test-logs`.
DEVICE_LOGS = named("LOGS", "*.log")
DRIVES = named("RIDES", "*.nmea")
# The limit of waits that are not measured, for a debug build on a busy machine.
TIMEOUT = 120.0 if SANITIZED else 60.0


class Ended(Exception):
    """The daemon closed the connection."""


class Late(AssertionError):
    """A condition was not met in time."""


def until(condition, what, timeout=TIMEOUT, pause=0.02):
    """Polls a condition and returns its first true value."""
    deadline = time.monotonic() + timeout
    while True:
        if value := condition():
            return value
        if time.monotonic() > deadline:
            raise Late(f"{what}: not within {timeout} s")
        # What a condition looks at is mostly another process, which announces nothing.
        time.sleep(pause)


class Stopwatch:
    """Seconds since its start, less the time for which this process and the given ones waited for a processor, so that other
    load on the machine does not count."""

    def __init__(self, *pids):
        self.begin = time.monotonic()
        self.pids = [os.getpid(), *pids]
        self.withheld = {}
        self.before = self.look()

    def look(self):
        """The time for which their threads have waited for a processor; of an ended one, as last seen."""
        for thread in (thread for pid in self.pids for thread in pathlib.Path(f"/proc/{pid}/task").glob("*/schedstat")):
            # Zero on a kernel that does not count it.
            with contextlib.suppress(OSError, IndexError):
                self.withheld[thread] = int(thread.read_text().split()[1]) / 1e9
        return sum(self.withheld.values())

    def at(self, instant):
        """Its value at a monotonic time, or slightly less."""
        return instant - self.begin - (self.look() - self.before)

    def now(self):
        return self.at(time.monotonic())


@contextlib.contextmanager
def own_folder():
    """A temporary folder with a path short enough for a Unix socket."""
    path = pathlib.Path(tempfile.mkdtemp(prefix="handlebar-"))
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


@contextlib.contextmanager
def small_disk(place, *options, size="3m"):
    """A file system of that size; the test is skipped where none can be mounted."""
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", ",".join([f"size={size}", *options]), "tmpfs", place]
    if subprocess.run(command, capture_output=True, check=False).returncode != 0:
        raise unittest.SkipTest("a tmpfs cannot be mounted here: needs root")
    try:
        yield place
    finally:
        subprocess.run(["umount", place], check=True)


def fill(place):
    """Fills a file system with a file, and returns it."""
    filler = place / "filler"
    with contextlib.suppress(OSError), open(filler, "wb", buffering=0) as file:
        while True:
            file.write(b"x" * 4096)
    return filler


class Client:
    """One connection, to a path or a (host, port). `lines` holds every received object, with the monotonic time of its
    arrival under `_at`; `sentences` every NMEA sentence."""

    def __init__(self, path, timeout=TIMEOUT):
        if isinstance(path, tuple):
            self.socket = socket.create_connection(path, timeout)
        else:
            self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            self.socket.settimeout(timeout)
            self.socket.connect(str(path))
        self.socket.setblocking(False)
        self.partial = b""
        self.waiting = []
        self.lines = []
        self.sentences = []
        self.answers = 0
        self.ended = False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def fileno(self):
        return self.socket.fileno()

    def send(self, text, timeout=TIMEOUT):
        """Sends all of it, or raises `Ended` when the daemon has closed. Receives meanwhile, as the daemon stops reading
        from a client that does not."""
        data = text if isinstance(text, bytes) else text.encode()
        deadline = time.monotonic() + timeout
        while data:
            left = max(0, deadline - time.monotonic())
            readable, writable, _ = select.select([self.socket], [self.socket], [], left)
            if readable:
                self.receive()
                if self.ended:
                    raise Ended
            if not writable:
                if time.monotonic() > deadline:
                    raise Late("the daemon does not read")
                continue
            try:
                data = data[self.socket.send(data) :]
            except (BrokenPipeError, ConnectionResetError) as error:
                # The daemon's last words may have come since.
                self.receive()
                self.ended = True
                raise Ended from error

    def receive(self):
        """Receives the available data without waiting."""
        while not self.ended:
            try:
                data = self.socket.recv(65536)
            except BlockingIOError:
                return
            except ConnectionResetError:
                data = b""
            if not data:
                self.ended = True
                return
            now = time.monotonic()
            *whole, self.partial = (self.partial + data).split(b"\n")
            for line in whole:
                assert line.endswith(b"\r"), f"a line without CR LF: {line!r}"
                if line[:1] in b"$!":
                    self.sentences.append(line.decode().rstrip())
                    continue
                assert line.startswith(b'{"class":"'), f"a line that does not begin with its class: {line!r}"
                assert len(line) + 1 <= 10239, "a line longer than a client of gpsd reads"
                one = json.loads(line)
                assert None not in one.values(), f"a null: {line!r}"
                one["_at"] = now
                self.answers += one["class"] == "VERSION"
                self.waiting.append(one)
                self.lines.append(one)

    def wait_full(self, other, least):
        """Waits until the daemon can write no more to this connection, from which nothing is read: more bytes than the least
        have come, and none comes while another client is answered."""
        def unread():
            return struct.unpack("i", fcntl.ioctl(self.socket, termios.FIONREAD, b"\0" * 4))[0]

        def is_full():
            before = unread()
            for _ in range(20):
                other.settle()
            return unread() == before > least

        until(is_full, "the end of what is written to a client that does not read")

    def settle(self):
        """Receives everything sent up to now: an answer follows it."""
        before = self.answers
        self.send("?VERSION;")
        until(lambda: self.receive() or self.answers > before, "an answer", pause=0.001)

    def next(self, timeout=TIMEOUT):
        """The next object; `Late` when none arrives, `Ended` when the daemon closed."""
        deadline = time.monotonic() + timeout
        while True:
            self.receive()
            if self.waiting:
                return self.waiting.pop(0)
            if self.ended:
                raise Ended
            left = deadline - time.monotonic()
            if left <= 0:
                raise Late(f"nothing came within {timeout} s")
            select.select([self.socket], [], [], left)

    def wait(self, name, matching=lambda _: True, timeout=TIMEOUT):
        """The next object of that class that matches; earlier ones are skipped."""
        deadline = time.monotonic() + timeout
        while True:
            try:
                one = self.next(max(0, deadline - time.monotonic()))
            except Late:
                seen = [line["class"] for line in self.lines[-12:]]
                raise Late(f"no such {name} within {timeout} s; the last lines were {seen}") from None
            if one["class"] == name and matching(one):
                return one

    def watch(self, **options):
        """Subscribes and returns the daemon's `WATCH`."""
        options = {"enable": True, "json": True} | options
        self.send(f"?WATCH={json.dumps(options)};")
        return self.wait("WATCH")

    def until_quiet(self, quiet, timeout=TIMEOUT):
        """Everything received until `quiet` seconds pass without an object and the daemon then answers without one, or it
        closes."""
        deadline = time.monotonic() + timeout
        came = []
        while time.monotonic() < deadline:
            try:
                came.append(self.next(quiet))
            except Ended:
                return came
            except Late:
                # A daemon without a processor is silent, too.
                with contextlib.suppress(Ended):
                    self.settle()
                self.waiting = [one for one in self.waiting if one["class"] != "VERSION"]
                if not self.waiting:
                    return came
        raise Late(f"still sending after {timeout} s")


class Receiver:
    """A PTY in place of the receiver's serial port, behind a stable link as udev makes one."""

    def __init__(self, link):
        self.link = pathlib.Path(link)
        self.master = self.slave = None
        self.plug()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.unplug()

    def plug(self):
        """Makes a new device and points the link at it, as the kernel and udev do."""
        self.master, self.slave = pty.openpty()
        tty.setraw(self.slave)
        os.set_blocking(self.master, False)
        new = self.link.with_name(self.link.name + ".new")
        new.symlink_to(os.ttyname(self.slave))
        new.replace(self.link)

    def unplug(self):
        """Hangs up and removes the link."""
        self.link.unlink(missing_ok=True)
        for descriptor in (self.slave, self.master):
            if descriptor is not None:
                os.close(descriptor)
        self.master = self.slave = None

    def write(self, data, timeout=TIMEOUT):
        """Sends bytes as the receiver would; `Late` when they are not read."""
        deadline = time.monotonic() + timeout
        while data:
            _, writable, _ = select.select([], [self.master], [], max(0, deadline - time.monotonic()))
            if not writable:
                raise Late("the serial port is not read")
            try:
                data = data[os.write(self.master, data) :]
            except BlockingIOError:
                pass

    def wait_read(self):
        """Waits until what was written has been read."""
        def unread():
            # Asking whether there is something moves what is still on its way in the kernel.
            select.select([self.slave], [], [], 0)
            return struct.unpack("i", fcntl.ioctl(self.slave, termios.FIONREAD, b"\0" * 4))[0]

        until(lambda: unread() == 0, "the serial port to be read", pause=0.001)

    def play(self, bursts, speed=1.0, meanwhile=lambda: None, after=lambda: None):
        """Sends `(second, bytes)` bursts; calls `meanwhile` while it waits and `after` after each. A delay lengthens the
        ride: no two bursts come closer together than given."""
        begin = time.monotonic()
        for second, data in bursts:
            while (left := begin + second / speed - time.monotonic()) > 0:
                meanwhile()
                # At the ride's own pace.
                time.sleep(min(left, 0.005))
            begin -= left
            self.write(data)
            self.wait_read()
            after()


class Daemon:
    """A running `handlebard` with its own socket."""

    def __init__(self, folder, *sources, options=(), wait=True, cwd=None, program=BIN / "handlebard"):
        self.folder = pathlib.Path(folder)
        self.socket = self.folder / "location.sock"
        self.log_path = self.folder / f"daemon-{time.monotonic_ns()}.log"
        command = [program, "--socket", self.socket]
        for source in sources:
            command += ["--source", source]
        command += options
        environment = {k: v for k, v in os.environ.items() if not k.startswith("HANDLEBAR_") and k != "STATE_DIRECTORY"}
        environment["SWIFT_BACKTRACE"] = "enable=no"
        with open(self.log_path, "wb") as log:
            self.process = subprocess.Popen(
                [str(part) for part in command],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log, env=environment, cwd=cwd,
            )
        if wait:
            self.wait_ready()

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        # A fixture is not told that its test has failed; pytest shows what was printed only then.
        if kind is not None or "PYTEST_CURRENT_TEST" in os.environ:
            print(f"--- the daemon's log ({self.log_path.name}), it ended with {self.process.returncode}")
            print(self.log[-4000:])

    @property
    def log(self):
        return self.log_path.read_text(errors="replace")

    @property
    def pid(self):
        return self.process.pid

    def wait_ready(self):
        """Waits until the socket accepts; raises when the daemon ends first."""

        def accepts():
            if self.process.poll() is not None:
                raise AssertionError(f"handlebard ended with {self.process.returncode}:\n{self.log}")
            try:
                Client(self.socket).socket.close()
                return True
            except (FileNotFoundError, ConnectionRefusedError):
                return False

        until(accepts, "the daemon's socket")

    def connect(self):
        """A connection that has received `VERSION`."""
        client = Client(self.socket)
        assert client.next()["class"] == "VERSION", "the first line must be VERSION"
        return client

    def wait_end(self, timeout=TIMEOUT):
        """The exit code."""
        return self.process.wait(timeout)

    def stop(self, with_signal=signal.SIGTERM, clock=None):
        """Stops it by a signal and demands exit code 0; a clock is updated until its end."""
        assert self.process.poll() is None, f"handlebard had ended with {self.process.returncode}:\n{self.log[-4000:]}"
        self.process.send_signal(with_signal)
        if clock is not None:
            until(lambda: self.process.poll() is not None or clock.look() < 0, "the end", pause=0.001)
        code = self.wait_end()
        assert code == 0, f"exit code {code}:\n{self.log[-4000:]}"

    def is_alive(self):
        """Whether it runs and answers a new client."""
        if self.process.poll() is not None:
            return False
        with self.connect() as client:
            client.send("?POLL;")
            return client.wait("POLL")["class"] == "POLL"


def control(folder_or_socket, *arguments, timeout=TIMEOUT, stdin=None):
    """Runs `handlebarctl --socket …` to its end: (exit code, stdout, stderr)."""
    done = subprocess.run(
        [str(BIN / "handlebarctl"), "--socket", str(folder_or_socket), *map(str, arguments)],
        input=stdin, stdin=None if stdin is not None else subprocess.DEVNULL,
        capture_output=True, timeout=timeout, text=not isinstance(stdin, bytes), check=False,
    )
    return done.returncode, done.stdout, done.stderr


def tracking(state):
    """Whether a `STATE` reports a fix."""
    return state.get("state", "").startswith("tracking")


def on_track(track, latitude, longitude, tolerance=1e-7):
    """Whether a position is on a track, with a tolerance in degrees."""
    return any(abs(latitude - lat) <= tolerance and abs(longitude - lon) <= tolerance for lat, lon in track)
