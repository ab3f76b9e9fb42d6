"""The map page's connection keeps to RFC 6455: what it takes, and the code with which it closes for anything else."""

import os
import pathlib
import struct

import pytest

from handlebar_harness import RECORDING, Daemon
from map_server import MapServer, Refused, frame

pytestmark = pytest.mark.skipif(
    not pathlib.Path("/usr/share/javascript/leaflet").exists(), reason="libjs-leaflet is not installed")

REQUEST = '?FOLLOW={"view":"map-µ@ßöäüàá-𝄞"};'.encode()
TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10


@pytest.fixture
def server(folder):
    with Daemon(folder, f"recording:{RECORDING}?loop=true") as daemon, MapServer(daemon.socket) as server:
        yield server


def fragments(*pieces, opcode=TEXT):
    """The frames of a message."""
    last = len(pieces) - 1
    return [frame(piece, 0 if index else opcode, final=index == last) for index, piece in enumerate(pieces)]


def closing(code, reason=b""):
    return frame(struct.pack(">H", code) + reason, CLOSE)


@pytest.mark.parametrize("pieces", [
    (REQUEST,), (REQUEST[:9], REQUEST[9:]), (b"", REQUEST, b""), (b"", b"", REQUEST),
    tuple(REQUEST[index:index + 1] for index in range(len(REQUEST))), (REQUEST + b"\n" * (4096 - len(REQUEST)),),
    (REQUEST + b"\n" * (2048 - len(REQUEST)), b"\n" * 2048),
], ids=lambda pieces: f"{len(pieces)} of {sum(map(len, pieces))} bytes")
@pytest.mark.parametrize("between", [b"", frame(b"between", PING)], ids=["", "with pings"])
def test_a_message_may_come_in_fragments(server, pieces, between):
    with server.viewer() as page:
        page.wait("WATCH")
        page.socket.sendall(between.join(fragments(*pieces)))
        assert page.wait("FOLLOW", lambda line: line["view"].startswith("map-"))["view"] == "map-µ@ßöäüàá-𝄞"
        # Of pings that come faster than they are answered, the newest needs an answer.
        assert set(page.pongs) == ({b"between"} if between and len(pieces) > 1 else set())


def test_a_message_may_come_byte_by_byte(server):
    with server.viewer() as page:
        page.wait("WATCH")
        for byte in b"".join(fragments(REQUEST[:9], REQUEST[9:])):
            page.socket.sendall(bytes([byte]))
        page.wait("FOLLOW", lambda line: line["view"].startswith("map-"))


def test_pings_are_answered_with_their_data(server):
    with server.viewer() as page:
        page.wait("WATCH")
        data = [b"", b"a", b"\xff\xfe", os.urandom(125)]
        for count, one in enumerate(data):
            page.frame(b"unasked", PONG)
            page.frame(one, PING)
            while len(page.pongs) == count:
                assert page.receive()
        assert page.pongs == data


CASES = {
    1000: {
        "no code": frame(b"", CLOSE), "code 1000": closing(1000), "with a reason": closing(1000, "µ".encode() * 61),
        "what follows is ignored": closing(1000) + frame(b"x", BINARY),
    },
    1001: {"code 1001": closing(1001)},
    3000: {"code 3000": closing(3000)},
    4999: {"code 4999": closing(4999)},
    1002: {
        **{f"reserved bit {bit} of {kind}": frame(b"?TARGET;", opcode, reserved=bit)
           for bit in (1, 2, 4, 7) for kind, opcode in {"text": TEXT, "a ping": PING, "a close": CLOSE}.items()},
        "a reserved bit of a fragment": frame(b"?TAR", TEXT, final=False) + frame(b"GET;", 0, reserved=4),
        **{f"opcode {opcode}": frame(b"", opcode) for opcode in (3, 4, 5, 6, 7, 11, 12, 13, 14, 15)},
        **{f"opcode {opcode} that is not masked": frame(b"", opcode, masked=False) for opcode in (TEXT, BINARY, CLOSE, PING, PONG)},
        "a fragment that is not masked": frame(b"?TAR", TEXT, final=False) + frame(b"GET;", 0, masked=False),
        "a ping in fragments": frame(b"a", PING, final=False), "a close in fragments": frame(b"", CLOSE, final=False),
        "a long ping": frame(bytes(126), PING), "a long close": closing(1000, b"a" * 124),
        "the middle of nothing": frame(b"?TARGET;", 0, final=False), "the end of nothing": frame(b"?TARGET;", 0),
        "a message in a message": frame(b"?TAR", TEXT, final=False) + frame(b"?TARGET;"),
        "the start of a message in a message": frame(b"?TAR", TEXT, final=False) * 2,
        "half a code": frame(b"\x03", CLOSE),
        **{f"code {code}": closing(code) for code in (0, 999, 1004, 1005, 1006, 1015, 1016, 2000, 2999, 5000, 65535)},
    },
    1003: {"binary": frame(b"?TARGET;", BINARY), "binary in fragments": b"".join(fragments(b"?TAR", b"GET;", opcode=BINARY))},
    1007: {
        **{f"text {bad.hex()}": frame(b"?TARGET;" + bad)
           for bad in (b"\xff", b"\xce", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\x80", b"\xe2\x82")},
        "text in fragments": b"".join(fragments(b"?TARGET;\xce", b"\n")), "a reason": closing(1000, b"\xff"),
    },
    1009: {
        "a large frame": frame(b"\n" * 4097), "a large message": b"".join(fragments(*[b"\n" * 1000] * 5)),
        "a frame of 2⁶³ bytes": b"\x81\xff" + b"\x80" + bytes(11), "a frame of 4 GB": b"\x81\xff" + bytes(3) + b"\x01" + bytes(8),
        "many empty fragments": b"".join(fragments(*[b""] * 1000)),
    },
}


@pytest.mark.parametrize("code", CASES)
def test_other_frames_close_the_connection(server, code):
    for name, data in CASES[code].items():
        with server.viewer() as page:
            page.socket.sendall(data)
            assert page.wait_end() == code, name


@pytest.mark.parametrize("fields", [
    {"Sec-WebSocket-Version": "8"}, {"Sec-WebSocket-Version": ""}, {"Sec-WebSocket-Key": ""}, {"Upgrade": "h2c"},
], ids=str)
def test_another_handshake_is_refused(server, fields):
    with pytest.raises(Refused):
        server.viewer(**fields)
