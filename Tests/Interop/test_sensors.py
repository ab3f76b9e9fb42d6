"""Sensors that clients feed: recorded, replayed, in trips and exports, and from the command line."""

import contextlib
import csv
import datetime
import io
import json
import math
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import fitdecode
import garmin_fit_sdk
import pytest

import nmea_sender
from gpsd_harness import free_port
from handlebar_harness import BIN, ROOT, TIMEOUT, Client, Daemon, Receiver, control, until

sys.path.insert(0, str(ROOT / "clients" / "python"))
import handlebar  # noqa: E402

SENSORS = ("heartRate", "power", "crank", "temperature", "pressure", "wheel")
TPX = "{http://www.garmin.com/xmlschemas/TrackPointExtension/v2}"


@pytest.fixture(scope="module")
def ride(tmp_path_factory):
    """A recorded ride of 12 s with a strap, a crank, a power meter, a thermometer, a barometer and a wheel, and the trip of it."""
    folder = tmp_path_factory.mktemp("ride")
    with Receiver(folder / "gps0") as receiver:
        source = f"serial:{receiver.link}?speed=115200"
        with Daemon(folder, source, options=["--record", folder / "rides"]) as daemon, handlebar.Client(daemon.socket) as client:
            client.trip("day")
            seen = []
            with contextlib.ExitStack() as stack:
                # A client each, as none may send more than 20 readings a second.
                units = [stack.enter_context(client.updates(distance_filter=0, sensors=True)) for _ in SENSORS]
                strap, meter, pedal, thermometer, barometer, wheel = units
                for updates in units:
                    until(lambda updates=updates: isinstance(updates.next(TIMEOUT), handlebar.Connected), "the connection")
                for number in range(12):
                    strap.report_sensor("heartRate", 120 + number, source="strap")
                    meter.report_sensor("power", 200)
                    # Three revolutions in two seconds of a clock of its own, which wraps.
                    pedal.report_sensor("crank", count=(65_530 + 3 * number) % 65_536, time=(60_000 + 2048 * number) % 65_536)
                    thermometer.report_sensor("temperature", 21)
                    barometer.report_sensor("pressure", 95_000 + number)
                    wheel.report_sensor("wheel", count=5 * number, time=1024 * number)
                    receiver.write(nmea_sender.epoch(number))
                    while True:
                        seen.append(strap.next(TIMEOUT))
                        if isinstance(seen[-1], handlebar.Fix):
                            break
                trip, sensors = client.trip("day"), client.sensors()
    (path,) = (folder / "rides").glob("*.nmea")
    return path, trip, sensors, seen


def test_readings_reach_subscribers_trips_and_the_recording(ride):
    path, trip, sensors, seen = ride
    assert {one.sensor for one in seen if isinstance(one, handlebar.Sensor)} == set(SENSORS)
    heart, power, crank, *_ = sensors
    assert (heart.sensor, heart.source, heart.value, heart.unit, heart.is_implausible) == ("heartRate", "strap", 131, "1/min", False)
    assert (power.value, power.unit, power.source) == (200, "W", None) and power.age < 60
    assert crank.sensor == "crank"
    assert (trip.maximum_heart_rate, trip.average_power, trip.maximum_power) == (131, 200, 200)
    assert 120 < trip.average_heart_rate < 131
    events = re.findall(r'(?m)^# e (\{"request":"SENSOR",.*\})$', path.read_text())
    assert len(events) == 72
    assert '{"request":"SENSOR","sensor":"heartRate","value":125,"source":"strap"}' in events


def replayed(folder, path):
    with Daemon(folder, f"recording:{path}?speed=max") as daemon, Client(daemon.socket) as client:
        client.send('?TRIP={"name":"day"};')
        client.wait("TRIP")
        client.watch(distanceFilter=0, sensors=True)
        client.wait("PLAYBACK", lambda one: one["ended"])
        client.settle()
        kept = [line for line in client.lines if line["class"] in ("TPV", "SENSOR", "TRIP")]
        return [{name: value for name, value in line.items() if name != "_at"} for line in kept]


def test_a_replay_gives_the_same_each_time(folder, ride):
    path, trip, _, _ = ride
    lines = replayed(folder, path)
    assert replayed(folder, path) == lines
    assert {line["sensor"] for line in lines if line["class"] == "SENSOR"} == set(SENSORS)
    newest = [line for line in lines if line["class"] == "TRIP"][-1]
    assert (newest["averageHeartRate"], newest["maxHeartRate"]) == (trip.average_heart_rate, trip.maximum_heart_rate)


def test_exports_have_what_the_sensors_measured(folder, ride):
    path = ride[0]
    for form in "fit", "gpx", "tcx", "csv":
        assert control("/nonexistent", "export", path, f"--{form}", "-o", folder / f"ride.{form}")[0] == 0
    with fitdecode.FitReader(
        folder / "ride.fit", check_crc=fitdecode.CrcCheck.RAISE, error_handling=fitdecode.ErrorHandling.RAISE
    ) as reader:
        messages = [frame for frame in reader if isinstance(frame, fitdecode.FitDataMessage)]
    # One that has been checked is at its end.
    checked, decoder = (garmin_fit_sdk.Decoder(garmin_fit_sdk.Stream.from_file(folder / "ride.fit")) for _ in range(2))
    assert checked.check_integrity()
    garmins, errors = decoder.read()
    newest = garmins["record_mesgs"][-1]
    assert not errors and [newest[name] for name in ("heart_rate", "cadence", "power", "temperature")] == [131, 90, 200, 21]
    records = [one for one in messages if one.name == "record"]
    rates = [one.get_value("heart_rate") for one in records]
    assert rates[-1] == 131 and rates == sorted(rates) and all(one.get_value("power") == 200 for one in records)
    (session,) = (one for one in messages if one.name == "session")
    assert session.get_value("max_heart_rate") == 131 and session.get_value("avg_power") == 200
    assert 120 < session.get_value("avg_heart_rate") < 131
    assert all(one.get_value("temperature") == 21 for one in records)
    points = list(ElementTree.parse(folder / "ride.gpx").iter(f"{TPX}TrackPointExtension"))
    assert points[-1].findtext(f"{TPX}hr") == "131"
    for form, name in (("gpx", "ride.gpx"), ("gtrnctr", "ride.tcx")):
        babel = subprocess.run(
            ["gpsbabel", "-t", "-i", form, "-f", folder / name, "-o", "unicsv", "-F", "-"],
            capture_output=True, text=True, timeout=60, check=True)
        rows = list(csv.DictReader(io.StringIO(babel.stdout)))
        assert len(rows) == 12 and (rows[-1]["Heartrate"], rows[-1]["Cadence"]) == ("131", "90")
    assert (folder / "ride.tcx").read_text().count("<Watts>200</Watts>") == 12
    rows = list(csv.DictReader(io.StringIO((folder / "ride.csv").read_text())))
    assert len(rows) == 12 and (rows[-1]["heart_rate_1_min"], rows[-1]["power_w"], rows[-1]["temperature_c"]) == ("131", "200", "21")


def test_a_ride_without_sensors_is_exported_as_before(folder, ride):
    """Only the events differ: they are taken out of the ride's recording."""
    lines, plain = ride[0].read_text().splitlines(keepends=True), folder / "plain.nmea"
    kept = [line for index, line in enumerate(lines)
            if "SENSOR" not in line and not (line.startswith("# t=") and "SENSOR" in lines[min(index + 1, len(lines) - 1)])]
    plain.write_text("".join(kept))
    code, out, _ = control("/nonexistent", "export", plain, "--csv")
    assert code == 0 and out.splitlines()[0].endswith(",segment,distance_m")
    code, out, _ = control("/nonexistent", "export", plain, "--gpx")
    assert code == 0 and "gpxtpx:hr" not in out and "<power>" not in out
    assert control("/nonexistent", "export", plain, "--fit", "-o", folder / "plain.fit")[0] == 0
    with fitdecode.FitReader(folder / "plain.fit", error_handling=fitdecode.ErrorHandling.RAISE) as reader:
        assert not any(frame.has_field("heart_rate") for frame in reader if isinstance(frame, fitdecode.FitDataMessage))


def test_lines_of_standard_input_are_readings(folder):
    with Daemon(folder, f"serial:{folder}/none") as daemon:
        code, out, err = control(daemon.socket, "sensor")
        assert (code, out) == (0, "") and "handlebarctl sensor KIND" in err
        assert control(daemon.socket, "sensor", "crank", "--source", "left", stdin="10 1\n\n12 2\n") == (0, "", "")
        assert control(daemon.socket, "sensor", "wheel", "--ticks", "1024", stdin="10 65000\n11 488\n")[0] == 0
        code, _, err = control(daemon.socket, "sensor", "pressure", stdin="high\n95012.5\n1 2\n")
        assert code == 1 and err.count("a line is a number") == 2
        code, _, err = control(daemon.socket, "sensor", "power", stdin="".join(f"{100 + n}\n" for n in range(200)))
        assert code == 1 and "20 sensor readings a second" in err
        code, out, _ = control(daemon.socket, "sensor")
        *texts, power = [line.partition(",")[0] for line in out.splitlines()]
        assert code == 0 and texts == ["crank left: 120 1/min", "wheel: 60 1/min", "pressure: 95012.5 Pa"]
        assert re.fullmatch(r"power: \d{3} W", power)
        with Client(daemon.socket) as client:
            client.send("?SENSOR;")
            assert client.wait("SENSOR", lambda one: one["sensor"] == "power")["refused"] > 0


def test_a_recording_has_the_circumference_of_the_wheel(folder):
    settings, rides = folder / "handlebard.toml", folder / "rides"
    settings.write_text("wheel-circumference = 2.1\n")
    with Daemon(folder, f"serial:{folder}/none", options=["--config", settings, "--record", rides]) as daemon:
        assert control(daemon.socket, "sensor", "wheel", stdin="10 1\n11 2\n")[0] == 0
        daemon.stop()
    (ride,) = rides.glob("*.nmea")
    assert "# wheel-circumference=2.1\n" in ride.read_text()


def test_readings_without_a_daemon_end_with_a_sentence(folder):
    with (
        Daemon(folder, f"serial:{folder}/none") as daemon, Client(daemon.socket) as client,
        subprocess.Popen(
            [BIN / "handlebarctl", "--socket", daemon.socket, "sensor", "power"],
            stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as sending,
    ):
        client.watch(sensors=True)
        print(200, file=sending.stdin, flush=True)
        client.wait("SENSOR")
        daemon.stop()
        assert any("waiting for it to return" in line for line in iter(sending.stderr.readline, ""))
        _, err = sending.communicate(timeout=TIMEOUT)
        assert sending.returncode == 1 and "the daemon is gone" in err


@pytest.mark.parametrize("least, options", [
    (40, ("--seed", "5", "--tunnel", "2000-3200")),
    # It begins within a hairpin.
    (2, ("--seed", "3", "--tunnel", "1500-3000", "--length", "5000", "--speed", "20")),
], ids=["straight", "hairpin"])
def test_the_way_through_a_tunnel(folder, least, options):
    """By the wheel, straight on, for those who ask: the true positions are within `eph`, until that is 100 m."""
    ride, truth, settings = folder / "ride.nmea", folder / "truth", folder / "handlebard.toml"
    assert control("/nonexistent", "simulate", "--ride", "tour", *options, "--wheel", "2.1", "--truth", truth, "-o", ride)[0] == 0
    settings.write_text("wheel-circumference = 2.1\n")

    def estimates(**watched):
        with Daemon(folder, f"recording:{ride}?speed=max", options=["--config", settings]) as daemon, Client(daemon.socket) as client:
            client.watch(distanceFilter=0, **watched)
            client.wait("PLAYBACK", lambda one: one["ended"])
            client.settle()
            states = [(line["state"], line.get("estimating", False)) for line in client.lines if line["class"] == "STATE"]
            # Whoever asks for the estimates or not: it ends with the estimates, before there is a fix.
            assert ("lost", True) in states and ("tracking", True) not in states
            assert states[states.index(("lost", True)) + 1:].count(("lost", False)) >= 1
            return [line for line in client.lines if line["class"] == "TPV" and line.get("reason") == "estimated"]

    def seconds(line):
        return datetime.datetime.fromisoformat(line["time"]).timestamp()

    places = {seconds(line): line for line in map(json.loads, truth.read_text().splitlines()) if "lat" in line}
    found = estimates(estimated=True)
    assert len(found) > least and not estimates()
    inside = []
    for line in found:
        assert (line["mode"], line["status"]) == (2, 5) and "seq" not in line
        before, part = divmod(seconds(line), 1)
        north, east = (
            (line[axis] - places[before][axis] * (1 - part) - places[before + 1][axis] * part) * 111_200 for axis in ("lat", "lon"))
        inside.append(math.hypot(north, east * math.cos(math.radians(line["lat"]))) < line["eph"])
    radii = [line["eph"] for line in found]
    assert max(radii) <= 100 and sum(inside) >= 0.9 * len(inside)


def test_decode_prints_the_estimates_of_a_recorded_ride(folder):
    """With the circumference that is learned in the ride, straight on, or along a course through the whole tunnel."""
    ride, whole, way = folder / "ride.nmea", folder / "whole.nmea", folder / "way.gpx"
    options = ("--ride", "tour", "--seed", "5", "--wheel", "2.1")
    assert control("/nonexistent", "simulate", *options, "--tunnel", "2000-3200", "-o", ride)[0] == 0
    assert control("/nonexistent", "simulate", *options, "-o", whole)[0] == 0
    assert control("/nonexistent", "export", whole, "--gpx", "-o", way)[0] == 0

    def decoded(*more):
        code, out, err = control("/nonexistent", "decode", *more, ride)
        assert code == 0 and "fixes printed" in err
        return [json.loads(line) for line in out.splitlines()]

    def estimates(lines):
        return [line for line in lines if line.get("reason") == "estimated"]

    plain, straight, along = decoded(), decoded("--estimated"), decoded("--estimated", "--course", way)
    assert not estimates(plain) and [line for line in straight if line.get("reason") != "estimated"] == plain
    assert all(line["status"] == 5 and "seq" not in line for line in estimates(straight))
    assert 20 < len(estimates(straight)) <= len(estimates(along))
    assert max(line["eph"] for line in estimates(along)) < 40 < max(line["eph"] for line in estimates(straight))
    code, _, err = control("/nonexistent", "decode", "--estimated", "--stats", ride)
    assert code == 64 and "choose one" in err


def test_a_reading_on_tcp_is_refused(folder):
    number = free_port()
    with Daemon(folder, f"serial:{folder}/none", options=["--tcp", f"127.0.0.1:{number}"]) as daemon:
        with Client(("127.0.0.1", number)) as client:
            client.send('?WATCH={"enable":false,"handlebar":true};?SENSOR={"sensor":"power","value":200};')
            assert client.wait("ERROR")["code"] == "forbidden"
        with handlebar.Client(daemon.socket) as client:
            assert client.sensors() == []
