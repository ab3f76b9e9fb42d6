"""The picture of a ride, drawn by librsvg, and the map on a terminal."""

import os
import pty
import re
import struct
import subprocess
import zlib
import xml.etree.ElementTree as ElementTree

import pytest

from gpsd_harness import needs
from handlebar_harness import BIN, ROOT, control

RIDES = sorted((ROOT / "recordings").glob("*.nmea"))
SVG = "{http://www.w3.org/2000/svg}"

every_ride = pytest.mark.parametrize("ride", RIDES, ids=lambda path: path.stem)


def plot(ride, path):
    code, _, err = control("/nonexistent", "plot", ride, "-o", path)
    assert code == 0, err
    return path


def pixels(png):
    """Width, height and the colours of a PNG of 8-bit RGBA, without interlacing."""
    data, position, packed = png.read_bytes(), 8, b""
    while position < len(data):
        size, kind = struct.unpack(">I4s", data[position : position + 8])
        body = data[position + 8 : position + 8 + size]
        if kind == b"IHDR":
            width, height, depth, colours = struct.unpack(">IIBB", body[:10])
            assert (depth, colours) == (8, 6)
        elif kind == b"IDAT":
            packed += body
        position += 12 + size
    raw, stride, rows, above = zlib.decompress(packed), width * 4, [], bytes(width * 4)
    for row in range(height):
        start = row * (stride + 1)
        way, line = raw[start], bytearray(raw[start + 1 : start + 1 + stride])
        for i in range(stride):
            left, up, corner = line[i - 4] if i >= 4 else 0, above[i], above[i - 4] if i >= 4 else 0
            if way == 1:
                line[i] = (line[i] + left) & 255
            elif way == 2:
                line[i] = (line[i] + up) & 255
            elif way == 3:
                line[i] = (line[i] + (left + up) // 2) & 255
            elif way == 4:
                guess = left + up - corner
                nearest = min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))[2]
                line[i] = (line[i] + nearest) & 255
        rows.append(bytes(line))
        above = rows[-1]
    return width, height, {row[i : i + 3] for row in rows for i in range(0, stride, 4)}


@needs("rsvg-convert")
@pytest.mark.parametrize("ride", [ROOT / "recordings" / f"{name}.nmea" for name in ("city", "tunnel", "motorway")])
def test_the_picture_is_drawn(folder, ride):
    svg, png = plot(ride, folder / "ride.svg"), folder / "ride.png"
    subprocess.run(["rsvg-convert", "-w", "390", str(svg), "-o", str(png)], check=True, timeout=60, capture_output=True)
    width, height, colours = pixels(png)
    assert width == 390 and 600 < height < 1000
    # Paper, ink, the way, and what this ride has.
    wanted = {"paper": "ffffff", "panel": "f3f5f7", "ink": "1b1f24", "begin": "1a7f37", "way": "0b62c4"}
    wanted |= {
        "city": {"stop": "ffb000"}, "tunnel": {"loss": "c4261d"}, "motorway": {"follow": "7a1fa2"},
    }[ride.stem]
    for name, colour in wanted.items():
        assert bytes.fromhex(colour) in colours, f"nothing is drawn in the colour of {name}"


@every_ride
def test_the_picture_is_complete_small_and_labelled(folder, ride):
    svg = plot(ride, folder / "ride.svg")
    assert svg.stat().st_size < 100_000
    tree = ElementTree.parse(svg).getroot()
    texts = [text.text for text in tree.iter(SVG + "text")]
    assert texts[0] == ride.stem and "Speed, km/h" in texts and "Accuracy (95 %), m" in texts
    expected = {
        "city": r"\d+ stops, .*", "tunnel": r"2 signal losses, .*", "mountain": r"1 signal loss, .*", "motorway": r"map stopped following",
    }[ride.stem]
    assert any(re.fullmatch(expected, text) for text in texts), texts
    _, _, width, height = map(float, tree.get("viewBox").split())
    for text in tree.findall(SVG + "text"):
        assert 0 <= float(text.get("x")) <= width and 0 <= float(text.get("y")) <= height


def test_times_are_local_and_units_as_wanted(folder, monkeypatch):
    ride = ROOT / "recordings" / "city.nmea"
    for zone, text in ("UTC", r"2026-03-19 · 12:35–12:4\d UTC"), ("Asia/Kathmandu", r"2026-03-19 · 18:20–18:2\d UTC\+05:45"):
        monkeypatch.setenv("TZ", zone)
        texts = [text.text for text in ElementTree.parse(plot(ride, folder / "ride.svg")).getroot().iter(SVG + "text")]
        assert any(re.fullmatch(text, line) for line in texts), texts[:4]
        code, shown, _ = control("/nonexistent", "rides", "show", ride)
        assert code == 0 and ("2026-03-19 18:20:" in shown and "+05:45" in shown) == (zone != "UTC")
    code, out, _ = control("/nonexistent", "plot", "--units", "imperial", ride)
    assert code == 0 and "Speed, mph" in out and " mi · " in out and "km" not in out


def test_what_is_left_out_near_home_is_not_drawn(folder):
    """Neither its points nor its times and figures."""
    ride = ROOT / "recordings" / "city.nmea"
    code, table, _ = control("/nonexistent", "export", ride, "--csv", "--trim", "150")
    assert code == 0
    left = len(table.splitlines()) - 1
    code, out, err = control("/nonexistent", "plot", "--trim", "150", ride)
    assert code == 0, err
    texts = [text.text for text in ElementTree.fromstring(out).iter(SVG + "text")]
    assert texts[0] == "ride" and f"{left} recorded positions" in texts and ">city<" not in out
    whole = [text.text for text in ElementTree.parse(plot(ride, folder / "ride.svg")).getroot().iter(SVG + "text")]
    assert texts[2] != whole[2], "distance and duration"
    code, _, err = control("/nonexistent", "plot", "--poses", "--trim", "150", ride)
    assert code == 64 and "--poses" in err


def test_without_a_terminal_the_picture_goes_to_standard_output(folder):
    code, out, _ = control("/nonexistent", "plot", RIDES[0])
    assert code == 0
    assert out == plot(RIDES[0], folder / "ride.svg").read_text()


def on_terminal(ride, **environment):
    """The lines of `plot` on a terminal."""
    child, terminal = pty.fork()
    if child == 0:
        # A slow machine's progress is not what is looked at here.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        keep = {name: value for name, value in os.environ.items() if name not in ("LC_ALL", "LC_CTYPE", "NO_COLOR")}
        program = str(BIN / "handlebarctl")
        os.execve(program, [program, "plot", str(ride)], keep | {"TERM": "xterm"} | environment)
    shown = b""
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:
            break
        if not piece:
            break
        shown += piece
    os.close(terminal)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    return shown.decode().replace("\r\n", "\n").splitlines()


def test_a_terminal_gets_a_map_of_its_width():
    lines = on_terminal(ROOT / "recordings" / "mountain.nmea", LANG="C.UTF-8", COLUMNS="50", LINES="24", NO_COLOR="1")
    assert len(lines) <= 24 and max(map(len, lines)) == 50
    assert not any("\x1b" in line for line in lines)
    assert any("\u2801" <= letter <= "\u28ff" for line in lines for letter in line)
    text = "\n".join(lines)
    assert text.count("S") == 2 and "E" in text and "x" in text


def test_colours_and_plain_ascii():
    ride = ROOT / "recordings" / "tunnel.nmea"
    assert any("\x1b[31mx" in line for line in on_terminal(ride, LANG="C.UTF-8", COLUMNS="60", LINES="20"))
    assert all(line.isascii() for line in on_terminal(ride, LANG="C", COLUMNS="60", LINES="20", NO_COLOR="1"))


def test_errors_name_the_cause_and_the_remedy(folder):
    void = folder / "void.nmea"
    void.write_text("")
    for arguments, code, words in ([void], 65, "has no fix"), ([folder / "no.nmea"], 66, "check the path"):
        ended, _, err = control("/nonexistent", "plot", *arguments, "-o", folder / "ride.svg")
        assert ended == code and words in err and len(err.splitlines()) == 1
    assert not (folder / "ride.svg").exists()
