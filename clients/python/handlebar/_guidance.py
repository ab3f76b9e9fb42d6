"""Reports of views, targets, trips, courses and sensors."""

from __future__ import annotations

import dataclasses
import datetime
from typing import List, Literal, Optional, Tuple, Union

from ._fields import _field, _flag, _number, _report, _several, _text, _time, _whole
from ._polyline import decode

__all__ = [
    "Arrival", "ArrivalState", "Course", "CoursePiece", "CourseState", "Cue", "Follow", "FollowReason", "PlannedCourse",
    "Sensor", "SensorKind", "Trip", "TripState",
]

NothingSet = Literal["noTarget", "noTrip", "noCourse", "noSensor"]
FollowReason = Literal["initial", "drift", "requested"]
ArrivalState = Literal["away", "arriving", "removed"]
SensorKind = Literal["wheel", "pressure", "crank", "heartRate", "power", "temperature"]
TripState = Literal["moving", "paused", "lost", "ended"]
CourseState = Literal["before", "on", "off", "finished", "kept", "ended"]


@_report("FOLLOW")
@dataclasses.dataclass(frozen=True)
class Follow:
    """The state of a map view."""

    view: str = _field("view", _text, required=True)
    """Name of the view."""
    is_following: bool = _field("following", _flag, required=True)
    """Whether it follows the rider."""
    reason: Optional[FollowReason] = _field("reason", _text)
    """Why it was sent."""
    distance: Optional[float] = _field("distance", _number)
    """After a drift, metres between the view and its fix."""
    seq: Optional[int] = _field("seq", _whole)
    """Number of the fix."""


@_report("ARRIVAL")
@dataclasses.dataclass(frozen=True)
class Arrival:
    """The state of a target."""

    name: str = _field("name", _text, required=True)
    """Name of the target."""
    state: Optional[ArrivalState] = _field("state", _text)
    """None before the first fix."""
    latitude: Optional[float] = _field("lat", _number)
    """Degrees, of the target."""
    longitude: Optional[float] = _field("lon", _number)
    """Degrees, of the target."""
    radius: Optional[float] = _field("radius", _number)
    """Metres around the target within which the rider has arrived."""
    distance: Optional[float] = _field("distance", _number)
    """Metres to the target."""
    bearing: Optional[float] = _field("bearing", _number)
    """From true north."""
    eta: Optional[float] = _field("eta", _number)
    """Seconds to the target in a straight line, at the recent speed of moving; None unless it is approached."""
    is_repeated: bool = _field("repeated", _flag, default=False)
    """Whether it repeats what is known, as `arrivals` asks for."""


@_report("TRIP")
@dataclasses.dataclass(frozen=True)
class Trip:
    """The figures of a trip."""

    name: str = _field("name", _text, required=True)
    """Name of the trip."""
    state: TripState = _field("state", _text, required=True)
    """`ended` in its last report."""
    distance: float = _field("distance", _number, default=0.0)
    """Metres."""
    duration: float = _field("duration", _number, default=0.0)
    """Seconds from its first fix to the newest one."""
    moving_time: float = _field("movingTime", _number, default=0.0)
    """Seconds of moving."""
    ascent: Optional[float] = _field("ascent", _number)
    """Metres climbed."""
    descent: Optional[float] = _field("descent", _number)
    """Metres descended."""
    average_speed: Optional[float] = _field("averageSpeed", _number)
    """While moving, m/s."""
    maximum_speed: Optional[float] = _field("maxSpeed", _number)
    """m/s."""
    lap: int = _field("lap", _whole, default=1)
    """Number of the lap, from 1."""
    lap_distance: float = _field("lapDistance", _number, default=0.0)
    """Metres in this lap."""
    lap_moving_time: float = _field("lapMovingTime", _number, default=0.0)
    """Seconds of moving in this lap."""
    average_heart_rate: Optional[int] = _field("averageHeartRate", _whole)
    """While moving, beats a minute."""
    maximum_heart_rate: Optional[int] = _field("maxHeartRate", _whole)
    """Beats a minute."""
    average_cadence: Optional[int] = _field("averageCadence", _whole)
    """Of pedalling, revolutions a minute."""
    maximum_cadence: Optional[int] = _field("maxCadence", _whole)
    """Revolutions a minute."""
    average_power: Optional[int] = _field("averagePower", _whole)
    """While moving, watts."""
    maximum_power: Optional[int] = _field("maxPower", _whole)
    """Watts."""


@_report("SENSOR")
@dataclasses.dataclass(frozen=True)
class Sensor:
    """The newest reading of a sensor."""

    sensor: SensorKind = _field("sensor", _text, required=True)
    """What it measures."""
    source: Optional[str] = _field("source", _text)
    """Name of the unit, as its client states it."""
    value: Optional[float] = _field("value", _number)
    """In `unit`, of a wheel or crank its rate; None before the second count."""
    unit: str = _field("unit", _text, default="")
    """1/min, Pa, W or degC."""
    revolutions: Optional[float] = _field("revolutions", _number)
    """Of a wheel or crank since its first reading."""
    age: float = _field("age", _number, default=0.0)
    """Seconds since the reading."""
    is_implausible: bool = _field("implausible", _flag, default=False)
    """Whether the reading is out of range or does not follow from the one before."""
    refused: Optional[int] = _field("refused", _whole)
    """Number of readings that were refused as too many; None for none."""


@_report("COURSE")
@dataclasses.dataclass(frozen=True)
class Course:
    """Where the rider is on a course, at one fix."""

    name: str = _field("name", _text, required=True)
    """Name of the course."""
    state: CourseState = _field("state", _text, required=True)
    """`kept` while another course is followed, `ended` in its last report."""
    time: Optional[datetime.datetime] = _field("time", _time)
    """UTC of the fix."""
    seq: Optional[int] = _field("seq", _whole)
    """Number of the fix."""
    along: Optional[float] = _field("along", _number)
    """Metres from the start of the line."""
    remaining: Optional[float] = _field("remaining", _number)
    """Metres to the end of the line."""
    beside: Optional[float] = _field("beside", _number)
    """Metres to the right of the line, negative to its left."""
    bearing: Optional[float] = _field("bearing", _number)
    """Degrees from true north to the nearest place of the line; in the state before, to its start."""
    distance: Optional[float] = _field("distance", _number)
    """Metres to that place."""
    eta: Optional[float] = _field("eta", _number)
    """Seconds to the end at the recent speed of moving."""
    ascent: Optional[float] = _field("ascent", _number)
    """Metres to climb to the end."""
    grade: Optional[float] = _field("grade", _number)
    """Percent, of the line at this place."""
    climb: Optional[float] = _field("climb", _number)
    """Metres to the end of the climb at hand."""
    climb_ascent: Optional[float] = _field("climbAscent", _number)
    """Metres to climb on it."""
    cue: Optional[str] = _field("cue", _text)
    """Text of the next cue."""
    cue_kind: Optional[str] = _field("cueKind", _text)
    """Kind of the next cue."""
    cue_distance: Optional[float] = _field("cueDistance", _number)
    """Metres to the next cue."""
    is_reverse: bool = _field("reverse", _flag, default=False)
    """Whether the rider is on it against its direction."""
    revision: Optional[int] = _field("revision", _whole)
    """Number of the line with its cues, which changes with them."""


@dataclasses.dataclass(frozen=True)
class Cue:
    """A note at a place of a course."""

    at: float = _field("at", _number, required=True)
    """Metres from the start of the line."""
    text: str = _field("text", _text, required=True)
    """What the rider reads."""
    kind: Optional[str] = _field("kind", _text)
    """What it is about, in a word."""


@dataclasses.dataclass(frozen=True)
class CoursePiece:
    """A part of a course as it is read back: points of its line, and after the last one its cues."""

    name: str = _field("name", _text, required=True)
    """Name of the course."""
    state: CourseState = _field("state", _text, required=True)
    """As in `Course`."""
    revision: int = _field("revision", _whole, default=0, required=True)
    """As in `Course`."""
    start: int = _field("from", _whole, default=0, required=True)
    """Index of the first item."""
    point_count: int = _field("points", _whole, default=0, required=True)
    """Number of all points."""
    next: Optional[int] = _field("next", _whole)
    """Index of the first item after it; None at the end."""
    polyline: str = _field("polyline", _text, default="")
    """As on the wire."""
    elevation: Optional[str] = _field("elevation", _text)
    """As on the wire."""
    cues: Tuple[Cue, ...] = _field("cues", _several(Cue), default=())
    """After the last point."""

    @property
    def points(self) -> List[Tuple[float, ...]]:
        """The points (latitude, longitude), or (latitude, longitude, elevation) where the elevation is known."""
        numbers = decode(self.polyline, 2)
        points = [(latitude / 1e6, longitude / 1e6) for latitude, longitude in zip(numbers[::2], numbers[1::2])]
        if self.elevation is None:
            return list(points)
        # A missing one is below every place on Earth.
        heights = [() if one < -5000 else (one / 10,) for one in decode(self.elevation, 1)]
        return [point + height for point, height in zip(points, heights)]


@dataclasses.dataclass(frozen=True)
class PlannedCourse:
    """A course as it was set: its line and its cues, in the order of the line."""

    name: str
    """Name of the course."""
    revision: int
    """That of `Course`, while the course is the same."""
    points: List[Tuple[float, ...]] = dataclasses.field(hash=False)
    """(latitude, longitude), or (latitude, longitude, elevation) where the elevation is known."""
    cues: List[Cue] = dataclasses.field(hash=False)
    """In the order of the line."""


GuidanceReport = Union[Follow, Arrival, Trip, Sensor, Course, CoursePiece]
