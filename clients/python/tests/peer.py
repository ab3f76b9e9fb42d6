"""A socket in place of the daemon's, and what the tests wait for."""

import contextlib
import json
import re
import socket
import time

TIMEOUT = 60.0
GREETING = b'{"class":"VERSION","release":"0.1.0","rev":"0.1.0","proto_major":3,"proto_minor":14,"handlebar":1}\r\n'
WATCH = b'{"class":"WATCH","enable":true,"json":true}\r\n'


def tpv(seq, reason="moved"):
    line = {"class": "TPV", "mode": 3, "lat": 48 + seq / 1e4, "lon": 11, "seq": seq, "reason": reason}
    return json.dumps(line).encode() + b"\r\n"


def wait(updates, kind, matching=lambda _: True):
    """The next update of that type that matches."""
    while True:
        update = updates.next(TIMEOUT)
        if isinstance(update, kind) and matching(update):
            return update


async def wait_async(updates, kind, matching=lambda _: True):
    while True:
        update = await updates.next(TIMEOUT)
        if isinstance(update, kind) and matching(update):
            return update


def until(condition, what):
    """Polls a condition until it is true."""
    deadline = time.monotonic() + TIMEOUT
    while not condition():
        assert time.monotonic() < deadline, f"{what}: not within {TIMEOUT} s"
        time.sleep(0.01)


class Peer:
    """A socket in place of the daemon's, which does what the test does."""

    def __init__(self, folder):
        self.path = folder / "peer.sock"
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.listener.bind(str(self.path))
        self.listener.listen()
        self.listener.settimeout(TIMEOUT)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.listener.close()

    @contextlib.contextmanager
    def accept(self, *lines):
        """A connection that has been sent these bytes; its last request was read if they greet it."""
        connection, _ = self.listener.accept()
        with connection:
            connection.settimeout(TIMEOUT)
            connection.sendall(b"".join(lines))
            if lines[:1] == (GREETING,):
                read(connection, b"?WATCH={")
            yield connection


def read(connection, words, data=b""):
    """Everything that is received up to a line with these words."""
    while not re.search(re.escape(words) + b".*;\n", data):
        more = connection.recv(65536)
        assert more, f"the client closed before it sent {words!r}: {data!r}"
        data += more
    return data
