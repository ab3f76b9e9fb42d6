"""Debian's gpsd on a PTY that plays each real receiver's log, and the daemon behind it.

Exactly one TPV for each epoch that gpsd reports with a fix, none missing, in order; positions as pynmea2 has them.
"""

import datetime

import pytest

import epoch_oracle
from gpsd_harness import Gpsd, needs_gpsd
from handlebar_harness import Daemon, Receiver
from test_device_logs import LOGS, SHARED, bursts

pytestmark = [needs_gpsd, pytest.mark.skipif(not LOGS, reason=f"no logs of real receivers in {SHARED / 'logs'}")]
SPEED = 10
# Their first fix has no time: how fast the next one lies away is told by the clock on the wall, which must not run too far
# from theirs.
SLOWER = {"beidou-bd": 3, "motorola-t805": 3}
DEGREES = 1e-7
# gpsd prefers what a receiver says in its binary protocol, which the oracle does not decode.
UBX = b"\xb5\x62"


def in_order(reports):
    """The times of gpsd's reports with a fix, each once, less those that go back."""
    times = []
    for time in (report.get("time") for report in reports):
        if time not in times and not (time and times and times[-1] and time < times[-1]):
            times.append(time)
    return times


def second_of_day(text):
    time = datetime.datetime.fromisoformat(text.removesuffix("Z"))
    return (time - time.replace(hour=0, minute=0, second=0, microsecond=0)).total_seconds()


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.stem)
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
            # What gpsd has read it has told when it answers, and so the daemon.
            witness.settle()
            client.settle()

        receiver.play(bursts(log, found), SLOWER.get(path.stem, SPEED), meanwhile=listen, after=settle)
        client.until_quiet(1.5)
        settle()
        client.send("?STATUS;")
        if client.wait("STATUS")["counts"]["suspects"]:
            # A jump that nothing confirms comes after 5 s.
            client.until_quiet(6)
        daemon.stop()

    ours = [line for line in client.lines if line["class"] == "TPV"]
    theirs = [line for line in witness.lines if line["class"] == "TPV" and line["mode"] >= 2 and "lat" in line]
    assert in_order(ours) == in_order(theirs)
    times = [fix["time"] for fix in ours if "time" in fix]
    assert sorted(set(times)) == times, "an epoch comes twice, or time goes back"
    assert [fix["seq"] for fix in ours] == list(range(1, len(ours) + 1))
    for fix in ours:
        told = [(one["lat"], one["lon"]) for one in theirs if one.get("time") == fix.get("time")]
        assert (fix["lat"], fix["lon"]) in told, "a position that gpsd never told"
        if UBX in log:
            continue
        key = second_of_day(fix["time"]) if "time" in fix else None
        epochs = [epoch for epoch in found if key is None or abs(epoch.key - key) <= 0.011]
        assert any(
            abs(fix["lat"] - latitude) <= DEGREES and abs(fix["lon"] - longitude) <= DEGREES
            for epoch in epochs
            for latitude, longitude in epoch.positions
        ), f"{fix} is in no epoch of the log"
