"""UBX logs of real receivers: each valid epoch once, with the values that pyubx2 decodes, beside gpsd's output for the same
bytes."""

import collections
import datetime
import json
import statistics
import subprocess

import pytest

import epoch_oracle
from gpsd_harness import needs
from handlebar_harness import BIN, TIMEOUT, named

UBX_LOGS = named("LOGS", "ubx/*.log")

pytestmark = pytest.mark.logs
every_log = pytest.mark.parametrize("path", UBX_LOGS, ids=lambda path: path.stem)

DIMENSIONS = {1: 2, 2: 2, 3: 3, 4: 3, 5: 3}


def fixes(*command, log=None):
    """The TPV with a fix in the output of a program."""
    output = subprocess.run(command, stdin=log, capture_output=True, check=True, timeout=3 * TIMEOUT).stdout
    reports = [json.loads(line) for line in output.splitlines() if line.startswith(b'{"class":"TPV"')]
    return [report for report in reports if report["mode"] > 1 and "lat" in report]


def utc(pvt):
    """Its time as a TPV states it."""
    time = datetime.datetime(pvt.year, pvt.month, pvt.day, pvt.hour, pvt.min, pvt.second)
    time += datetime.timedelta(milliseconds=round(pvt.nano / 1e6))
    return time.isoformat(timespec="milliseconds") + "Z"


@every_log
def test_each_epoch_once(path):
    log = path.read_bytes()
    ours = fixes(BIN / "handlebarctl", "decode", path)
    assert len({fix["time"] for fix in ours}) == len(ours), "an epoch was published twice"
    expected = list(epoch_oracle.ubx_solutions(log))
    if not expected:
        # Sentences only.
        epochs = [epoch for epoch in epoch_oracle.epochs(log) if epoch.has_fix]
        assert len(ours) == len(epochs) > 0
        for fix, epoch in zip(ours, epochs):
            assert any((fix["lat"], fix["lon"]) == pytest.approx(place, abs=1e-8) for place in epoch.positions)
        return
    by_position = [fix for fix in ours if "eps" in fix]  # sentences state no error of the speed
    assert len(by_position) == len(expected)
    for fix, pvt in zip(by_position, expected):
        assert fix["lat"] == pytest.approx(pvt.lat, abs=1e-9)
        assert fix["lon"] == pytest.approx(pvt.lon, abs=1e-9)
        assert fix["mode"] == DIMENSIONS[pvt.fixType]
        assert fix["speed"] == pytest.approx(pvt.gSpeed / 1000, abs=1e-3)
        assert fix["eph"] == pytest.approx(pvt.hAcc / 1000 * 1.730818, abs=1e-3)
        if fix["mode"] == 3:
            assert fix["epv"] == pytest.approx(pvt.vAcc / 1000 * 1.959964, abs=1e-3)
        else:
            assert "epv" not in fix, "there is no altitude"
        assert fix["eps"] == pytest.approx(pvt.sAcc / 1000 * 1.959964, abs=1e-3)
        if fix["mode"] == 3:
            assert fix["altMSL"] == pytest.approx(pvt.hMSL / 1000, abs=1e-4)
            assert fix["altHAE"] == pytest.approx(pvt.height / 1000, abs=1e-4)
        if "track" in fix:
            assert fix["track"] == pytest.approx(pvt.headMot, abs=1e-4)


@needs("gpsdecode")
@every_log
def test_beside_gpsd(path):
    """What gpsd reports with a fix is published, at the same place, once instead of several times; but not what the receiver
    does not mark OK."""
    ours = {fix["time"]: fix for fix in fixes(BIN / "handlebarctl", "decode", path)}
    with open(path, "rb") as log:
        theirs = [fix for fix in fixes("gpsdecode", "-j", log=log) if "time" in fix]
    times = collections.Counter(fix["time"] for fix in theirs)
    common = [(fix, ours[fix["time"]]) for fix in theirs if fix["time"] in ours]
    print(f"{path.stem}: {len(ours)} epochs, each once; gpsd {len(times)}, {sum(count > 1 for count in times.values())} of them several times")
    for name, of_deviation in (("eph", "1/1.7308 = 0.578"), ("epv", "1/1.96 = 0.510")):
        ratios = [one[name] / other[name] for one, other in common if name in one and other.get(name)]
        print(f"  {name}: gpsd's is {statistics.median(ratios):.3f} times ours in the median; a standard deviation is {of_deviation}")
    refused = {utc(pvt) for _, pvt in epoch_oracle.ubx_messages(path.read_bytes()) if pvt.identity == "NAV-PVT" and not pvt.gnssFixOk}
    assert set(times) - set(ours) <= refused, "a fix that only gpsd reports"
    assert common, "no time in common"
    for one, other in common:
        # Where sentences and UBX state the same epoch, gpsd reports both, with their digits.
        assert (one["lat"], one["lon"]) == pytest.approx((other["lat"], other["lon"]), abs=2e-7)


@every_log
def test_errors_beside_those_of_sentences(path, tmp_path):
    """The errors of UBX, of GST and of the dilution of precision in the same epochs; `hAcc` is the root of the sum of the
    squares of both deviations in GST."""
    log = path.read_bytes()
    sentences = [match[0] + b"\r\n" for match in epoch_oracle.SENTENCE.finditer(log)]
    ways = {"UBX": log, "GST": b"".join(sentences), "DOP": b"".join(line for line in sentences if line[3:6] != b"GST")}
    found = {}
    for way, data in ways.items():
        (tmp_path / way).write_bytes(data)
        found[way] = {fix["time"]: fix for fix in fixes(BIN / "handlebarctl", "decode", tmp_path / way)} if data else {}
    stated = {}
    for _, *values in (line.split(b"*")[0].split(b",") for line in sentences if line[3:6] == b"GST"):
        stated[values[0].decode()] = (float(values[5]), float(values[6]))
    common = [time for time in found["UBX"] if time in found["GST"] and time[11:22].replace(":", "") in stated]
    if not common or not list(epoch_oracle.ubx_solutions(log)):
        pytest.skip("the log holds no GST beside UBX")
    for name in ("eph", "epv"):
        medians = {way: statistics.median(found[way][time][name] for time in common) for way in ways}
        print(f"{path.stem}: {name} " + ", ".join(f"{way} {value:.3f} m" for way, value in medians.items()))
    for time in common:
        latitude, longitude = stated[time[11:22].replace(":", "")]
        assert found["UBX"][time]["eph"] / 1.730818 == pytest.approx((latitude**2 + longitude**2) ** 0.5, abs=0.002)
