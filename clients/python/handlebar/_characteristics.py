"""What Bluetooth sensors measure: the characteristics of their services, as readings for the daemon."""

from __future__ import annotations

import struct
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple

from ._guidance import SensorKind


class Reading(NamedTuple):
    """A reading, with the arguments of `Request.sensor`."""

    sensor: SensorKind
    fields: Dict[str, float]


class _Fields:
    """Numbers of a characteristic, one after another; `struct.error` behind its end."""

    def __init__(self, data: bytes):
        self._data = data
        self._at = 0

    def take(self, form: str) -> Any:
        (value,) = struct.unpack_from("<" + form, self._data, self._at)
        self._at += struct.calcsize("<" + form)
        return value


def _revolutions(sensor: SensorKind, fields: _Fields, **more: float) -> Reading:
    count = fields.take("I" if sensor == "wheel" else "H")
    return Reading(sensor, {"count": count, "time": fields.take("H"), **more})


_REVOLUTIONS: Tuple[Tuple[int, SensorKind], ...] = ((1, "wheel"), (2, "crank"))


def _speed_and_cadence(fields: _Fields) -> List[Reading]:
    flags = fields.take("B")
    return [_revolutions(sensor, fields) for bit, sensor in _REVOLUTIONS if flags & bit]


def _power(fields: _Fields) -> List[Reading]:
    flags = fields.take("H")
    readings = [Reading("power", {"value": fields.take("h")})]
    # Balance of the pedals, and accumulated torque.
    for bit, form in ((1, "B"), (4, "H")):
        if flags & bit:
            fields.take(form)
    if flags & 16:
        # Ticks of another length than in the other profile.
        readings.append(_revolutions("wheel", fields, ticks_per_second=2048, time_wrap=65_536))
    if flags & 32:
        readings.append(_revolutions("crank", fields))
    return readings


def _heart_rate(fields: _Fields) -> List[Reading]:
    flags = fields.take("B")
    value = fields.take("H" if flags & 1 else "B")
    # The strap knows that it has no contact, or has found no beat.
    return [] if flags & 6 == 4 or value == 0 else [Reading("heartRate", {"value": value})]


def _pressure(fields: _Fields) -> List[Reading]:
    return [Reading("pressure", {"value": fields.take("I") / 10})]


def _temperature(fields: _Fields) -> List[Reading]:
    value = fields.take("h")
    return [] if value == -32_768 else [Reading("temperature", {"value": value / 100})]


def _uuid(number: int) -> str:
    return f"0000{number:04x}-0000-1000-8000-00805f9b34fb"


SPEED_AND_CADENCE, POWER, HEART_RATE = _uuid(0x2A5B), _uuid(0x2A63), _uuid(0x2A37)
PRESSURE, TEMPERATURE, BATTERY = _uuid(0x2A6D), _uuid(0x2A6E), _uuid(0x2A19)

_DECODERS: Dict[str, Callable[[_Fields], List[Reading]]] = {
    SPEED_AND_CADENCE: _speed_and_cadence, POWER: _power, HEART_RATE: _heart_rate, PRESSURE: _pressure,
    TEMPERATURE: _temperature}
CHARACTERISTICS = tuple(_DECODERS)

SERVICES = {
    _uuid(0x1816): "speed and cadence", _uuid(0x1818): "power", _uuid(0x180D): "heart rate", _uuid(0x181A): "environment"}
"""The services that are read, by what they measure."""


def readings(uuid: str, data: bytes) -> List[Reading]:
    """The readings in the value of a characteristic; none of one that is too short."""
    try:
        return _DECODERS[uuid](_Fields(bytes(data)))
    except struct.error:
        return []


def battery(data: bytes) -> Optional[int]:
    """Percent; None for a value that is none."""
    return data[0] if len(data) == 1 and data[0] <= 100 else None
