"""The manual pages: clean, and complete against the programs, the default configuration and the wire protocol."""

import gzip
import json
import pathlib
import re
import socket
import subprocess

import pytest

from handlebar_harness import BIN, ROOT, until

TIMEOUT = 30.0
PAGES = ["man8/handlebard.8", "man1/handlebarctl.1", "man5/handlebard.toml.5", "man7/handlebar-protocol.7"]


def source(installed, name):
    return gzip.decompress((installed / "usr" / "share" / "man" / f"{name}.gz").read_bytes()).decode()


def rendered(folder, text):
    """The page as a terminal shows it, without line breaks in paragraphs."""
    page = folder / "page"
    page.write_text(text)
    done = subprocess.run(["mandoc", "-T", "utf8", "-O", "width=1000", page], capture_output=True, text=True, check=True)
    return re.sub(r".\x08", "", done.stdout)


@pytest.mark.parametrize("name", PAGES)
def test_page_is_clean(installed, folder, name):
    page = folder / name.split("/")[1]
    page.write_text(source(installed, name))
    done = subprocess.run(["mandoc", "-T", "lint", "-W", "style", page], capture_output=True, text=True, check=False)
    # Referenced pages need not be installed on the machine that runs the tests.
    complaints = [line for line in done.stdout.splitlines() if "referenced manual not found" not in line]
    assert not complaints, "\n".join(complaints)
    assert not re.search(r"@[A-Z]+@", page.read_text()), "a placeholder was not replaced"


def commands(program):
    dump = subprocess.run([BIN / program, "--experimental-dump-help"], capture_output=True, check=True).stdout
    waiting = [json.loads(dump)["command"]]
    while waiting:
        one = waiting.pop()
        waiting += one.get("subcommands", [])
        if one["commandName"] != "help":
            yield one


@pytest.mark.parametrize("program, name", [("handlebard", PAGES[0]), ("handlebarctl", PAGES[1])])
def test_every_option_is_documented(installed, folder, program, name):
    """The page has every command and option of --help, with its description."""
    page = rendered(folder, source(installed, name))
    count = 0
    for command in commands(program):
        assert command["commandName"] in page
        for option in command.get("arguments", []):
            if not option.get("shouldDisplay", True) or option.get("valueName") == "help":
                continue
            for one in option.get("names", []):
                dashes = "-" if one["kind"] == "short" else "--"
                assert re.search(rf"(?<![\w-]){dashes}{re.escape(one['name'])}(?![\w-])", page), one["name"]
            flat = " ".join(page.split())
            assert " ".join(option.get("abstract", "").split()) in flat, option["abstract"]
            count += 1
    assert count >= 5


def test_every_key_is_documented(installed):
    """The page, the default configuration and the list of environment variables have the same keys."""
    default = (ROOT / "systemd" / "handlebard.toml").read_text()
    keys = re.findall(r"^#?([a-z-]+) = ", default, re.MULTILINE)
    assert len(keys) >= 8
    documented = re.findall(r"^\.It Cm ([a-z-]+) No = ", source(installed, PAGES[2]), re.MULTILINE)
    assert sorted(documented) == sorted(keys)
    page = source(installed, PAGES[0])
    for key in keys:
        assert f"HANDLEBAR_{key.upper().replace('-', '_')}" in page.split(), key


def fields_by_class(page):
    """The documented fields of each class: {"TPV": {"mode", …}, …}."""
    start, end = page.index(".Sh CLASSES OF GPSD"), page.index(".Sh FOLLOW MODE")
    fields, name = {}, None
    for line in page[start:end].splitlines():
        if match := re.fullmatch(r"\.It Sy ([A-Z]+)", line):
            name = match[1]
            fields[name] = {"class"}
        elif line.startswith(".Ss Counters"):
            name = "counts"
            fields[name] = set()
        elif name and line.startswith((".It Va ", ".Va ")):
            fields[name] |= set(line.removeprefix(".It").removeprefix(" ").removeprefix(".Va").removeprefix("Va").split()) - {",", "."}
    return fields


def undocumented(report, fields):
    """Names in a report, and in the objects within it, that the page does not have under its class."""
    name = report["class"]
    known = fields.get(name, set())
    for field, value in report.items():
        if field not in known:
            yield f"{name}.{field}"
        if field == "counts":
            yield from (f"{name}.counts.{one}" for one in value if one not in fields["counts"])
        elif field == "satellites":
            yield from {f"SKY.satellites[].{one}" for satellite in value for one in satellite} - known_satellite(fields)
        elif isinstance(value, list):
            for one in value:
                yield from undocumented(one if "class" in one else {"class": name} | one, fields)


def known_satellite(fields):
    return {f"SKY.{one}" for one in fields["SKY"] if one.startswith("satellites[].")}


# Each gets an answer; together they show every class that a ride shows.
REQUESTS = """\
?WATCH={"enable":true,"json":true,"distanceFilter":0,"heartbeat":10,"poses":10,"handlebar":true};
?FOLLOW;
?VIEW={"lat":0,"lon":0,"cause":"user"};
?TARGET={"name":"office","lat":48.14,"lon":11.57};
?LOCATE={"timeout":10};
?LOCATE={"timeout":0,"maxAge":0};
?PLAYBACK={"speed":20};
?RECORD={"enable":true};
?RECORD;
?RECEIVER;
?POLL;
?STATUS;
?FOLLOW={"enable":false};
?DEVICE;
?NOTHING;
"""


def reports_of_a_ride(folder):
    """What a daemon on a bundled ride sends, the answers to every request included."""
    command = [
        BIN / "handlebard", "--source", f"recording:{ROOT / 'recordings' / 'city.nmea'}?speed=20&loop=true", "--socket", folder / "socket",
        "--record", folder / "rides",
    ]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as daemon:
        try:
            until(lambda: daemon.poll() is not None or (folder / "socket").is_socket(), "the daemon's socket")
            with socket.socket(socket.AF_UNIX) as client:
                client.settimeout(TIMEOUT)
                client.connect(str(folder / "socket"))
                reports, asked = [], False
                client.sendall(b'?WATCH={"enable":true,"json":true,"distanceFilter":0};')
                for line in client.makefile():
                    reports.append(json.loads(line))
                    if not asked and reports[-1]["class"] == "TPV":
                        asked = True
                        client.sendall(REQUESTS.encode())
                    if reports[-1]["class"] == "POSE" and any(one.get("request") == "NOTHING" for one in reports):
                        return reports
                raise AssertionError(f"the daemon closed the connection; last: {reports[-1:]}")
        finally:
            daemon.terminate()


def test_every_field_is_documented(installed, folder):
    """handlebar-protocol(7) has every field that the daemon sends, under its class, and every request that it accepts."""
    page = source(installed, PAGES[3])
    fields = fields_by_class(page)
    reports = reports_of_a_ride(pathlib.Path(folder))
    classes = {report["class"] for report in reports}
    assert classes >= set(fields) - {"counts"}, set(fields) - classes
    missing = {one for report in reports for one in undocumented(report, fields)}
    assert not missing, sorted(missing)
    unknown = next(one for one in reports if one.get("request") == "NOTHING")
    requests = unknown["message"].partition("supported: ")[2].split()
    assert len(requests) >= 11
    for request in requests:
        assert re.search(rf"^\.It Li \?{request}\b", page, re.MULTILINE), request
