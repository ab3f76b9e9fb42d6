"""Attacks on the daemon through everything that it reads. A section for each.

Attacks that need a clock of their own are unit tests: jumps of time in `TimeJumpTests`, silent TCP clients in
`TCPClientTests`. Clients that do not read are in `test_hostile_clients.py` and `test_many_clients.py`.
"""

import contextlib
import datetime
import http.server
import json
import os
import pathlib
import random
import re
import select
import signal
import socket
import subprocess
import sys
import threading
import time
import tomllib

import pytest

import nmea_sender
from gpsd_harness import Feeder, descriptors, free_port, needs, needs_ipv6
from handlebar_harness import BIN, TIMEOUT, Client, Daemon, Ended, Receiver, control, tracking, until
from measuring import harmless, measured, processor

# --- configuration ---------------------------------------------------------------------------------------------------

LARGEST = 65_536

# Files with the line of the error; `None` for a file that is refused as a whole.
HOSTILE = {
    "bracket": (b"[\n", 1),
    "bracket in line 3": (b"# a\n\n[", 3),
    "bracket and comment": (b"[#", 1),
    "bracket and equals": (b"[=\n", 1),
    "bracket and dot": (b"[.", 1),
    "bracket and brace": (b"[{\n", 1),
    "three brackets": (b"[[[\n", 1),
    "four brackets": (b"[[[[a]]]]\n", 1),
    "closing brackets": (b"]]\n", 1),
    "no second bracket": (b"[[sources]\n", 1),
    "header twice": (b"[a]\n[a]\n", 2),
    "dots": (b"a." * 2000, 1),
    "dots with a value": (b"a." * 10_000 + b"a = 1", 1),
    "dots in a header": (b"[" + b"a." * 10_000 + b"a]", 1),
    "only brackets": (b"[" * LARGEST, 1),
    "nested arrays": (b"\nsources = " + b"[" * 60_000, 2),
    "nested and closed arrays": (b"sources = " + b"[" * 30_000 + b"]" * 30_000, 1),
    "nested tables": (b"sources = " + b"{ a = " * 10_000, 1),
    "many tables": (b"[[sources]]\n" * 5000, 501),
    "many keys": (b"".join(b"k%d=1\n" % number for number in range(6000)), 501),
    "many sources": (b"sources = [" + b'"serial:/a",' * 600 + b"]", 1),
    "one key twice": (b"socket = '/a'\n" * 4000, 2),
    "only quotes": (b'"' * LARGEST, 1),
    "open string": (b'socket = "' + b"a" * 60_000, 1),
    "open multi-line string": (b'\n\nsocket = """' + b"a\n" * 30_000, 3),
    "only backslashes": (b'socket = "' + b"\\" * 60_000, 1),
    "long word": (b"max-clients = " + b"9" * 60_000, 1),
    "long key": (b"k" * 60_000 + b" = 1", 1),
    "long quoted key": (b'"' + b"k" * 60_000 + b'" = 1', 1),
    "long level": (b'log-level = "' + b"a\\n" * 20_000 + b'"', 1),
    "long path": (b'\nsocket = "/' + b"a" * 60_000 + b'"', 2),
    "many parameters": (b'sources = ["serial:/a?' + b"a&" * 30_000 + b'"]', 1),
    "NUL": (b"drift-limit = 5\n\0", 2),
    "only NUL": (bytes(5000), 1),
    "NUL in a string": (b'\nsocket = "/a\0b"', 2),
    "escaped NUL in the socket": (b'socket = "/tmp/a\\u0000b"', 1),
    "escaped NUL in a source": (b"sources = ['serial:/dev/gps%00']", 1),
    "not UTF-8": (b"# \xfc\n", 1),
    "overlong UTF-8": (b"#\nsocket = '\xc0\xaf'", 2),
    "byte order mark": (b"\xef\xbb\xbfdrift-limit = 5", 1),
    "UTF-16": ("\ufeffsocket = 'a'\n".encode("utf-16-le"), 1),
    "CR alone": (b"drift-limit = 5\rdrift-limit = 6\r", 1),
    "escape sequence": (b"socket = '\x1b[2J'", 1),
    "too large": (b"#" * (LARGEST + 1), None),
    "endless": (pathlib.Path("/dev/zero"), None),
    "pipe": (os.mkfifo, None),
    "folder": (os.mkdir, None),
}


def put(path, content):
    """Puts a hostile file in the place of a configuration."""
    new = path.with_name("new")
    if isinstance(content, bytes):
        new.write_bytes(content)
    elif isinstance(content, pathlib.Path):
        new.symlink_to(content)
    else:
        content(new)
    if path.is_dir():
        path.rmdir()
    if new.is_dir():
        path.unlink(missing_ok=True)
    new.rename(path)


def check(path):
    """Runs `handlebard --check-config`: (exit code, lines on standard error)."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("HANDLEBAR_")}
    done = subprocess.run(
        [BIN / "handlebard", "--config", path, "--check-config"], stdin=subprocess.DEVNULL, capture_output=True,
        env=environment | {"SWIFT_BACKTRACE": "enable=no"}, timeout=TIMEOUT, check=False)
    assert not done.stdout
    return done.returncode, done.stderr.decode().split("\n")[:-1]


def complaint(path, line):
    return f"{path}: " if line is None else f"{path}:{line}: "


def test_hostile_configurations_are_refused_with_one_line(folder):
    path = folder / "f.toml"
    for name, (content, line) in HOSTILE.items():
        put(path, content)
        code, lines = check(path)
        assert code == 78 and len(lines) == 1, (name, code, lines)
        assert complaint(path, line) in lines[0] and len(lines[0]) < 1000 and lines[0].isprintable(), (name, lines)


def test_a_hostile_configuration_prevents_the_start(folder):
    path = folder / "f.toml"
    for name in ("bracket", "dots with a value", "not UTF-8"):
        put(path, HOSTILE[name][0])
        with Daemon(folder, options=("--config", path), wait=False) as daemon:
            assert daemon.wait_end() == 78
            assert complaint(path, 1) in daemon.log and not daemon.socket.exists(), name


def test_unusual_but_valid_configurations_are_accepted(folder):
    path = folder / "f.toml"
    for text in (
        b"", b"drift-limit = 5\r\n\r\n# \xc3\xa9\r\n", b"#" * LARGEST,
        b'"socket" = """\n/run/\\\n  a"""\nsources = [[], ]', b"sources.uri = 'serial:/a'\nsources.speed = 9_600",
        b"[[sources]]\nuri = 'serial:/a'\nspeed = 0x12C0\n[[ 'sources' ]]\nuri = \"udp://:\\u0031\"\n",
    ):
        path.write_bytes(text)
        refused = b"[[]" in text
        assert check(path)[0] == (78 if refused else 0), text


@measured
def test_hostile_configurations_do_not_disturb_a_running_daemon(folder):
    """With a SIGHUP before each epoch, each has its fix, and the daemon needs no more time of the processor than the files are
    worth."""
    path = folder / "f.toml"
    # The command line of the daemon overrides the paths of a file.
    refused = {name: case for name, case in HOSTILE.items() if name != "long path"}
    path.write_text("distance-filter = 0\n")
    bursts = nmea_sender.ride(2 * len(HOSTILE) + 30, period=0.1)
    with Receiver(folder / "gps0") as receiver:
        with (
            Daemon(folder, f"serial:{folder}/gps0", options=("--config", path)) as daemon,
            daemon.connect() as client,
            contextlib.ExitStack() as stack,
        ):
            client.watch()
            receiver.play(bursts[:20])
            client.wait("STATE", tracking)
            receiver.play([(second - bursts[20][0], data) for second, data in bursts[20:30]])
            client.until_quiet(0.5)

            def publish(data):
                receiver.write(data)
                client.wait("TPV", lambda fix: fix["mode"] > 1)

            def refusals():
                return [entry for entry in daemon.log.splitlines() if "the old one stays" in entry]

            before = processor(daemon.pid)
            for _, data in bursts[30 : 30 + len(HOSTILE)]:
                publish(data)
            quiet = processor(daemon.pid) - before
            stack.enter_context(harmless(daemon))
            before = processor(daemon.pid)
            for number, (name, (content, line)) in enumerate(refused.items(), 1):
                put(path, content)
                daemon.process.send_signal(signal.SIGHUP)
                publish(bursts[30 + len(HOSTILE) + number - 1][1])
                until(lambda count=number: len(refusals()) == count, f"the refusal of {name}")
                assert complaint(path, line) in refusals()[-1], name
            # A build for debugging takes some 10 ms for the largest files. The witness of `harmless` is answered meanwhile.
            assert processor(daemon.pid) - before - quiet < 0.05 * len(refused), quiet
            assert "taken over" not in daemon.log
            stack.close()
            put(path, b"distance-filter = 7\n")
            daemon.process.send_signal(signal.SIGHUP)
            assert client.wait("WATCH")["distanceFilter"] == 7
            daemon.stop()


TOKENS = r"""
[ ] [[ ]] { } = . , # \ ' " ''' \u00e9 \UFFFFFFFF 0 1 9600 -1 1_0 0x 1e3 .5 nan true a a.b sources 'b' "c" 'a' = 1
""".split() + ['"""', " ", "\t", "\n", "\r\n", "\r", "\x7f", "\u00e9", "a = ", "\nb = 1\n", "\n[a]\n", "\n[[b]]\n", "\ufeff"]
DATES = ["1979-05-27", "2023-02-29", "07:32:00", "24:00:00", ".5", "T", "Z", " ", "-07:00", ",", "\n"]


def test_syntax_errors_are_those_of_another_parser(folder):
    """What Python's parser of TOML refuses is a syntax error, and nothing else is. A key `z` makes every text an error."""
    path = folder / "f.toml"
    generator = random.Random(2026)
    for number in range(160):
        text = "z = 1\n" + "".join(generator.choice(TOKENS) for _ in range(generator.randint(1, 6)))
        if number % 4 == 0:
            text = "z = " + "".join(generator.choice(DATES) for _ in range(generator.randint(1, 5)))
        if number % 20 == 0:
            text = "\ufeff" + text
        path.write_bytes(text.encode())
        try:
            tomllib.loads(text)
            is_valid = True
        except tomllib.TOMLDecodeError:
            is_valid = False
        code, lines = check(path)
        assert code == 78 and (": syntax: " not in lines[0]) == is_valid, (text, lines)


# --- TCP -------------------------------------------------------------------------------------------------------------

# What executes the body of a request would stop the recording.
BODY = '?WATCH={"handlebar":true};\n?RECORD={"enable":false};\n'

# The lines with which real browsers post a page's text/plain body to another port, and programs that are no browsers.
HEADERS = {
    "Chromium": [
        "POST / HTTP/1.1", "Host: {host}", "Connection: keep-alive", "Content-Length: {length}",
        'sec-ch-ua-platform: "Linux"',
        "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
        'sec-ch-ua: "Chromium";v="140", "Not=A?Brand";v="24"', "Content-Type: text/plain;charset=UTF-8",
        "sec-ch-ua-mobile: ?0", "Accept: */*", "Origin: http://example.com", "Sec-Fetch-Site: cross-site",
        "Sec-Fetch-Mode: no-cors", "Sec-Fetch-Dest: empty", "Referer: http://example.com/",
        "Accept-Encoding: gzip, deflate, br, zstd", "Accept-Language: en-US,en;q=0.9",
    ],
    "Firefox": [
        "POST / HTTP/1.1", "Host: {host}",
        "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Accept: */*",
        "Accept-Language: en-US,en;q=0.5", "Accept-Encoding: gzip, deflate, br, zstd",
        "Content-Type: text/plain;charset=UTF-8", "Content-Length: {length}", "Origin: http://example.com",
        "Connection: keep-alive", "Referer: http://example.com/", "Priority: u=4",
    ],
    "Safari": [
        "POST / HTTP/1.1", "Host: {host}", "Accept: */*", "Origin: http://example.com",
        "Content-Type: text/plain;charset=UTF-8",
        "User-Agent: Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) "
        "Version/18.5 Safari/605.1.15",
        "Referer: http://example.com/", "Content-Length: {length}", "Accept-Language: en-GB,en;q=0.9",
        "Accept-Encoding: gzip, deflate", "Connection: keep-alive",
    ],
    "a form": [
        "POST / HTTP/1.1", "Host: {host}", "Content-Length: {length}", "Content-Type: text/plain", "Origin: null",
        "Upgrade-Insecure-Requests: 1",
    ],
    "a preflight": [
        "OPTIONS / HTTP/1.1", "Host: {host}", "Accept: */*", "Access-Control-Request-Method: PUT",
        "Origin: http://example.com", "Content-Length: {length}",
    ],
    "a method of its own": ["RECORD / HTTP/1.1", "Host: {host}", "Content-Length: {length}"],
    "a WebSocket": ["GET / HTTP/1.1", "Host: {host}", "Connection: Upgrade", "Upgrade: websocket"],
    "HTTP/2": ["PRI * HTTP/2.0", "", "SM", ""],
}
OTHERS = {
    "TLS": bytes.fromhex("16030102000100"),
    "SSH": b"SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u7\r\n",
}


@contextlib.contextmanager
def recording_daemon(folder, *settings):
    """A daemon with a TCP port that records what a receiver sends, and its port."""
    number = free_port()
    config = folder / "handlebard.toml"
    config.write_text("\n".join([f'tcp = ["127.0.0.1:{number}"]', f'record = "{folder}/rides"', *settings, ""]))
    with (
        Receiver(folder / "gps0") as receiver,
        Daemon(folder, f"serial:{receiver.link}?speed=115200", options=["--config", config]) as daemon,
    ):
        receiver.write(nmea_sender.epoch(0))
        until(lambda: is_recording(daemon), "the recording", pause=0.05)
        yield daemon, number
        daemon.stop()


def is_recording(daemon):
    with daemon.connect() as client:
        client.send("?RECORD;")
        return client.wait("RECORD")["state"] == "recording"


def count(daemon, name):
    with daemon.connect() as client:
        client.send("?STATUS;")
        return client.wait("STATUS")["counts"][name]


def answer(port, pieces):
    """What is received behind `VERSION` by a connection that sends these pieces, and its address."""
    with socket.create_connection(("127.0.0.1", port), TIMEOUT) as one:
        one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with one.makefile("rb") as lines:
            assert b'"VERSION"' in lines.readline()
            received = b""
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                for piece in pieces:
                    one.sendall(piece)
                while data := lines.read1():
                    received += data
            return received, "{}:{}".format(*one.getsockname())


def cuts(data):
    """The same bytes in one piece, by lines, the body apart, and one by one."""
    yield [data]
    yield data.splitlines(keepends=True)
    yield [data[: -len(BODY)], data[-len(BODY) :]]
    yield [bytes([byte]) for byte in data]


def test_a_web_page_is_closed_unanswered(folder):
    """A body is never a request, even where TCP clients may control the daemon."""
    with recording_daemon(folder, "tcp-control = true") as (daemon, port), harmless(daemon):
        expected = 0
        for name, lines in HEADERS.items():
            head = "\r\n".join([*lines, "", ""]).format(host=f"127.0.0.1:{port}", length=len(BODY))
            for pieces in cuts((head + BODY).encode()):
                received, address = answer(port, pieces)
                if name == "a method of its own":
                    assert received.count(b"\n") <= 1, received
                else:
                    assert received == b"", name
                expected += 1
                until(lambda: count(daemon, "foreignProtocols") == expected, name)
                line = next(line for line in daemon.log.splitlines() if f"CLIENT_ADDRESS={address} " in line)
                assert "HTTP" in line
        assert is_recording(daemon)


@pytest.mark.parametrize("name, opening", OTHERS.items(), ids=OTHERS.keys())
def test_tls_and_ssh_are_closed_unanswered(folder, name, opening):
    with recording_daemon(folder, "tcp-control = true") as (daemon, port), harmless(daemon):
        for number, pieces in enumerate(cuts(opening + b"\n" + BODY.encode()), 1):
            received, address = answer(port, pieces)
            assert received == b""
            until(lambda expected=number: count(daemon, "foreignProtocols") == expected, "the count")
            line = next(line for line in daemon.log.splitlines() if f"CLIENT_ADDRESS={address} " in line)
            assert name in line
        assert is_recording(daemon)


@needs("chromium")
@pytest.mark.desktop
def test_nothing_that_a_page_in_chromium_sends_is_a_request(folder):
    """What a page can send to the port: none of it is a request, and the recording goes on."""
    done = threading.Event()
    page = pathlib.Path(__file__).with_name("reporters") / "attack.html"

    class Site(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            if self.path == "/done":
                done.set()
            text = page.read_text().replace("PORT", str(port)).replace("BODY", repr(BODY)).encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_):
            pass

    with (
        recording_daemon(folder, "tcp-control = true") as (daemon, port),
        harmless(daemon),
        http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site) as site,
    ):
        threading.Thread(target=site.serve_forever, daemon=True).start()
        command = [
            "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
            "--disable-background-networking", f"--user-data-dir={folder}/profile",
            f"http://127.0.0.1:{site.server_address[1]}/",
        ]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as browser:
            try:
                assert done.wait(3 * TIMEOUT), "the page did not come to its end"
            finally:
                browser.kill()
                site.shutdown()
        # fetch, XMLHttpRequest, a beacon, a form, a WebSocket.
        until(lambda: count(daemon, "foreignProtocols") >= 5, "the requests of the page")
        assert is_recording(daemon)


CHANGES = {
    "VIEW": '{"view":"main","lat":48,"lon":11,"cause":"user"}',
    "FOLLOW": '{"enable":false}',
    "TARGET": '{"name":"home","lat":48,"lon":11}',
    "TRIP": '{"name":"day"}',
    "RECORD": '{"enable":false}',
    "PLAYBACK": '{"pause":true}',
    "RECEIVER": '{"action":"apply"}',
    "COURSE": '{"name":"tour","polyline":"??_izlhA?"}',
    "CUE": '{"course":"tour","at":5,"text":"Left","kind":"left"}',
    "SENSOR": '{"sensor":"heartRate","value":60}',
}


def test_tcp_clients_change_nothing(folder):
    with recording_daemon(folder) as (daemon, port), harmless(daemon), Client(("127.0.0.1", port)) as client:
        client.watch(handlebar=True)
        for name, value in CHANGES.items():
            client.send(f"?{name}={value};")
            error = client.wait("ERROR")
            assert error["code"] == "forbidden" and error["request"] == name
        client.send("?FOLLOW;")
        assert client.wait("FOLLOW")["following"]
        client.send("?STATUS;")
        assert "recording" in client.wait("STATUS")
        with daemon.connect() as local:
            local.send('?RECORD={"enable":false};')
            local.wait("RECORD")
            until(lambda: not is_recording(daemon), "the end of the recording")


def test_tcp_control_allows_changes(folder):
    with recording_daemon(folder, "tcp-control = true") as (daemon, port), Client(("127.0.0.1", port)) as client:
        client.watch(handlebar=True)
        client.send('?RECORD={"enable":false};')
        until(lambda: not is_recording(daemon), "the end of the recording")


@pytest.mark.parametrize("address", ["0.0.0.0", pytest.param("[::]", marks=needs_ipv6)])
def test_an_address_open_to_other_machines_needs_tcp_control(folder, address):
    """It is refused until `tcp-control` is set, and then logged."""
    port = free_port()
    config = folder / "handlebard.toml"
    for setting, code in [("", 78), ("tcp-control = false", 0), ("tcp-control = true", 0)]:
        config.write_text(f'\ntcp = ["{address}:{port}"]\n{setting}\n')
        with Daemon(folder, f"serial:{folder}/absent", options=["--config", config], wait=code == 0) as daemon:
            if code == 0:
                with socket.create_connection(("127.0.0.1" if address == "0.0.0.0" else "::1", port), TIMEOUT):
                    pass
                daemon.stop()
                assert f"TCP={address}:{port}" in daemon.log
                assert ("control the daemon" in daemon.log) == setting.endswith("true")
            else:
                assert daemon.wait_end() == code
                assert f"{config}:2: tcp: {address}:{port} is open to other machines" in daemon.log


def test_loopback_needs_no_word(folder):
    with recording_daemon(folder) as (daemon, port):
        assert f"TCP=127.0.0.1:{port}" not in daemon.log


def test_tcp_clients_do_not_lock_out_the_socket(folder):
    """64 of the 256 places are the most that TCP clients take."""
    with contextlib.ExitStack() as stack:
        daemon, port = stack.enter_context(recording_daemon(folder))
        stack.enter_context(harmless(daemon, kilobytes=8192))
        for _ in range(64):
            client = stack.enter_context(Client(("127.0.0.1", port)))
            assert client.next()["class"] == "VERSION"
        for _ in range(100):
            with contextlib.suppress(Ended), Client(("127.0.0.1", port)) as client:
                assert client.next()["code"] == "tooManyClients"
        locals_ = [stack.enter_context(daemon.connect()) for _ in range(191)]
        with Client(daemon.socket) as one_more:
            assert one_more.wait("ERROR")["code"] == "tooManyClients"
        for client in locals_:
            client.socket.close()


@pytest.mark.parametrize("is_tcp", [True, False], ids=["TCP", "Unix"])
def test_connections_wait_for_a_daemon_that_is_busy(folder, is_tcp):
    """300 connections wait for a daemon that does not accept them for the moment."""
    limit = int(pathlib.Path("/proc/sys/net/core/somaxconn").read_text())
    if limit < 300:
        pytest.skip(f"net.core.somaxconn is {limit}")
    with contextlib.ExitStack() as stack:
        daemon, port = stack.enter_context(recording_daemon(folder))
        daemon.process.send_signal(signal.SIGSTOP)
        stack.callback(daemon.process.send_signal, signal.SIGCONT)
        place = ("127.0.0.1", port) if is_tcp else daemon.socket
        waiting = [stack.enter_context(Client(place)) for _ in range(300)]
        daemon.process.send_signal(signal.SIGCONT)
        assert waiting[0].next()["class"] == "VERSION"
        assert waiting[-1].next()["code"] == "tooManyClients"


# --- tables that all clients share -----------------------------------------------------------------------------------

@contextlib.contextmanager
def idle_daemon(folder):
    """A daemon without a receiver."""
    with Daemon(folder, f"serial:{folder}/absent") as daemon:
        yield daemon
        daemon.stop()


# Sends a request on each of many connections, by number, again and again until its input ends.
CROWD = """
import select, socket, sys
path, connections, requests, request = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
crowd = [socket.socket(socket.AF_UNIX) for _ in range(connections)]
for client in crowd:
    client.connect(path)
while True:
    for number, client in enumerate(crowd):
        lines = client.makefile("r")
        for index in range(requests):
            client.sendall(request.replace("NAME", f"{number}-{index}").encode())
        client.sendall(b"?POLL;")
        while '"POLL"' not in lines.readline():
            pass
    print("round", flush=True)
    if select.select([sys.stdin], [], [], 0)[0]:
        break
"""


@contextlib.contextmanager
def crowd(daemon, connections, requests, request):
    """A process with many connections that send a request; it has sent all of them twice."""
    command = [sys.executable, "-c", CROWD, daemon.socket, connections, requests, request]
    with subprocess.Popen(
        list(map(str, command)), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            for _ in range(2):
                assert process.stdout.readline() == "round\n"
            yield
            process.stdin.close()
            while process.stdout.readline():
                pass
            assert process.wait(TIMEOUT) == 0
        finally:
            process.kill()


VIEWS = ["main", "inset", "profile"]


@pytest.mark.parametrize(("connections", "requests"), [(5, 16), (8, 8), (100, 2), (200, 1)])
def test_views_are_not_locked_out(folder, connections, requests):
    """No program fills the table of views: neither before a renderer comes, nor is its view displaced."""
    attack = '?VIEW={"view":"NAME","lat":48,"lon":11};'
    with (
        idle_daemon(folder) as daemon,
        daemon.connect() as renderer,
        harmless(daemon, kilobytes=8192),
    ):

        def report():
            for name in VIEWS:
                renderer.send(f'?VIEW={{"view":"{name}","lat":48,"lon":11,"cause":"follow"}};')
                assert renderer.next()["class"] == "FOLLOW"

        with crowd(daemon, connections, requests, attack):
            report()
            renderer.send('?FOLLOW={"view":"main","enable":false};')
            assert not renderer.wait("FOLLOW")["following"]
            with crowd(daemon, 30, 16, attack.replace("NAME", "another NAME")):
                report()
            report()
            renderer.send("?FOLLOW;")
            renderer.settle()
            states = {line["view"]: line for line in renderer.waiting if line["class"] == "FOLLOW"}
            assert set(VIEWS) <= set(states) and len(states) <= 64
            assert states["main"]["reason"] == "requested"


def test_targets_are_not_locked_out(folder):
    """No program fills the table of targets; its targets end with its connections."""
    attack = '?TARGET={"name":"NAME","lat":48,"lon":11};'
    with (
        idle_daemon(folder) as daemon,
        daemon.connect() as rider,
        daemon.connect() as other,
        harmless(daemon, kilobytes=8192),
    ):

        def names():
            other.send("?TARGET;")
            other.settle()
            found = [line["name"] for line in other.waiting if line["class"] == "ARRIVAL"]
            other.waiting.clear()
            return found

        with crowd(daemon, 20, 40, attack):
            rider.send(attack.replace("NAME", "office"))
            assert rider.next()["name"] == "office"
            code, out, err = control(daemon.socket, "target", "home", "48.1", "11.5")
            assert code == 0, err
            with crowd(daemon, 100, 1, attack.replace("NAME", "another NAME")):
                assert {"office", "home"} < set(names())
                assert len(names()) <= 65
        until(lambda: set(names()) == {"office", "home"}, "the end of the others")
        rider.socket.close()
        until(lambda: names() == ["home"], "the end of the rider's")
        assert control(daemon.socket, "target", "home", "off")[0] == 0
        assert names() == []


def test_persistent_targets_are_limited_by_user(folder):
    with idle_daemon(folder) as daemon, harmless(daemon):
        for number in range(16):
            assert control(daemon.socket, "target", f"place {number}", "48.1", "11.5")[0] == 0
        code, _, err = control(daemon.socket, "target", "one more", "48.1", "11.5")
        assert code == 1 and "16 persistent targets" in err
        assert control(daemon.socket, "target", "place 3", "48.2", "11.5")[0] == 0
        assert control(daemon.socket, "target", "place 3", "off")[0] == 0
        assert control(daemon.socket, "target", "one more", "48.1", "11.5")[0] == 0
        with daemon.connect() as client:
            client.send('?TARGET={"name":"office","lat":48,"lon":11};')
            assert client.next()["name"] == "office"


def test_pending_requests_are_limited_by_connection(folder):
    """1600 pending requests of other connections do not refuse one more."""
    attack = '?LOCATE={"timeout":3600};'
    with (
        idle_daemon(folder) as daemon,
        daemon.connect() as rider,
        harmless(daemon, kilobytes=8192),
    ):
        with contextlib.ExitStack() as stack:
            for _ in range(200):
                client = stack.enter_context(daemon.connect())
                client.send(attack * 8)
                client.settle()
                assert [line["class"] for line in client.waiting] == ["VERSION"]
            rider.send('?LOCATE={"timeout":0.1};')
            assert rider.wait("ERROR")["code"] == "timedOut"


# --- the Unix socket ---------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def riding_daemon(folder, *options):
    """A daemon whose receiver sends ten fixes a second."""
    with (
        Receiver(folder / "gps0") as receiver,
        Daemon(folder, f"serial:{receiver.link}?speed=115200", options=options) as daemon,
        Feeder(receiver),
    ):
        with daemon.connect() as client:
            client.watch()
            client.wait("STATE", tracking)
        yield daemon
        daemon.stop()


# Requests, and whether each is refused.
ODD = {
    "3000 digits": ('?WATCH={"distanceFilter":' + "9" * 3000 + "}", True),
    "an exponent of a million": ('?WATCH={"heartbeat":1e999999}', True),
    "a tiny number": ('?WATCH={"distanceFilter":1e-999999}', False),
    "an infinite place": ('?VIEW={"lat":1e308,"lon":-1e308}', True),
    "a number above 64 bits": ('?VIEW={"lat":48,"lon":11,"seq":18446744073709551616}', True),
    "a negative number": ('?VIEW={"lat":48,"lon":11,"seq":-1}', True),
    "an endless wait": ('?LOCATE={"timeout":1e400}', True),
    "objects, 10,000 deep": ("?WATCH=" + '{"a":' * 10_000 + "1" + "}" * 10_000, True),
    "arrays, 10,000 deep": ('?VIEW={"lat":' + "[" * 10_000 + "]" * 10_000 + "}", True),
    "objects, 600 deep": ('?WATCH={"a":' + '{"b":' * 600 + "1" + "}" * 601, True),
    "open arrays": ("?WATCH=" + "[" * 3000, True),
}


@pytest.mark.parametrize("text, is_refused", ODD.values(), ids=ODD.keys())
def test_odd_values_get_one_answer_each(folder, text, is_refused):
    """One answer each, and the connection stays for 15 of them."""
    with riding_daemon(folder) as daemon:
        with harmless(daemon):
            for _ in range(10):
                with daemon.connect() as client:
                    for _ in range(15):
                        client.send(text + ";\n")
                    client.settle()
                    names = [line["class"] for line in client.waiting[:-1]]
                    assert names == (["ERROR"] * 15 if is_refused else ["DEVICES", "WATCH"] * 15)


def storm(daemon, connections, request, seconds=3):
    """Sends from many connections, each time what `request` returns for a number; the connections, still open."""
    crowd = [daemon.connect() for _ in range(connections)]
    end, number = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        for client in crowd:
            client.send(request(number))
            number += 1
    for client in crowd:
        assert not client.ended
    return crowd


def close(clients):
    for client in clients:
        client.socket.close()


@pytest.mark.limits
def test_a_storm_of_subscriptions_does_no_harm(folder):
    chance = random.Random(2026)
    options = {
        "enable": [True, False], "json": [True, False], "nmea": [True, False], "raw": [0, 1, 2], "poses": [0, 1, 60],
        "distanceFilter": [0, 10, 1e6], "heartbeat": [0, 0.1, 86400], "satellites": [True, False],
        "handlebar": [True, False], "device": ["", f"{folder}/gps0"],
    }

    def request(_):
        return "".join(
            f"?WATCH={json.dumps({name: chance.choice(values) for name, values in options.items()})};" for _ in range(10)
        )

    with riding_daemon(folder) as daemon:
        with harmless(daemon, seconds=1):
            close(storm(daemon, 20, request))


@pytest.mark.limits
def test_a_storm_of_views_and_targets_does_no_harm(folder):
    """Thousands a second, with their events to a subscriber that reads them."""
    view = '?VIEW={"view":"v","lat":48.2,"lon":11,"cause":"user"};?FOLLOW={"view":"v","enable":true};'
    target = '?TARGET={"name":"t","lat":48.2,"lon":11};?TARGET={"name":"t","enable":false};'

    def request(number):
        return (view + target).replace('"v"', f'"v{number % 8}"').replace('"t"', f'"t{number % 64}"') * 4

    with riding_daemon(folder) as daemon:
        with harmless(daemon, seconds=1):
            close(storm(daemon, 8, request))


@pytest.mark.limits
def test_requests_that_come_byte_by_byte_do_no_harm(folder):
    text = '?WATCH={"enable":true,"json":false};?POLL;?VIEW={"lat":48.1,"lon":11.5,"cause":"follow"};'
    with riding_daemon(folder) as daemon:
        with harmless(daemon, kilobytes=8192, seconds=1):
            crowd = storm(daemon, 100, lambda number: text[number // 100 % len(text)])
            for client in crowd:
                client.receive()
                assert "ERROR" not in {line["class"] for line in client.lines}
            close(crowd)


def test_half_closed_connections_are_answered_and_ended(folder):
    """Each receives its answers and the end, and leaves no descriptor."""
    with riding_daemon(folder) as daemon:
        before = descriptors(daemon.pid)
        with harmless(daemon, kilobytes=8192):
            for _ in range(3):
                crowd = [Client(daemon.socket) for _ in range(100)]
                for client in crowd:
                    client.send('?WATCH={"json":true,"poses":60};?POLL;?POL')
                    client.socket.shutdown(socket.SHUT_WR)
                for client in crowd:
                    until(lambda client=client: client.receive() or client.ended, "the end")
                    names = [line["class"] for line in client.lines]
                    assert names[:3] == ["VERSION", "DEVICES", "WATCH"] and "POLL" in names
                close(crowd)
                crowd = [Client(daemon.socket) for _ in range(100)]
                for client in crowd:
                    client.socket.shutdown(socket.SHUT_RD)
                    # The daemon may have found out with its greeting, and closed.
                    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                        client.socket.sendall(b'?WATCH={"json":true,"poses":60};')
                close(crowd)
        until(lambda: descriptors(daemon.pid) <= before, "the descriptors")


@pytest.mark.limits
def test_poses_are_sent_to_a_hundred_clients(folder):
    """60 a second for each; half of the clients do not read, and are closed."""
    with riding_daemon(folder) as daemon:
        with harmless(daemon, kilobytes=8192, seconds=1):
            crowd = [daemon.connect() for _ in range(100)]
            for client in crowd:
                client.send('?WATCH={"json":true,"distanceFilter":0,"poses":60,"satellites":false};')
            reading = {client: bytearray() for client in crowd[:50]}

            def read():
                end = time.monotonic() + 0.5
                while time.monotonic() < end:
                    for client in select.select([*reading], [], [], 0.1)[0]:
                        data = client.socket.recv(65536)
                        assert data, "a client that reads is closed"
                        reading[client] += data
                return sum(lines.count(b'"POSE"') for lines in reading.values()) > 50 * 60 * 2

            # They are read until the others are closed, and longer if there are too few.
            until(lambda: read() and count(daemon, "clientsStalled") >= 50, "poses, and the end of those that do not read")
            assert count(daemon, "clientsStalled") == 50
            for lines in reading.values():
                poses = [json.loads(line) for line in lines.split(b"\r\n")[1:-1] if line.startswith(b'{"class":"POSE"')]
                times = [datetime.datetime.fromisoformat(pose["time"]) for pose in poses]
                # Those of a client that lags are replaced by newer ones.
                assert min(later - time for time, later in zip(times, times[1:])) <= datetime.timedelta(seconds=0.017)
            close(crowd)


@pytest.mark.limits
def test_a_storm_of_reloads_does_no_harm(folder):
    """A file that changes all the time, every seventh time to a wrong one."""
    path = folder / "handlebard.toml"
    path.write_text("")
    with riding_daemon(folder, "--config", path) as daemon:
        before = descriptors(daemon.pid)
        with harmless(daemon, kilobytes=8192, seconds=1):
            end, number = time.monotonic() + 3, 0
            while time.monotonic() < end:
                number += 1
                text = f"distance-filter = {number % 50}\ndrift-limit = {50 + number % 50}\nmax-clients = {100 + number % 9}\n"
                put(path, b"[" if number % 7 == 0 else f'{text}record = "{folder}/rides{number % 3}"\n'.encode())
                daemon.process.send_signal(signal.SIGHUP)
        put(path, b"distance-filter = 77\n")
        daemon.process.send_signal(signal.SIGHUP)
        with daemon.connect() as client:
            until(lambda: client.watch().get("distanceFilter") == 77, "the last file")
        until(lambda: descriptors(daemon.pid) <= before, "the descriptors")


# --- the receiver and its files ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("date", [b"200326", b"180326", b"190327"])
def test_one_epoch_with_a_wrong_date_is_dropped(folder, date):
    """It is dropped, and the fixes behind it are not held."""
    with Receiver(folder / "gps0") as receiver, Daemon(folder, f"serial:{receiver.link}?speed=115200") as daemon:
        with daemon.connect() as client, harmless(daemon):
            client.watch(distanceFilter=0)
            bursts = nmea_sender.ride(40, 0.1)
            body = bursts[20][1].replace(b"190326", date).split(b"\r\n")
            wrong = b"".join(nmea_sender.sentence(line[1:-3].decode()) for line in body if line)
            receiver.play(bursts[:20] + [(2.0, wrong)] + bursts[21:], meanwhile=client.receive)
            client.wait("TPV", lambda fix: fix["time"] >= "2026-03-19T12:00:03.800Z")
            # Of fixes that come 1.5 s late or more, the newest is published.
            late = count(daemon, "lateFixes")
            times = [line["time"] for line in client.lines if line["class"] == "TPV"]
            assert "2026-03-19T12:00:02.100Z" in times or late > 0
            assert len(times) == len(set(times)) >= 38 - late
            assert all(time.startswith("2026-03-19T12:00:0") for time in times)
        daemon.stop()


@pytest.mark.parametrize("words", [
    ["export", "--gpx", "NAME"], ["rides", "rm", "NAME"], ["NAME"], ["status", "NAME"], ["watch", "--filter", "NAME"],
    ["--socket", "/NAME", "status"], ["decode", "NAME"], ["map", "--listen", "NAME"], ["simulate", "--ride", "NAME"], ["help", "NAME"],
])
def test_arguments_steer_no_terminal(words):
    """Escape sequences, also of one byte, marks of writing direction and separators of lines are not echoed."""
    name = "x\x1b[31m\u202e\u009b2J\u2028\u2066"
    done = subprocess.run(
        [BIN / "handlebarctl", *(word.replace("NAME", name) for word in words)], capture_output=True, text=True, timeout=TIMEOUT, check=False)
    assert done.returncode != 0 and done.stderr
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]", done.stderr + done.stdout)
