"""UBX logs of real receivers: each valid epoch once, with the values that pyubx2 decodes."""

import json
import subprocess

import pytest
from pyubx2 import UBXReader

from handlebar_harness import BIN, named

UBX_LOGS = named("LOGS", "ubx/*.log")

pytestmark = pytest.mark.logs
every_log = pytest.mark.parametrize("path", UBX_LOGS, ids=lambda path: path.stem)

DIMENSIONS = {1: 2, 2: 2, 3: 3, 4: 3, 5: 3}


def solutions(log):
    """The NAV-PVT of a log that state a fix, by their frames' checksums."""
    at = 0
    while (at := log.find(b"\xb5\x62", at)) >= 0:
        frame = log[at : at + 8 + int.from_bytes(log[at + 4 : at + 6], "little")]
        try:
            message = UBXReader.parse(frame, validate=1)
        except Exception:
            at += 1
            continue
        at += len(frame)
        if message.identity == "NAV-PVT" and message.gnssFixOk and message.fixType and not message.invalidLlh:
            yield message


@every_log
def test_each_epoch_once(path):
    decoded = subprocess.run([BIN / "handlebarctl", "decode", path], capture_output=True, check=True).stdout
    fixes = [tpv for tpv in map(json.loads, decoded.splitlines()) if tpv["mode"] > 1]
    expected = list(solutions(path.read_bytes()))
    if not expected:
        pytest.skip("the log holds no NAV-PVT with a fix")
    by_position = [fix for fix in fixes if "eps" in fix]  # sentences state no error of the speed
    assert len(by_position) == len(expected)
    assert len({fix["time"] for fix in fixes}) == len(fixes), "an epoch was published twice"
    for fix, pvt in zip(by_position, expected):
        assert fix["lat"] == pytest.approx(pvt.lat, abs=1e-9)
        assert fix["lon"] == pytest.approx(pvt.lon, abs=1e-9)
        assert fix["mode"] == DIMENSIONS[pvt.fixType]
        assert fix["speed"] == pytest.approx(pvt.gSpeed / 1000, abs=1e-3)
        assert fix["eph"] == pytest.approx(pvt.hAcc / 1000 * 1.730818, abs=1e-3)
        assert fix["epv"] == pytest.approx(pvt.vAcc / 1000 * 1.959964, abs=1e-3)
        assert fix["eps"] == pytest.approx(pvt.sAcc / 1000 * 1.959964, abs=1e-3)
        if fix["mode"] == 3:
            assert fix["altMSL"] == pytest.approx(pvt.hMSL / 1000, abs=1e-4)
            assert fix["altHAE"] == pytest.approx(pvt.height / 1000, abs=1e-4)
        if "track" in fix:
            assert fix["track"] == pytest.approx(pvt.headMot, abs=1e-4)
