"""Recordings are plain NMEA to other programs: gpsbabel, gpsfake with a real gpsd, pynmea2, pynmeagps.

Each of them finds every fix of the bundled rides and of a new recording, and no other.
"""

import json
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree

import pynmea2
import pynmeagps
import pytest

import nmea_sender
import replay_files
from gpsd_harness import free_port, needs
from handlebar_harness import ROOT, Daemon, Receiver, control

RIDES = sorted(path.stem for path in (ROOT / "recordings").glob("*.nmea"))
FRESH = 20
PERIOD = 0.1


def fresh(folder):
    """A recording made by the daemon."""
    rides = folder / "rides"
    rides.mkdir()
    with (
        Receiver(folder / "gps0") as receiver,
        Daemon(folder, f"serial:{receiver.link}?speed=115200", options=["--record", rides]) as daemon,
        daemon.connect() as client,
    ):
        client.watch(distanceFilter=0)
        receiver.play(nmea_sender.ride(FRESH, period=PERIOD), meanwhile=client.receive)
        client.wait("TPV", lambda fix: fix["seq"] == FRESH)
        daemon.stop()
    (path,) = rides.iterdir()
    assert "\n# speed=115200\n" in path.read_text(encoding="ascii")
    return path


def test_reports_of_a_gpsd_are_decoded_as_they_are_replayed(folder):
    log = folder / "gpsd.nmea"
    log.write_bytes(replay_files.gpsd(20))
    code, out, err = control("/nonexistent", "decode", log)
    fixes = [json.loads(line) for line in out.splitlines()]
    assert code == 0 and len(fixes) == 20 and all(fix["mode"] == 3 for fix in fixes)
    assert "20 epochs: 20 fixes" in err and "63 gpsd reports, 0 malformed" in err
    with Daemon(folder, f"recording:{log}?speed=max&start=watch") as daemon, daemon.connect() as client:
        client.watch(distanceFilter=0)
        client.wait("PLAYBACK", lambda line: line["ended"])
        replayed = [(line["time"], line["lat"], line["lon"]) for line in client.lines if line["class"] == "TPV"]
    assert replayed == [(fix["time"], fix["lat"], fix["lon"]) for fix in fixes]


def test_dropped_epochs_are_reported_with_their_reason(folder):
    log = folder / "receiver.log"
    log.write_bytes(
        nmea_sender.sentence("GPGGA,120000.00,4860.0000,N,01131.0000,E,1,08,1.0,10.0,M,,M,,")
        + nmea_sender.sentence("GPGGA,120001.00,4807.0380,N,01131.0000,E,1,08,1.0,10.0,M,,M,,")
    )
    code, out, err = control("/nonexistent", "decode", log)
    assert code == 0 and [json.loads(line)["mode"] for line in out.splitlines()] == [1, 3], out
    assert "1 dropped (1 position malformed or out of range)" in err, err


@pytest.fixture(params=[*RIDES, "fresh"])
def recording(request, folder):
    if request.param == "fresh":
        return fresh(folder)
    return ROOT / "recordings" / f"{request.param}.nmea"


def published(path):
    """The fixes that the daemon publishes of it: (time to 10 ms, latitude, longitude)."""
    code, out, err = control("/nonexistent", "decode", "--filter", "0", path)
    assert code == 0, err
    return [
        (fix["time"][11:22], fix["lat"], fix["lon"]) for fix in map(json.loads, out.splitlines()) if "lat" in fix
    ]


def same(found, expected, tolerance):
    """Every fix, in order, and no other."""
    assert len(found) == len(expected)
    for (time, latitude, longitude), (wanted_time, wanted_latitude, wanted_longitude) in zip(found, expected):
        assert time == wanted_time
        assert abs(latitude - wanted_latitude) <= tolerance and abs(longitude - wanted_longitude) <= tolerance


def hundredths(time):
    return f"{time:%H:%M:%S}.{time.microsecond // 10_000:02}"


@needs("gpsbabel")
def test_gpsbabel(recording):
    made = subprocess.run(
        ["gpsbabel", "-t", "-i", "nmea", "-f", str(recording), "-o", "gpx", "-F", "-"],
        capture_output=True, timeout=60, check=True,
    )
    found = [
        (float(point.get("lat")), float(point.get("lon")))
        for point in ElementTree.fromstring(made.stdout).iter() if point.tag.endswith("trkpt")
    ]
    # It has no epochs: at several hertz it gives the first place twice, every other one the time of the epoch behind it,
    # and the last one not at all. So the places are compared, each once, in order.
    found, expected = places(found), places([place for _, *place in published(recording)])
    assert len(expected) - 1 <= len(found) <= len(expected)
    for (latitude, longitude), (wanted_latitude, wanted_longitude) in zip(found, expected):
        assert abs(latitude - wanted_latitude) <= 2e-9 and abs(longitude - wanted_longitude) <= 2e-9


def places(points):
    """The positions without consecutive repetitions."""
    kept = []
    for place in map(tuple, points):
        if not kept or place != kept[-1]:
            kept.append(place)
    return kept


def test_pynmea2(recording):
    found = []
    for line in recording.read_text().splitlines():
        if line.startswith("$"):
            sentence = pynmea2.parse(line, check=True)
            if sentence.sentence_type == "RMC" and sentence.status == "A":
                found.append((hundredths(sentence.timestamp), sentence.latitude, sentence.longitude))
    same(found, published(recording), 2e-9)


def test_pynmeagps(recording):
    found = []
    with open(recording, "rb") as stream:
        for _, message in pynmeagps.NMEAReader(stream, quitonerror=pynmeagps.ERR_RAISE):
            if message.msgID == "RMC" and message.status == "A":
                found.append((hundredths(message.time), message.lat, message.lon))
    same(found, published(recording), 2e-9)


@needs("gpsfake")
@pytest.mark.parametrize("ride", ["city", "fresh"])
def test_gpsfake(folder, ride):
    """gpsd's replay of logs reads recordings unchanged."""
    recording = fresh(folder) if ride == "fresh" else ROOT / "recordings" / f"{ride}.nmea"
    done = subprocess.run(
        [shutil.which("gpsfake"), "-1", "-p", "-q", "-P", str(free_port()), str(recording)],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=120, check=False,
    )
    found = {}
    for line in done.stdout.splitlines():
        fix = json.loads(line) if line.startswith(b"{") else {}
        # gpsd publishes several times an epoch; the last one knows the most.
        if fix.get("class") == "TPV" and fix.get("mode", 0) >= 2 and "time" in fix:
            found[fix["time"][11:22]] = (fix["lat"], fix["lon"])
    expected = published(recording)
    # It needs its first epochs to find out how the receiver reports.
    missing = [time for time, _, _ in expected if time not in found]
    assert missing == [time for time, _, _ in expected[: len(missing)]] and len(missing) <= 3, missing
    for time, latitude, longitude in expected[len(missing) :]:
        assert found[time] == (pytest.approx(latitude, abs=2e-9), pytest.approx(longitude, abs=2e-9))
