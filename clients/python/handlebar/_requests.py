"""Requests, and what a subscription asks for."""

from __future__ import annotations

import dataclasses
import json
import re
from typing import Any, Dict, List, Literal, Optional, Tuple, Union

from ._guidance import SensorKind
from ._polyline import encode

ViewCause = Literal["user", "follow", "zoom", "rotate", "resize"]
TripChange = Literal["lap", "reset", "end"]


def _checked(what: str, value: Optional[float], low: float, high: float) -> Optional[float]:
    # The comparison is false for NaN.
    if value is not None and (isinstance(value, bool) or not low <= value <= high):
        raise ValueError(f"{what} is {value}; it must be from {low:g} to {high:g}")
    return value


def _name(what: str, value: str) -> str:
    if not 1 <= len(value.encode()) <= 64:
        raise ValueError(f"{what} is {value!r}; it must have 1 to 64 bytes")
    return value


@dataclasses.dataclass(frozen=True)
class Request:
    """A request: its name, and its fields as on the wire; a field that is None is left out."""

    name: str
    """In capitals."""
    fields: Optional[Dict[str, Any]] = dataclasses.field(default=None, hash=False)
    """By their names on the wire."""

    def __post_init__(self) -> None:
        if not re.fullmatch("[A-Z]+", self.name):
            raise ValueError(f"{self.name!r} is not the name of a request")

    def encode(self) -> bytes:
        """The bytes that a client sends."""
        fields = {name: value for name, value in (self.fields or {}).items() if value is not None}
        if not fields:
            return f"?{self.name};\n".encode()
        return f"?{self.name}={json.dumps(fields, allow_nan=False, separators=(',', ':'))};\n".encode()

    @classmethod
    def locate(cls, timeout: float = 10, max_age: float = 2) -> Request:
        """One fix."""
        fields = {"timeout": _checked("timeout", timeout, 0, 3600), "maxAge": _checked("max_age", max_age, 0, 3600)}
        return cls("LOCATE", fields)

    @classmethod
    def view(
        cls, latitude: float, longitude: float, view: str = "main", seq: Optional[int] = None, cause: Optional[ViewCause] = None
    ) -> Request:
        """Where a map view is."""
        if cause not in (None, "user", "follow", "zoom", "rotate", "resize"):
            raise ValueError(f"cause is {cause!r}; it must be user, follow, zoom, rotate or resize")
        fields = {"view": _name("view", view), **_coordinate(latitude, longitude)}
        return cls("VIEW", {**fields, "seq": _checked("seq", seq, 0, 2**63), "cause": cause})

    @classmethod
    def follow(cls, view: str = "main", enable: Optional[bool] = None) -> Request:
        """The state of a view, or its change."""
        return cls("FOLLOW", {"view": _name("view", view), "enable": enable})

    @classmethod
    def target(
        cls, name: str, latitude: float, longitude: float, radius: Optional[float] = None, persistent: bool = False
    ) -> Request:
        """Sets a target."""
        fields = {"name": _name("name", name), **_coordinate(latitude, longitude)}
        return cls("TARGET", {**fields, "radius": _checked("radius", radius, 1, 10_000), "persistent": persistent or None})

    @classmethod
    def remove_target(cls, name: str) -> Request:
        """Removes a target."""
        return cls("TARGET", {"name": _name("name", name), "enable": False})

    @classmethod
    def trip(cls, name: str, change: Optional[TripChange] = None) -> Request:
        """Starts or shows a trip, or changes it: lap, reset or end."""
        if change not in (None, "lap", "reset", "end"):
            raise ValueError(f"change is {change!r}; it must be lap, reset or end")
        fields: Dict[str, Any] = {} if change is None else {"enable": False} if change == "end" else {change: True}
        return cls("TRIP", {"name": _name("name", name), **fields})

    @classmethod
    def course(
        cls, name: str, points: Optional[List[Tuple[float, ...]]] = None, append: bool = False, persistent: bool = False,
        enable: Optional[bool] = None,
    ) -> Request:
        """Sets, continues, follows or ends a course of points (latitude, longitude) or (latitude, longitude, elevation)."""
        fields: Dict[str, Any] = {"name": _name("name", name), "enable": enable}
        if points:
            places = [number for point in points for number in _coordinate(*point[:2]).values()]
            fields["polyline"] = encode([round(number * 1e6) for number in places], 2)
            heights = [point[2] if len(point) > 2 else None for point in points]
            if any(height is not None for height in heights):
                # A missing one is below every place on Earth.
                fields["elevation"] = encode([round((-32768 if one is None else one) * 10) for one in heights], 1)
        return cls("COURSE", {**fields, "append": append or None, "persistent": persistent or None})

    @classmethod
    def cue(
        cls, course: str, text: str, kind: Optional[str] = None, at: Optional[float] = None,
        place: Optional[Tuple[float, float]] = None,
    ) -> Request:
        """Adds a cue to a course, at metres from its start or near a place."""
        if (at is None) == (place is None):
            raise ValueError("a cue needs either at or place")
        fields = _coordinate(*place) if place else {"at": at}
        return cls("CUE", {"course": _name("course", course), **fields, "text": text, "kind": kind})

    @classmethod
    def sensor(
        cls, sensor: SensorKind, value: Optional[float] = None, count: Optional[int] = None, time: Optional[float] = None,
        wrap: Optional[int] = None, ticks_per_second: Optional[float] = None, time_wrap: Optional[float] = None,
        source: Optional[str] = None,
    ) -> Request:
        """A reading of a sensor: a value, or of a wheel or crank the count of revolutions and the time of the last one, as
        Bluetooth's characteristic has them unless `wrap`, `ticks_per_second` and `time_wrap` say otherwise."""
        fields = {"sensor": sensor, "value": value, "count": count, "time": time, "wrap": wrap}
        fields.update(ticksPerSecond=ticks_per_second, timeWrap=time_wrap)
        return cls("SENSOR", {**fields, "source": None if source is None else _name("source", source)})

    @classmethod
    def playback(
        cls, pause: Optional[bool] = None, speed: Union[float, Literal["max"], None] = None, seek: Optional[float] = None
    ) -> Request:
        """The state of a recording that plays, or its change."""
        if speed != "max":
            speed = _checked("speed", speed, 0.1, 1000)
        return cls("PLAYBACK", {"pause": pause, "speed": speed, "seek": _checked("seek", seek, 0, 10_000_000)})


def _coordinate(latitude: float, longitude: float) -> Dict[str, Any]:
    return {"lat": _checked("latitude", latitude, -90, 90), "lon": _checked("longitude", longitude, -180, 180)}


# Enables the additions to gpsd's protocol without a subscription; a TCP port has them only then.
_ADDITIONS = Request("WATCH", {"enable": False, "handlebar": True})


@dataclasses.dataclass(frozen=True)
class Subscription:
    """What a subscription delivers."""

    distance_filter: Optional[float] = None
    """Metres between delivered fixes, 0 to 1000000; 0 for every fix, None for the daemon's default."""
    heartbeat: Optional[float] = None
    """Seconds after which the newest fix is delivered although it did not move, 0.1 to 86400; None for never."""
    poses: int = 0
    """Poses per second, 1 to 60; 0 for none. Unix socket only."""
    satellites: bool = True
    """Whether to deliver the satellites in view."""
    every_report: bool = False
    """Whether a slow consumer receives every report, however late, and not the newest fix."""
    arrivals: Optional[float] = None
    """Seconds between the arrivals of each target while moving, 1 to 86400; None for changes only."""
    course: bool = False
    """Whether to deliver where the rider is on the course that is followed."""
    trips: bool = True
    """Whether to deliver the figures of trips."""
    sensors: bool = False
    """Whether to deliver the readings of sensors."""
    estimated: bool = False
    """Whether to deliver positions estimated by a wheel while there is no fix."""

    def __post_init__(self) -> None:
        _checked("distance_filter", self.distance_filter, 0, 1_000_000)
        _checked("heartbeat", self.heartbeat, 0.1, 86_400)
        _checked("arrivals", self.arrivals, 1, 86_400)
        if self.poses not in range(61):
            raise ValueError(f"poses is {self.poses}; it must be a whole number from 0 to 60")

    @property
    def request(self) -> Request:
        """The request that subscribes."""
        fields = {"enable": True, "json": True, "handlebar": True, "distanceFilter": self.distance_filter}
        return Request("WATCH", {**fields, "heartbeat": self.heartbeat, "poses": self.poses or None, "arrivals": self.arrivals,
                                 "course": self.course or None, "satellites": None if self.satellites else False,
                                 "trips": None if self.trips else False, "sensors": self.sensors or None,
                                 "estimated": self.estimated or None})
