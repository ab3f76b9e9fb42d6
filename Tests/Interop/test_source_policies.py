"""The parameters of a source: sentences without checksum, dates of a receiver with a week rollover.

A log is replayed at full speed on virtual time, and every line is checked.
"""

import re

import pytest

import nmea_sender
from handlebar_harness import Daemon

EPOCHS = 20


def bare(data):
    """The sentences without their checksums."""
    return re.sub(rb"[*][0-9A-F]{2}\r\n", b"\r\n", data)


def published(folder, log, parameters):
    """All fixes of a log, and the counters at its end."""
    path = folder / "ride.nmea"
    path.write_bytes(log)
    with Daemon(folder, f"recording:{path}?speed=max&start=watch{parameters}") as daemon, daemon.connect() as client:
        client.watch(distanceFilter=0)
        client.wait("PLAYBACK", lambda playback: playback["ended"])
        client.send("?STATUS;")
        counts = client.wait("STATUS")["counts"]
        daemon.stop()
    return [line for line in client.lines if line["class"] == "TPV" and line["mode"] > 1], counts


@pytest.mark.parametrize("parameters, fixes", [("", EPOCHS), ("&checksums=require", 0), ("&checksums=prefer", EPOCHS), ("&checksums=accept", EPOCHS)])
def test_sentences_without_checksum(folder, parameters, fixes):
    log = b"".join(bare(nmea_sender.epoch(number)) for number in range(EPOCHS))
    came, counts = published(folder, log, parameters)
    assert len(came) == fixes
    assert counts["noChecksum"] == (0 if fixes else 3 * EPOCHS)


@pytest.mark.parametrize("policy, fixes", [("require", 10), ("prefer", 15), ("accept", 20)])
def test_a_receiver_with_some_checksums(folder, policy, fixes):
    """Five epochs without, ten with, five without again."""
    epochs = [nmea_sender.epoch(number) for number in range(20)]
    log = bare(b"".join(epochs[:5])) + b"".join(epochs[5:15]) + bare(b"".join(epochs[15:]))
    came, _ = published(folder, log, f"&checksums={policy}")
    assert len(came) == fixes


@pytest.mark.parametrize("policy", ["require", "prefer", "accept"])
def test_a_wrong_checksum_is_never_accepted(folder, policy):
    epochs = [nmea_sender.epoch(number) for number in range(20)]
    epochs[7] = re.sub(rb"[*]([0-9A-F]{2})", lambda match: b"*%02X" % (int(match[1], 16) ^ 1), epochs[7])
    came, counts = published(folder, b"".join(epochs), f"&checksums={policy}")
    assert len(came) == 19
    assert counts["badChecksum"] == 3


@pytest.mark.parametrize("parameters, day, counted", [("", "2006-08-03", True), ("&rollover=flag", "2006-08-03", True), ("&rollover=snap", "2026-03-19", False)])
def test_week_rollover(folder, parameters, day, counted):
    """3 August 2006 is 1024 weeks before 19 March 2026."""
    log = b""
    for number in range(EPOCHS):
        for line in nmea_sender.epoch(number).splitlines():
            log += nmea_sender.sentence(line[1:-3].decode().replace("190326", "030806"))
    came, counts = published(folder, log, parameters)
    assert len(came) == EPOCHS
    assert {fix["time"][:10] for fix in came} == {day}
    assert (counts["rolloverSuspects"] > 0) == counted
