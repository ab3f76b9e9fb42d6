"""A faulty gpsd, or another server in its place: half lines, endless lines, unknown classes, nested objects, garbage.

The daemon continues, counts it and reports the fault; no broken report becomes a position.
"""

import contextlib
import json
import random
import select
import socket
import threading

import pytest

from handlebar_harness import TIMEOUT, Daemon, Late, Stopwatch, until

VERSION = '{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}\r\n'
DEVICES = (
    '{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/a","driver":"NMEA0183",'
    '"activated":"2026-03-19T12:00:00.000Z","flags":1}]}\r\n'
)
WATCH = '{"class":"WATCH","enable":true,"json":true}\r\n'


def tpv(second, mode=3, extra=""):
    """A TPV of gpsd for one second."""
    place = f'"lat":{48 + second * 1e-5:.9f},"lon":11.500000000,"altMSL":500.0,' if mode > 1 else ""
    return (
        f'{{"class":"TPV","device":"/dev/a","mode":{mode},"time":"2026-03-19T12:{second // 60:02d}:{second % 60:02d}.000Z",'
        f'{extra}{place}"speed":1.0}}\r\n'
    )


class Impostor:
    """A server in place of gpsd that sends what the test requests."""

    def __init__(self, greeting=VERSION):
        self.greeting = greeting
        self.server = socket.create_server(("127.0.0.1", 0))
        self.daemon = None
        self.uri = f"gpsd://127.0.0.1:{self.server.getsockname()[1]}"
        self.connections = []
        self.accepted = 0
        self.requests = b""
        self.stopped = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stopped.set()
        self.thread.join()
        for one in [self.server, *self.connections]:
            one.close()

    def run(self):
        while not self.stopped.is_set():
            for one in select.select([self.server, *self.connections], [], [], 0.05)[0]:
                if one is self.server:
                    one = self.server.accept()[0]
                    one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, True)
                    one.sendall(self.greeting.encode())
                    self.connections.append(one)
                    self.accepted += 1
                    continue
                with contextlib.suppress(OSError):
                    if data := one.recv(4096):
                        self.requests += data
                        continue
                self.connections.remove(one)
                one.close()

    def send(self, text):
        """Sends to the newest connection; waits for the first one."""
        until(lambda: self.connections, "the daemon's connection")
        self.connections[-1].sendall(text if isinstance(text, bytes) else text.encode())


def counts(client):
    client.send("?STATUS;")
    return client.wait("STATUS")["counts"]


@pytest.fixture
def sick(folder):
    """(impostor, client) with the daemon watching and ready for reports."""
    with Impostor() as impostor, Daemon(folder, impostor.uri) as daemon, daemon.connect() as client:
        client.watch(distanceFilter=0)
        impostor.send(DEVICES + WATCH)
        client.wait("STATE", lambda state: state["state"] == "acquiring")
        impostor.daemon = daemon
        yield impostor, client
        daemon.stop()


def go_on(impostor, client, first=10):
    """Sends four good epochs; returns the seconds of the fixes."""
    # At once: of fixes that are late after a pause, the newest is published.
    impostor.send("".join(tpv(second) * 2 for second in range(first, first + 4)))
    return [client.wait("TPV")["time"][14:19] for _ in range(3)]


@pytest.mark.parametrize(
    "text,counter",
    [
        ("complete nonsense\r\n", "malformedReports"),
        ('{"class":"TPV","device":"/dev/a","mode":3,"lat":12.0\r\n', "malformedReports"),
        ('{"class":"TPV","device":"/dev/a","mode":3,"lat":1.0,"lon":2.0,"sp\0eed":1}\r\n', "malformedReports"),
        ('{"class":"SKY","satellites":[{"PRN":' + "\r\n", "malformedReports"),
        ('{"class":"TPV","x":"' + "y" * 20_000 + '","mode":3,"lat":1.0,"lon":2.0}\r\n', "overlongReports"),
        ('{"class":"NEWS","headline":"none"}\r\n', "unknownReports"),
        (tpv(9, mode=1, extra='"base":{"mode":3,"lat":1.0,"lon":2.0},'), "nestedObjects"),
        ('{"class":"ERROR","message":"no"}\r\n', "gpsdErrors"),
        ('{"class":"TPV","device":"/dev/a","mode":3,"lat":91.0,"lon":2.0}\r\n', "reports"),
        ('{"class":"TPV","device":"/dev/a","mode":99,"lat":1e400,"lon":nan}\r\n', "malformedReports"),
        ('{"class":"DEVICES","devices":[{"class":"DEVICE","path":null,"driver":7}]}\r\n', "reports"),
        ("[" * 5000 + "\r\n", "malformedReports"),
    ],
    ids=["text", "half", "nul", "open", "20kB", "class", "nested", "error", "range", "numbers", "devices", "deep"],
)
def test_one_bad_line(sick, text, counter):
    impostor, client = sick
    before = counts(client)[counter]
    impostor.send(text)
    until(lambda: counts(client)[counter] > before, f"{counter} to be counted")
    assert go_on(impostor, client) == ["00:10", "00:11", "00:12"]
    assert all(abs(fix["lat"] - 48) < 1 for fix in client.lines if fix["class"] == "TPV"), "garbage became a position"


def test_line_in_pieces(sick):
    impostor, client = sick
    for byte in (tpv(1) + tpv(2) + tpv(3)).encode():
        impostor.send(bytes([byte]))
    assert client.wait("TPV")["time"].endswith("00:01.000Z")


def test_half_a_line_and_a_new_connection(sick):
    """The rest of a line is not taken from the next connection."""
    impostor, client = sick
    impostor.send(tpv(1)[:60])
    impostor.connections[0].shutdown(socket.SHUT_RDWR)
    until(lambda: impostor.accepted == 2, "another connection")
    impostor.send(tpv(1)[60:] + DEVICES)
    assert go_on(impostor, client) == ["00:10", "00:11", "00:12"]


def test_random_bytes(sick):
    impostor, client = sick
    chance = random.Random(1)
    good = (VERSION + DEVICES + tpv(5) + '{"class":"SKY","satellites":[{"PRN":1,"used":true}]}\r\n').encode()
    for _ in range(300):
        line = bytearray(good)
        for _ in range(chance.randrange(1, 8)):
            line[chance.randrange(len(line))] = chance.randrange(256)
        impostor.send(bytes(line))
    impostor.send(b"\r\n")
    until(lambda: counts(client)["malformedReports"] > 100, "the damage to be counted")


def test_mode_flips_within_an_epoch(sick):
    """Two reports of one epoch, the second of another mode: one fix, of the last one's mode."""
    impostor, client = sick
    # Far apart, so that none is late after a pause of this machine: of late fixes the newest is published.
    seconds = range(10, 100, 9)
    for second in seconds:
        impostor.send(tpv(second, mode=2) + tpv(second, mode=3))
        # A client that does not read receives only the newest fix.
        client.settle()
    fixes = [client.wait("TPV") for _ in range(9)]
    assert [fix["time"][14:19] for fix in fixes] == [f"{second // 60:02}:{second % 60:02}" for second in seconds[:9]]
    assert all(fix["mode"] == 3 for fix in fixes)


def test_device_comes_and_goes(sick):
    impostor, client = sick
    go_on(impostor, client)
    clock = Stopwatch(impostor.daemon.pid)
    impostor.send('{"class":"DEVICE","path":"/dev/a","activated":0}\r\n')
    lost = client.wait("STATE", lambda state: state["state"] == "lost")
    assert clock.at(lost["_at"]) < 2, "it was noticed only by the silence"
    impostor.send('{"class":"DEVICE","path":"/dev/a","activated":"2026-03-19T12:00:30.000Z"}\r\n')
    client.wait("STATE", lambda state: state["state"] == "acquiring")
    impostor.send(tpv(40) * 2 + tpv(41) * 2)
    assert client.wait("TPV", lambda fix: fix["time"] > "2026-03-19T12:00:39")["reason"] == "regained"


def test_another_device_goes_away(sick):
    """One without positions, as of AIS: the fix stays."""
    impostor, client = sick
    go_on(impostor, client)
    impostor.send('{"class":"DEVICE","path":"/dev/ais","activated":0}\r\n')
    begin = len(client.lines)
    impostor.send(tpv(20) * 2 + tpv(21) * 2)
    client.wait("TPV", lambda fix: fix["time"] > "2026-03-19T12:00:19")
    assert not [line for line in client.lines[begin:] if line["class"] == "STATE"]


def test_sentences_after_their_reader_has_left(sick):
    """gpsd sends some before it takes the request to stop: they are not malformed."""
    impostor, client = sick

    def request(wanted):
        client.watch(nmea=wanted)
        begin = len(impostor.requests)
        asked = f'"nmea":{json.dumps(wanted)}'.encode()
        second = iter(range(600, 1200) if wanted else range(1200, 1800))
        # It is sent with the next report.
        until(lambda: impostor.send(tpv(next(second))) or asked in impostor.requests[begin:], "the request", pause=0.01)

    request(True)
    request(False)
    unknown = counts(client)["unknownReports"]
    impostor.send('$GPZDA,120000,19,03,2026,,*4B\r\n{"class":"NEWS"}\r\n')
    until(lambda: counts(client)["unknownReports"] > unknown, "what follows it")
    assert counts(client)["malformedReports"] == 0
    assert "malformed line" not in impostor.daemon.log


def test_no_device_at_all(folder):
    with Impostor() as impostor, Daemon(folder, impostor.uri) as daemon, daemon.connect() as client:
        client.watch()
        impostor.send('{"class":"DEVICES","devices":[]}\r\n')
        failed = client.wait("STATE", lambda state: state.get("message", "").endswith("gpsd has no receiver"))
        assert failed["error"] == "unavailable" and failed["remedy"]
        # Added to gpsd later, it is used at once.
        impostor.send('{"class":"DEVICE","path":"/dev/a","activated":"2026-03-19T12:00:00.000Z"}\r\n')
        client.wait("STATE", lambda state: state["state"] == "acquiring")
        daemon.stop()


@pytest.mark.parametrize("greeting", ["", "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n"], ids=["silent", "http"])
def test_not_a_gpsd(folder, greeting):
    """Another server on the port is reported within 10 s, and retried."""
    with Impostor(greeting) as impostor, Daemon(folder, impostor.uri) as daemon, daemon.connect() as client:
        client.watch()
        failed = client.wait("STATE", lambda state: state["state"] == "failed")
        assert "the peer does not identify itself as gpsd" in failed["message"]
        impostor.greeting = VERSION + DEVICES
        client.wait("STATE", lambda state: state["state"] == "acquiring")
        daemon.stop()


def test_connecting_hangs(folder):
    """Without an answer the attempt ends after 3 s and is repeated until the server answers."""
    with socket.socket() as server, contextlib.ExitStack() as others:
        server.bind(("127.0.0.1", 0))
        server.listen(0)
        address = server.getsockname()
        # The kernel does not answer while the listen queue is full.
        for _ in range(4):
            waiting = others.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(address)
        with Daemon(folder, f"gpsd://127.0.0.1:{address[1]}") as daemon, daemon.connect() as client:
            client.watch()
            failed = client.wait("STATE", lambda state: state["state"] == "failed")
            assert failed["error"] == "unavailable" and "no answer within 3 s" in failed["message"]
            others.close()
            server.settimeout(TIMEOUT)
            greeted = []
            while True:
                greeted.append(others.enter_context(server.accept()[0]))
                with contextlib.suppress(OSError):
                    greeted[-1].sendall((VERSION + DEVICES).encode())
                with contextlib.suppress(Late):
                    client.wait("STATE", lambda state: state["state"] == "acquiring", timeout=0.2)
                    break
            daemon.stop()


@pytest.mark.slow
def test_a_silent_gpsd_that_answers_is_kept(sick):
    """After 10 s of silence the daemon sends a request; a gpsd that answers is kept."""
    impostor, client = sick
    until(lambda: impostor.requests.count(b"?VERSION") >= 1, "the question")
    impostor.send(VERSION)
    with pytest.raises(Late):
        # That nothing arrives is told.
        client.wait("STATE", lambda state: state["state"] != "acquiring", timeout=5.5)
    assert counts(client)["connections"] == 1
    assert json.loads(impostor.requests.split(b"?WATCH=")[1].split(b";")[0])["json"] is True


@pytest.mark.slow
def test_a_gpsd_that_does_not_answer_is_reconnected(sick):
    """A gpsd that does not answer is disconnected, and connected to again."""
    impostor, client = sick
    failed = client.wait("STATE", lambda state: state["state"] == "failed")
    assert "does not answer" in failed["message"]
    until(lambda: counts(client)["connections"] == 2, "another connection")


def test_a_web_server_is_not_gpsd(folder):
    """It answers the subscription with an error of HTTP and closes the connection."""
    with Impostor(greeting="") as web, Daemon(folder, web.uri) as daemon, daemon.connect() as client:
        client.watch()
        until(lambda: b"?WATCH" in web.requests, "the subscription")
        web.send("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
        web.connections[-1].shutdown(socket.SHUT_RDWR)
        failed = client.wait("STATE", lambda state: state["state"] == "failed")
        assert "what listens there is not gpsd: it sends something else" in failed["message"]
