"""Every command that reads files, over files that are made to grow memory: it needs little, and ends with a clear answer.
The files are ten times as large with HANDLEBAR_LONG=1."""

import contextlib
import json
import random
import select
import struct
import subprocess
import sys

import pytest

from handlebar_harness import BIN, LONG, ROOT, SANITIZED, TIMEOUT

# As the manual page states it; with smaller files, less.
LIMIT = (64 if LONG else 40) * 1024
SIZE = 6_000_000 if LONG else 600_000

COMMANDS = {
    "decode": ["decode"],
    "decode-sentences": ["decode", "--sentences"],
    "decode-stats": ["decode", "--stats", "--json"],
    "decode-poses": ["decode", "--poses", "20"],
    "decode-course": ["decode", "--course", "{file}"],
    "export-gpx": ["export", "--gpx", "--bounds", "--route-points", "20", "-o", "/dev/null"],
    "export-geojson": ["export", "--geojson", "--simplify", "5", "-o", "/dev/null"],
    "export-csv": ["export", "--csv", "-o", "/dev/null"],
    "export-fit": ["export", "--fit", "-o", "/dev/null"],
    "export-tcx": ["export", "--tcx", "-o", "/dev/null"],
    "plot": ["plot", "--poses", "-o", "/dev/null"],
    "course-plot": ["course", "plot", "-o", "/dev/null"],
    "rides-show": ["rides", "show"],
    "simulate": ["simulate", "-o", "/dev/null", "--speed", "100", "--route"],
}


def gpx(body, head="<gpx version='1.1'>"):
    return f"{head}<trk><trkseg>{body}</trkseg></trk></gpx>".encode()


def point(latitude, longitude, inner=""):
    return f"<trkpt lat='{latitude}' lon='{longitude}'>{inner}</trkpt>"


def fit(fields, count, message):
    """A FIT file of records with these fields: number, size, type."""
    body = bytes([0x40, 0, 0, 20, 0, len(fields)]) + bytes(byte for field in fields for byte in field)
    body += b"".join(b"\0" + message(number) for number in range(count)) if callable(message) else (b"\0" + message) * count
    return struct.pack("<BBHI4s", 12, 0x20, 2100, len(body), b".FIT") + body + b"\0\0"


def stamps(lines):
    return b"# handlebar-recording 1\n# t=1000 src=0\n" + b"".join(lines)


def files():
    chance = random.Random(5)
    ride = (ROOT / "recordings" / "tunnel.nmea").read_bytes()
    yield "two points far apart", gpx(point(0, 0) + point(0, 44))
    yield "points far apart in turn", gpx("".join(point(number % 2 * 20, 0) for number in range(4)))
    yield "a line without an end", b"$GPGGA," + b"1" * SIZE
    yield "braces", b"{" * SIZE
    yield "zeros", bytes(SIZE)
    yield "noise", chance.randbytes(SIZE)
    yield "an element without an end", b"<gpx " + b"a" * SIZE
    yield "a text without an end", b"<gpx><trk><trkseg><trkpt lat='1' lon='1'><time>" + b"1" * SIZE
    yield "elements in each other", b"<gpx>" + b"<a>" * (SIZE // 3)
    yield "waypoints", b"<gpx>" + b"".join(b"<wpt lat='%d' lon='0'><name>%s</name></wpt>" % (number % 80, b"n" * 200)
                                           for number in range(SIZE // 240)) + b"</gpx>"
    yield "points of a route", b"<gpx><rte>" + b"".join(
        b"<rtept lat='%.5f' lon='0'/>" % (number * 1e-5) for number in range(SIZE // 32)) + b"</rte></gpx>"
    yield "points in one place", gpx(point(1, 1) * (SIZE // 36))
    yield "times back and forth", gpx("".join(
        point(1, number * 1e-4, f"<time>20{10 + number % 3}-01-01T00:00:00Z</time>") for number in range(SIZE // 80)))
    yield "a ride of seconds", fit([(253, 4, 0x86), (0, 4, 0x85), (1, 4, 0x85)], SIZE // 13, lambda number: struct.pack(
        "<Iii", 1_100_000_000 + number, number * 500, 1))
    yield "a definition of 255 fields", fit([(number, 255, 13) for number in range(255)], SIZE // 65_026, bytes(65_025))
    yield "records of nothing", fit([], SIZE, b"")
    yield "header lines", b"# handlebar-recording 1\n" + b"".join(b"# key%d=value\n" % number for number in range(SIZE // 16))
    yield "sources", stamps(b"# t=%d src=%d\n$GPXXX,1*00\n" % (number, number % 100_000) for number in range(SIZE // 28))
    yield "requests", stamps(
        b'# e {"request":"TARGET","name":"t%d","lat":1,"lon":1,"radius":9,"persist":true}\n' % number for number in range(SIZE // 80))
    yield "views and trips", stamps(
        b'# e {"request":"VIEW","view":"v%d","lat":1,"lon":1}\n# e {"request":"TRIP","name":"t%d"}\n' % (number, number)
        for number in range(SIZE // 90))
    yield "a course that grows", stamps(
        b'# e {"request":"COURSE","name":"c","append":[[%.6f,11]]}\n' % (1 + number * 1e-5) for number in range(SIZE // 64))
    yield "frames that never end", b"\xb5\x62\x01\x35\xf4\x0b" * (SIZE // 6)
    yield "a ride with gaps of years", b"".join(
        line.replace(b"190326", b"1903%02d" % (number // 900 % 80)) for number, line in enumerate(ride.splitlines(True)))


# Runs a command for each line, and writes its peak memory in kB, its status and what it said. A process that starts one takes
# over the peak memory of its own parent until then, so that this small one stands between.
RUNNER = """
import json, os, subprocess, sys
for line in sys.stdin:
    with subprocess.Popen(json.loads(line), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as program:
        said = program.stderr.read().decode(errors="replace")
        _, status, usage = os.wait4(program.pid, 0)
        program.returncode = os.waitstatus_to_exitcode(status)
    print(json.dumps([usage.ru_maxrss, program.returncode, said]), flush=True)
"""


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    for name, content in files():
        (folder / name).write_bytes(content)
    return folder


@contextlib.contextmanager
def runner():
    """A function that runs a command: its peak memory in kB, its status, and what it says."""
    # Much work, and no hurry: the receivers and clients of other tests have time-outs.
    command = ["nice", "-n", "10", sys.executable, "-ISc", RUNNER]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:

        def run(arguments):
            process.stdin.write(json.dumps(arguments).encode() + b"\n")
            process.stdin.flush()
            assert select.select([process.stdout], [], [], 30 * TIMEOUT)[0], f"{arguments} does not end"
            return json.loads(process.stdout.readline())

        try:
            yield run
        finally:
            process.kill()


@pytest.mark.limits
@pytest.mark.timeout(3000)
@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_memory_of_a_command_is_bounded(hostile, command):
    with runner() as run:
        for file in sorted(hostile.iterdir()):
            memory, status, said = run([f"{BIN}/handlebarctl", *(part.format(file=file) for part in command), str(file)])
            # A route is kept whole.
            limit = 160 * 1024 if LONG and command[-1] in ("--route", "{file}") or command[0] == "course" else LIMIT
            assert SANITIZED or memory < limit, f"{memory} kB for {file.name}"
            assert status in (0, 64, 65, 66), f"{status} for {file.name}: {said}"
            assert status == 0 or said.splitlines()[-1].startswith("handlebarctl: "), f"{file.name}: {said}"


POINTS = 500_000


def lines():
    """Courses in files of up to 64 MiB; those called long have a point too many."""
    blanks = b" " * (24 << 20)
    for name, count in ("line", POINTS), ("long", POINTS + 1):
        yield f"{name}.fit", fit([(0, 4, 0x85), (1, 4, 0x85), (2, 2, 0x84)], count, lambda number: struct.pack("<iiH", number * 50, 11, 3000))
        yield f"{name}.geojson", b'{"type":"LineString","coordinates":[' + b"[1,1,1]," * (count - 1) + b"[1,2,1]]" + 2 * blanks + b"}"
    yield "pieces.gpx", b"<gpx>" + blanks + b"".join(
        b"<trk><trkseg><trkpt lat='1' lon='%d'><ele>1</ele></trkpt></trkseg></trk><wpt lat='1' lon='1'><name>a waypoint with number %d</name></wpt>"
        % (number % 2, number) for number in range(POINTS // 2)) + b"</gpx>"


@pytest.mark.limits
@pytest.mark.parametrize("command", [COMMANDS["course-plot"], COMMANDS["simulate"]], ids=["course-plot", "simulate"])
def test_memory_for_a_course_is_bounded(folder, command):
    with runner() as run:
        for name, content in lines():
            (folder / name).write_bytes(content)
            memory, status, said = run([f"{BIN}/handlebarctl", *command, f"{folder}/{name}"])
            assert SANITIZED or memory < 160 * 1024, f"{memory} kB for {name}"
            assert status in (0, 65, 66) and ("has more than 500,000 points" in said) == name.startswith("long"), f"{name}: {said}"
