"""One test body for every kind of source: it opens, delivers the same fixes from the same log, reports silence and loss,
returns, stops cleanly, and leaks no descriptor."""

import contextlib
import pathlib
import select
import socket
import threading
import time

import pytest

import nmea_sender
from gpsd_harness import GPSD, Gpsd, descriptors, free_port
from handlebar_harness import TIMEOUT, Daemon, Receiver, Stopwatch, until

PERIOD = 0.1
EPOCHS = 30


class SerialFeed:
    """A serial line."""

    def __init__(self, folder):
        self.receiver = Receiver(folder / "gps0")
        self.uri = f"serial:{self.receiver.link}?speed=9600"

    def send(self, data):
        self.receiver.write(data)

    def lose(self):
        self.receiver.unplug()

    def restore(self):
        self.receiver.plug()

    def close(self):
        self.receiver.unplug()


class GpsdFeed(SerialFeed):
    """A real gpsd on a serial line."""

    def __init__(self, folder):
        super().__init__(folder)
        self.gpsd = Gpsd(self.receiver.link)
        self.uri = self.gpsd.uri

    def lose(self):
        self.gpsd.kill()

    def restore(self):
        self.gpsd.start()

    def close(self):
        self.gpsd.kill()
        super().close()


class TCPFeed:
    """A phone that serves NMEA."""

    def __init__(self, _):
        self.port = free_port()
        self.uri = f"tcp://127.0.0.1:{self.port}"
        self.connection = self.server = None
        self.restore()

    def restore(self):
        self.server = socket.create_server(("127.0.0.1", self.port))
        self.acceptor = threading.Thread(target=self.accept, args=[self.server], daemon=True)
        self.acceptor.start()

    def accept(self, server):
        with contextlib.suppress(OSError):
            connection = server.accept()[0]
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, True)
            self.connection = connection

    def send(self, data):
        until(lambda: self.connection, "a connection")
        self.connection.sendall(data)

    def lose(self):
        with contextlib.suppress(OSError):
            self.server.shutdown(socket.SHUT_RDWR)
        self.server.close()
        if self.connection:
            self.connection.close()
        self.connection = None

    close = lose


class UDPFeed:
    """A multiplexer that sends datagrams, one sentence each."""

    def __init__(self, _):
        self.port = free_port()
        self.uri = f"udp://127.0.0.1:{self.port}"
        self.restore()

    def restore(self):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)

    def send(self, data):
        for line in data.splitlines(keepends=True):
            self.socket.sendto(line, ("127.0.0.1", self.port))

    def lose(self):
        self.socket.close()

    close = lose


class RecordingFeed:
    """A recording of the whole test; silence in the file replaces the unplugging."""

    def __init__(self, folder):
        self.path = pathlib.Path(folder) / "ride.nmea"
        self.uri = f"recording:{self.path}?start=watch"
        self.text = b"# handlebar-recording 1\n"

    def add(self, millisecond, data):
        self.text += f"# t={millisecond} u={1773921600000 + millisecond} src=0\n".encode() + data.replace(b"\r\n", b"\n")
        self.path.write_bytes(self.text)

    def close(self):
        pass


FEEDS = {"serial": SerialFeed, "gpsd": GpsdFeed, "tcp": TCPFeed, "udp": UDPFeed, "recording": RecordingFeed}


def burst(number):
    return nmea_sender.epoch(number, period=PERIOD)


def place(fix):
    return fix["time"], fix["lat"], fix["lon"], fix["mode"]


def fixes(client):
    return [line for line in client.lines if line["class"] == "TPV"]


def play(feed, client, first, count):
    """Sends epochs at their rate."""
    begin = time.monotonic()
    for number in range(first, first + count):
        while (left := begin + (number - first) * PERIOD - time.monotonic()) > 0:
            client.receive()
            select.select([client], [], [], left)
        # A delay lengthens the ride: no two bursts come closer together than given.
        begin -= left
        feed.send(burst(number))
        client.settle()
    until(lambda: client.receive() or len(fixes(client)) > 0, "a fix")


@pytest.mark.slow
@pytest.mark.parametrize("kind", FEEDS)
def test_source(folder, kind):
    if kind == "gpsd" and GPSD is None:
        pytest.skip("gpsd is not installed")
    feed = FEEDS[kind](folder)
    recorded = kind == "recording"
    expected = reference()
    silence = 80 if recorded else 200  # the number of the epoch after the silence
    if recorded:
        for number in [*range(EPOCHS), *range(silence, silence + EPOCHS)]:
            feed.add(round(number * PERIOD * 1000), burst(number))
    try:
        with Daemon(folder, feed.uri) as daemon, daemon.connect() as client:
            client.watch(distanceFilter=0)
            if not recorded:
                client.wait("STATE", lambda state: state["state"] == "acquiring")
                play(feed, client, 0, EPOCHS)
                # Where the machine stood still meanwhile, a loss and the return came before.
                client.wait("TPV", lambda fix: fix["time"] == expected[-1][0])
                assert any(line["state"].startswith("tracking") for line in client.lines if line["class"] == "STATE")
            else:
                client.wait("STATE", lambda state: state["state"].startswith("tracking"))
            silent, clock = time.monotonic(), Stopwatch(daemon.pid)
            lost = client.wait("STATE", lambda state: state["state"] == "lost")
            assert recorded or clock.at(lost["_at"]) <= 3.6
            first = [line for line in client.lines[: client.lines.index(lost)] if line["class"] == "TPV"]
            before = descriptors(daemon.pid)
            late = counted(daemon, "lateFixes")
            if not recorded:
                for _ in range(3):
                    feed.lose()
                    feed.restore()
                    begun = time.monotonic()
                    seen = len(fixes(client))
                    number = silence + round((begun - silent) / PERIOD)
                    while len(fixes(client)) == seen and time.monotonic() < begun + TIMEOUT:
                        with contextlib.suppress(OSError):
                            feed.send(burst(number))
                        number += 1
                        select.select([client], [], [], PERIOD)
                        client.receive()
                    silence = number
            regained = client.wait("TPV", lambda fix: fix["time"] > first[-1]["time"])
            assert regained["reason"] == "regained"
            until(lambda: descriptors(daemon.pid) <= before + (0 if recorded else 1), "the descriptors")
            everything = fixes(client)
            times = [fix["time"] for fix in everything]
            assert all(one < other for one, other in zip(times, times[1:]))
            daemon.stop()
            if recorded:
                client.receive()
    finally:
        feed.close()
    # gpsd needs a moment to identify a new device; once started it reports every epoch.
    places = [place(fix) for fix in first]
    start = expected.index(places[0])
    assert start <= (3 if kind == "gpsd" else 0)
    # Of fixes that come 1.5 s late or more, the newest is published.
    assert len(places) >= EPOCHS - start - late and places == [one for one in expected[start:] if one in places]


def counted(daemon, name):
    """A counter of the daemon."""
    with daemon.connect() as client:
        client.send("?STATUS;")
        return client.wait("STATUS")["counts"][name]


def reference():
    """The epochs of the log, from its own numbers."""
    expected = []
    for number in range(EPOCHS):
        fields = burst(number).split(b"\r\n")[0].decode().split(",")
        clock, latitude, longitude = fields[1], fields[3], fields[5]
        expected.append(
            (
                f"2026-03-19T{clock[:2]}:{clock[2:4]}:{clock[4:]}0Z",
                round(int(latitude[:2]) + float(latitude[2:]) / 60, 9),
                round(int(longitude[:3]) + float(longitude[3:]) / 60, 9),
                3,
            )
        )
    return expected


@pytest.mark.parametrize("kind", ["tcp", "udp"])
def test_no_nmea(folder, kind):
    """Bytes without a sentence are reported until the first good one."""
    feed = FEEDS[kind](folder)
    try:
        with Daemon(folder, feed.uri) as daemon, daemon.connect() as client:
            client.watch(distanceFilter=0)
            client.wait("STATE", lambda state: state["state"] == "acquiring")
            feed.send(b"GET / HTTP/1.1\r\nHost: somebody\r\n\r\n" * 60)
            failed = client.wait("STATE", lambda state: state["state"] == "failed")
            assert failed["error"] == "noNMEA"
            assert feed.uri in failed["remedy"]
            feed.send(burst(1) + burst(2))
            client.wait("TPV")
            daemon.stop()
    finally:
        feed.close()


def test_no_server(folder):
    port = free_port()
    with Daemon(folder, f"tcp://127.0.0.1:{port}") as daemon, daemon.connect() as client:
        client.watch()
        failed = client.wait("STATE", lambda state: state["state"] == "failed")
        assert failed["error"] == "unavailable" and "connection refused" in failed["message"]
        daemon.stop()


def test_udp_port_is_taken(folder):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        other.bind(("127.0.0.1", free_port()))
        with Daemon(folder, f"udp://127.0.0.1:{other.getsockname()[1]}") as daemon, daemon.connect() as client:
            client.watch()
            failed = client.wait("STATE", lambda state: state["state"] == "failed")
            assert failed["error"] == "busy" and "ss -lunp" in failed["remedy"]
            other.close()
            client.wait("STATE", lambda state: state["state"] == "acquiring")
            daemon.stop()
