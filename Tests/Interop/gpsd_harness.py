"""A real gpsd, on a free port, with a PTY in place of its receiver."""

import contextlib
import fcntl
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time

import pytest

import nmea_sender
from handlebar_harness import Client, until


def has_ipv6():
    """Whether the loopback interface has IPv6."""
    try:
        with socket.socket(socket.AF_INET6) as one:
            one.bind(("::1", 0))
        return True
    except OSError:
        return False


GPSD = shutil.which("gpsd", path=os.environ["PATH"] + ":/usr/sbin:/usr/local/sbin")
DEBIAN_PYTHON = "/usr/bin/python3"
HAS_IPV6 = has_ipv6()
needs_ipv6 = pytest.mark.skipif(not HAS_IPV6, reason="there is no ::1")
LOCKS = []  # of the ports that are in use here
needs_gpsd = pytest.mark.skipif(GPSD is None, reason="gpsd is not installed")


def needs(program):
    """Skips a test when that program is not there."""
    return pytest.mark.skipif(shutil.which(program) is None, reason=f"{program} is not installed")


def has_modules(*names):
    """Whether Debian's Python has these."""
    done = subprocess.run([DEBIAN_PYTHON, "-c", f"import {', '.join(names)}"], capture_output=True, check=False)
    return done.returncode == 0


def debian(suite, folder):
    """A function that runs apt-get on another suite of Debian, from the archive that this machine is configured for. The test
    is skipped where that is not to be had."""
    if shutil.which("apt-get") is None:
        pytest.skip("there is no apt-get")
    listed = subprocess.run(
        ["apt-get", "indextargets", "--format", "$(REPO_URI)", "Identifier: Packages", "Label: Debian", "Component: main"],
        capture_output=True, text=True, check=False,
    ).stdout.split()
    if not listed:
        pytest.skip("apt knows no archive of Debian; apt-get update")
    sources = folder / "sources.list"
    sources.write_text(f"deb {listed[0]} {suite} main\n")
    for part in ("lists/partial", "cache/archives/partial"):
        (folder / part).mkdir(parents=True)
    (folder / "status").touch()
    places = {
        "Dir::Etc::sourcelist": sources, "Dir::Etc::sourceparts": "/dev/null", "Dir::State::status": folder / "status",
        "Dir::State::lists": folder / "lists", "Dir::Cache": folder / "cache", "APT::Sandbox::User": "root",
        "Acquire::Languages": "none", "Acquire::Check-Valid-Until": "false",
    }
    options = [f"-o{name}={value}" for name, value in places.items()]

    def apt(*command):
        return subprocess.run(["apt-get", *options, *command], cwd=folder, capture_output=True, text=True, check=False)

    if apt("update").returncode or not any((folder / "lists").glob("*Packages*")):
        pytest.skip(f"Debian {suite} is not to be had")
    return apt


def ports_in_use():
    """The ports of this machine that a TCP socket is bound to."""
    tables = (pathlib.Path("/proc/net", name) for name in ("tcp", "tcp6"))
    lines = (line.split() for table in tables if table.exists() for line in table.read_text().splitlines()[1:])
    return {int(line[1].rpartition(":")[2], 16) for line in lines}


def free_port():
    """A free port of localhost, reserved while this process lives: below the kernel's range of ephemeral ports, and locked
    against other tests. It is not bound to find out: a process that another thread starts meanwhile would hold it on until
    its exec, and gpsd would then listen on ::1 alone."""
    end = int(pathlib.Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    folder = pathlib.Path(tempfile.gettempdir(), f"handlebar-ports-{os.geteuid()}")
    folder.mkdir(exist_ok=True)
    in_use = ports_in_use()
    for number in random.sample(range(10_000, end), 1000):
        lock = open(folder / str(number), "wb")
        with contextlib.suppress(OSError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if number not in in_use:
                LOCKS.append(lock)
                return number
        lock.close()
    raise AssertionError("no port is free")


class Gpsd:
    """One gpsd; `start` and `kill` may take turns."""

    def __init__(self, *devices, port=None, wait=True, options=(), as_user=False):
        # A superuser's gpsd opens even a device with TIOCEXCL.
        drop = as_user and os.geteuid() == 0
        self.command = ["setpriv", "--reuid=65534", "--clear-groups"] if drop else []
        self.command += [GPSD, "-N", "-n", *map(str, options)]
        self.devices = [os.path.realpath(device) for device in devices]
        self.port = port or free_port()
        self.process = None
        for device in self.devices:
            # gpsd opens it once more after it has given up its rights.
            os.chmod(device, 0o666)
        self.start(wait)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()

    @property
    def address(self):
        return ("127.0.0.1", self.port)

    @property
    def uri(self):
        return f"gpsd://localhost:{self.port}"

    def start(self, wait=True):
        self.process = subprocess.Popen(
            [*self.command, "-S", str(self.port), *self.devices],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        if wait:
            until(self.accepts, "gpsd's port")

    def accepts(self):
        try:
            socket.create_connection(self.address, 1).close()
            return True
        except OSError:
            return False

    def kill(self, with_signal=signal.SIGKILL):
        if self.process is not None:
            self.process.send_signal(with_signal)
            self.process.wait()
            self.process = None

    def watch(self, **options):
        """A client of this gpsd."""
        client = Client(self.address)
        assert client.next()["class"] == "VERSION"
        client.watch(**options)
        return client


def descriptors(pid):
    """How many descriptors a process has open."""
    return len(os.listdir(f"/proc/{pid}/fd"))


def kilobytes(pid):
    """The memory of a process, resident and anonymous."""
    text = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text()
    return tuple(int(re.search(rf"^{name}:\s+(\d+) kB", text, re.M)[1]) for name in ("Rss", "Anonymous"))


class Feeder:
    """Plays a ride into a PTY from a thread of its own, an epoch each `period` seconds, until it is stopped."""

    def __init__(self, receiver, period=0.1, first=0, **options):
        self.receiver = receiver
        self.period = period
        self.options = options
        self.number = first
        self.paused = threading.Event()
        self.stopped = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stopped.set()
        self.thread.join()

    def run(self):
        begin, first = time.monotonic(), self.number
        while not self.stopped.wait(max(0, begin + (self.number - first) * self.period - time.monotonic())):
            self.number += 1
            if self.paused.is_set():
                continue
            with contextlib.suppress(OSError):
                # Bytes that are not read are lost, as on a real line.
                os.write(self.receiver.master, nmea_sender.epoch(self.number, period=self.period, **self.options))
