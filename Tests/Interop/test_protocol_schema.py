"""The schema of the protocol, /usr/share/handlebard/protocol.schema.json: made from the manual page's lists of fields, it
describes every line that the daemon sends, and every field that it takes."""

import ast
import dataclasses
import functools
import itertools
import json
import re
import subprocess
import sys
import typing

import jsonschema
import pytest

from gpsd_harness import free_port
from handlebar_harness import BUNDLED, ROOT, Client, Daemon

PAGE = ROOT / "packaging" / "man" / "handlebar-protocol.7"


@functools.cache
def made(page):
    output = subprocess.run([ROOT / "packaging" / "schema", page], capture_output=True, text=True, check=False)
    assert output.returncode == 0, output.stderr
    return output.stdout


def schema(page):
    return json.loads(made(page))


def objects(one):
    """The objects with properties in a schema, however deep."""
    if isinstance(one, dict):
        if "properties" in one:
            yield one
        for inner in one.values():
            yield from objects(inner)


def strict(page=PAGE):
    """A validator that also refuses fields that the manual page lacks: a client must bear them, a release must not have them."""
    protocol = schema(page)
    for one in objects(protocol["$defs"]):
        one["additionalProperties"] = False
    return jsonschema.Draft202012Validator(protocol)


def faults(validator, line):
    """What is wrong with a line, by the schema of its class."""
    if line["class"] not in validator.schema["$defs"]:
        return [f"class {line['class']}"]
    one = validator.evolve(schema={"$ref": f"#/$defs/{line['class']}", "$defs": validator.schema["$defs"]})
    return [f"{line['class']}: {error.message} in {error.json_path}" for error in one.iter_errors(line)]


def test_it_is_a_schema():
    jsonschema.Draft202012Validator.check_schema(schema(PAGE))


@pytest.mark.parametrize("ride", BUNDLED, ids=lambda ride: ride.stem)
def test_every_published_line_of_a_ride_has_its_schema(ride):
    validator = strict()
    lines = [json.loads(line) for line in ride.with_suffix(".expected").read_bytes().splitlines()]
    assert len(lines) > 300
    assert [fault for line in lines for fault in faults(validator, line)] == []
    jsonschema.Draft202012Validator(schema(PAGE)).validate(next(line for line in lines if line["class"] == "TPV"))


REQUESTS = [
    "?VERSION;", "?DEVICES;", "?DEVICE;", "?POLL;", "?WATCH;", "?STATUS;", "?LOCATE;", '?LOCATE={"timeout":0,"maxAge":0};',
    '?VIEW={"view":"main","lat":48.2,"lon":11.6,"cause":"user"};', "?FOLLOW;", '?FOLLOW={"view":"main","enable":true};',
    '?TRIP={"name":"day"};', '?TRIP={"name":"day","lap":true};', "?TRIP;", '?COURSE={"name":"line","polyline":"??_izlhA?","elevation":"?o}@"};', '?CUE={"course":"line","at":5,"text":"Left","kind":"left"};',
    '?COURSE={"name":"none"};', '?COURSE={"name":"line","from":0};', "?COURSE;", "?TARGET;", '?TARGET={"name":"home","lat":48.1,"lon":11.5};', '?TARGET={"name":"home","enable":false};', "?PLAYBACK;",
    '?RECORD={"enable":true};', "?RECORD;", "?RECEIVER;", '?WATCH={"distanceFilter":-1};', "?NOTHING;",
    "?SENSOR;", '?SENSOR={"sensor":"crank","count":7,"time":2048,"source":"left"};',
    '?SENSOR={"sensor":"crank","count":9,"time":3072,"source":"left"};', "?SENSOR;",
]  # fmt: skip


@pytest.mark.parametrize("tcp", [False, True], ids=["unix", "gpsd"])
def test_every_answer_has_its_schema(folder, tcp):
    validator = strict()
    ride = "recordings/city.nmea"
    number = free_port()
    options = ["--record", folder / "rides", "--tcp", f"127.0.0.1:{number}"]
    with Daemon(folder, f"recording:{ride}?speed=20", options=options, cwd=ROOT) as daemon:
        with Client(("127.0.0.1", number) if tcp else daemon.socket) as client:
            client.watch(distanceFilter=0, course=True, sensors=True, **({} if tcp else {"poses": 10}))
            client.wait("SKY")
            for request in REQUESTS:
                client.send(request)
                client.settle()
            client.wait("TPV", lambda fix: "lat" in fix)
            if not tcp:
                client.wait("POSE")
            client.settle()
            lines = [{key: value for key, value in line.items() if key != "_at"} for line in client.lines]
    assert [fault for line in lines for fault in faults(validator, line)] == []
    unseen = set(validator.schema["$defs"]) - {line["class"] for line in lines}
    additions = set(re.findall(r"(?m)^\.It Sy ([A-Z]{4,})$", PAGE.read_text().partition("\n.Sh ADDITIONAL CLASSES\n")[2]))
    assert "STATE" in additions and "TPV" not in additions
    assert {name for name in unseen if name[0] != "?"} == (additions if tcp else set())


def test_the_state_of_missing_receivers_has_its_schema(folder):
    validator = strict()
    link = folder / "gps0"
    with Daemon(folder, f"serial:{link}", f"serial:{folder}/none", f"iio:{folder}/none") as daemon:
        with Client(daemon.socket) as client:
            client.watch()
            client.wait("STATE", lambda state: state["state"] == "failed")
            client.send("?STATUS;")
            client.wait("STATUS")
            lines = [{key: value for key, value in line.items() if key != "_at"} for line in client.lines]
    assert [fault for line in lines for fault in faults(validator, line)] == []


def test_the_requests_have_the_fields_that_the_daemon_takes(folder):
    protocol = schema(PAGE)["$defs"]
    with Daemon(folder, "recording:recordings/city.nmea", cwd=ROOT) as daemon, Client(daemon.socket) as client:
        client.send("?NOTHING;")
        names = client.wait("ERROR")["message"].partition("supported: ")[2].split()
        assert {f"?{name}" for name in names} == {name for name in protocol if name.startswith("?")}
        for name in names:
            # Too many mistakes in a row end the connection.
            client.send("?VERSION;")
            # A field that no request has; WATCH alone ignores it, so there it is one in another case.
            client.send(f'?{name}={{"{"ENABLE" if name == "WATCH" else "unheardOf"}":1}};')
            message = client.wait("ERROR")["message"]
            fields = set(message.partition("; it has ")[2].split(", ")) - {""}
            assert fields <= set(protocol[f"?{name}"]["properties"]), message
            assert name == "WATCH" or "takes no value" in message or fields == set(protocol[f"?{name}"]["properties"])


@pytest.mark.parametrize("field", ["geoidSep", "seq", "satellites[].ss", "following", "counts"])
def test_a_field_that_the_manual_lacks_is_found(folder, field):
    text = PAGE.read_text()
    without = re.sub(rf"(?m)^(\.It Va .*?)\b{re.escape(field)}(?= |$)", r"\1other", text)
    assert without != text
    page = folder / "page.7"
    page.write_text(without)
    output = subprocess.run([ROOT / "packaging" / "schema", page], capture_output=True, text=True, check=False)
    # What a description says of a boolean is its type.
    assert field == "following" or output.returncode == 1 and "other has no type" in output.stderr
    lines = [json.loads(line) for line in BUNDLED[0].with_suffix(".expected").read_bytes().splitlines()]
    validator = strict()
    for one in objects(validator.schema["$defs"]):
        one["properties"].pop(field.rpartition(".")[2], None)
    assert any(faults(validator, line) for line in lines)


# The words of a field, and where the Swift library has them.
WORDS = {
    "TPV.reason": "Position", "ERROR.code STATE.error": "ErrorReport", "STATE.state": "StateReport", "STATUS.state": "StateReport",
    "STATE.leads": "StateReport.LeadReasonNames", "STATUS.sources[].state": "StateReport", "FOLLOW.reason": "FollowReport",
    "STATE.jamming STATE.spoofing": "StateReport.InterferenceNames", "STATE.antenna": "StateReport.AntennaNames",
    "STATE.reason": "StateReport.AbsenceReasonNames",
    "ARRIVAL.state": "ArrivalReport", "TRIP.state": "TripReport", "SENSOR.sensor": "SensorReport",
    "COURSE.state": "CourseReport", "POSE.basis": "POSE", "RECORD.state": "RecordReport", "STATUS.firstFix.start": "FirstFix",
}  # fmt: skip


def words(protocol, name):
    owner, *path = name.split(".")
    one = protocol[owner]
    for part in path:
        one = one["properties"][part.removesuffix("[]")]
        one = one["items"] if part.endswith("[]") else one
    return one["enum"]


@pytest.mark.parametrize("names", WORDS)
def test_the_words_of_a_field_are_those_of_the_library(names):
    protocol = schema(PAGE)["$defs"]
    sources = [*(ROOT / "Sources/GPSDProtocol").rglob("*.swift"), ROOT / "Sources/LocationClient/Position.swift"]
    text = "\n".join(source.read_text() for source in sources)
    parts = re.findall(rf"(?s)extension OpenName<{re.escape(WORDS[names])}> \{{.*?\n\}}", text)
    library = [word for part in parts for word in re.findall(r'Self\("(\w+)"\)', part)]
    listed = [word for name in names.split() for word in words(protocol, name)]
    assert set(listed) == set(library)
    for name in names.split():
        owner, field = name.split(".")[0], name.rpartition(".")[2]
        if "[]" in name or name.count(".") > 1:
            continue
        line = {"class": owner, field: "flying"}
        assert any("is not one of" in fault for fault in faults(strict(), line))


KINDS = {"_number": ("number",), "_whole": ("integer",), "_flag": ("boolean",), "_text": ("string",), "_time": ("string",)}


def test_the_dataclasses_of_the_python_client_have_the_fields_of_the_protocol(monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.syspath_prepend(ROOT / "clients" / "python")
    import handlebar

    protocol = schema(PAGE)["$defs"]
    for name, one in handlebar._fields.CLASSES.items():
        properties = protocol[name]["properties"]
        hints = typing.get_type_hints(one)
        for field in dataclasses.fields(one):
            wire, read = field.metadata.get("name"), getattr(field.metadata.get("read"), "__name__", "")
            if wire is None:
                continue
            assert wire in properties, f"{name}.{wire}"
            kinds = [hints[field.name], *typing.get_args(hints[field.name])]
            words = [typing.get_args(kind) for kind in kinds if typing.get_origin(kind) is typing.Literal]
            if (name, wire) != ("STATE", "previous"):
                assert [sorted(some) for some in words] == [sorted(some) for some in [properties[wire].get("enum")] if some], wire
            if read in KINDS:
                assert properties[wire].get("type") in KINDS[read], f"{name}.{wire}"
                assert (properties[wire].get("format") == "date-time") == (read == "_time"), f"{name}.{wire}"


def test_every_attribute_of_the_python_client_has_a_docstring():
    for file in (ROOT / "clients" / "python" / "handlebar").glob("*.py"):
        for one in ast.walk(ast.parse(file.read_text())):
            if isinstance(one, ast.ClassDef) and any("dataclass" in ast.unparse(mark) for mark in one.decorator_list):
                for field, after in itertools.pairwise([*one.body, ast.Pass()]):
                    documented = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
                    assert documented or not isinstance(field, ast.AnnAssign), f"{file.name}: {one.name}.{ast.unparse(field)}"
