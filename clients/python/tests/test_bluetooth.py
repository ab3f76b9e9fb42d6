"""Bluetooth sensors without Bluetooth: what characteristics mean, and the list of sensors."""

import json
import random
import struct
import sys
import types

import pytest

from handlebar import _characteristics as characteristics
from handlebar import _sensors
from handlebar._characteristics import HEART_RATE, POWER, PRESSURE, SPEED_AND_CADENCE, TEMPERATURE, readings

WHEEL = {"count": 100_000, "time": 2048}
CRANK = {"count": 700, "time": 65_000}

# The fields of each characteristic in the order of its definition by the Bluetooth SIG.
VALUES = {
    "wheel and crank": (SPEED_AND_CADENCE, "03 a0860100 0008 bc02 e8fd", [("wheel", WHEEL), ("crank", CRANK)]),
    "wheel": (SPEED_AND_CADENCE, "01 a0860100 0008", [("wheel", WHEEL)]),
    "crank": (SPEED_AND_CADENCE, "02 bc02 e8fd", [("crank", CRANK)]),
    "neither": (SPEED_AND_CADENCE, "00", []),
    "power": (POWER, "0000 c800", [("power", {"value": 200})]),
    "power backwards": (POWER, "0000 fbff", [("power", {"value": -5})]),
    "power with balance, torque, wheel and crank": (
        POWER, "3500 c800 64 1000 a0860100 0008 bc02 e8fd",
        [("power", {"value": 200}), ("wheel", {**WHEEL, "ticks_per_second": 2048, "time_wrap": 65_536}), ("crank", CRANK)]),
    "heart rate": (HEART_RATE, "00 48", [("heartRate", {"value": 72})]),
    "heart rate with contact, energy and intervals": (HEART_RATE, "1e 48 e803 0004 1004", [("heartRate", {"value": 72})]),
    "heart rate of 16 bits": (HEART_RATE, "01 2c01", [("heartRate", {"value": 300})]),
    "no contact": (HEART_RATE, "04 48", []),
    "no beat": (HEART_RATE, "00 00", []),
    "pressure": (PRESSURE, "6d7f0e00", [("pressure", {"value": 95_012.5})]),
    "temperature": (TEMPERATURE, "6aff", [("temperature", {"value": -1.5})]),
    "unknown temperature": (TEMPERATURE, "0080", []),
}


@pytest.mark.parametrize("uuid, value, expected", VALUES.values(), ids=VALUES)
def test_a_characteristic(uuid, value, expected):
    assert readings(uuid, bytearray.fromhex(value)) == expected


@pytest.mark.parametrize("uuid, value, expected", [one for one in VALUES.values() if one[2]], ids=[name for name, one in VALUES.items() if one[2]])
def test_a_truncated_one_is_none(uuid, value, expected):
    whole = bytes.fromhex(value)
    # Energy and intervals behind the heart rate are not read.
    end = 2 if whole[:1] == b"\x1e" else len(whole)
    for length in range(end):
        assert readings(uuid, whole[:length]) == []


def test_any_bytes_are_readings_or_none():
    bits = random.Random(1)
    for _ in range(20_000):
        uuid = bits.choice(characteristics.CHARACTERISTICS)
        for reading in readings(uuid, bits.randbytes(bits.randrange(24))):
            assert all(isinstance(value, (int, float)) for value in reading.fields.values())


def test_the_charge_of_a_battery():
    assert characteristics.battery(struct.pack("B", 85)) == 85
    assert [characteristics.battery(one) for one in (b"", b"\xff", b"\x55\x55")] == [None] * 3


def run(folder, *arguments):
    """The exit code."""
    try:
        _sensors.main(["--state", str(folder / "state"), *arguments])
    except SystemExit as end:
        return end.code
    return 0


def test_sensors_are_added_listed_and_removed(folder, capsys):
    assert run(folder, "list") == 0 and capsys.readouterr().out == ""
    assert run(folder, "add", "c0:11:22:33:44:55", "chest") == 0
    assert run(folder, "add", "C0:11:22:33:44:56") == 0
    assert run(folder, "list") == 0
    assert capsys.readouterr().out.splitlines() == ["C0:11:22:33:44:55  chest", "C0:11:22:33:44:56"]
    assert (folder / "state/sensors.json").stat().st_mode & 0o777 == 0o644
    assert run(folder, "remove", "chest") == 0 and run(folder, "remove", "c0:11:22:33:44:56") == 0
    assert run(folder, "list") == 0 and capsys.readouterr().out == ""


WRONG = {
    "no address": (["add", "chest"], "is no address"),
    "a long name": (["add", "C0:11:22:33:44:57", "x" * 65], "64 bytes"),
    "a control character": (["add", "C0:11:22:33:44:57", "a\nb"], "64 bytes"),
    "a name that is taken": (["add", "C0:11:22:33:44:57", "chest"], "another sensor"),
    "an unknown one": (["remove", "back"], "no sensor back"),
}


@pytest.mark.parametrize("arguments, words", WRONG.values(), ids=WRONG)
def test_what_cannot_be_added_or_removed(folder, capsys, arguments, words):
    assert run(folder, "add", "C0:11:22:33:44:55", "chest") == 0
    assert run(folder, *arguments) == 64
    assert words in capsys.readouterr().err
    assert json.loads((folder / "state/sensors.json").read_text()) == {"C0:11:22:33:44:55": "chest"}


NAMED = b'{"C0:11:22:33:44:55":"%s"}'


@pytest.mark.parametrize("content", [
    b"", b"[]", b"{", b'{"C0:11:22:33:44:55":1}', b"\xff\xfe", NAMED % b"\xff", NAMED % b"", NAMED % (b"x" * 65),
])
def test_a_damaged_list_is_said_and_stays(folder, capsys, content):
    (folder / "state").mkdir()
    path = folder / "state/sensors.json"
    path.write_bytes(content)
    for arguments in ["list"], ["run"], ["remove", "chest"], ["add", "C0:11:22:33:44:56"]:
        assert run(folder, *arguments) == 78
        said = capsys.readouterr().err
        assert str(path) in said and "remove the file" in said
    assert path.read_bytes() == content


def test_the_list_is_not_written_through_a_link(folder):
    """The folder is the service's: root, who adds a sensor, must not write what that user's links lead to."""
    (folder / "state").mkdir()
    other, path = folder / "other", folder / "state/sensors.json"
    for link, content in (folder / "state/sensors.new", "precious"), (path, "{}"):
        other.write_text(content)
        link.unlink(missing_ok=True)
        link.symlink_to(other)
        assert run(folder, "add", "C0:11:22:33:44:55") == 0
        assert other.read_text() == content
        assert list((folder / "state").iterdir()) == [path] and not path.is_symlink()


def test_without_a_sensor_or_bleak_there_is_nothing_to_run(folder, capsys, monkeypatch):
    assert run(folder, "run") == 78 and "no sensor was added" in capsys.readouterr().err
    run(folder, "add", "C0:11:22:33:44:55")
    monkeypatch.setitem(sys.modules, "bleak", None)
    for command in "scan", "run":
        assert run(folder, command) == 69
        assert "apt-get install python3-bleak" in capsys.readouterr().err


def test_a_scan_shows_what_can_be_read_the_nearest_first(folder, capsys, monkeypatch):
    def found(rssi, name, *services):
        return types.SimpleNamespace(name=name), types.SimpleNamespace(rssi=rssi, service_uuids=list(services))

    speed, power, heart, _ = characteristics.SERVICES
    devices = {
        "C0:00:00:00:00:01": found(-80, "Speed\x1b[2J", speed),
        "C0:00:00:00:00:02": found(-50, None, power, heart),
        "C0:00:00:00:00:03": found(-40, "Headset", "0000110b-0000-1000-8000-00805f9b34fb"),
    }

    class BleakScanner:
        @staticmethod
        async def discover(timeout, return_adv):
            assert timeout == 3 and return_adv
            return devices

    monkeypatch.setitem(sys.modules, "bleak", types.SimpleNamespace(BleakScanner=BleakScanner))
    assert run(folder, "scan", "--seconds", "3") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines == ["C0:00:00:00:00:02  power, heart rate", "C0:00:00:00:00:01  speed and cadence  Speed?[2J"]
    devices.clear()
    assert run(folder, "scan", "--seconds", "3") == 0
    assert "no sensor was found" in capsys.readouterr().err
