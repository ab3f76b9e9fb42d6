"""Connections that would fill or block `handlebarctl map`: its memory, and what an honest viewer and browser notice."""

import contextlib
import pathlib
import re
import select
import socket
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from handlebar_harness import RECORDING, TIMEOUT, Daemon, Stopwatch, until
from map_server import MapServer, frame, read_head, streets
from measuring import measured

LEAFLET = pathlib.Path("/usr/share/javascript/leaflet")
pytestmark = pytest.mark.skipif(not LEAFLET.exists(), reason="libjs-leaflet is not installed")

# Sends on 200 connections as much as the server takes, reads nothing, and connects again where it is closed, until its input
# ends: `first` on each connection once, `again` repeatedly.
FLOOD = """
import contextlib, selectors, socket, sys
host, port, first, again = sys.argv[1], int(sys.argv[2]), bytes.fromhex(sys.argv[3]), bytes.fromhex(sys.argv[4])
watched = selectors.DefaultSelector()
watched.register(sys.stdin, selectors.EVENT_READ)
def connect():
    one = socket.socket()
    one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    one.setblocking(False)
    # Another machine.
    one.bind(("127.0.0.2", 0))
    one.connect_ex((host, port))
    watched.register(one, selectors.EVENT_WRITE, [first])
for _ in range(200):
    connect()
print("begun", flush=True)
while True:
    for key, _ in watched.select():
        one = key.fileobj
        if one is sys.stdin:
            sys.exit()
        try:
            data = key.data[0] or again
            key.data[0] = data[one.send(data):]
        except BlockingIOError:
            continue
        except OSError:
            watched.unregister(one)
            one.close()
            connect()
"""


@contextlib.contextmanager
def flood(server, first=b"", again=b""):
    """Attacks the server; yields the process."""
    # It takes all that it gets, but not from the clients and receivers of other tests.
    command = ["nice", "-n", "10", sys.executable, "-c", FLOOD, server.place[0], str(server.place[1]), first.hex(), again.hex()]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout.readline()
            yield process
        finally:
            process.kill()


def timed(body):
    begin = time.monotonic()
    body()
    return time.monotonic() - begin


def most_resident(pid):
    """The greatest resident memory so far, KiB."""
    return int(re.search(r"VmHWM:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text())[1])


def upgrade(server):
    return server.head("/viewer", headers={
        "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Origin": f"http://{server.host}"})


# What is sent once and again, and whether the server has a token, which the attacker has not.
ATTACKS = {
    "refused requests": (True, lambda server: (b"", server.head("/") * 50)),
    "heads without end": (True, lambda server: (server.head("/")[:-2], b"".join(b"X-%d: %s\r\n" % (n, b"a" * 500) for n in range(60)))),
    "files": (False, lambda server: (b"", server.head("/leaflet.js") * 50)),
    "tiles": (False, lambda server: (b"", server.head("/tiles/0/0/0") * 50)),
    "pings": (False, lambda server: (upgrade(server), frame(b"", 9) * 500)),
    "targets": (False, lambda server: (upgrade(server), frame(b"?TARGET;" * 20) * 20)),
    "fragments": (False, lambda server: (upgrade(server), frame(b"?", 1, final=False) + frame(b"", 0, final=False) * 120)),
}


@pytest.mark.limits
@measured
@pytest.mark.parametrize("attack", ATTACKS)
def test_what_is_not_read_does_not_grow_the_server(folder, attack):
    """200 connections: at most 32 MB are resident, and an honest viewer is answered."""
    needs_token, data = ATTACKS[attack]
    (folder / "tiles" / "0" / "0").mkdir(parents=True)
    (folder / "tiles" / "0" / "0" / "0.png").write_bytes(streets(0, 0) + bytes(2_080_000))
    with Daemon(folder, f"recording:{RECORDING}?loop=true") as daemon, MapServer(
        daemon.socket, "--tiles", folder / "tiles", listen="0.0.0.0:0" if needs_token else "127.0.0.1:0"
    ) as server:
        server.place, server.host = ("127.0.0.1", server.place[1]), f"127.0.0.1:{server.place[1]}"
        pass_ = {}
        if needs_token:
            pass_["Cookie"] = server.get("/?" + server.url.split("?")[1])[1]["set-cookie"].split(";")[0]

        def load_page():
            assert server.get("/map.json", **pass_)[0] == 200

        with server.viewer(**pass_) as page:
            page.wait("POSE")
            before = most_resident(server.pid)
            quiet = statistics.median(timed(load_page) for _ in range(20))
            with flood(server, *data(server)) as attacker, ThreadPoolExecutor(1) as pool:
                clock = Stopwatch(server.pid, daemon.pid, attacker.pid)
                answers, loads = [], []
                end = time.monotonic() + 2
                # A median of a few says nothing where the processors are taken away for most of that time.
                while time.monotonic() < end or len(answers) < 20:
                    answers.append(timed(lambda: (page.send("FOLLOW", view="map-1"), page.wait("FOLLOW"))))
                    load = pool.submit(timed, load_page)
                    # The page answers pings meanwhile.
                    while not load.done():
                        page.receive()
                    loads.append(load.result())
                # The time for which other processes held the processors does not count.
                withheld = clock.look() - clock.before
                page.lines.clear()
                page.wait("POSE")
            most = most_resident(server.pid)
        print(f"{attack}: {before} KiB, then at most {most} KiB; answered within {1000 * max(answers):.0f} ms, median "
              f"{1000 * statistics.median(answers):.1f} ms; a page within {1000 * max(loads):.0f} ms")
        assert most < 32 * 1024
        assert max(answers) - withheld < 0.5 and statistics.median(answers) - withheld / len(answers) < 0.1
        # It waits for the connections before it, and twice as long if they need more than this one.
        assert max(loads) - withheld < max(0.5, 2 * 200 * quiet)


def ended(one):
    """Whether the server has closed a connection."""
    with contextlib.suppress(ConnectionResetError):
        return bool(select.select([one], [], [], 0)[0]) and not one.recv(1, socket.MSG_PEEK)
    return True


def test_connections_without_an_allowed_request_do_not_keep_others_out(folder):
    """The oldest gives up its place."""
    with MapServer(folder / "absent", listen="0.0.0.0:0") as server, contextlib.ExitStack() as stack:
        server.place, server.host = ("127.0.0.1", server.place[1]), f"127.0.0.1:{server.place[1]}"
        cookie = server.get("/?" + server.url.split("?")[1])[1]["set-cookie"].split(";")[0]
        strangers = [stack.enter_context(socket.create_connection(server.place, TIMEOUT)) for _ in range(64)]
        for one in strangers:
            one.sendall(b"GET / HTTP/1.1\r\n")
        assert server.get("/map.json", Cookie=cookie)[0] == 200
        until(lambda: ended(strangers[0]), "the end of the oldest")
        assert not ended(strangers[-1])


def test_connections_between_two_requests_give_up_their_places(folder):
    with MapServer(folder / "absent") as server, contextlib.ExitStack() as stack:
        idle = [stack.enter_context(socket.create_connection(server.place, TIMEOUT)) for _ in range(64)]
        for one in idle:
            one.sendall(server.head("/map.json"))
            assert b"200 OK" in one.recv(4096)
        assert server.get("/")[0] == 200
        until(lambda: ended(idle[0]), "the end of the oldest")
        assert not ended(idle[-1])


def test_connections_that_displace_others_are_let_in_one_after_another(folder):
    """4 ms apart, in which the processor is free for others."""
    with MapServer(folder / "absent") as server, contextlib.ExitStack() as stack:
        begin = time.monotonic()
        ones = [stack.enter_context(socket.create_connection(server.place, TIMEOUT)) for _ in range(164)]
        until(lambda: ended(ones[99]), "the end of the oldest")
        assert time.monotonic() - begin > 99 * 0.004


def test_a_refused_request_ends_the_connection(folder):
    with MapServer(folder / "absent") as server, socket.create_connection(server.place, TIMEOUT) as one:
        one.sendall(server.head("/", host="evil.example"))
        with one.makefile("rb") as answer:
            status, headers = read_head(answer)
            assert status == 403 and headers["connection"] == "close"
            assert len(answer.read()) == int(headers["content-length"])


@pytest.mark.slow
def test_the_time_of_a_stranger_is_not_renewed(folder):
    """A request that never ends, a byte at a time."""
    with MapServer(folder / "absent") as server:
        begin = time.monotonic()
        with socket.create_connection(server.place, TIMEOUT) as one:
            one.sendall(b"GET /")
            while not ended(one):
                assert time.monotonic() - begin < TIMEOUT
                select.select([one], [], [], 0.5)
                with contextlib.suppress(OSError):
                    one.sendall(b"a")
            assert time.monotonic() - begin > 9


def test_pipelined_requests_are_answered_in_order(folder):
    with MapServer(folder / "absent") as server, socket.create_connection(server.place, TIMEOUT) as one:
        paths = ["/map.json", "/leaflet.js", "/absent", "/map.css"] * 20
        one.sendall(b"".join(server.head(path) for path in paths))
        with one.makefile("rb") as answers:
            for path in paths:
                status, headers = read_head(answers)
                body = answers.read(int(headers["content-length"]))
                assert (status == 404) == (path == "/absent"), path
                assert path == "/absent" or body == server.get(path)[2]


# --- targets ---------------------------------------------------------------------------------------------------------


def test_a_viewer_removes_its_own_targets_only(folder):
    with Daemon(folder, f"recording:{RECORDING}?loop=true") as daemon, MapServer(daemon.socket) as server, daemon.connect() as program:
        program.send('?TARGET={"name":"office","lat":48,"lon":11};?TARGET={"name":"map-9","lat":48,"lon":11};')
        program.wait("ARRIVAL", lambda line: line["name"] == "map-9")
        for request in (
            {"name": "office", "enable": False}, {"name": "office", "lat": 48, "lon": 11}, {"name": "map-9", "enable": False},
        ):
            with server.viewer() as page:
                page.wait("WATCH")
                page.send("TARGET", **request)
                assert page.wait_end() == 1008
        with server.viewer() as page:
            page.wait("WATCH")
            page.send("TARGET", name="map-1", lat=48.1, lon=11.5)
            page.wait("ARRIVAL", lambda line: line["name"] == "map-1")
            page.send("TARGET", name="map-1", enable=False)
            page.wait("ARRIVAL", lambda line: line["name"] == "map-1" and line["state"] == "removed")
            page.send("TARGET")
            assert page.wait("ARRIVAL")["name"] == "office"
