"""Simulated rides: real decoders read every simulated receiver, and the live simulation equals the written file."""

import datetime
import json
import math
import subprocess
import sys

import pynmea2
import pynmeagps
import pytest

from handlebar_harness import BIN, ROOT, TIMEOUT, Daemon, control
from measuring import measured

RECEIVERS = ["ublox-1hz", "ublox-5hz", "ublox-10hz", "mtk", "sirf", "garmin"]
HARD = ["--length", 600, "--cold-start", 5, "--tunnel", "250-350", "--seed", 3]


def simulate(*arguments):
    code, out, err = control("/nonexistent", "simulate", *arguments)
    assert code == 0 and err == "", err
    return out


def ride(folder, *arguments):
    """A ride of `handlebarctl simulate`: its file, its truth by time, and the truth of the whole."""
    path, truth = folder / "ride.nmea", folder / "truth.json"
    assert simulate("--ride", "tour", *arguments, "--truth", truth, "-o", path) == ""
    *epochs, whole = [json.loads(line) for line in truth.read_text().splitlines()]
    assert whole["class"] == "RIDE" and all(one["class"] == "TRUTH" for one in epochs)
    return path, {moment(one["time"]): one for one in epochs}, whole


def moment(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


def metres(one, latitude, longitude):
    east = math.radians(longitude - one["lon"]) * math.cos(math.radians(one["lat"]))
    return 6371000 * math.hypot(math.radians(latitude - one["lat"]), east)


def sentences(path):
    return [line for line in path.read_text().splitlines() if not line.startswith("#")]


@pytest.mark.parametrize("receiver", RECEIVERS)
def test_pynmea2_and_pynmeagps_read_every_receiver(folder, receiver):
    path, truth, _ = ride(folder, "--receiver", receiver, *HARD)
    lines = sentences(path)
    fixes, void = {}, 0
    for line in lines:
        message = pynmea2.parse(line, check=True)
        if message.sentence_type != "RMC":
            continue
        if message.status != "A":
            void += 1
            continue
        at = datetime.datetime.combine(message.datestamp, message.timestamp).replace(tzinfo=datetime.timezone.utc)
        fixes[at] = (message.latitude, message.longitude)
    assert set(fixes) == {at for at, one in truth.items() if one["mode"] >= 2}
    assert void == len(truth) - len(fixes) > 8
    assert all(metres(truth[at], *place) < 60 for at, place in fixes.items())

    read = {}
    with open(path, "rb") as stream:
        for raw, message in pynmeagps.NMEAReader(stream, quitonerror=pynmeagps.ERR_RAISE):
            assert raw.decode().rstrip() == lines[len(read)]
            read[len(read)] = message
    assert len(read) == len(lines)
    places = [(one.lat, one.lon) for one in read.values() if one.msgID == "RMC" and one.status == "A"]
    assert len(places) == len(fixes)
    for ours, theirs in zip(fixes.values(), places):
        assert ours == pytest.approx(theirs, abs=2e-9)


@pytest.mark.parametrize("receiver", RECEIVERS)
def test_gpsd_decodes_every_receiver(folder, receiver):
    path, truth, _ = ride(folder, "--receiver", receiver, *HARD)
    with open(path, "rb") as stream:
        done = subprocess.run(["gpsdecode"], stdin=stream, capture_output=True, text=True, timeout=TIMEOUT, check=True)
    fixes = [one for one in map(json.loads, done.stdout.splitlines()) if one["class"] == "TPV" and one["mode"] >= 2]
    assert len(fixes) >= sum(one["mode"] >= 2 for one in truth.values())
    for one in fixes:
        if "time" in one and moment(one["time"]) in truth and "lat" in one:
            assert metres(truth[moment(one["time"])], one["lat"], one["lon"]) < 60


def test_the_bytes_equal_the_committed_ones(folder):
    for name in ["city", "tunnel"]:
        simulate("--ride", name, "-o", folder / "again.nmea")
        assert (folder / "again.nmea").read_bytes() == (ROOT / "recordings" / f"{name}.nmea").read_bytes()
    path, _, _ = ride(folder, *HARD, "--corrupt", 0.1, "--truncate", 0.05)
    first = path.read_bytes()
    command = next(line for line in first.decode().splitlines() if line.startswith("# command="))
    simulate(*command.removeprefix("# command=handlebarctl simulate ").split(), "-o", folder / "again.nmea")
    assert (folder / "again.nmea").read_bytes() == first


def test_routes_of_both_forms_are_the_same_ride(folder):
    points = [(47.2654, 11.3928, 574.0), (47.2671, 11.3952, 580.0), (47.2668, 11.3999, 571.5), (47.2702, 11.4011, 590.0)]
    gpx, geojson = folder / "route.gpx", folder / "route.geojson"
    gpx.write_text(
        '<?xml version="1.0"?><gpx version="1.1" creator="t" xmlns="http://www.topografix.com/GPX/1/1"><rte>'
        + "".join(f'<rtept lat="{lat}" lon="{lon}"><ele>{ele}</ele></rtept>' for lat, lon, ele in points)
        + "</rte></gpx>"
    )
    geojson.write_text(json.dumps({
        "type": "Feature", "properties": {},
        "geometry": {"type": "LineString", "coordinates": [[lon, lat, ele] for lat, lon, ele in points]},
    }))
    rides = []
    for route in [gpx, geojson]:
        simulate("--route", route, "--speed", 12, "--seed", 4, "-o", folder / "ride.nmea", "--truth", folder / "truth")
        rides.append(sentences(folder / "ride.nmea"))
    assert rides[0] == rides[1]
    whole = json.loads((folder / "truth").read_text().splitlines()[-1])
    straight = sum(metres({"lat": a[0], "lon": a[1]}, b[0], b[1]) for a, b in zip(points, points[1:]))
    assert 0.95 * straight < whole["distance"] <= 1.01 * straight
    assert whole["maxSpeed"] <= 12 and whole["ascent"] == pytest.approx(24.5, abs=1)


@pytest.mark.parametrize("arguments, code, words", [
    ([], 64, "either --ride or --route"),
    (["--ride", "tour", "--route", "x"], 64, "either --ride or --route"),
    (["--ride", "moon"], 64, "city, motorway, mountain, tunnel, tour"),
    (["--ride", "tour", "--speed", "fast"], 64, "1 to 100 m/s"),
    (["--ride", "city", "--speed", "12"], 64, "does not go with the ride city"),
    (["--ride", "tour", "--from", "-89,0"], 64, "85°"),
    (["--route", "none.gpx"], 66, "none.gpx"),
    (["--ride", "tunnel", "-o", "/nonexistent/x"], 73, "/nonexistent/x"),
])
def test_errors_are_one_line_with_a_remedy(arguments, code, words):
    got, out, err = control("/nonexistent", "simulate", *arguments)
    assert (got, out) == (code, "")
    assert err.startswith("handlebarctl: ") and err.count("\n") == 1 and words in err, err


@pytest.mark.parametrize("receiver", ["ublox-10hz", "sirf"])
def test_the_live_simulation_equals_the_file(folder, receiver):
    """At a multiple of real time a delayed client misses fixes, but receives no other."""
    # Seconds long: the ride does not wait until somebody subscribes.
    length = 1500
    path, truth, _ = ride(folder, "--receiver", receiver, "--length", length, "--seed", 5, "--speed", 30)
    heard = []
    uri = f"simulate:tour?receiver={receiver}&length={length}&seed=5&speed=30&rate=15"
    with Daemon(folder, uri) as daemon, daemon.connect() as client:
        client.watch(distanceFilter=0)
        last = max(truth)
        while True:
            one = client.next()
            if one["class"] == "TPV" and one["mode"] >= 2:
                heard.append(one)
                if moment(one["time"]) == last:
                    break
        client.wait("STATE", lambda state: not state["state"].startswith("tracking"))
        daemon.stop()
    times = [moment(one["time"]) for one in heard]
    assert all(before <= after for before, after in zip(times, times[1:]))
    reported = {}
    for line in sentences(path):
        if line[3:6] == "RMC":
            message = pynmea2.parse(line)
            at = datetime.datetime.combine(message.datestamp, message.timestamp).replace(tzinfo=datetime.timezone.utc)
            reported[at] = (message.latitude, message.longitude)
    for at, one in zip(times, heard):
        assert (one["lat"], one["lon"]) == pytest.approx(reported[at], abs=1e-8)
        assert metres(truth[at], one["lat"], one["lon"]) < 30
    assert len(set(times)) > 10


def test_a_missing_route_is_reported(folder):
    with Daemon(folder, f"simulate:{folder}/none.gpx") as daemon, daemon.connect() as client:
        client.watch()
        state = client.wait("STATE", lambda state: state["state"] == "failed")
        assert state["error"] == "misconfigured" and "none.gpx" in state["message"]
        daemon.stop()


@measured
def test_memory_does_not_grow_with_the_ride(folder):
    peaks = []
    for length in [2_000, 20_000]:
        measure = (
            "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True);"
            "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
        )
        command = [BIN / "handlebarctl", "simulate", "--ride", "tour", "--length", length, "-o", folder / "ride.nmea"]
        done = subprocess.run(
            [sys.executable, "-c", measure, *map(str, command)], capture_output=True, text=True, timeout=60, check=True
        )
        peaks.append(int(done.stdout))
    assert (folder / "ride.nmea").stat().st_size > 500_000
    # The road itself takes about 100 bytes a metre at most.
    assert peaks[1] - peaks[0] < 8_000, f"{peaks} kB"


def test_a_simulated_ride_has_the_length_that_is_asked_for(folder):
    """Each length gives its own ride."""
    lengths = []
    for metres in (500, 2000, 5000):
        code, _, err = control(
            "/nonexistent", "simulate", "--ride", "tour", "--length", metres, "--truth", folder / "truth", "-o",
            folder / "ride.nmea")
        assert code == 0, err
        lengths.append(json.loads((folder / "truth").read_text().splitlines()[-1])["distance"])
    assert all(abs(length - metres) < 0.2 * metres for length, metres in zip(lengths, (500, 2000, 5000))), lengths
