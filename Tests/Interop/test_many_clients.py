"""Sixty-four clients, two of them faulty: the others receive every fix."""

import random
import re
import select
import time

import pytest

import nmea_sender
from handlebar_harness import LONG, TIMEOUT, Client, Daemon, Ended, Receiver, until
from measuring import measured

EPOCHS = 300
PERIOD = 0.05


@pytest.mark.slow
def test_a_client_that_never_reads_and_one_that_sends_garbage(folder):
    chance = random.Random(64)
    with (
        Receiver(folder / "gps0") as receiver,
        Daemon(folder, f"serial:{receiver.link}?speed=115200") as daemon,
    ):
        good = [daemon.connect() for _ in range(62)]
        for client in good:
            client.watch(distanceFilter=0)
        frozen = daemon.connect()
        frozen.send('?WATCH={"enable":true,"json":true,"distanceFilter":0};')
        hostile = daemon.connect()

        def meanwhile():
            nonlocal hostile
            for client in select.select(good, [], [], 0)[0]:
                client.receive()
            try:
                hostile.send(chance.randbytes(chance.randrange(1, 3000)))
                hostile.receive()
            except Ended:
                hostile.socket.close()
                hostile = daemon.connect()

        sent = 0

        def after():
            """Each fix has arrived before the next epoch, however busy the machine is: of two that are late together, only
            one is published."""
            nonlocal sent
            sent += 1
            until(lambda: meanwhile() or all(newest(client) >= sent for client in good), "every client's fix")

        receiver.play(nmea_sender.ride(EPOCHS, period=PERIOD), meanwhile=meanwhile, after=after)

        for client in good:
            fixes = [line["seq"] for line in client.lines if line["class"] == "TPV"]
            assert fixes == list(range(1, EPOCHS + 1))
            client.socket.close()
        frozen.socket.close()
        hostile.socket.close()
        assert daemon.is_alive()
        daemon.stop()


def newest(client):
    """The number of the newest fix."""
    return next((line["seq"] for line in reversed(client.lines) if line["class"] == "TPV"), 0)


@pytest.mark.slow
@measured
def test_a_frozen_client_costs_nothing_and_is_closed(folder):
    """A client that reads nothing for 10 s is closed, without a backlog of fixes."""
    with (
        Receiver(folder / "gps0") as receiver,
        Daemon(folder, f"serial:{receiver.link}?speed=115200") as daemon,
        daemon.connect() as frozen,
        daemon.connect() as good,
    ):
        frozen.send('?WATCH={"enable":true,"json":true,"distanceFilter":0};')
        good.watch(distanceFilter=0)
        before = resident(daemon)
        # Fixes that come together are one to a client: each is waited for.
        receiver.play(nmea_sender.ride(1500, period=0.05), speed=5, after=lambda: good.wait("TPV"))
        assert [line["seq"] for line in good.lines if line["class"] == "TPV"] == list(range(1, 1501))
        assert resident(daemon) - before < 4 * 1024, "memory grew with what a client does not read"
        frozen.until_quiet(2)
        assert frozen.ended, "a client that reads nothing for 10 s is closed"
        stale = [line["seq"] for line in frozen.lines if line["class"] == "TPV"]
        assert len(stale) < 1400, f"{len(stale)} stale fixes were kept for it"
        daemon.stop()


def resident(daemon):
    """Resident memory in KiB."""
    with open(f"/proc/{daemon.pid}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS:"))


def test_client_limit(folder):
    """The 257th client receives an ERROR and is closed; a freed place is given to the next."""
    with Receiver(folder / "gps0") as receiver, Daemon(folder, f"serial:{receiver.link}?speed=9600") as daemon:
        clients = [daemon.connect() for _ in range(256)]
        with Client(daemon.socket) as one_more:
            error = one_more.wait("ERROR")
            assert error["message"]
            one_more.until_quiet(5)
            assert one_more.ended
        clients.pop().socket.close()

        def is_admitted():
            with Client(daemon.socket) as client:
                return client.next()["class"] == "VERSION"

        until(is_admitted, "the freed place")
        for client in clients:
            client.socket.close()
        daemon.stop()


@pytest.mark.slow
@measured
def test_memory_stays_flat(folder):
    """An hour's ride, ten hours with HANDLEBAR_LONG=1, replayed at full speed to 64 clients."""
    epochs = 36_000 if LONG else 3600
    ride = folder / "ride.nmea"
    ride.write_bytes(b"".join(burst for _, burst in nmea_sender.ride(epochs)))
    chance = random.Random(10)
    with Daemon(folder, f"recording:{ride}?speed=max&start=watch") as daemon:
        hostile = daemon.connect()
        frozen = daemon.connect()
        counts = {daemon.connect(): 0 for _ in range(62)}
        first = {}
        for client in [*counts, frozen]:
            client.send('?WATCH={"enable":true,"json":true,"distanceFilter":0};')
        memory = []
        reading = set(counts)
        deadline = time.monotonic() + (400 if LONG else 4 * TIMEOUT)
        while reading and time.monotonic() < deadline:
            for client in select.select(list(reading), [], [], 1)[0]:
                lines, _, client.partial = (client.partial + client.socket.recv(65536)).rpartition(b"\n")
                counts[client] += lines.count(b'{"class":"TPV"')
                if client not in first and (seq := re.search(rb'"seq":(\d+),"reason"', lines)):
                    first[client] = int(seq[1])
                if b'"ended":true' in lines:
                    reading.discard(client)
            if len(memory) <= max(counts.values()) * 20 // epochs:
                memory.append(resident(daemon))
            try:
                hostile.send(chance.randbytes(chance.randrange(1, 300)))
                hostile.receive()
            except Ended:
                hostile.socket.close()
                hostile = daemon.connect()
        assert not reading, f"{len(reading)} clients did not receive the end"
        # The replay begins with the first subscriber; a later one misses a part.
        lost = [epochs + 1 - first[client] - count for client, count in counts.items()]
        assert set(lost) == {0}, f"fixes that were lost on the way, by client: {lost}"
        # What clients that lag have not read is kept, up to 32 KiB for each.
        assert max(memory[2:]) - memory[2] <= 512 + 64 * 32, f"KiB, twenty times on the way: {memory}"
        daemon.stop()
