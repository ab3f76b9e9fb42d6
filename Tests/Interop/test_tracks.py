"""GPX, TCX and FIT files of other programs as rides and as courses: Garmin's SDK and gpsbabel write them."""

import csv
import json
import subprocess

import fitdecode
import garmin_fit_sdk
import pytest

import replay_files
from gpsd_harness import needs
from handlebar_harness import ROOT, control
from test_export import RIDES, export, gpsbabel, published, ridden

CITY = ROOT / "recordings" / "city.nmea"

every_ride = pytest.mark.parametrize("ride", RIDES, ids=lambda path: path.stem)


def figures(path):
    """What `rides show` prints of a file."""
    code, out, err = control("/nonexistent", "rides", "show", path, "--json")
    assert code == 0, err
    return json.loads(out)


def rows(path):
    return list(csv.DictReader(export(path, "--csv").splitlines()))


def converted(source, target, *options):
    """A track that gpsbabel writes in another format."""
    subprocess.run(
        ["gpsbabel", "-t", "-i", "gpx", "-f", str(source), "-o", *options, "-F", str(target)],
        capture_output=True, timeout=60, check=True,
    )
    return target


@needs("gpsbabel")
@every_ride
@pytest.mark.parametrize("options", [["gtrnctr,course=0"], ["gtrnctr"], ["garmin_fit"]], ids=["tcx", "tcx-course", "fit"])
def test_what_gpsbabel_writes_has_the_same_points(folder, ride, options):
    gpx = folder / "ride.gpx"
    export(ride, "--gpx", "--raw", "-o", gpx)
    made = converted(gpx, folder / "made", *options)
    ours = {row["time_utc"][:19]: row for row in rows(made)}
    # Whole seconds: the last fix of each is left.
    theirs = {fix["time"][:19]: fix for fix in published(ride)}
    assert list(ours) == list(theirs)
    for row, fix in zip(ours.values(), theirs.values()):
        assert float(row["lat_deg"]) == pytest.approx(fix["lat"], abs=1e-6)
        assert float(row["lon_deg"]) == pytest.approx(fix["lon"], abs=1e-6)


@every_ride
def test_our_own_fit_is_a_ride_with_the_same_figures(folder, ride):
    path = folder / "again.fit"
    export(ride, "--fit", "-o", path)
    ours, again = ridden(ride, folder), figures(path)
    assert again["start"][:19] == ours["start"][:19]
    assert again["distance"] == pytest.approx(ours["distance"], rel=0.005)
    assert again["movingTime"] == pytest.approx(ours["movingTime"], rel=0.01, abs=2)
    # Of up to ten fixes in a second one is left.
    assert again["maxSpeed"] == pytest.approx(ours["maxSpeed"], rel=0.1)
    assert again["damages"] == 0


@needs("gpsbabel")
def test_a_ride_of_garmins_sdk_is_read_as_gpsbabel_reads_it(folder):
    path = folder / "ride.fit"
    path.write_bytes(replay_files.fit(120))
    theirs = gpsbabel("garmin_fit", path)
    ours = rows(path)
    assert len(ours) == len(theirs) == 120
    for row, (time, latitude, longitude, altitude) in zip(ours, theirs):
        assert row["time_utc"].rstrip("Z") + (".000" if "." not in row["time_utc"] else "") == time
        assert float(row["lat_deg"]) == pytest.approx(latitude, abs=1e-8)
        assert float(row["lon_deg"]) == pytest.approx(longitude, abs=1e-8)
        assert float(row["alt_msl_m"]) == pytest.approx(altitude, abs=0.01) == 500.6


def test_of_a_truncated_fit_what_is_whole_is_shown_and_the_rest_is_said(folder):
    path = folder / "cut.fit"
    path.write_bytes(replay_files.fit(120)[:-200])
    code, out, err = control("/nonexistent", "rides", "show", path)
    assert code == 0 and "1 damaged place of the recording skipped" in err
    assert "1 places skipped" in out
    assert 80 < figures(path)["fixes"] < 120
    code, _, err = control("/nonexistent", "course", "plot", path)
    assert code == 65 and "its end is missing" in err


def test_a_fit_course_has_the_points_of_its_file_as_cues(folder):
    course = folder / "tour.fit"
    course.write_bytes(replay_files.fit(300, kind="course", notes=[(100, "sharp_left", "Onto Main St"), (200, "summit", "")]))
    ride = folder / "ride.gpx"
    ride.write_bytes(replay_files.gpx(300))
    code, out, err = control("/nonexistent", "decode", "--course", course, ride)
    assert code == 0, err
    lines = [json.loads(line) for line in out.splitlines()]
    assert len(lines) == 300
    assert {line["state"] for line in lines[5:-5]} == {"on"} and lines[-1]["state"] == "finished"
    cues = [(line["cue"], line["cueKind"]) for line in lines if "cue" in line]
    assert list(dict.fromkeys(cues)) == [("Onto Main St", "sharp left"), ("summit", "summit")]
    alongs = [line["along"] for line in lines if "along" in line]
    assert alongs[-1] == pytest.approx(299 * 15, rel=0.005)


@needs("gpsbabel")
def test_an_exported_course_has_the_line_and_the_cues_of_its_file(folder):
    """Garmin's own SDK, fitdecode and gpsbabel read it; our own reader makes the same file of it again."""
    long = "Onto the old road along the river, which is closed in winter – Straße"
    notes = [(0, "generic", "Start"), (100, "sharp_left", long), (200, "summit", "")]
    tour, path, again = folder / "tour.fit", folder / "bike.fit", folder / "again.fit"
    tour.write_bytes(replay_files.fit(300, kind="course", notes=notes))
    code, _, err = control("/nonexistent", "course", "export", tour, "-o", path)
    assert code == 0, err
    assert garmin_fit_sdk.Decoder(garmin_fit_sdk.Stream.from_file(path)).check_integrity()
    messages, errors = garmin_fit_sdk.Decoder(garmin_fit_sdk.Stream.from_file(path)).read()
    assert not errors and messages["file_id_mesgs"][0]["type"] == "course"
    assert messages["course_mesgs"][0] == {"sport": "cycling", "name": "tour"}
    (lap,), cues, records = messages["lap_mesgs"], messages["course_point_mesgs"], messages["record_mesgs"]
    assert [(cue["type"], cue["name"]) for cue in cues] == [("generic", "Start"), ("sharp_left", long[:61]), ("summit", "summit")]
    assert [cue["distance"] for cue in cues] == [pytest.approx(place * 15, rel=0.005, abs=0.1) for place in (0, 100, 200)]
    assert records[-1]["distance"] == lap["total_distance"] == pytest.approx(299 * 15, rel=0.005)
    assert lap["total_elapsed_time"] == pytest.approx(lap["total_distance"] / 5, abs=1)
    assert [event["event_type"] for event in messages["event_mesgs"]] == ["start", "stop_disable_all"]
    assert {record["enhanced_altitude"] for record in records} == {500.6}
    with fitdecode.FitReader(path, check_crc=fitdecode.CrcCheck.RAISE, error_handling=fitdecode.ErrorHandling.RAISE) as reader:
        names = [frame.name for frame in reader if isinstance(frame, fitdecode.FitDataMessage)]
    assert names.count("record") == len(records) and names.count("course_point") == 3
    assert [point[1] for point in gpsbabel("garmin_fit", path)] == [pytest.approx(record["position_lat"] * 180 / 2**31, abs=1e-6) for record in records]
    code, _, err = control("/nonexistent", "course", "export", path, "-o", again)
    messages, _ = garmin_fit_sdk.Decoder(garmin_fit_sdk.Stream.from_file(again)).read()
    assert messages["course_point_mesgs"] == cues and messages["record_mesgs"] == records


@needs("gpsbabel")
@pytest.mark.parametrize("options", [["gtrnctr"], ["garmin_fit"]], ids=["tcx", "fit"])
def test_a_ride_follows_the_course_that_gpsbabel_makes_of_it(folder, options):
    gpx = folder / "ride.gpx"
    export(CITY, "--gpx", "-o", gpx)
    course = converted(gpx, folder / "course", *options)
    code, out, err = control("/nonexistent", "decode", "--course", course, CITY)
    assert code == 0, err
    states = [json.loads(line)["state"] for line in out.splitlines()]
    assert states[-1] == "finished" and states.count("on") > 0.8 * len(states)


def test_a_file_of_points_is_decoded_like_a_log(folder):
    for form in ("gpx", "tcx", "fit"):
        data = replay_files.FORMS[form](10)
        for arguments, stdin in ([folder / form], None), (["-"], data):
            (folder / form).write_bytes(data)
            code, out, err = control("/nonexistent", "decode", *arguments, stdin=stdin)
            assert code == 0, err
            lines = [json.loads(line) for line in out.splitlines()]
            assert [line["time"] for line in lines] == [f"2026-03-19T12:00:0{number}.000Z" for number in range(10)]
