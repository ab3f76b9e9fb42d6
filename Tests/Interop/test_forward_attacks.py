"""The forwarder beside a hostile broker, and asked to end while something does not answer."""

import contextlib
import itertools
import os
import pathlib
import re
import socket
import ssl
import subprocess
import sys

import pytest

from gpsd_harness import free_port
from handlebar_harness import TIMEOUT, Stopwatch, until
from measuring import measured
from mqtt_peers import Broker, Certificates, Forwarder, HostileBroker, Subscriber
from test_forward import once, write_rides


def messages(number, size):
    """PUBLISH of quality of service 2 with as many numbers as there are."""
    payload = b"x" * size
    length = 5 + size
    head = bytes([0x34, length & 127 | 128, length >> 7]) + b"\0\1a"
    block = b"".join(head + identifier.to_bytes(2) + payload for identifier in range(1, number))
    return lambda: itertools.repeat(block)


ATTACKS = {
    "messages": messages(65536, 100),
    "large messages": messages(200, 16_000),
    # A length of 256 MB.
    "a long packet": lambda: itertools.chain([b"\x30\xff\xff\xff\x7f\0\1a"], itertools.repeat(bytes(1 << 20), 255)),
    "a long answer": lambda: itertools.chain([b"\x40\xff\xff\xff\x7f\0\1a"], itertools.repeat(bytes(1 << 20), 255)),
    "queries": lambda: itertools.repeat(b"\xc0\0" * 50_000),
    "answers": lambda: itertools.repeat(b"\xd0\0" * 50_000),
    "acknowledgements": lambda: itertools.repeat(b"\x50\2\0\7" * 50_000),
    "releases": lambda: itertools.repeat(b"\x62\2\0\7" * 50_000),
    "another protocol": lambda: itertools.repeat(b"HTTP/1.1 200 OK\r\n\r\n" * 1000),
}


@measured
@pytest.mark.parametrize("scheme", ["mqtt", "mqtts"])
@pytest.mark.parametrize("attack", ATTACKS)
def test_a_hostile_broker_takes_no_memory(folder, attack, scheme):
    write_rides(folder, 1, 400)
    certificates, context, options = None, None, []
    if scheme == "mqtts":
        certificates = Certificates(folder)
        certificates.issue("server")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificates.path("server.pem"), certificates.path("server.key"))
        options = ["--ca", certificates.path("ca.pem")]
    with HostileBroker(ATTACKS[attack], context) as hostile:
        url = f"{scheme}://localhost:{hostile.port}"
        with Forwarder(folder, url, *options) as forwarder:
            until(lambda: len(hostile.sent) >= 3 or forwarder.peak > 100_000, "the end of three connections")
            print(f"{attack}, {scheme}: peak {forwarder.peak} kB, {max(hostile.sent, default=0)} bytes sent, {forwarder.log}")
            # Beside an honest broker it takes 23 MB.
            assert forwarder.peak < 40_000
            assert_ends(forwarder)


def test_a_broker_that_sends_messages_is_refused(folder):
    """It is not tried for ever with --once, and an honest one gets everything after it."""
    write_rides(folder, 1, 20)
    with HostileBroker(ATTACKS["messages"], port=free_port()) as hostile:
        code, errors = once(folder, f"mqtt://127.0.0.1:{hostile.port}")
        assert code == 5 and "sends what the unit did not ask for" in errors, errors
    with Broker(folder, port=hostile.port) as broker:
        assert once(folder, broker.url) == (0, "")


def assert_ends(forwarder):
    clock = Stopwatch(forwarder.process.pid)
    assert forwarder.stop(clock) == 0
    seconds = clock.now()
    print(f"ended in {seconds:.2f} s")
    assert seconds < TIMEOUT / 10


def test_it_ends_while_connect_hangs(folder):
    write_rides(folder, 1, 20)
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(socket.socket())
        server.bind(("127.0.0.1", 0))
        server.listen(0)
        # With its queue full, the kernel does not answer further connections.
        own = set()
        for _ in range(4):
            client = stack.enter_context(socket.socket())
            client.setblocking(False)
            client.connect_ex(server.getsockname())
            own.add(address(client))

        def found(matches):
            lines = pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]
            return any(matches(*line.split()[1:5]) for line in lines)

        place = address(server)
        # Of a socket that listens, the second number are the connections in its queue.
        until(lambda: found(lambda local, _, state, queues: local == place and state == "0A" and int(queues[9:], 16)), "a full queue")
        with Forwarder(folder, f"mqtt://127.0.0.1:{server.getsockname()[1]}") as forwarder:
            until(lambda: found(lambda local, remote, state, _: remote == place and state == "02" and local not in own), "the attempt")
            assert_ends(forwarder)


def address(one):
    """The address of a socket of IPv4, as in /proc/net/tcp."""
    host, port = one.getsockname()
    return f"{int.from_bytes(socket.inet_aton(host), sys.byteorder):08X}:{port:04X}"


def test_it_ends_while_the_name_server_does_not_answer(folder):
    write_rides(folder, 1, 20)
    # Another run at the same time has an address of its own.
    place = f"127.53.{os.getpid() >> 8 & 255}.{os.getpid() & 255}"
    (folder / "resolv.conf").write_text(f"nameserver {place}\n")
    command = f'mount --bind {folder}/resolv.conf /etc/resolv.conf && exec "$@"'
    prefix = ["unshare", "--mount", "sh", "-c", command, "sh"]
    if subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("no mount namespace here: needs root")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind((place, 53))
        server.settimeout(TIMEOUT)
        with Forwarder(folder, "mqtt://broker.invalid", prefix=prefix) as forwarder:
            assert b"broker" in server.recv(512)
            assert_ends(forwarder)


def test_it_ends_while_the_broker_is_silent(folder):
    write_rides(folder, 1, 20)
    for hello in (b"", b"\x20\2\0\0"):
        with socket.create_server(("127.0.0.1", 0)) as server:
            with Forwarder(folder, f"mqtt://127.0.0.1:{server.getsockname()[1]}") as forwarder:
                connection, _ = server.accept()
                with connection:
                    connection.recv(1)
                    connection.sendall(hello)
                    if hello:
                        until(lambda: b"online" in connection.recv(65536), "the first message")
                    assert_ends(forwarder)


def test_it_ends_while_it_reads_a_long_ride(folder):
    rides = write_rides(folder, 2, 20)
    with Broker(folder) as broker, Subscriber(broker) as subscriber:
        # All that can be forwarded of it is at its beginning.
        os.truncate(rides[0], 8 << 30)
        with Forwarder(folder, broker.url) as forwarder:
            until(lambda: len(subscriber.fixes) >= 20, "the fixes before")
            until(lambda: reads(forwarder) > 10_000_000, "reading")
            assert_ends(forwarder)


def reads(forwarder):
    """Number of bytes it has read."""
    return int(re.search(r"rchar: (\d+)", pathlib.Path(f"/proc/{forwarder.process.pid}/io").read_text())[1])
