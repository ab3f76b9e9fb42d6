"""A recording has one meaning: `decode`, `export`, `rides` and the daemon's replay give the same fixes."""

import csv
import io
import json
import re
from datetime import datetime

import pytest

import nmea_sender
import replay_files
from handlebar_harness import BUNDLED, control
from test_forward import name, recording


def bare(data):
    """The sentences without their checksums."""
    return re.sub(rb"[*][0-9A-F]{2}\r\n", b"\r\n", data)


def stated(data, policy):
    """A recording whose header states a policy for checksums."""
    return data.replace(b"# boot=", b"# checksums=%s\n# boot=" % policy, 1)


def with_loss(data):
    """A recording in which the receiver is unplugged in the middle, and returns."""
    stamps = [match.start() for match in re.finditer(rb"# t=", data)]
    at = stamps[len(stamps) // 2]
    stamp = data[at : data.index(b"\n", at) + 1]
    return data[:at] + stamp + b'# e {"source":"lost"}\n' + stamp + b'# e {"source":"found"}\n' + data[at:]


RIDE = recording(range(60))
ODD = {
    "no checksums, accepted by the header": stated(bare(RIDE), b"accept"),
    "no checksums, preferred by the header": stated(bare(RIDE), b"prefer"),
    "no checksums, refused by the header": stated(bare(RIDE), b"require"),
    "no checksums, not in the header": bare(RIDE),
    "plain NMEA": b"".join(nmea_sender.epoch(number) for number in range(60)),
    "a power cut": RIDE[:2000] + bytes(700),
    "a loss": with_loss(RIDE),
    "two boots": RIDE + recording(range(120, 150)).replace(b"1f0c9a7e", b"2f0c9a7e"),
    "GPX": replay_files.gpx(60),
    "TCX": replay_files.tcx(60),
    "FIT": replay_files.fit(60),
    "a truncated FIT": replay_files.fit(60)[:-300],
    "nothing": b"# handlebar-recording 1\n",
}
RIDES = {path.stem: path.read_bytes() for path in BUNDLED}
CASES = [pytest.param(data, id=case) for case, data in (RIDES | ODD).items()]


def fixes(text):
    """Time and place of each TPV with a fix."""
    found = [line for line in map(json.loads, text.splitlines()) if line["class"] == "TPV" and line["mode"] > 1]
    return [(datetime.fromisoformat(line["time"]), line["lat"], line["lon"]) for line in found]


def exported(text):
    rows = csv.DictReader(io.StringIO(text))
    return [(datetime.fromisoformat(row["time_utc"]), float(row["lat_deg"]), float(row["lon_deg"])) for row in rows]


@pytest.mark.parametrize("data", CASES)
def test_every_user_of_a_recording_has_the_same_fixes(folder, data):
    (folder / "rides").mkdir()
    path = folder / "rides" / f"{name(0)}.nmea"
    path.write_bytes(data)
    decoded = fixes(control("/nonexistent", "decode", path)[1])
    code, table, _ = control("/nonexistent", "export", path, "--csv")
    assert exported(table) == decoded if decoded else code == 65
    code, rides, errors = control("/nonexistent", "rides", "--dir", folder / "rides", "--json")
    assert code == 0, errors
    assert json.loads(rides)["fixes"] == len(decoded)
    assert fixes(control(folder / "location.sock", "replay", "--speed", "max", path)[1]) == decoded
