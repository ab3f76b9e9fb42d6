"""`handlebarctl map`, its pages' connections, and tiles for it."""

import base64
import contextlib
import json
import math
import os
import select
import signal
import socket
import sqlite3
import struct
import subprocess
import time
import urllib.parse
import zlib

from handlebar_harness import BIN, TIMEOUT, Late


class MapServer:
    """A running `handlebarctl map`. `url` is what it printed."""

    def __init__(self, socket_path, *options, listen="127.0.0.1:0", folder=None):
        command = [BIN / "handlebarctl", "map", "--listen", listen, *options]
        if socket_path:
            command += ["--socket", socket_path]
        environment = {name: value for name, value in os.environ.items() if not name.startswith("HANDLEBAR_")}
        self.process = subprocess.Popen(
            list(map(str, command)), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=environment | {"SWIFT_BACKTRACE": "enable=no"}, cwd=folder)
        if not select.select([self.process.stdout], [], [], TIMEOUT)[0]:
            self.process.kill()
        self.url = self.process.stdout.readline().strip()
        assert self.url, self.process.communicate(timeout=TIMEOUT)
        parts = urllib.parse.urlsplit(self.url)
        self.place = parts.hostname, parts.port
        self.host = parts.netloc

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(TIMEOUT)
        self.process.stdout.close()
        self.process.stderr.close()

    @property
    def pid(self):
        return self.process.pid

    def stop(self, with_signal=signal.SIGTERM):
        """Its exit code after a signal."""
        assert self.process.poll() is None, self.process.stderr.read()
        self.process.send_signal(with_signal)
        return self.process.wait(TIMEOUT)

    def get(self, path="/", method="GET", host=None, **headers):
        """The answer to a request: status, headers, body."""
        with socket.create_connection(self.place, TIMEOUT) as one:
            one.sendall(self.head(path, method, host, {"Connection": "close", **headers}))
            with one.makefile("rb") as answer:
                status, found = read_head(answer)
                return status, found, answer.read()

    def head(self, path, method="GET", host=None, headers=()):
        lines = [f"{method} {path} HTTP/1.1", f"Host: {host or self.host}"]
        lines += [f"{name}: {value}" for name, value in dict(headers).items()]
        return "\r\n".join([*lines, "", ""]).encode()

    def viewer(self, **options):
        return Viewer(self, **options)


def read_head(answer):
    status = int(answer.readline().split()[1])
    headers = {}
    while line := answer.readline().strip().decode():
        name, value = line.split(": ", 1)
        headers[name.lower()] = value
    return status, headers


def frame(data, opcode=1, final=True, reserved=0, masked=True):
    """A frame of a WebSocket; `reserved` are its reserved bits, 1 to 7."""
    mask = os.urandom(4) if masked else bytes(4)
    flag = 0x80 if masked else 0
    size = bytes([flag | len(data)]) if len(data) < 126 else bytes([flag | 126]) + struct.pack(">H", len(data))
    begin = bytes([(0x80 if final else 0) | reserved << 4 | opcode]) + size
    return begin + (mask if masked else b"") + bytes(byte ^ mask[index % 4] for index, byte in enumerate(data))


class Refused(Exception):
    """The upgrade was refused."""


class Viewer:
    """The WebSocket of a page. `lines` holds every received object, `pongs` what the server answered to pings, `code` why it
    closed."""

    def __init__(self, server, host=None, origin=None, path="/viewer", window=None, **headers):
        self.socket = socket.socket(socket.AF_INET6 if ":" in server.place[0] else socket.AF_INET)
        if window:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, window)
        self.socket.settimeout(TIMEOUT)
        # As browsers do.
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.connect(server.place)
        fields = {
            "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode(), **headers,
        }
        if origin != "":
            fields["Origin"] = origin or f"http://{host or server.host}"
        self.socket.sendall(server.head(path, host=host, headers=fields))
        self.stream = self.socket.makefile("rb")
        status, _ = read_head(self.stream)
        if status != 101:
            self.close()
            raise Refused(status)
        self.waiting = []
        self.lines = []
        self.pongs = []
        self.code = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.stream.close()
        self.socket.close()

    def frame(self, data, opcode=1, **options):
        """Sends a frame."""
        self.socket.sendall(frame(data, opcode, **options))

    def send(self, name, /, **fields):
        """Sends a request of the daemon's protocol."""
        self.frame(f"?{name}={json.dumps(fields)};".encode() if fields else f"?{name};".encode())

    def receive(self):
        """Receives a frame; false at the end."""
        begin = self.stream.read(2)
        if len(begin) < 2:
            return False
        size = begin[1] & 127
        if size > 125:
            size = int.from_bytes(self.stream.read(2 if size == 126 else 8), "big")
        data = self.stream.read(size)
        match begin[0] & 15:
            case 1:
                new = [json.loads(line) for line in data.splitlines()]
                self.lines += new
                self.waiting += new
            case 8:
                self.code = int.from_bytes(data[:2], "big")
            case 9:
                self.frame(data, 10)
            case 10:
                self.pongs.append(data)
        return True

    def wait(self, name, matching=lambda _: True):
        """The next object of that class that matches; earlier ones are skipped."""
        deadline = time.monotonic() + TIMEOUT
        while True:
            while self.waiting:
                line = self.waiting.pop(0)
                if line["class"] == name and matching(line):
                    return line
            if time.monotonic() > deadline or not self.receive():
                raise Late(f"no such {name}; the last lines were {[line['class'] for line in self.lines[-12:]]}")

    def wait_end(self):
        """The code with which the server closes."""
        deadline = time.monotonic() + TIMEOUT
        with contextlib.suppress(ConnectionResetError):
            while self.receive():
                if time.monotonic() > deadline:
                    raise Late("the server does not close")
        return self.code

    def has_ended(self):
        """Whether the server has closed, for one that sends nothing."""
        return bool(select.select([self.socket], [], [], 0)[0]) and not self.socket.recv(1, socket.MSG_PEEK)


# --- tiles -----------------------------------------------------------------------------------------------------------


def png(size, pixel):
    """An image of `pixel(x, y)`: red, green, blue."""
    rows = b"".join(b"\0" + b"".join(bytes(pixel(x, y)) for x in range(size)) for y in range(size))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def streets(x, y):
    """A tile with streets around blocks, of a colour that depends on the tile."""
    block = [(236, 232, 224), (200, 226, 190), (170, 205, 235)][(3 * x + 5 * y) % 3]
    return png(256, lambda column, row: (255, 255, 255) if column % 128 < 8 or row % 128 < 8 else block)


def tile_of(lat, lon, zoom):
    """The tile that contains a place: column, row from the north."""
    count = 1 << zoom
    return int((lon + 180) / 360 * count), int((1 - math.asinh(math.tan(math.radians(lat))) / math.pi) / 2 * count)


def mbtiles(path, lat, lon, zooms=range(12, 17), around=1):
    """A small MBTiles file around a place."""
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.executescript(
            "CREATE TABLE metadata (name TEXT, value TEXT);"
            "CREATE TABLE tiles (zoom_level INTEGER, tile_column INTEGER, tile_row INTEGER, tile_data BLOB);"
            "CREATE UNIQUE INDEX place ON tiles (zoom_level, tile_column, tile_row);")
        database.executemany(
            "INSERT INTO metadata VALUES (?, ?)", [("format", "png"), ("attribution", "© <a href='//x'>Synthetic</a>")])
        for zoom in zooms:
            column, row = tile_of(lat, lon, zoom)
            for x in range(column - around, column + around + 1):
                for y in range(row - around, row + around + 1):
                    database.execute(
                        "INSERT INTO tiles VALUES (?, ?, ?, ?)", (zoom, x, (1 << zoom) - 1 - y, streets(x, y)))
        database.commit()
