"""A receiver that sends UBX only: on every source without an option, what it states about interference, and messages that are
wrong."""

import json
import time

import pytest

from handlebar_harness import Daemon, Receiver, control, on_track, received, until
from simulated_receivers import ubx
from test_sources import FEEDS, counted

NAV_PVT = b"\xb5\x62\x01\x07"
STATES = {"unknown": 0, "ok": 1, "warning": 2, "critical": 3}


def jamming(state):
    """MON-RF of two bands, the second one in a state."""
    return ubx(0x0A, 0x38, bytes([0, 2, 0, 0]) + bytes([0, 1]) + bytes(22) + bytes([1, STATES[state]]) + bytes(22))


@pytest.fixture
def ride(ubx_ride):
    return ubx_ride


@pytest.fixture
def parts(ubx_ride):
    """The bytes of each epoch of the ride."""
    _, *parts = received(ubx_ride.read_bytes()).split(NAV_PVT)
    return [NAV_PVT + part for part in parts]


def bursts(parts):
    return [(number * 0.1, data) for number, data in enumerate(parts)]


@pytest.mark.parametrize("kind", ["serial", "tcp", "udp"])
def test_every_source_takes_ubx_without_an_option(folder, parts, track, kind):
    feed = FEEDS[kind](folder)
    try:
        with Daemon(folder, feed.uri) as daemon, daemon.connect() as client:
            client.watch(distanceFilter=0)
            for part in parts[:20]:
                begin = time.monotonic()
                if kind == "udp":
                    # A datagram each epoch.
                    feed.socket.sendto(part, ("127.0.0.1", feed.port))
                else:
                    feed.send(part)
                until(lambda: client.receive() or time.monotonic() > begin + 0.1, "the next epoch")
            # The last one closes by silence. Of fixes that come 1.5 s late or more, the newest is published.
            fixes = lambda: [line for line in client.lines if line["class"] == "TPV"]
            until(lambda: client.receive() or len(fixes()) + counted(daemon, "lateFixes") >= 19, "the fixes", pause=0.1)
            assert len(fixes()) == len({fix["time"] for fix in fixes()})
            assert all(on_track(track, fix["lat"], fix["lon"]) and "eps" in fix for fix in fixes())
            daemon.stop()
    finally:
        feed.close()


def test_interference_is_reported_logged_and_recorded(folder, parts):
    rides = folder / "rides"
    with (
        Receiver(folder / "gps0") as receiver,
        Daemon(folder, f"serial:{receiver.link}?speed=38400", options=("--record", rides)) as daemon,
        daemon.connect() as client,
    ):
        client.watch(distanceFilter=0)
        receiver.play(bursts(parts[:10]), after=client.receive)
        client.wait("STATE", lambda state: state.get("mode") == 3 and "jamming" not in state)
        receiver.play(bursts([jamming("critical") + part for part in parts[10:15]]), after=client.receive)
        # After a pause it may be lost for a moment.
        state = client.wait("STATE", lambda state: "jamming" in state and state["state"] == "tracking")
        assert (state["jamming"], state["jammingSource"]) == ("critical", "MON-RF")
        client.send("?STATUS;")
        source = client.wait("STATUS")["sources"][0]
        assert (source["jamming"], source["jammingSource"]) == ("critical", "MON-RF")
        code, text, _ = control(daemon.socket, "status")
        assert code == 0 and "jamming critical (MON-RF)" in text
        _, text, _ = control(daemon.socket, "doctor", timeout=60)
        assert "states jamming: critical (MON-RF)" in " ".join(text.split())
        receiver.play(bursts([jamming("ok") + part for part in parts[15:20]]), after=client.receive)
        client.wait("STATE", lambda state: state.get("jamming") == "ok")

        def fixes():
            client.send("?STATUS;")
            return client.wait("STATUS")["counts"]["fixes"]

        # The last one closes by silence. Of fixes that arrive together the newest is sent.
        until(lambda: fixes() >= 19, "the fixes", pause=0.1)
        times = [line["time"] for line in client.lines if line["class"] == "TPV"]
        assert fixes() <= 20 and len(times) == len(set(times)), "an epoch was doubled"
        assert daemon.log.count("interference changed") == 2
        daemon.stop()
    (file,) = rides.glob("*.nmea")
    events = [json.loads(line[4:]) for line in file.read_bytes().splitlines() if line.startswith(b"# e ")]
    assert [event["jamming"] for event in events if event.get("source") == "interference"] == ["critical", "ok"]
    with Daemon(folder, f"recording:{file}?speed=max") as daemon, daemon.connect() as client:
        client.watch(distanceFilter=0)
        client.wait("STATE", lambda state: state.get("jamming") == "critical")
        assert "unknown event" not in daemon.log
        daemon.stop()


def test_wrong_messages_are_counted_and_logged_once(folder, parts):
    wrong = [ubx(1, 0x07, bytes(83)), ubx(1, 0x35, bytes([0, 0, 0, 0, 1, 255, 0, 0])), ubx(1, 0x04, b"\xff" * 18)]
    unknown = [ubx(5, 1, b"\x06\x01"), ubx(5, 0, b"\x06\x8a"), ubx(0x0A, 0x04, b"x" * 40)]
    sent = [b"".join(wrong + unknown) + part for part in parts[:10]]
    with (
        Receiver(folder / "gps0") as receiver,
        Daemon(folder, f"serial:{receiver.link}?speed=38400") as daemon,
        daemon.connect() as client,
    ):
        client.watch(distanceFilter=0)
        receiver.play(bursts(sent), after=client.receive)
        total = b"".join(sent).count(b"\xb5\x62")

        def times():
            return [line["time"] for line in client.lines if line["class"] == "TPV"]

        def status():
            client.send("?STATUS;")
            counts = client.wait("STATUS")["counts"]
            # Of fixes that come 1.5 s late or more, the newest is published.
            return counts["ubxMessages"] == total and len(times()) + counts["lateFixes"] >= 9 and counts

        counts = until(status, "the last message", pause=0.1)
        assert counts["malformedMessages"] == 30 and counts["unknownMessages"] == 30 and counts["noise"] == 0
        assert len(times()) == len(set(times()))
        assert daemon.log.count("malformed UBX message") == 1 and "NAV-PVT" in daemon.log
        daemon.stop()


def test_recordings_that_step_back_are_played_on_in_time(folder):
    """The second ride was measured an hour before the first: its times follow those of the first."""
    paths = [folder / "later.nmea", folder / "earlier.nmea"]
    for path, hour in zip(paths, ("10", "09")):
        ride = ["--ride", "tour", "--length", "100", "--receiver", "ublox-ubx-5hz", "--start", f"2026-05-14T{hour}:00:00Z"]
        assert control("/nonexistent", "simulate", *ride, "-o", path)[0] == 0
    alone = len(control("/nonexistent", "decode", paths[0])[1].splitlines())
    _, out, _ = control(folder / "location.sock", "replay", "--speed", "max", *paths)
    times = [line["time"] for line in map(json.loads, out.splitlines()) if line["class"] == "TPV" and line["mode"] > 1]
    assert len(set(times)) == 2 * alone and times == sorted(times)
    assert times[0].startswith("2026-05-14T10:00:00")
