"""Random bytes on the socket and on the serial port; a minute of each with HANDLEBAR_LONG=1."""

import random
import time

import pytest

import nmea_sender
from handlebar_harness import LONG, Daemon, Ended, Late, Receiver

pytestmark = pytest.mark.limits

SECONDS = 60 if LONG else 3

PIECES = [
    b"?", b"=", b";", b"\n", b"{", b"}", b'"', b"\\", b":", b",", b"[", b"null", b"-", b"1e309", b"0.1",
    b"?WATCH", b"?VIEW", b"?FOLLOW", b"?LOCATE", b"?TARGET", b"?POLL;", b"?STATUS;", b'={"enable":true,"json":true}',
    b'"distanceFilter":', b'"lat":', b'"lon":', b'"view":"main"', b"\\u0000", b"\xf0\x9f\x9a\xb2", b"\x00", b" ",
]
SENTENCES = [
    b"$", b"*", b"!", b",", b"\r\n", b"\\", b"GNRMC", b"GNGGA", b"GPGSV,3,1,12", b"\xb5\x62\x01\x07", b"\xd3\x00\x13",
    b"\xba\xce", b"*00", b"$PUBX,00", b"99999999999999999999", b"A", b"N", b"0", b"\x00", b"\xff",
]


def mixture(chance, pieces):
    """Noise, well-formed pieces in random order, or both."""
    kind = chance.randrange(3)
    if kind == 0:
        return chance.randbytes(chance.randrange(1, 5000))
    text = b"".join(chance.choice(pieces) for _ in range(chance.randrange(1, 200)))
    if kind == 1:
        return text
    spoiled = bytearray(text)
    for _ in range(chance.randrange(1, 8)):
        spoiled[chance.randrange(len(spoiled))] = chance.randrange(256)
    return bytes(spoiled)


@pytest.mark.parametrize("seed", [1, 2])
def test_on_the_socket(folder, seed):
    chance = random.Random(seed)
    with Receiver(folder / "gps0") as receiver, Daemon(folder, f"serial:{receiver.link}?speed=9600") as daemon:
        receiver.write(nmea_sender.epoch(0))
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            with daemon.connect() as client:
                try:
                    for _ in range(chance.randrange(1, 30)):
                        client.send(mixture(chance, PIECES))
                        client.receive()
                except Ended:
                    pass
        assert daemon.is_alive()
        daemon.stop()


@pytest.mark.parametrize("seed", [1, 2])
def test_on_the_serial_port(folder, seed):
    chance = random.Random(seed)
    with (
        Receiver(folder / "gps0") as receiver,
        Daemon(folder, f"serial:{receiver.link}?speed=9600") as daemon,
        daemon.connect() as client,
    ):
        client.watch(distanceFilter=0)
        end = time.monotonic() + SECONDS
        number = 0
        while time.monotonic() < end:
            receiver.write(mixture(chance, SENTENCES))
            if chance.random() < 0.1:
                spoiled = bytearray(nmea_sender.epoch(number))
                spoiled[chance.randrange(len(spoiled))] = chance.randrange(256)
                receiver.write(bytes(spoiled))
                number += 1
            client.receive()
        assert daemon.is_alive()
        # The receiver's next fix is still published.
        for number in range(number + 10, number + 210):
            receiver.write(b"\r\n" + nmea_sender.epoch(number))
            try:
                client.wait("TPV", timeout=0.3)
                break
            except Late:
                pass
        else:
            raise AssertionError("no fix after the noise")
        daemon.stop()
