"""What a version promises (scripts/promises): every kind of name is found, and none disappears unless the changelog names it."""

import importlib.machinery
import importlib.util
import json
import subprocess
import sys
import types

import pytest

from handlebar_harness import BIN, ROOT

LOADER = importlib.machinery.SourceFileLoader("promises", str(ROOT / "scripts" / "promises"))
promises = importlib.util.module_from_spec(importlib.util.spec_from_loader("promises", LOADER))
LOADER.exec_module(promises)

CHANGELOG = """\
# Changes

## 2.0.0, not released yet

- `TPV` has no `epx` any more; `--raw` of `export` and exit code 4 are gone.
- The key `latency` is in seconds.
- Swift: `FollowReport` is `ViewReport`; `Subscription` has `trips`, and `LocationUpdates.report(_:)` throws.

## 1.0.0, 2027-01-01

- `TPV` has `speed`.
"""


@pytest.mark.parametrize("promise", [
    "protocol\tTPV.epx\tnumber", "command\thandlebarctl export --raw", "exit\thandlebarctl 4", "key\tlatency\t= seconds",
    "swift\tFollowReport\tstruct FollowReport", "swift\tFollowReport.isFollowing\tvar isFollowing: Bool",
    "swift\tSubscription.init(distanceFilter:)\tinit(distanceFilter: Double)", "swift\tLocationUpdates.report(_:)\tfunc report",
])
def test_what_the_changelog_names_may_go(promise):
    assert promises.differences({promise}, {"swift\tViewReport"}, CHANGELOG) == (["swift\tViewReport"], [promise], [])


@pytest.mark.parametrize("promise", [
    # In a section of an earlier version, of another class, command or program's word, or a part of another name.
    "protocol\tTPV.speed\tnumber", "protocol\tGST.epx\tnumber", "command\thandlebarctl plot --raw", "exit\thandlebard 64",
    "key\tlat", "python\tClient.updates.distance_filter\t1: float",
])
def test_what_it_does_not_name_may_not(promise):
    kept = {"protocol\tTPV", "protocol\tGST", "command\thandlebarctl plot", "python\tClient", "python\tClient.updates"}
    assert promises.differences({promise, *kept}, kept, CHANGELOG) == ([], [promise], [promise])


def test_a_member_is_named_with_its_type_only_if_both_go():
    member, kind = "swift\tFollowReport.isFollowing\tvar isFollowing: Bool", "swift\tFollowReport\tstruct FollowReport"
    assert promises.differences({member, kind}, {kind}, CHANGELOG)[2] == [member]


def test_fields_and_their_words_are_promised():
    schema = {"$defs": {
        "TPV": {"required": ["class"], "properties": {"lat": {"type": "number"}, "reason": {"type": "string", "enum": ["moved", "first"]}}},
        "STATUS": {"properties": {"sources": {"type": "array", "items": {"properties": {"bps": {"type": "integer"}}}}}},
    }}
    assert set(promises.protocol(schema)) == {
        "protocol\tTPV", "protocol\tTPV.class\trequired", "protocol\tTPV.lat\tnumber", "protocol\tTPV.reason\tstring",
        "protocol\tTPV.reason moved", "protocol\tTPV.reason first",
        "protocol\tSTATUS", "protocol\tSTATUS.sources\tarray", "protocol\tSTATUS.sources[].bps\tinteger",
    }


def test_names_in_the_manual_are_promised():
    page = (ROOT / "packaging/man/handlebard.toml.5").read_text()
    found = set(promises.configuration(page))
    assert {"key\tdistance-filter\tmetres", "source\tserial: speed", "source\trecording: loop", "source\treceiver protocol"} <= found
    default = (ROOT / "systemd/handlebard.toml").read_text()
    keys = {one.split("\t")[1] for one in found if one.startswith("key")}
    assert len(keys) > 8 and all(f"\n#{key} = " in default for key in keys)
    page = (ROOT / "packaging/man/handlebarctl.1").read_text()
    assert {"exit\thandlebarctl 65", "variable\thandlebarctl HANDLEBAR_ZONES"} <= set(promises.program("handlebarctl", page))
    assert {"recording\t# cut", "recording\trequest VIEW.cause"} <= set(promises.recordings((ROOT / "recordings/README.md").read_text()))


def test_every_command_and_option_is_promised():
    help_of = json.loads(subprocess.run([BIN / "handlebarctl", "--experimental-dump-help"], capture_output=True, check=True).stdout)
    found = set(promises.commands(help_of["command"]))
    assert {
        "command\thandlebarctl course plot", "command\thandlebarctl decode --stats", "command\thandlebarctl simulate --output\tFILE",
    } <= found
    assert not [one for one in found if "help" in one.split()]


def test_the_members_of_a_python_package_are_promised(monkeypatch):
    package = types.ModuleType("package")
    monkeypatch.setitem(sys.modules, "package", package)
    exec(
        "import dataclasses, typing\n"
        "Word = typing.Literal['first', 'moved']\n"
        "@dataclasses.dataclass\n"
        "class Fix:\n"
        "  latitude: 'float'\n"
        "  def moved(self, by: 'float', *, up: 'bool' = False) -> 'Fix': ...\n"
        "  def _hidden(self): ...\n"
        "__all__ = ['Word', 'Fix']\n", vars(package))
    assert set(promises.python(package)) == {
        "python\tWord", "python\tWord first", "python\tWord moved", "python\tFix", "python\tFix.latitude\tfloat",
        "python\tFix.moved", "python\tFix.moved\t-> Fix", "python\tFix.moved.by\t1: float", "python\tFix.moved.up\t*: bool = …",
    }


def test_public_swift_symbols_are_promised():
    def symbol(identifier, path, declaration, access="public"):
        return {
            "identifier": {"precise": identifier}, "pathComponents": path, "accessLevel": access, "location": {},
            "declarationFragments": [{"spelling": one} for one in declaration],
        }

    graph = {
        "symbols": [
            symbol("s:1", ["Position"], ["struct", " ", "Position"]),
            symbol("s:2", ["Position", "course"], ["var", " course: ", "Double", "?"]),
            symbol("s:3", ["Position", "line"], ["var line: String"], access="package"),
        ],
        "relationships": [
            {"kind": "conformsTo", "source": "s:1", "target": "s:SE", "targetFallback": "Swift.Encodable"},
            {"kind": "conformsTo", "source": "s:1", "target": "s:s8Copyable", "targetFallback": "Swift.Copyable"},
            {"kind": "memberOf", "source": "s:2", "target": "s:1"},
        ],
    }
    assert set(promises.swift([graph])) == {
        "swift\tPosition\tstruct Position", "swift\tPosition\t: Encodable", "swift\tPosition.course\tvar course: Double?",
    }
