"""A recording survives the end of the daemon: written data is read back, a truncated tail is reported."""

import json
import random
import time

import pytest

import epoch_oracle
import nmea_sender
from handlebar_harness import LONG, Daemon, Receiver, Stopwatch, control, received, until

PERIOD = 0.1
# Seconds by the receiver's time to one here: a pause of this machine makes no fix late, of which not all are published.
SPEED = 50


def recorded_bytes(folder):
    """The receiver's bytes in the files of a ride."""
    return received(b"".join(path.read_bytes() for path in files(folder)))


def files(folder):
    """The recordings, without the files of their figures."""
    return sorted(folder.rglob("*.nmea"))


def decoded(path):
    """The result of `handlebarctl decode`: (exit code, TPV objects, stderr)."""
    code, out, err = control("/nonexistent", "decode", path)
    return code, [json.loads(line) for line in out.splitlines()], err


@pytest.mark.parametrize("seed", range(12 if LONG else 4))
def test_killed_while_recording(folder, seed):
    chance = random.Random(seed)
    rides = folder / "rides"
    rides.mkdir()
    sent = []
    with (
        Receiver(folder / "gps0") as receiver,
        Daemon(folder, f"serial:{receiver.link}?speed=115200", options=["--record", rides]) as daemon,
        daemon.connect() as client,
    ):
        client.watch(distanceFilter=0)
        begin = time.monotonic()
        clock = Stopwatch(daemon.pid)
        life = chance.uniform(1, 8)
        number = 0
        while time.monotonic() - begin < life:
            burst = nmea_sender.epoch(number, period=PERIOD)
            receiver.write(burst)
            receiver.wait_read()
            sent.append((clock.now(), burst))
            number += 1
            until(lambda: client.receive() or time.monotonic() >= begin + number * PERIOD, "the period")
        receiver.write(nmea_sender.epoch(number, period=PERIOD)[: chance.randrange(1, 150)])
        killed = clock.now()
        daemon.process.kill()
        daemon.wait_end()

    everything = b"".join(burst for _, burst in sent) + nmea_sender.epoch(number, period=PERIOD)
    read_back = recorded_bytes(rides)
    assert everything.startswith(read_back), "what is read back is not what the receiver sent"
    # A dead process takes nothing with it that it has handed to the kernel; 0.5 s covers what it held.
    certain = b"".join(burst for at, burst in sent if at < killed - 0.5)
    assert len(read_back) >= len(certain), f"{len(certain) - len(read_back)} bytes are missing"

    (path,) = files(rides)
    code, fixes, _ = decoded(path)
    assert code == 0
    assert len(fixes) == len([one for one in epoch_oracle.epochs(read_back) if one.has_fix])


def test_a_truncated_tail_is_reported(folder):
    """Wherever a power cut ends the file, every whole epoch before is read, and the damage is reported."""
    rides = folder / "rides"
    rides.mkdir()
    count = 20
    with (
        Receiver(folder / "gps0") as receiver,
        Daemon(folder, f"serial:{receiver.link}?speed=115200", options=["--record", rides]) as daemon,
        daemon.connect() as client,
    ):
        client.watch(distanceFilter=0)
        receiver.play(nmea_sender.ride(count, period=PERIOD * SPEED), SPEED, after=client.settle)
        client.wait("TPV", lambda fix: fix["seq"] == count)
        daemon.stop()
    (path,) = files(rides)
    whole = path.read_bytes()
    code, fixes, err = decoded(path)
    assert code == 0 and len(fixes) == count
    assert "damaged" not in err

    torn = folder / "torn.nmea"
    last_sentence = whole.rindex(b"$GNGSA")
    for end in random.Random(1).sample(range(last_sentence + 1, len(whole) - 3), 6):
        torn.write_bytes(whole[:end])
        code, fixes, err = decoded(torn)
        assert code == 0 and len(fixes) == count, end
        assert "damaged" in err, err

    torn.write_bytes(whole + b"\x00" * 4096)
    code, fixes, err = decoded(torn)
    assert code == 0 and len(fixes) == count
    assert "damaged" in err, err


def test_replay_publishes_what_was_published_live(folder):
    """The recording, replayed at full speed, publishes the same fixes as the live receiver."""
    rides = folder / "rides"
    rides.mkdir()
    count = 30

    def content(line):
        return line["time"], line["lat"], line["lon"], line["mode"], line.get("speed")

    with (
        Receiver(folder / "gps0") as receiver,
        Daemon(folder, f"serial:{receiver.link}?speed=115200", options=["--record", rides]) as daemon,
        daemon.connect() as client,
    ):
        client.watch(distanceFilter=0)
        receiver.play(nmea_sender.ride(count, period=PERIOD * SPEED), SPEED, after=client.settle)
        client.wait("TPV", lambda fix: fix["seq"] == count)
        daemon.stop()
        live = [content(line) for line in client.lines if line["class"] == "TPV"]
    (path,) = files(rides)
    with Daemon(folder, f"recording:{path}?speed=max") as daemon, daemon.connect() as client:
        client.watch(distanceFilter=0)
        client.wait("TPV", lambda fix: fix["seq"] == count)
        replayed = [content(line) for line in client.lines if line["class"] == "TPV"]
        daemon.stop()
    assert replayed == live
