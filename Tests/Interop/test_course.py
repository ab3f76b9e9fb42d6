"""Courses of files: the lines of `decode --course`, and their plots."""

import json
import math
import re
import subprocess
import xml.etree.ElementTree as ElementTree

from handlebar_harness import BIN, ROOT
from terminal import Terminal
from test_protocol_schema import faults, strict

RIDE = ROOT / "recordings" / "city.nmea"


def tool(*arguments):
    return subprocess.run([BIN / "handlebarctl", *arguments], capture_output=True, text=True, check=False)


def lines(course, ride=RIDE):
    output = tool("decode", "--course", course, ride)
    assert output.returncode == 0, output.stderr
    return [json.loads(line) for line in output.stdout.splitlines()], output.stderr


def exported(folder):
    """The ride itself as a course."""
    course = folder / "city tour.gpx"
    assert tool("export", RIDE, "--gpx", "--simplify", "1", "-o", course).returncode == 0
    return course


def test_a_ride_follows_its_own_track_to_the_end(folder):
    course = exported(folder)
    text = course.read_text()
    first = re.search(r'<trkpt lat="([^"]*)" lon="([^"]*)"', text)
    note = f'<wpt lat="{first[1]}" lon="{first[2]}"><name>Off we go</name></wpt><wpt lat="1" lon="1"><name>Far</name></wpt>'
    course.write_text(text.replace("<trk>", note + "<trk>", 1))
    published, errors = lines(course)
    fixes = [json.loads(line) for line in tool("decode", RIDE).stdout.splitlines()]
    fixes = [fix for fix in fixes if fix["mode"] > 1]
    assert [line["time"] for line in published] == [fix["time"] for fix in fixes]
    assert [line["seq"] for line in published] == [fix["seq"] for fix in fixes]
    validator = strict()
    assert [fault for line in published for fault in faults(validator, line)] == []
    states = [line["state"] for line in published]
    assert states[0] == "before" and states[-1] == "finished" and set(states) <= {"before", "on", "finished"}
    alongs = [line["along"] for line in published if "along" in line]
    assert alongs == sorted(alongs) and published[-1]["remaining"] < 45
    assert {line["name"] for line in published} == {"city"}
    assert "1 named points" in errors


def test_a_ride_somewhere_else_stays_before(folder):
    course = folder / "line.json"
    course.write_text('{"type":"LineString","coordinates":[[8,50,100],[8.1,50,150]]}')
    published, _ = lines(course)
    assert {line["state"] for line in published} == {"before"}
    assert all(line["distance"] > 10_000 and 0 <= line["bearing"] < 360 and line["ascent"] > 40 for line in published)


def test_a_bad_course_is_refused(folder):
    course = folder / "point.gpx"
    course.write_text('<gpx><trkpt lat="1" lon="2"/></gpx>')
    output = tool("decode", "--course", course, RIDE)
    assert output.returncode == 65 and "at least two points" in output.stderr and output.stdout == ""
    for other in (["--poses", "10"], ["--stats"], ["--filter", "5"]):
        assert tool("decode", "--course", course, *other, RIDE).returncode == 64


def route(folder, points, name="plan.json"):
    """A line through metres east and north of 47° N, 11° E, with heights."""
    metre = 1 / 111_194.9
    east = metre / math.cos(math.radians(47))
    path = folder / name
    places = [[11 + x * east, 47 + y * metre, z] for x, y, z in points]
    path.write_text(json.dumps({"type": "LineString", "coordinates": places}))
    return path


def test_departures_of_a_simulated_ride_are_seen(folder):
    """An out and back of 6 km with everything that a rider does wrong on it."""
    plan = route(folder, [(0, 0, 500), (2000, 0, 560), (2000, 1000, 500), (2000, 0, 560), (0, 0, 500)])
    ride, truth = folder / "ride.nmea", folder / "truth.json"
    departures = "stop:300:30,wrong-turn:700:200,detour:1100-1700:90,u-turn:2600:400,shortcut:3400-4600"
    options = ["--depart", departures, "--speed", "8", "--truth", truth, "-o", ride]
    output = tool("simulate", "--route", plan, *options)
    assert (output.returncode, output.stderr) == (0, "")
    *epochs, whole = [json.loads(line) for line in truth.read_text().splitlines()]
    assert 60 > whole["distance"] - (6000 + 400 + 180 + 800 - 1200 + 849) > -60
    published = {line["time"][:19]: line for line in lines(plan, ride)[0]}
    parts, since, wrong, late = [], 0, 0, 0
    for epoch in epochs:
        part = ("along" in epoch, "reverse" in epoch)
        if parts[-1:] != [part]:
            parts.append(part)
            since = 0
        since += epoch["speed"] > 1
        line = published[epoch["time"][:19]]
        # Ten seconds after each change what is published is true.
        if since <= 10 or line["state"] in ("before", "finished"):
            continue
        if "along" not in epoch:
            late += line["state"] != "off"
        else:
            wrong += line["state"] != "on" or abs(line["along"] - epoch["along"]) > 30
    on, away, back = (True, False), (False, False), (True, True)
    assert parts == [on, away, on, away, on, back, on, away, on]
    # Near the end of the shortcut the line is within the error.
    assert wrong == 0 and late <= 4


def test_the_zigzag_of_a_planner_is_no_departure(folder):
    straight = route(folder, [(0, 0, 500), (3000, 0, 500)])
    ride = folder / "ride.nmea"
    assert tool("simulate", "--route", straight, "--speed", "8", "-o", ride).returncode == 0
    zigzag = route(folder, [(20 * step, 10 if step % 2 else -10, 500) for step in range(151)], "zigzag.json")
    states = [line["state"] for line in lines(zigzag, ride)[0]]
    assert set(states) <= {"before", "on", "finished"} and states[-1] == "finished"


HILLS = [(0, 0, 100), (3000, 0, 100), (6000, 0, 400), (8000, 0, 300), (8800, 0, 340), (9000, 0, 300)]


def test_a_course_is_plotted_with_its_climbs(folder):
    plan = route(folder, HILLS, "hills.json")
    output = tool("course", "plot", plan, "-o", folder / "plan.svg")
    assert (output.returncode, output.stdout, output.stderr) == (0, "", "")
    tree = ElementTree.parse(folder / "plan.svg").getroot()
    texts = [text.text for text in tree.iter("{http://www.w3.org/2000/svg}text")]
    assert texts[0] == "hills" and "2 climbs" in texts[1] and texts.count("1") == texts.count("2") == 2
    assert tool("course", "plot", plan).stdout == (folder / "plan.svg").read_text()
    # A FIT course has its name.
    assert tool("course", "export", plan, "-o", folder / "other.fit").returncode == 0
    assert ">hills</text>" in tool("course", "plot", folder / "other.fit").stdout
    # The climb is that of the reports of a ride.
    ride = folder / "ride.nmea"
    assert tool("simulate", "--route", plan, "--speed", "15", "-o", ride).returncode == 0
    climbs = [(line["along"], line["climb"]) for line in lines(plan, ride)[0] if "climb" in line]
    assert 2950 < climbs[0][0] < 3050 and climbs[-1][0] > 8700
    flat = route(folder, [(0, 0, -32768), (100, 0, -32768)], "flat.json")
    output = tool("course", "plot", flat)
    assert output.returncode == 65 and "has no elevations" in output.stderr and output.stderr.count("\n") == 1


def test_a_course_is_drawn_on_a_terminal_with_its_climbs_and_cues(folder):
    plan = folder / "tour.gpx"
    points = "".join(f'<trkpt lat="{47 + 0.001 * number}" lon="11"><ele>{500 + 8 * number}</ele></trkpt>' for number in range(41))
    plan.write_text(f'<gpx><wpt lat="47.02" lon="11"><name>Left</name></wpt><trk><trkseg>{points}</trkseg></trk></gpx>')
    with Terminal(folder, BIN / "handlebarctl", "course", "plot", plan, variables={"LANG": "C.UTF-8", "NO_COLOR": "1"}) as terminal:
        assert terminal.end() == 0
    name, _, *rest = [line.split() for line in terminal.transcript.splitlines()]
    assert name == ["tour"] and ["CLIMB", "FROM", "LENGTH", "ASCENT", "GRADE"] in rest
    assert [row[:2] for row in rest[-2:]] == [["AT", "CUE"], ["km", "2.2"]] and rest[-1][2:] == ["Left"]


def test_a_course_is_plotted_under_a_ride(folder):
    course = exported(folder)
    plain, both = tool("plot", RIDE).stdout, tool("plot", "--course", course, RIDE).stdout
    assert 'class="course" d="M' in both and ">course<" in both and 'class="course" d' not in plain
    output = tool("plot", "--course", folder / "none.gpx", RIDE)
    assert output.returncode == 65 and "none.gpx" in output.stderr
