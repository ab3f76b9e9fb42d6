"""Logs of real receivers, played into Debian's gpsd with the daemon as its client.

Exactly one TPV for each epoch that gpsd reports with a fix, in order; positions as decoded by pynmea2.
"""

import datetime
import itertools

import pytest

import epoch_oracle
from gpsd_harness import Gpsd, needs_gpsd
from handlebar_harness import Daemon, Receiver
from test_device_logs import bursts, every_log

pytestmark = [needs_gpsd, pytest.mark.logs]
SPEED = 10
# Their first fix has no time, so the speed to the next one follows from the machine's clock, which must not deviate far
# from the log's.
SLOWER = {"beidou-bd": 3, "motorola-t805": 3}
DEGREES = 1e-7
# gpsd prefers the receiver's binary protocol, which the oracle does not decode.
UBX = b"\xb5\x62"


def in_order(reports):
    """The times of reports with a fix, each once, without those that go back for less than three epochs. Of the reports
    without a time, which gpsd sends several of, the first."""
    times = [report.get("time") for report in reports]
    times = [time for number, time in enumerate(times) if time or number == times.index(None)]
    return [time for time, _ in itertools.groupby(epoch_oracle.believed(times, lambda time: time))]


def second_of_day(text):
    time = datetime.datetime.fromisoformat(text.removesuffix("Z"))
    return (time - time.replace(hour=0, minute=0, second=0, microsecond=0)).total_seconds()


@every_log
def test_one_fix_per_epoch(path, folder):
    log = b"".join(line for line in path.read_bytes().splitlines(keepends=True) if not line.startswith(b"#"))
    found = epoch_oracle.epochs(log)
    with (
        Receiver(folder / "gps0") as receiver,
        Gpsd(receiver.link) as gpsd,
        Daemon(folder, gpsd.uri) as daemon,
        daemon.connect() as client,
        gpsd.watch() as witness,
    ):
        client.watch(distanceFilter=0)
        client.wait("STATE", lambda state: state["state"] == "acquiring")

        def listen():
            client.receive()
            witness.receive()

        def settle():
            # An answer follows the reports of everything read before, from gpsd and from the daemon.
            witness.settle()
            client.settle()

        receiver.play(bursts(log, found), SLOWER.get(path.stem, SPEED), meanwhile=listen, after=settle)
        client.until_quiet(1.5)
        settle()
        client.send("?STATUS;")
        if client.wait("STATUS")["counts"]["suspects"]:
            # An unconfirmed jump is published after 5 s.
            client.until_quiet(6)
        daemon.stop()

    ours = [line for line in client.lines if line["class"] == "TPV"]
    theirs = [line for line in witness.lines if line["class"] == "TPV" and line["mode"] >= 2 and "lat" in line]
    assert in_order(ours) == in_order(theirs)
    timed = [fix for fix in ours if "time" in fix]
    assert [fix["time"] for fix in timed] == in_order(timed), "an epoch comes twice, or time goes back"
    assert [fix["seq"] for fix in ours] == list(range(1, len(ours) + 1))
    for fix in ours:
        reported = [(one["lat"], one["lon"]) for one in theirs if one.get("time") == fix.get("time")]
        assert (fix["lat"], fix["lon"]) in reported, "a position that gpsd did not report"
        if UBX in log:
            continue
        key = second_of_day(fix["time"]) if "time" in fix else None
        epochs = [epoch for epoch in found if key is None or abs(epoch.key - key) <= 0.011]
        assert any(
            abs(fix["lat"] - latitude) <= DEGREES and abs(fix["lon"] - longitude) <= DEGREES
            for epoch in epochs
            for latitude, longitude in epoch.positions
        ), f"{fix} is in no epoch of the log"
