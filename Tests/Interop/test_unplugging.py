"""The receiver is unplugged and returns as another device behind the same link."""

import os
import select
import time

import pytest

import nmea_sender
from handlebar_harness import TIMEOUT, Daemon, Receiver, Stopwatch, control, tracking, until


PERIOD = 0.2


def play_until_tracking(receiver, client, first):
    """Plays epochs until there is a fix; returns the number of the next epoch."""
    number = first
    begin = time.monotonic()
    while not any(line["class"] == "TPV" and "_old" not in line for line in client.lines):
        receiver.write(nmea_sender.epoch(number, period=PERIOD))
        number += 1
        deadline = begin + (number - first) * PERIOD
        until(lambda: client.receive() or time.monotonic() >= deadline, "the period")
        assert number - first < TIMEOUT / PERIOD, "no fix of valid epochs"
    return number


def forget(client):
    """Marks all lines as old."""
    for line in client.lines:
        line["_old"] = True
    client.waiting.clear()


@pytest.mark.parametrize("speed", ["9600", "auto"])
def test_unplug_and_return(folder, speed):
    with (
        Receiver(folder / "gps0") as receiver,
        Daemon(folder, f"serial:{receiver.link}?speed={speed}") as daemon,
        daemon.connect() as client,
    ):
        client.watch(distanceFilter=0)
        number = 0
        for _ in range(3):
            number = play_until_tracking(receiver, client, number)
            forget(client)

            clock = Stopwatch(daemon.pid)
            unplugged = time.monotonic()
            receiver.unplug()
            lost = client.wait("STATE", lambda state: state["state"] == "lost")
            assert clock.at(lost["_at"]) <= 3.5
            forget(client)

            clock = Stopwatch(daemon.pid)
            receiver.plug()
            until(lambda: receiver_is_open(daemon, receiver), "reopening")
            assert clock.now() <= 1.0 + 0.5
            clock = Stopwatch(daemon.pid)
            valid = time.monotonic()
            number += round((valid - unplugged) / PERIOD)
            number = play_until_tracking(receiver, client, number)
            fix = next(line for line in client.lines if line["class"] == "TPV" and "_old" not in line)
            assert clock.at(fix["_at"]) <= 1.0
            assert fix["reason"] == "regained"
            client.wait("STATE", tracking)
            forget(client)
        daemon.stop()


def receiver_is_open(daemon, receiver):
    """Whether the daemon holds the device that the link leads to now."""
    device = receiver.link.resolve()
    for entry in os.scandir(f"/proc/{daemon.pid}/fd"):
        try:
            if os.readlink(entry.path) == str(device):
                return True
        except FileNotFoundError:
            pass
    return False


def test_silence_is_announced(folder):
    """The receiver stays plugged in and goes silent."""
    with (
        Receiver(folder / "gps0") as receiver,
        Daemon(folder, f"serial:{receiver.link}?speed=9600") as daemon,
        daemon.connect() as client,
    ):
        client.watch(distanceFilter=0)
        play_until_tracking(receiver, client, 0)
        clock = Stopwatch(daemon.pid)
        lost = client.wait("STATE", lambda state: state["state"] == "lost")
        assert clock.at(lost["_at"]) <= 3.5
        client.send("?POLL;")
        poll = client.wait("POLL")
        assert all(fix.get("mode", 0) <= 1 for fix in poll["tpv"]), "an old fix is repeated as if it were new"
        daemon.stop()


@pytest.mark.slow
def test_bytes_without_sentences(folder):
    """A receiver that restarts at another speed: bytes continue, sentences do not."""
    with Receiver(folder / "gps0") as receiver, Daemon(folder, f"serial:{receiver.link}?speed=9600") as daemon:
        with daemon.connect() as client:
            client.watch(distanceFilter=0)
            receiver.play(nmea_sender.ride(20, period=0.1), meanwhile=client.receive)
            # Of fixes that come late, the newest is published.
            newest = client.wait("TPV", lambda fix: fix["time"] == "2026-03-19T12:00:01.900Z")["seq"]
            end = time.monotonic() + TIMEOUT
            while not (found := [line for line in client.lines if line["class"] == "STATE" and line.get("error") == "noNMEA"]):
                assert time.monotonic() < end, "it is not reported"
                receiver.write(b"\xe0\x1c\xfe\x81" * 20)
                client.receive()
                select.select([client], [], [], 0.05)
            state = found[0]
            assert "at 9600 baud" in state["message"] and "speed" in state["remedy"]
            again = [(0.1 * number, nmea_sender.epoch(300 + number, period=0.1)) for number in range(10)]
            receiver.play(again, meanwhile=client.receive)
            assert client.wait("TPV", lambda fix: fix["seq"] == newest + 1)["reason"] == "regained"
            daemon.stop()


def test_switched_off(folder):
    with Daemon(folder, "serial:/dev/gps0?enabled=false") as daemon:
        with daemon.connect() as client:
            client.watch()
            state = client.wait("STATE")
            assert (state["state"], state["error"]) == ("failed", "disabled")
            assert "enabled=false" in state["message"] and "reload" in state["remedy"]
        # At once: its time-out is longer than that of the test.
        code, out, err = control(daemon.socket, "locate", "--timeout", "120")
        assert (code, out) == (6, "") and len(err.splitlines()) == 1 and "enabled=false" in err
        daemon.stop()


def test_nothing_plugged_in(folder):
    """The daemon starts without a receiver, reports why, and uses it once it is plugged in."""
    link = folder / "gps0"
    with Daemon(folder, f"serial:{link}?speed=9600") as daemon, daemon.connect() as client:
        client.watch(distanceFilter=0)
        failed = client.wait("STATE", lambda state: state["state"] == "failed")
        assert failed["error"] == "notFound"
        assert failed["remedy"]
        with Receiver(link) as receiver:
            play_until_tracking(receiver, client, 0)
        daemon.stop()
