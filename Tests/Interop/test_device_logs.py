"""Logs of real receivers, played into a PTY at ten times their speed.

Exactly one TPV for each epoch with a valid fix, in order, and no other; time goes back only where that of the log
does; positions as decoded by pynmea2.
"""

import datetime

import pytest

import epoch_oracle
from handlebar_harness import DEVICE_LOGS, Daemon, Receiver, tracking, until

SPEED = 10
LONGEST_GAP = 2.0  # seconds of the log's time; a log's hole of 20 minutes proves no more than one of 2 s
DEGREES = 1e-7

pytestmark = pytest.mark.logs
every_log = pytest.mark.parametrize("path", DEVICE_LOGS, ids=lambda path: path.stem)


def bursts(log, found):
    """The bytes of the log, an epoch each, at their own time."""
    second, result = 0.0, [(0.0, log[: found[0].start])] if found else [(0.0, log)]
    for index, epoch in enumerate(found):
        end = found[index + 1].start if index + 1 < len(found) else len(log)
        if index:
            gap = epoch.key - found[index - 1].key
            second += gap if 0 < gap < LONGEST_GAP else LONGEST_GAP
        result.append((second, log[epoch.start : end]))
    return result


def newest_state(client):
    return next(line["state"] for line in reversed(client.lines) if line["class"] == "STATE")


# Logs with UBX beside NMEA: the epochs at the end that have no sentences, which the oracle does not read.
UBX_ALONE = {"ublox8-uniqid-monhw": 2}
# UBX has its own rounding beside the sentences' 1e-5 minutes.
UBX_DEGREES = 2e-7


def fits(fix, epoch, degrees=DEGREES):
    """Whether a TPV is the fix of an epoch: the position of one of its sentences, the time to the millisecond."""
    if "time" in fix:
        time = datetime.datetime.fromisoformat(fix["time"].removesuffix("Z"))
        if epoch.measured is None or abs((time - epoch.measured).total_seconds()) > 0.011:
            return False
    elif epoch.measured is not None:
        return False
    return any(abs(fix["lat"] - lat) <= degrees and abs(fix["lon"] - lon) <= degrees for lat, lon in epoch.positions)


@every_log
def test_one_fix_per_epoch(path, folder):
    log = path.read_bytes()
    log = b"".join(line for line in log.splitlines(keepends=True) if not line.startswith(b"#"))
    found = epoch_oracle.epochs(log)
    expected = list(epoch_oracle.published(found))

    with (
        Receiver(folder / "gps0") as receiver,
        Daemon(folder, f"serial:{receiver.link}?speed=9600") as daemon,
        daemon.connect() as client,
    ):
        client.watch(distanceFilter=0)
        client.wait("STATE", lambda state: state["state"] == "acquiring")
        receiver.play(bursts(log, found), SPEED, meanwhile=client.receive, after=client.settle)
        # After a fix, silence leads to `lost`, and nothing follows.
        if expected:
            until(lambda: client.receive() or newest_state(client) == "lost", "the loss")
        client.until_quiet(1.5)
        client.send("?STATUS;")
        if client.wait("STATUS")["counts"]["suspects"]:
            # A jump that nothing confirms is decided after 5 s. A hole in the log, which is shortened here, is one.
            client.until_quiet(6)
        daemon.stop()
    fixes = [line for line in client.lines if line["class"] == "TPV"]

    times = [fix["time"] for fix in fixes if "time" in fix]
    back = [number for number, (one, other) in enumerate(zip(times, times[1:])) if other < one]
    # humminbird-M37 was cut and pasted by its sender.
    assert len(back) == (path.stem == "humminbird-M37"), "time went back"
    assert [fix["seq"] for fix in fixes] == list(range(1, len(fixes) + 1)), "a fix was lost on the way"
    for number, (fix, epoch) in enumerate(zip(fixes, expected)):
        assert fits(fix, epoch, UBX_DEGREES if path.stem in UBX_ALONE else DEGREES), f"TPV {number} is {fix}, the epoch is {epoch}"
    assert len(fixes) == len(expected) + UBX_ALONE.get(path.stem, 0), f"{len(fixes)} TPV for {len(expected)} epochs with a fix"
    if expected:
        assert any(tracking(line) for line in client.lines if line["class"] == "STATE")
        assert newest_state(client) == "lost"


@every_log
def test_the_oracle_finds_epochs(path):
    """The oracle finds epochs in each log."""
    log = b"".join(line for line in path.read_bytes().splitlines(keepends=True) if not line.startswith(b"#"))
    assert len(epoch_oracle.epochs(log)) >= 2
