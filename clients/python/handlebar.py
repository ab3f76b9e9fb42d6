"""Client of the location daemon handlebard: fixes, poses, follow mode, targets, trips, courses and playback, blocking or with asyncio.

    from handlebar import Client, Fix

    with Client() as client:
        for update in client.updates(distance_filter=10):
            if isinstance(update, Fix):
                print(update.latitude, update.longitude, update.speed, update.reason)

`AsyncClient` has the same methods as coroutines. A subscription reconnects whenever the daemon returns, and restores its
views and targets. Every other request has a connection of its own, so that answers never mix.

Angles are in degrees, distances and altitudes in metres, speeds in m/s, durations in seconds, times in UTC. Accuracies are
95 % figures. A missing value is None, never 0. Names such as a fix's reason are those of handlebar-protocol(7); a newer
daemon may send others. A report of a class unknown to this release arrives as a `Report`.
"""

from __future__ import annotations

import asyncio
import collections
import concurrent.futures
import contextlib
import dataclasses
import datetime
import errno
import json
import math
import os
import random
import re
import socket
import stat
import struct
import threading
import time
import typing
import weakref
from typing import Any, AsyncIterator, Awaitable, Callable, Coroutine, Deque, Dict, Iterator, List, Optional, Tuple, Union

__version__ = "0.1.0"

STANDARD_PATH = "/run/handlebar/location.sock"
# Longest line of the protocol, with its CR LF.
MAXIMUM_LINE = 10_239
# Most pending events of a slow consumer; the oldest makes room.
MAXIMUM_EVENTS = 64
# Most reports that are kept as answers to one request, against a daemon that never stops sending.
MAXIMUM_ANSWERS = 1024
# Points of a course in one request, which is at most 4096 bytes long.
COURSE_POINTS = 100
# Limits of a connection's set-up, and of an answer, in seconds.
CONNECT_TIMEOUT = 5.0
ANSWER_TIMEOUT = 5.0
# Longest time in which a course is read, which may be changed meanwhile.
COURSE_TIMEOUT = 30.0
# First and longest delay between two attempts to connect, in seconds.
BACKOFF = (0.1, 5.0)
# Most unsent bytes of view reports.
MAXIMUM_UNSENT = 65_536

Endpoint = Union[str, "os.PathLike[str]", Tuple[str, int], None]
T = typing.TypeVar("T")
# A report has a field `time`.
_monotonic = time.monotonic


# Errors


class HandlebarError(Exception):
    """The failure of a request, or the loss of a subscription's connection."""


class CannotConnect(HandlebarError):
    """No daemon listens at the endpoint, or it may not be opened."""


class ConnectionClosed(HandlebarError):
    """The daemon closed the connection."""


class ProtocolError(HandlebarError):
    """The peer does not follow the protocol."""


class _NotHandlebard(ProtocolError):
    """What the peer sends first is no report."""


class NoAnswer(HandlebarError, TimeoutError):
    """The daemon did not answer in time."""


class Refused(HandlebarError):
    """The daemon refused a request or closed the connection with an error: `code`, `message`, and `remedy` if it named one."""

    def __init__(self, report: ErrorReport):
        super().__init__("; ".join(filter(None, [report.message, report.remedy])))
        self.report = report
        self.code = report.code
        self.message = report.message
        self.remedy = report.remedy


class TimedOut(Refused, TimeoutError):
    """No fix within the timeout of `locate`. `report` has the last known position, if there is one."""


# Values of fields


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise ValueError("is not a number")
    return float(value)


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value != int(value):
        raise ValueError("is not a whole number")
    return int(value)


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError("is neither true nor false")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("is not a string")
    # A lone surrogate could not be printed.
    value.encode()
    return value


_TIME = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?Z", re.ASCII)


def _time(value: Any) -> datetime.datetime:
    match = _TIME.fullmatch(_text(value))
    if match is None:
        raise ValueError("is not a time")
    year, month, day, hour, minute, second = (int(number) for number in match.groups()[:6])
    microsecond = int((match[7] or "").ljust(6, "0")[:6])
    return datetime.datetime(year, month, day, hour, minute, second, microsecond, datetime.timezone.utc)


def _counts(value: Any) -> Dict[str, int]:
    if not isinstance(value, dict):
        raise ValueError("is not an object")
    return {_text(name): _whole(count) for name, count in value.items()}


def _one(kind: Callable[..., T]) -> Callable[[Any], T]:
    def read(value: Any) -> T:
        if not isinstance(value, dict):
            raise ValueError("is not an object")
        return _read(kind, value)

    return read


def _several(kind: Callable[..., T]) -> Callable[[Any], Tuple[T, ...]]:
    def read(value: Any) -> Tuple[T, ...]:
        if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
            raise ValueError("is not an array of objects")
        return tuple(_read(kind, one) for one in value)

    return read


def _field(name: str, read: Callable[[Any], Any], default: Any = None, required: bool = False) -> Any:
    """A value of a report: its name on the wire, and how it is read."""
    return dataclasses.field(default=default, metadata={"name": name, "read": read, "required": required})


def _read(kind: Callable[..., T], fields: Dict[str, Any]) -> T:
    """The report of that type with these fields of the wire; ValueError names the field that does not fit."""
    values = {}
    for one in dataclasses.fields(kind):  # type: ignore[arg-type]
        name = one.metadata.get("name")
        value = None if name is None else fields.get(name)
        if value is not None:
            try:
                values[one.name] = one.metadata["read"](value)
            except (ValueError, OverflowError) as error:
                raise ValueError(f"{name} {error}") from None
        elif one.metadata.get("required"):
            raise ValueError(f"{name} is missing")
    return kind(**values)


# Reports


@dataclasses.dataclass(frozen=True)
class Report:
    """A report of a class that this release does not know, with its fields as on the wire."""

    class_: str
    fields: Dict[str, Any] = dataclasses.field(hash=False)


@dataclasses.dataclass(frozen=True)
class Fix:
    """One delivered fix: `TPV` with a position."""

    latitude: float = _field("lat", _number, required=True)
    longitude: float = _field("lon", _number, required=True)
    # 2 or 3 dimensions.
    mode: int = _field("mode", _whole, default=3, required=True)
    # 1 autonomous, 2 differential, 3 RTK fixed, 4 RTK float, 5 dead reckoning …, see handlebar-protocol(7).
    status: Optional[int] = _field("status", _whole)
    # Of the epoch; None until the receiver has sent a date.
    time: Optional[datetime.datetime] = _field("time", _time)
    altitude_msl: Optional[float] = _field("altMSL", _number)
    altitude_hae: Optional[float] = _field("altHAE", _number)
    geoid_separation: Optional[float] = _field("geoidSep", _number)
    speed: Optional[float] = _field("speed", _number)
    # Over ground, from true north.
    course: Optional[float] = _field("track", _number)
    climb: Optional[float] = _field("climb", _number)
    # Direction that the receiver points to, from true north.
    heading: Optional[float] = _field("heading", _number)
    magnetic_variation: Optional[float] = _field("magvar", _number)
    horizontal_accuracy: Optional[float] = _field("eph", _number)
    vertical_accuracy: Optional[float] = _field("epv", _number)
    speed_accuracy: Optional[float] = _field("eps", _number)
    course_accuracy: Optional[float] = _field("epd", _number)
    # Number of the fix since the daemon started, from 1.
    seq: Optional[int] = _field("seq", _whole)
    # Why it was delivered.
    reason: Optional[str] = _field("reason", _text)
    # Seconds since its reception when the daemon sent it; None for a new fix.
    age: Optional[float] = _field("age", _number)
    source: Optional[str] = _field("source", _text)
    device: Optional[str] = _field("device", _text)
    # Whether it was held as a jump before it was accepted.
    is_suspect: bool = _field("suspect", _flag, default=False)
    # Curvature of the followed course ahead, 1/km, positive to the right; None unless the rider is on one.
    bend: Optional[float] = _field("bend", _number)
    # The reasons of the fixes that it replaced because the consumer was slow, in order, and its own.
    reasons: Tuple[str, ...] = ()
    # Its reception on the clock `time.monotonic()`.
    received: float = dataclasses.field(default_factory=_monotonic, compare=False)


@dataclasses.dataclass(frozen=True)
class Pose:
    """Where the rider is between two fixes, for a subscription with `poses`."""

    latitude: float = _field("lat", _number, required=True)
    longitude: float = _field("lon", _number, required=True)
    time: Optional[datetime.datetime] = _field("time", _time)
    course: Optional[float] = _field("track", _number)
    speed: Optional[float] = _field("speed", _number)
    # Radius in which the receiver would report a fix.
    horizontal_accuracy: Optional[float] = _field("eph", _number)
    fix_seq: Optional[int] = _field("fixSeq", _whole)
    # Seconds since that fix was measured.
    age: Optional[float] = _field("age", _number)
    # fix, predicted or held.
    basis: Optional[str] = _field("basis", _text)
    # Whether a large correction was made at once.
    is_jump: bool = _field("jump", _flag, default=False)


@dataclasses.dataclass(frozen=True)
class Satellite:
    """One satellite in view."""

    prn: int = _field("PRN", _whole, required=True)
    # 0 GPS, 1 SBAS, 2 Galileo, 3 BeiDou, 4 IMES, 5 QZSS, 6 GLONASS, 7 NavIC.
    gnss_id: Optional[int] = _field("gnssid", _whole)
    sv_id: Optional[int] = _field("svid", _whole)
    elevation: Optional[float] = _field("el", _number)
    azimuth: Optional[float] = _field("az", _number)
    # dBHz.
    signal: Optional[float] = _field("ss", _number)
    is_used: bool = _field("used", _flag, default=False)


@dataclasses.dataclass(frozen=True)
class Satellites:
    """The satellites in view: `SKY`."""

    satellites: Tuple[Satellite, ...] = _field("satellites", _several(Satellite), default=())
    time: Optional[datetime.datetime] = _field("time", _time)
    used_count: Optional[int] = _field("uSat", _whole)
    hdop: Optional[float] = _field("hdop", _number)
    vdop: Optional[float] = _field("vdop", _number)
    pdop: Optional[float] = _field("pdop", _number)
    device: Optional[str] = _field("device", _text)


@dataclasses.dataclass(frozen=True)
class ErrorEstimate:
    """The receiver's own estimate of its errors, one standard deviation: `GST`."""

    time: Optional[datetime.datetime] = _field("time", _time)
    range_error: Optional[float] = _field("rms", _number)
    major: Optional[float] = _field("major", _number)
    minor: Optional[float] = _field("minor", _number)
    # Of the major axis, from true north.
    orientation: Optional[float] = _field("orient", _number)
    latitude_error: Optional[float] = _field("lat", _number)
    longitude_error: Optional[float] = _field("lon", _number)
    altitude_error: Optional[float] = _field("alt", _number)
    device: Optional[str] = _field("device", _text)


@dataclasses.dataclass(frozen=True)
class LastKnown:
    """The last known position, of this or of an earlier run of the daemon."""

    latitude: float = _field("lat", _number, required=True)
    longitude: float = _field("lon", _number, required=True)
    time: Optional[datetime.datetime] = _field("time", _time)
    horizontal_accuracy: Optional[float] = _field("eph", _number)
    # Number of the fix; None if it is of an earlier run.
    seq: Optional[int] = _field("seq", _whole)
    # Seconds since it was received; None if it is of an earlier run and the time since then is not known.
    age: Optional[float] = _field("age", _number)
    source: Optional[str] = _field("source", _text)


@dataclasses.dataclass(frozen=True)
class State:
    """The leading source and its state."""

    # idle, opening, acquiring, tracking, lost or failed.
    state: str = _field("state", _text, required=True)
    time: Optional[datetime.datetime] = _field("time", _time)
    # 2 or 3 while tracking.
    mode: Optional[int] = _field("mode", _whole)
    source: Optional[str] = _field("source", _text)
    device: Optional[str] = _field("device", _text)
    # Why the lead changed.
    leads: Optional[str] = _field("leads", _text)
    # Seconds in this state.
    since: Optional[float] = _field("since", _number)
    # Of a failed source: the kind of error, the error and what to do about it in words, and the state before.
    error: Optional[str] = _field("error", _text)
    message: Optional[str] = _field("message", _text)
    remedy: Optional[str] = _field("remedy", _text)
    previous: Optional[str] = _field("previous", _text)
    # Number of the newest fix.
    seq: Optional[int] = _field("seq", _whole)
    # What the receiver states, and by which message: unknown, ok, warning or critical; unknown, none, indicated or multiple.
    jamming: Optional[str] = _field("jamming", _text)
    jamming_source: Optional[str] = _field("jammingSource", _text)
    spoofing: Optional[str] = _field("spoofing", _text)
    spoofing_source: Optional[str] = _field("spoofingSource", _text)
    # Why the ride is not being recorded.
    recording_error: Optional[str] = _field("recordingError", _text)
    # Unless it is tracking.
    last_known: Optional[LastKnown] = _field("lastKnown", _one(LastKnown))
    counts: Optional[Dict[str, int]] = _field("counts", _counts)


@dataclasses.dataclass(frozen=True)
class Follow:
    """The state of a map view."""

    view: str = _field("view", _text, required=True)
    is_following: bool = _field("following", _flag, required=True)
    # initial, drift or requested.
    reason: Optional[str] = _field("reason", _text)
    # After a drift, between the view and its fix.
    distance: Optional[float] = _field("distance", _number)
    seq: Optional[int] = _field("seq", _whole)


@dataclasses.dataclass(frozen=True)
class Arrival:
    """The state of a target."""

    name: str = _field("name", _text, required=True)
    # away, arriving or removed; None before the first fix.
    state: Optional[str] = _field("state", _text)
    # The target, and the metres around it within which the rider has arrived.
    latitude: Optional[float] = _field("lat", _number)
    longitude: Optional[float] = _field("lon", _number)
    radius: Optional[float] = _field("radius", _number)
    distance: Optional[float] = _field("distance", _number)
    # From true north.
    bearing: Optional[float] = _field("bearing", _number)
    # Seconds to the target in a straight line, at the recent speed of moving; None unless it is approached.
    eta: Optional[float] = _field("eta", _number)


@dataclasses.dataclass(frozen=True)
class Trip:
    """The figures of a trip."""

    name: str = _field("name", _text, required=True)
    # moving, paused, lost, or ended in its last report.
    state: str = _field("state", _text, required=True)
    distance: float = _field("distance", _number, default=0.0)
    # From its first fix to the newest one.
    duration: float = _field("duration", _number, default=0.0)
    moving_time: float = _field("movingTime", _number, default=0.0)
    ascent: Optional[float] = _field("ascent", _number)
    descent: Optional[float] = _field("descent", _number)
    # While moving.
    average_speed: Optional[float] = _field("averageSpeed", _number)
    maximum_speed: Optional[float] = _field("maxSpeed", _number)
    # Number of the lap, from 1, and its figures.
    lap: int = _field("lap", _whole, default=1)
    lap_distance: float = _field("lapDistance", _number, default=0.0)
    lap_moving_time: float = _field("lapMovingTime", _number, default=0.0)


@dataclasses.dataclass(frozen=True)
class Course:
    """Where the rider is on a course, at one fix."""

    name: str = _field("name", _text, required=True)
    # before, on, off, finished, kept while another course is followed, or ended in its last report.
    state: str = _field("state", _text, required=True)
    # UTC and number of the fix.
    time: Optional[datetime.datetime] = _field("time", _time)
    seq: Optional[int] = _field("seq", _whole)
    # Metres from the start of the line, and to its end.
    along: Optional[float] = _field("along", _number)
    remaining: Optional[float] = _field("remaining", _number)
    # Metres to the right of the line, negative to its left.
    beside: Optional[float] = _field("beside", _number)
    # To the nearest place of the line, or before to its start.
    bearing: Optional[float] = _field("bearing", _number)
    distance: Optional[float] = _field("distance", _number)
    # Seconds to the end at the recent speed of moving.
    eta: Optional[float] = _field("eta", _number)
    # Metres to climb to the end.
    ascent: Optional[float] = _field("ascent", _number)
    # Percent.
    grade: Optional[float] = _field("grade", _number)
    # Metres to the end of the climb at hand, and metres to climb on it.
    climb: Optional[float] = _field("climb", _number)
    climb_ascent: Optional[float] = _field("climbAscent", _number)
    # The next cue.
    cue: Optional[str] = _field("cue", _text)
    cue_kind: Optional[str] = _field("cueKind", _text)
    cue_distance: Optional[float] = _field("cueDistance", _number)
    is_reverse: bool = _field("reverse", _flag, default=False)
    # Number of the line with its cues, which changes with them.
    revision: Optional[int] = _field("revision", _whole)


@dataclasses.dataclass(frozen=True)
class Cue:
    """A note at a place of a course."""

    # Metres from the start of the line.
    at: float = _field("at", _number, required=True)
    text: str = _field("text", _text, required=True)
    # What it is about, in a word.
    kind: Optional[str] = _field("kind", _text)


@dataclasses.dataclass(frozen=True)
class CoursePiece:
    """A part of a course as it is read back: points of its line, and after the last one its cues."""

    name: str = _field("name", _text, required=True)
    state: str = _field("state", _text, required=True)
    revision: int = _field("revision", _whole, default=0, required=True)
    # Index of the first item, number of all points, and index of the first item after it; None at the end.
    start: int = _field("from", _whole, default=0, required=True)
    point_count: int = _field("points", _whole, default=0, required=True)
    next: Optional[int] = _field("next", _whole)
    # As on the wire.
    polyline: str = _field("polyline", _text, default="")
    elevation: Optional[str] = _field("elevation", _text)
    cues: Tuple[Cue, ...] = _field("cues", _several(Cue), default=())

    @property
    def points(self) -> List[Tuple[float, ...]]:
        """The points (latitude, longitude), or (latitude, longitude, elevation) where the elevation is known."""
        numbers = _numbers(self.polyline, 2)
        points = [(latitude / 1e6, longitude / 1e6) for latitude, longitude in zip(numbers[::2], numbers[1::2])]
        if self.elevation is None:
            return list(points)
        # A missing one is below every place on Earth.
        heights = [() if one < -5000 else (one / 10,) for one in _numbers(self.elevation, 1)]
        return [point + height for point, height in zip(points, heights)]


@dataclasses.dataclass(frozen=True)
class PlannedCourse:
    """A course as it was set: its line and its cues, in the order of the line."""

    name: str
    # That of `Course`, while the course is the same.
    revision: int
    # (latitude, longitude), or (latitude, longitude, elevation) where the elevation is known.
    points: List[Tuple[float, ...]] = dataclasses.field(hash=False)
    cues: List[Cue] = dataclasses.field(hash=False)


@dataclasses.dataclass(frozen=True)
class Playback:
    """The state of a recording that plays in place of a receiver."""

    source: Optional[str] = _field("source", _text)
    # Seconds from the start of the recording.
    position: Optional[float] = _field("position", _number)
    duration: Optional[float] = _field("duration", _number)
    # Times real time; None at full speed.
    speed: Optional[float] = _field("speed", _number)
    is_paused: bool = _field("paused", _flag, default=False)
    has_ended: bool = _field("ended", _flag, default=False)
    file: Optional[str] = _field("file", _text)


@dataclasses.dataclass(frozen=True)
class Source:
    """The health of one source, in `Status`."""

    source: Optional[str] = _field("source", _text)
    device: Optional[str] = _field("device", _text)
    state: Optional[str] = _field("state", _text)
    mode: Optional[int] = _field("mode", _whole)
    error: Optional[str] = _field("error", _text)
    message: Optional[str] = _field("message", _text)
    remedy: Optional[str] = _field("remedy", _text)
    # Speed of a serial line, bit/s, and the share of it that is used.
    bit_rate: Optional[int] = _field("bps", _whole)
    load: Optional[float] = _field("load", _number)
    # Seconds between epochs.
    cycle: Optional[float] = _field("cycle", _number)
    # As in `State`.
    jamming: Optional[str] = _field("jamming", _text)
    jamming_source: Optional[str] = _field("jammingSource", _text)
    spoofing: Optional[str] = _field("spoofing", _text)
    spoofing_source: Optional[str] = _field("spoofingSource", _text)
    # State of the receiver's set-up.
    receiver: Optional[str] = _field("receiver", _text)


@dataclasses.dataclass(frozen=True)
class FirstFix:
    """The first fix since a source was opened or, if that is known, since its receiver was switched on."""

    # Seconds.
    duration: Optional[float] = _field("duration", _number)
    # cold, warm or aided; None if it is not known.
    start: Optional[str] = _field("start", _text)
    # What the receiver was given and has accepted, separated by commas: time, position, database, assistance.
    aids: Optional[str] = _field("aids", _text)


@dataclasses.dataclass(frozen=True)
class Status:
    """Health and counters of the daemon."""

    release: Optional[str] = _field("release", _text)
    # Seconds since the daemon started.
    uptime: Optional[float] = _field("uptime", _number)
    state: Optional[str] = _field("state", _text)
    mode: Optional[int] = _field("mode", _whole)
    source: Optional[str] = _field("source", _text)
    # Number of the newest fix, and seconds since its reception.
    seq: Optional[int] = _field("seq", _whole)
    age: Optional[float] = _field("age", _number)
    clients: Optional[int] = _field("clients", _whole)
    client_limit: Optional[int] = _field("clientLimit", _whole)
    # The file in progress, and why the ride is not being recorded.
    recording: Optional[str] = _field("recording", _text)
    recording_error: Optional[str] = _field("recordingError", _text)
    # Unless it is tracking.
    last_known: Optional[LastKnown] = _field("lastKnown", _one(LastKnown))
    # Of the leading source.
    first_fix: Optional[FirstFix] = _field("firstFix", _one(FirstFix))
    counts: Optional[Dict[str, int]] = _field("counts", _counts)
    sources: Tuple[Source, ...] = _field("sources", _several(Source), default=())


@dataclasses.dataclass(frozen=True)
class Version:
    """The daemon's release and its version of gpsd's protocol."""

    release: Optional[str] = _field("release", _text)
    protocol_major: Optional[int] = _field("proto_major", _whole)
    protocol_minor: Optional[int] = _field("proto_minor", _whole)
    # Version of the additions to gpsd's protocol, which grows with what may be asked; None from gpsd.
    additions: Optional[int] = _field("handlebar", _whole)


@dataclasses.dataclass(frozen=True)
class ErrorReport:
    """A request was refused or failed, or the daemon is about to close the connection: `ERROR`."""

    message: str = _field("message", _text, required=True)
    code: Optional[str] = _field("code", _text)
    # Name of the request.
    request: Optional[str] = _field("request", _text)
    # What to do about it, in words.
    remedy: Optional[str] = _field("remedy", _text)
    # The last known position, in answers to LOCATE.
    time: Optional[datetime.datetime] = _field("time", _time)
    latitude: Optional[float] = _field("lat", _number)
    longitude: Optional[float] = _field("lon", _number)
    horizontal_accuracy: Optional[float] = _field("eph", _number)
    seq: Optional[int] = _field("seq", _whole)
    age: Optional[float] = _field("age", _number)
    source: Optional[str] = _field("source", _text)

    @property
    def exception(self) -> Refused:
        """The exception of a refused request."""
        return (TimedOut if self.code == "timedOut" else Refused)(self)


@dataclasses.dataclass(frozen=True)
class Connected:
    """A subscription reached a daemon. What it reported before may have changed."""

    version: Version


@dataclasses.dataclass(frozen=True)
class Disconnected:
    """A subscription lost its connection or could not make one; connecting continues. The same error is reported once."""

    error: HandlebarError


AnyReport = Union[
    Fix, Pose, Satellites, ErrorEstimate, State, Follow, Arrival, Trip, Course, CoursePiece, Playback, Status, Version,
    ErrorReport, Report,
]
Update = Union[AnyReport, Connected, Disconnected]

_CLASSES: Dict[str, Callable[..., Any]] = {
    "TPV": Fix,
    "POSE": Pose,
    "SKY": Satellites,
    "GST": ErrorEstimate,
    "STATE": State,
    "FOLLOW": Follow,
    "ARRIVAL": Arrival,
    "TRIP": Trip,
    "COURSE": Course,
    "PLAYBACK": Playback,
    "STATUS": Status,
    "VERSION": Version,
    "ERROR": ErrorReport,
}


def _not_finite(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def read_report(line: bytes, now: Optional[float] = None) -> AnyReport:
    """The report of a line, received at `now` on the clock `time.monotonic()`; `ProtocolError` for any other line."""
    try:
        fields = json.loads(line.decode(), parse_constant=_not_finite)
        name = _text(fields.pop("class") if isinstance(fields, dict) else None)
        kind = CoursePiece if name == "COURSE" and "from" in fields else _CLASSES.get(name)
        if kind is None or kind is Fix and (fields.get("mode") == 1 or "lat" not in fields):
            return Report(name, fields)
        report: AnyReport = _read(kind, fields)
    except KeyError:
        raise ProtocolError(f"a line without a class: {line[:80]!r}") from None
    except (ValueError, RecursionError) as error:
        raise ProtocolError(f"{error}: {line[:80]!r}") from None
    if isinstance(report, Fix):
        received = (time.monotonic() if now is None else now) - (report.age or 0)
        several = fields.get("reasons")
        reasons = tuple(several.split(",")) if isinstance(several, str) else (report.reason,) if report.reason else ()
        report = dataclasses.replace(report, received=received, reasons=reasons)
    return report


# Requests


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
    fields: Optional[Dict[str, Any]] = dataclasses.field(default=None, hash=False)

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
        cls, latitude: float, longitude: float, view: str = "main", seq: Optional[int] = None, cause: Optional[str] = None
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
    def trip(cls, name: str, change: Optional[str] = None) -> Request:
        """Starts or shows a trip, or changes it: lap, reset or end."""
        if change not in (None, "lap", "reset", "end"):
            raise ValueError(f"change is {change!r}; it must be lap, reset or end")
        fields = {} if change is None else {"enable": False} if change == "end" else {change: True}
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
            fields["polyline"] = _polyline([round(number * 1e6) for number in places], 2)
            heights = [point[2] if len(point) > 2 else None for point in points]
            if any(height is not None for height in heights):
                # A missing one is below every place on Earth.
                fields["elevation"] = _polyline([round((-32768 if one is None else one) * 10) for one in heights], 1)
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
    def playback(
        cls, pause: Optional[bool] = None, speed: Union[float, str, None] = None, seek: Optional[float] = None
    ) -> Request:
        """The state of a recording that plays, or its change."""
        if speed != "max":
            speed = _checked("speed", typing.cast(Optional[float], speed), 0.1, 1000)
        return cls("PLAYBACK", {"pause": pause, "speed": speed, "seek": _checked("seek", seek, 0, 10_000_000)})


def _polyline(values: List[int], step: int) -> str:
    """The encoded polyline algorithm: differences of whole numbers, five bits a character."""
    text = []
    for index, value in enumerate(values):
        difference = value - (values[index - step] if index >= step else 0)
        number = ~(difference << 1) if difference < 0 else difference << 1
        while number >= 0x20:
            text.append(chr((number & 0x1F | 0x20) + 63))
            number >>= 5
        text.append(chr(number + 63))
    return "".join(text)


def _numbers(text: str, step: int) -> List[int]:
    """The numbers of such a text."""
    values: List[int] = []
    number = shift = 0
    for character in text:
        bits = ord(character) - 63
        number |= (bits & 0x1F) << shift
        shift += 5
        if bits & 0x20 == 0:
            difference = ~(number >> 1) if number & 1 else number >> 1
            values.append(difference + (values[-step] if len(values) >= step else 0))
            number = shift = 0
    return values


def _coordinate(latitude: float, longitude: float) -> Dict[str, Any]:
    return {"lat": _checked("latitude", latitude, -90, 90), "lon": _checked("longitude", longitude, -180, 180)}


# Enables the additions to gpsd's protocol without a subscription; a TCP port has them only then.
_ADDITIONS = Request("WATCH", {"enable": False, "handlebar": True})


@dataclasses.dataclass(frozen=True)
class Subscription:
    """What a subscription delivers."""

    # Metres between delivered fixes, 0 to 1000000; 0 for every fix, None for the daemon's default.
    distance_filter: Optional[float] = None
    # Seconds after which the newest fix is delivered although it did not move, 0.1 to 86400; None for never.
    heartbeat: Optional[float] = None
    # Poses per second, 1 to 60; 0 for none. Unix socket only.
    poses: int = 0
    # Whether to deliver the satellites in view.
    satellites: bool = True
    # Whether a slow consumer receives every report, however late, and not the newest fix.
    every_report: bool = False
    # Seconds between the arrivals of each target while moving, 1 to 86400; None for changes only.
    arrivals: Optional[float] = None
    # Whether to deliver where the rider is on the course that is followed.
    course: bool = False

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
                                 "course": self.course or None, "satellites": None if self.satellites else False})


# The protocol, without sockets and clocks


# Reports that answer a request; of another request the reports of its own name.
_ANSWERS: Dict[str, Union[type, Tuple[type, ...]]] = {
    "FOLLOW": Follow,
    "VIEW": Follow,
    "TARGET": Arrival,
    "TRIP": Trip,
    "COURSE": (Course, CoursePiece),
    "CUE": Course,
    "LOCATE": Fix,
    "STATUS": Status,
    "PLAYBACK": Playback,
}


class Exchange:
    """A request that was sent, and what answers it. `on_end` is called at its end."""

    def __init__(self, request: Request, on_end: Callable[[Exchange], None] = lambda _: None):
        self.request = request
        self.answers: List[AnyReport] = []
        self.error: Optional[HandlebarError] = None
        self.is_ended = False
        self._on_end = on_end

    def take(self, report: AnyReport) -> None:
        """Keeps a report that may be an answer."""
        name = self.request.name
        if isinstance(report, Report):
            if report.class_ != name:
                return
        elif not isinstance(report, _ANSWERS.get(name, ())):
            return
        if isinstance(report, Fix) and report.reason != "requested":
            return
        if len(self.answers) == MAXIMUM_ANSWERS:
            raise ProtocolError("the reply does not end")
        self.answers.append(report)

    def end(self, error: Optional[HandlebarError] = None) -> None:
        """Ends it; a refusal has priority over an error."""
        if not self.is_ended:
            self.is_ended = True
            self.error = self.error or error
            self._on_end(self)


class Session:
    """One connection without its socket: bytes in, reports out; requests to bytes, answers matched.

    Requests with an immediate answer are followed by `?VERSION;`, whose answer marks the end.
    """

    def __init__(self) -> None:
        self._buffer = b""
        self._is_greeted = False
        self._refusal: Optional[Refused] = None
        self._exchanges: Deque[Exchange] = collections.deque()

    @property
    def is_asking(self) -> bool:
        """Whether a request has not been answered yet."""
        return bool(self._exchanges)

    def ask(self, exchange: Exchange) -> bytes:
        """The bytes to send for an exchange, which ends with the answer."""
        data = exchange.request.encode()
        self._exchanges.append(exchange)
        return data if exchange.request.name == "LOCATE" else data + Request("VERSION").encode()

    def receive(self, data: bytes, now: Optional[float] = None) -> Iterator[AnyReport]:
        """The reports in received bytes; the first is a `Version`. After a `ProtocolError` the connection must be closed."""
        *lines, self._buffer = (self._buffer + data).split(b"\n")
        for line in lines:
            if len(line) + 1 > MAXIMUM_LINE:
                raise ProtocolError(f"a line of more than {MAXIMUM_LINE} bytes")
            if line.strip():
                try:
                    received = read_report(line, now)
                except ProtocolError as error:
                    raise error if self._is_greeted else _NotHandlebard(str(error)) from None
                report = self._take(received)
                if report is not None:
                    yield report
        if len(self._buffer) >= MAXIMUM_LINE:
            raise ProtocolError(f"a line of more than {MAXIMUM_LINE} bytes")

    def _take(self, report: AnyReport) -> Optional[AnyReport]:
        self._refusal = None
        if isinstance(report, ErrorReport):
            asked = next((one for one in self._exchanges if one.request.name == report.request), None)
            if asked is None:
                # An error that names no request may be the last word before the end.
                self._refusal = None if report.request else report.exception
                return report if self._is_greeted else None
            asked.error = asked.error or report.exception
            if asked.request.name == "LOCATE":
                self._end(asked)
            return None
        if isinstance(report, Version):
            if self._is_greeted:
                asked = next((one for one in self._exchanges if one.request.name != "LOCATE"), None)
                if asked is None:
                    raise ProtocolError("VERSION, and nothing was asked")
                self._end(asked)
                return None
            self._is_greeted = True
            return report
        if not self._is_greeted:
            raise ProtocolError("a report arrived before VERSION")
        for asked in list(self._exchanges):
            asked.take(report)
            if asked.answers and asked.request.name == "LOCATE":
                self._end(asked)
                break
        return report

    def _end(self, exchange: Exchange) -> None:
        self._exchanges.remove(exchange)
        exchange.end()

    def close(self, error: HandlebarError) -> HandlebarError:
        """Ends what was asked, and returns the cause: the daemon's last words, or else the error."""
        cause = self._refusal if self._refusal and isinstance(error, ConnectionClosed) else error
        while self._exchanges:
            self._exchanges.popleft().end(cause)
        return cause


class Subscriber:
    """What a subscription sends to every daemon that it reaches, and when it tries again."""

    def __init__(self, subscription: Subscription):
        self.subscription = subscription
        # Whether the views that this client reported follow, as far as known.
        self.views: Dict[str, bool] = {}
        # The targets that this client has set, by name; persistent ones are the daemon's affair.
        self.targets: Dict[str, Request] = {}
        self._delay = BACKOFF[0]

    def opening(self) -> bytes:
        """Restores targets and the views that did not follow, then subscribes, so that the snapshot has them as they were."""
        free = [view for view, is_following in self.views.items() if not is_following]
        restored = [Request("FOLLOW", {"view": view, "following": False, "restore": True}) for view in free]
        restored += self.targets.values()
        requests = ([_ADDITIONS] if restored else []) + restored + [self.subscription.request]
        return b"".join(request.encode() for request in requests)

    def register(self, report: AnyReport) -> bool:
        """Notes a report; whether it is for the consumer."""
        if isinstance(report, Report) and report.class_ == "WATCH":
            self._delay = BACKOFF[0]
        if isinstance(report, Follow) and report.view in self.views:
            self.views[report.view] = report.is_following
        if isinstance(report, Arrival) and report.state == "removed":
            self.targets.pop(report.name, None)
        if isinstance(report, Satellites):
            return self.subscription.satellites
        return not (isinstance(report, Report) and report.class_ in ("WATCH", "DEVICES"))

    def asked(self, request: Request) -> None:
        """Notes a view that this client reports or controls."""
        if request.name in ("VIEW", "FOLLOW"):
            self.views.setdefault((request.fields or {})["view"], True)

    def answered(self, request: Request) -> None:
        """Notes a target that the daemon has set."""
        fields = request.fields or {}
        if request.name == "TARGET" and "lat" in fields:
            if fields.get("persistent"):
                self.targets.pop(fields["name"], None)
            else:
                self.targets[fields["name"]] = request

    def delay(self, chance: float) -> float:
        """Seconds to the next attempt; `chance`, from 0 to 1, spreads those of several clients."""
        delay = self._delay * (1 + chance) / 2
        self._delay = min(2 * self._delay, BACKOFF[1])
        return delay


class UpdateQueue:
    """The pending updates of a slow consumer, in the order of their arrival: the newest fix, pose, satellites and error
    estimate, and at most 64 others; or, on demand, every one."""

    _NEWEST = (Fix, Pose, Satellites, ErrorEstimate)

    def __init__(self, every_report: bool = False):
        self._every_report = every_report
        self._updates: Deque[Update] = collections.deque()
        # Numbers of fixes that were replaced by a newer one, and of other updates that made room.
        self.missed_fixes = 0
        self.missed_events = 0

    def __len__(self) -> int:
        return len(self._updates)

    def push(self, update: Update) -> None:
        if not self._every_report:
            if self._is_replaced(update):
                update = self._replacing(update)
            else:
                self._make_room()
        self._updates.append(update)

    def _is_replaced(self, update: Update) -> bool:
        return isinstance(update, (*self._NEWEST, Course)) or isinstance(update, Trip) and update.state == "moving"

    def _replacing(self, update: Update) -> Update:
        def kind(one: Update) -> Tuple[Any, ...]:
            # Of a course the newest in each state, so that none is left out.
            return type(one), getattr(one, "name", None), one.state if isinstance(one, Course) else None

        old = next((one for one in self._updates if kind(one) == kind(update) and self._is_replaced(one)), None)
        if old is None:
            return update
        # Not by equality: the one that is replaced may equal another.
        self._updates = collections.deque(one for one in self._updates if one is not old)
        if isinstance(old, Fix) and isinstance(update, Fix):
            self.missed_fixes += 1
            # A transition is never lost. A hostile daemon has no end of names.
            update = dataclasses.replace(update, reasons=tuple(dict.fromkeys(old.reasons + update.reasons))[-16:])
        return update

    def _make_room(self) -> None:
        events = [one for one in self._updates if not self._is_replaced(one)]
        if len(events) == MAXIMUM_EVENTS:
            self._updates = collections.deque(one for one in self._updates if one is not events[0])
            self.missed_events += 1

    def pop(self) -> Optional[Update]:
        return self._updates.popleft() if self._updates else None


# asyncio


_OnReport = Callable[["_Connection", AnyReport], None]


class _Connection(asyncio.Protocol):
    """An open connection: the socket of a session."""

    def __init__(self, on_report: _OnReport):
        loop = asyncio.get_running_loop()
        self.session = Session()
        self.transport: Any = None
        self.greeted: asyncio.Future[Version] = loop.create_future()
        # The cause of the connection's end.
        self.lost: asyncio.Future[HandlebarError] = loop.create_future()
        self._on_report = on_report
        self._error: Optional[HandlebarError] = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        try:
            for report in self.session.receive(data, time.monotonic()):
                if isinstance(report, Version) and not self.greeted.done():
                    self.greeted.set_result(report)
                self._on_report(self, report)
        except ProtocolError as error:
            self.fail(error)

    def fail(self, error: HandlebarError) -> None:
        """Closes the connection because of an error."""
        self._error = self._error or error
        self.transport.abort()

    def connection_lost(self, exc: Optional[Exception]) -> None:
        error = self._error or ConnectionClosed(f"the daemon closed the connection{f': {exc}' if exc else ''}")
        cause = self.session.close(error)
        if not self.lost.done():
            self.lost.set_result(cause)

    def write(self, data: bytes) -> None:
        self.transport.write(data)

    async def greeting(self) -> None:
        """Waits for the first line."""
        both: List[asyncio.Future[Any]] = [self.greeted, self.lost]
        await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        if not self.greeted.done():
            raise self.lost.result()

    def ask(
        self, request: Request, on_answer: Callable[[Request], None] = lambda _: None
    ) -> asyncio.Future[List[AnyReport]]:
        """Sends a request; the result has the reports that answer it. `on_answer` is called before a later report is read,
        also if the result is not awaited any more."""
        answers: asyncio.Future[List[AnyReport]] = asyncio.get_running_loop().create_future()

        def on_end(exchange: Exchange) -> None:
            if exchange.error is None:
                on_answer(request)
            if answers.done():
                return
            if exchange.error is None:
                answers.set_result(exchange.answers)
            else:
                answers.set_exception(exchange.error)

        if self.lost.done():
            answers.set_exception(self.lost.result())
        else:
            self.write(self.session.ask(Exchange(request, on_end)))
        return answers


def _resolved(endpoint: Endpoint) -> Union[str, Tuple[str, int]]:
    """The path or (host, port) of a daemon, by default of the environment."""
    if endpoint is None:
        return os.environ.get("HANDLEBAR_SOCKET") or STANDARD_PATH
    if not isinstance(endpoint, tuple):
        return os.fsdecode(endpoint)
    host, port = endpoint
    return host, int(typing.cast(float, _checked("port", port, 1, 65_535)))


# What is at an endpoint instead of a daemon that answers: the sentences and remedies of the Swift client.

_RESTART = "restart it: sudo systemctl restart handlebard; its log: journalctl -u handlebard -n 20"
_CHOICE = "set HANDLEBAR_SOCKET to the path of the daemon's socket"


def _place(endpoint: Union[str, Tuple[str, int]]) -> str:
    return endpoint if isinstance(endpoint, str) else f"{endpoint[0]}:{endpoint[1]}"


def _cannot_connect(endpoint: Union[str, Tuple[str, int]], error: Exception) -> CannotConnect:
    if isinstance(endpoint, str):
        if isinstance(error, PermissionError):
            return CannotConnect(_denied(endpoint))
        if isinstance(error, BlockingIOError):
            return CannotConnect(f"the process at {endpoint} accepts no more connections; {_RESTART}")
        mode = None
        with contextlib.suppress(OSError, ValueError):
            mode = os.stat(endpoint).st_mode
        number = getattr(error, "errno", None)
        kind = {errno.ELOOP: "a loop of links", errno.EPROTOTYPE: "a socket of another kind"}.get(number)
        if number == errno.ECONNREFUSED and mode is not None and not stat.S_ISSOCK(mode):
            kind = "a directory" if stat.S_ISDIR(mode) else "a file"
        if kind is not None:
            return CannotConnect(f"{endpoint} is {kind}, not the daemon's socket; {_CHOICE}")
    reason = getattr(error, "strerror", None) or str(error) or "no answer in time"
    return CannotConnect(f"no daemon at {_place(endpoint)} ({reason}); start it with: systemctl start handlebard")


def _denied(path: str) -> str:
    """Why this user may not connect to a path, and what to do."""
    import grp
    import pwd

    def name(find: Callable[[int], Any], number: int) -> str:
        with contextlib.suppress(KeyError):
            return str(find(number)[0])
        return str(number)

    parts = [path[:at] for at, letter in enumerate(path) if letter == "/" and at > 0]
    closed = next((one for one in parts if os.path.isdir(one) and not os.access(one, os.X_OK)), None)
    at = path if closed is None else closed
    with contextlib.suppress(OSError):
        found = os.stat(at)
        owner, mode = name(pwd.getpwuid, found.st_uid), f"mode 0{found.st_mode & 0o777:o}"
        if closed is not None:
            return (
                f"{path}: permission denied, the directory {closed} is for {owner} alone ({mode}); open it for others: "
                f"sudo chmod o+x {closed}; or choose another path: socket in handlebard.toml")
        # Nobody joins root's group for a position.
        if found.st_mode & 0o020 and found.st_gid != 0:
            group, user = name(grp.getgrgid, found.st_gid), name(pwd.getpwuid, os.geteuid())
            return (
                f"{path}: permission denied, it is for the group {group}; join the group: sudo usermod -aG {group} {user}, "
                f"then log in again")
        return (
            f"{path}: permission denied, it is for {owner} alone ({mode}); set socket-mode and socket-group in "
            f"handlebard.toml and restart the daemon, or connect as {owner}")
    return f"{path}: permission denied"


def _silent(endpoint: Union[str, Tuple[str, int]], what: str) -> str:
    """The sentence about a process that listens and does not do its work, with a remedy."""
    text, is_stopped, pid = _peer(endpoint)
    if is_stopped:
        return f"{text} at {_place(endpoint)} is stopped; continue it: sudo kill -CONT {pid}"
    return f"{text} at {_place(endpoint)} {what}; {_RESTART}"


def _foreign(endpoint: Union[str, Tuple[str, int]]) -> str:
    return f"{_peer(endpoint)[0]} at {_place(endpoint)} is not handlebard: it sends something else; {_CHOICE}"


def _peer(endpoint: Union[str, Tuple[str, int]]) -> Tuple[str, bool, int]:
    """The process that listens, as far as it is known: in words, whether it is stopped, its number."""
    unknown = ("the process", False, 0)
    if not isinstance(endpoint, str) or not hasattr(socket, "SO_PEERCRED"):
        return unknown
    try:
        with socket.socket(socket.AF_UNIX) as one:
            one.setblocking(False)
            one.connect(endpoint)
            pid = struct.unpack("3i", one.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]
        # systemd listens for those that it starts by a connection.
        if pid <= 1:
            return unknown
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            words = file.read()
        name, state = words[words.index("(") + 1 : words.rindex(")")], words[words.rindex(")") + 1 :].split()[0]
        return f"{name} (pid {pid})", state in "Tt", pid
    except (OSError, ValueError):
        return unknown


async def _within(seconds: float, work: Awaitable[T], late: Callable[[], Exception]) -> T:
    """The result of work that is cancelled when it takes longer, or with the caller."""
    # Before Python 3.12, wait_for() loses a cancellation that comes together with the result.
    future = asyncio.ensure_future(work)
    try:
        await asyncio.wait([future], timeout=seconds)
    except asyncio.CancelledError:
        # Cancelled in vain if it is done; its error is of no interest.
        if not future.cancel() and not future.cancelled():
            future.exception()
        raise
    if not future.done():
        future.cancel()
        raise late()
    return future.result()


@contextlib.asynccontextmanager
async def _connected(
    endpoint: Union[str, Tuple[str, int]], on_report: _OnReport = lambda *_: None
) -> AsyncIterator[_Connection]:
    """A connection that has been greeted; closed in the end."""
    loop = asyncio.get_running_loop()
    connection = _Connection(on_report)

    async def connect() -> None:
        try:
            if isinstance(endpoint, str):
                # asyncio would take a full backlog (EAGAIN) for a connection that is being made.
                one = socket.socket(socket.AF_UNIX)
                try:
                    one.setblocking(False)
                    one.connect(endpoint)
                except BaseException:
                    one.close()
                    raise
                await loop.create_unix_connection(lambda: connection, sock=one)
            else:
                await loop.create_connection(lambda: connection, *endpoint)
        except (OSError, ValueError) as error:
            raise _cannot_connect(endpoint, error) from None
        try:
            await connection.greeting()
        except _NotHandlebard:
            raise ProtocolError(_foreign(endpoint)) from None

    def late() -> CannotConnect:
        if connection.transport is None:
            return _cannot_connect(endpoint, TimeoutError())
        return CannotConnect(_silent(endpoint, "accepts a connection and sends nothing"))

    try:
        await _within(CONNECT_TIMEOUT, connect(), late)
        yield connection
    finally:
        if connection.transport is not None:
            connection.transport.abort()


class AsyncUpdates:
    """A subscription: an asynchronous iterator of updates, which reconnects until it is closed or no longer referenced.

    A consumer that is slower than the daemon receives the newest fix, with the `reasons` of those that it replaced; what was
    missed is counted. Views and targets that are set through it come back after a restart of the daemon, and end with it.
    """

    def __init__(self, endpoint: Union[str, Tuple[str, int]], subscription: Subscription):
        self._stream = _Stream(endpoint, subscription)

    async def __aenter__(self) -> AsyncUpdates:
        self._stream.start()
        return self

    async def __aexit__(self, *_: Any) -> None:
        await self.close()

    def __aiter__(self) -> AsyncUpdates:
        return self

    async def __anext__(self) -> Update:
        update = await self.next()
        if update is None:
            raise StopAsyncIteration
        return update

    def __del__(self) -> None:
        self._stream.abandon()

    async def next(self, timeout: Optional[float] = None) -> Optional[Update]:
        """The next update; None once it is closed. `TimeoutError` when there is none within the timeout."""
        return await self._stream.next(timeout)

    async def close(self) -> None:
        """Ends the subscription. A consumer that waits receives the end."""
        await self._stream.close()

    @property
    def missed_fixes(self) -> int:
        """Number of fixes that were replaced by a newer one before they were consumed."""
        return self._stream.queue.missed_fixes

    @property
    def missed_events(self) -> int:
        """Number of other updates that were discarded because 64 were pending."""
        return self._stream.queue.missed_events

    def report_view(
        self, latitude: float, longitude: float, view: str = "main", seq: Optional[int] = None, cause: Optional[str] = None
    ) -> bool:
        """Reports where a map view is: the point under the position marker's home pixel, the number of the fix that it
        shows, and what moved it (user, follow, zoom, rotate or resize). Does not wait: a `Follow` arrives when the view's
        state changes. Whether it could be sent."""
        return self._stream.report_view(Request.view(latitude, longitude, view, seq, cause))

    async def set_following(self, enable: bool, view: str = "main") -> Follow:
        """Re-engages or releases a view, and returns its new state."""
        answers = await self._stream.ask(Request.follow(view, enable))
        return _answer(answers, Follow, lambda one: one.view == view)

    async def set_target(
        self, name: str, latitude: float, longitude: float, radius: Optional[float] = None, persistent: bool = False
    ) -> Arrival:
        """Sets a target to watch for arrival within `radius` (1 to 10000, 100 by default), and returns its state. It ends
        with the subscription, unless it is persistent."""
        answers = await self._stream.ask(Request.target(name, latitude, longitude, radius, persistent))
        return _answer(answers, Arrival, lambda one: one.name == name)

    async def remove_target(self, name: str) -> None:
        """Removes a target."""
        await self._stream.ask(Request.remove_target(name))


def _answer(answers: List[AnyReport], kind: typing.Type[T], matching: Callable[[T], bool] = lambda _: True) -> T:
    """The last matching report of a type."""
    for one in reversed(answers):
        if isinstance(one, kind) and matching(one):
            return typing.cast(T, one)
    raise ProtocolError("a request was not answered")


class _Stream:
    """The connection behind `AsyncUpdates`, and its task, which must not keep the iterator alive."""

    def __init__(self, endpoint: Union[str, Tuple[str, int]], subscription: Subscription):
        self.queue = UpdateQueue(subscription.every_report)
        self._endpoint = endpoint
        self._subscriber = Subscriber(subscription)
        self._loop: Any = None
        self._task: Optional[asyncio.Task[None]] = None
        self._connection: Optional[_Connection] = None
        self._waiters: List[asyncio.Future[None]] = []
        # Why there is no connection.
        self._error: Optional[HandlebarError] = None
        self._is_closed = False
        self._is_paused = False

    def start(self) -> None:
        if self._task is None and not self._is_closed:
            self._loop = asyncio.get_running_loop()
            self._task = self._loop.create_task(self._run())
            self._task.add_done_callback(self._ended)

    def abandon(self) -> None:
        """Ends the task from any thread, when the iterator is gone."""
        if self._task is not None and not self._task.done() and not self._loop.is_closed():
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._task.cancel)

    def _ended(self, _: Any) -> None:
        self._is_closed = True
        self._wake()

    async def close(self) -> None:
        self._is_closed = True
        self._wake()
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def _run(self) -> None:
        delivered = None
        while True:
            try:
                async with _connected(self._endpoint, self._receive) as connection:
                    delivered = None
                    error = await connection.lost
            except HandlebarError as failure:
                error = failure
            finally:
                self._connection = None
                self._is_paused = False
            self._error = error
            if (type(error), str(error)) != delivered:
                delivered = (type(error), str(error))
                self._deliver(Disconnected(error))
            await asyncio.sleep(self._subscriber.delay(random.random()))

    def _receive(self, connection: _Connection, report: AnyReport) -> None:
        if isinstance(report, Version):
            self._connection = connection
            connection.write(self._subscriber.opening())
            self._deliver(Connected(report))
        elif self._subscriber.register(report):
            self._deliver(report)

    def _deliver(self, update: Update) -> None:
        self.queue.push(update)
        self._wake()
        self._control_reading()

    def _control_reading(self) -> None:
        """Stops reading for a consumer of every report that is behind, except while an answer is awaited."""
        connection = self._connection
        if connection is None or not self._subscriber.subscription.every_report:
            return
        if len(self.queue) > 64 * MAXIMUM_EVENTS and connection.session.is_asking:
            return connection.fail(ProtocolError("the reply does not end"))
        is_paused = len(self.queue) >= MAXIMUM_EVENTS and not connection.session.is_asking
        if is_paused != self._is_paused and not connection.transport.is_closing():
            self._is_paused = is_paused
            (connection.transport.pause_reading if is_paused else connection.transport.resume_reading)()

    def _wake(self) -> None:
        for waiter in self._waiters:
            if not waiter.done():
                waiter.set_result(None)

    async def _wait(self, deadline: Optional[float]) -> bool:
        """Waits for an update, a connection or the end; whether there was time left."""
        waiter = self._loop.create_future()
        self._waiters.append(waiter)
        try:
            left = None if deadline is None else max(0.0, deadline - self._loop.time())
            return bool((await asyncio.wait([waiter], timeout=left))[0])
        finally:
            self._waiters.remove(waiter)

    async def next(self, timeout: Optional[float]) -> Optional[Update]:
        self.start()
        deadline = None if timeout is None else asyncio.get_running_loop().time() + timeout
        while not self._is_closed:
            update = self.queue.pop()
            if update is not None:
                self._control_reading()
                return update
            if not await self._wait(deadline):
                raise TimeoutError(f"no update within {timeout:g} s")
        if self._task is not None and self._task.done() and not self._task.cancelled():
            # It ends by an error of this module only.
            self._task.result()
        return None

    async def ask(self, request: Request) -> List[AnyReport]:
        """The answers to a request on this connection, which is awaited."""
        self.start()
        deadline = asyncio.get_running_loop().time() + CONNECT_TIMEOUT
        while self._connection is None and not self._is_closed:
            if not await self._wait(deadline):
                raise self._error or NoAnswer(f"no daemon within {CONNECT_TIMEOUT:g} s")
        if self._connection is None:
            raise ConnectionClosed("the subscription is closed")
        connection = self._connection
        self._subscriber.asked(request)
        asking = connection.ask(request, self._subscriber.answered)
        self._control_reading()
        try:
            answers = await _within(
                ANSWER_TIMEOUT, asking, lambda: NoAnswer(_silent(self._endpoint, "does not answer")))
        except NoAnswer as error:
            connection.fail(error)
            raise
        self._control_reading()
        return answers

    def report_view(self, request: Request) -> bool:
        connection = self._connection
        if connection is None or connection.transport.get_write_buffer_size() > MAXIMUM_UNSENT:
            return False
        self._subscriber.asked(request)
        connection.write(request.encode())
        return True


class AsyncClient:
    """A client with asyncio. Requests fail with a `HandlebarError`.

    The endpoint is the path of the daemon's socket, or the host and port of its TCP port; by default HANDLEBAR_SOCKET of the
    environment, else the standard path. As a context manager it closes its subscriptions.
    """

    def __init__(self, endpoint: Endpoint = None):
        self._endpoint = _resolved(endpoint)
        self._subscriptions: weakref.WeakSet[AsyncUpdates] = weakref.WeakSet()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: Any) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the subscriptions."""
        for updates in list(self._subscriptions):
            await updates.close()

    def updates(
        self, distance_filter: Optional[float] = None, heartbeat: Optional[float] = None, poses: int = 0,
        satellites: bool = True, every_report: bool = False, arrivals: Optional[float] = None,
        course: bool = False,
    ) -> AsyncUpdates:
        """Subscribes; the arguments are those of `Subscription`."""
        if poses and not isinstance(self._endpoint, str):
            raise ValueError("poses are sent on the Unix socket only")
        subscription = Subscription(distance_filter, heartbeat, poses, satellites, every_report, arrivals, course)
        updates = AsyncUpdates(self._endpoint, subscription)
        self._subscriptions.add(updates)
        return updates

    async def locate(self, timeout: float = 10, max_age: float = 2) -> Fix:
        """One fix, received at most `max_age` ago. Without one within the timeout it fails with `TimedOut`."""
        # The daemon measures the timeout; the limit here is for a daemon that does not.
        answers = await self._ask(Request.locate(timeout, max_age), timeout + 2)
        return _answer(answers, Fix)

    async def status(self) -> Status:
        """Health and counters of the daemon."""
        return _answer(await self._ask(Request("STATUS")), Status)

    async def follow(self, view: str = "main") -> Follow:
        """The state of a view."""
        return _answer(await self._ask(Request.follow(view)), Follow, lambda one: one.view == view)

    async def set_following(self, enable: bool, view: str = "main") -> Follow:
        """Re-engages or releases a view, and returns its new state."""
        return _answer(await self._ask(Request.follow(view, enable)), Follow, lambda one: one.view == view)

    async def targets(self) -> List[Arrival]:
        """The state of every target."""
        try:
            return typing.cast(List[Arrival], await self._ask(Request("TARGET")))
        except Refused as error:
            if error.code == "noTarget":
                return []
            raise

    async def set_target(self, name: str, latitude: float, longitude: float, radius: Optional[float] = None) -> Arrival:
        """Sets a persistent target, which stays until it is removed, and returns its state."""
        answers = await self._ask(Request.target(name, latitude, longitude, radius, persistent=True))
        return _answer(answers, Arrival, lambda one: one.name == name)

    async def remove_target(self, name: str) -> None:
        """Removes a target, whichever client has set it."""
        await self._ask(Request.remove_target(name))

    async def trips(self) -> List[Trip]:
        """The figures of every trip."""
        try:
            return typing.cast(List[Trip], await self._ask(Request("TRIP")))
        except Refused as error:
            if error.code == "noTrip":
                return []
            raise

    async def trip(self, name: str, change: Optional[str] = None) -> Trip:
        """Starts a trip, or shows one that has been started, or changes it, lap, reset or end; returns its figures. A trip
        goes on until it is ended, also over restarts of the daemon. Only the user who started it can change it."""
        return _answer(await self._ask(Request.trip(name, change)), Trip, lambda one: one.name == name)

    async def courses(self) -> List[Course]:
        """Every course, the followed one first."""
        try:
            return typing.cast(List[Course], await self._ask(Request("COURSE")))
        except Refused as error:
            if error.code == "noCourse":
                return []
            raise

    async def course(self, name: str) -> PlannedCourse:
        """The line and the cues of a course, whichever client has set it."""
        pieces: List[CoursePiece] = []
        start: Optional[int] = 0
        end = time.monotonic() + COURSE_TIMEOUT
        async with self._connection() as connection:
            while start is not None:
                if time.monotonic() > end:
                    raise NoAnswer(f"the course {name!r} changes faster than it can be read")
                request = Request("COURSE", {"name": _name("name", name), "from": start})
                piece = _answer(await self._answers(connection, request), CoursePiece)
                if pieces and piece.revision != pieces[0].revision:
                    # It was changed meanwhile.
                    pieces, start = [], 0
                    continue
                if piece.next is not None and piece.next <= start:
                    raise ProtocolError("the pieces of a course do not end")
                pieces.append(piece)
                start = piece.next
        points = [point for piece in pieces for point in piece.points]
        return PlannedCourse(name, pieces[0].revision, points, [cue for piece in pieces for cue in piece.cues])

    async def set_course(self, name: str, points: List[Tuple[float, ...]]) -> Course:
        """Sets a persistent course of points (latitude, longitude) or (latitude, longitude, elevation) and follows it."""
        if not 2 <= len(points) <= 100_000:
            raise ValueError(f"a course has 2 to 100000 points, not {len(points)}")
        for start in range(0, len(points), COURSE_POINTS):
            piece = points[start:start + COURSE_POINTS]
            answers = await self._ask(Request.course(name, piece, append=start > 0, persistent=start == 0))
        return _answer(answers, Course, lambda one: one.name == name)

    async def add_cue(
        self, course: str, text: str, kind: Optional[str] = None, at: Optional[float] = None,
        place: Optional[Tuple[float, float]] = None,
    ) -> Course:
        """Adds a cue to a course, at metres from its start or near a place (latitude, longitude)."""
        answers = await self._ask(Request.cue(course, text, kind, at, place))
        return _answer(answers, Course, lambda one: one.name == course)

    async def follow_course(self, name: str) -> Course:
        """Follows a course that was set before."""
        return _answer(await self._ask(Request.course(name)), Course, lambda one: one.name == name)

    async def end_course(self, name: str) -> Course:
        """Ends a course; returns its last report."""
        return _answer(await self._ask(Request.course(name, enable=False)), Course, lambda one: one.name == name)

    async def playback(
        self, pause: Optional[bool] = None, speed: Union[float, str, None] = None, seek: Optional[float] = None
    ) -> Playback:
        """Changes a recording that plays in place of a receiver, or only returns its state: whether to pause, the speed as a
        multiple of real time (0.1 to 1000) or "max", and the seconds from its start to continue at."""
        return _answer(await self._ask(Request.playback(pause, speed, seek)), Playback)

    async def request(self, name: str, fields: Optional[Dict[str, Any]] = None) -> List[AnyReport]:
        """The reports that answer any other request, with its fields as on the wire: `request("RECORD", {"enable": True})`."""
        if name in ("WATCH", "VERSION", "LOCATE"):
            raise ValueError(f"{name} has a method of its own")
        return await self._ask(Request(name, fields))

    async def _ask(self, request: Request, limit: float = ANSWER_TIMEOUT) -> List[AnyReport]:
        async with self._connection() as connection:
            return await self._answers(connection, request, limit)

    @contextlib.asynccontextmanager
    async def _connection(self) -> AsyncIterator[_Connection]:
        async with _connected(self._endpoint) as connection:
            if not isinstance(self._endpoint, str):
                connection.write(_ADDITIONS.encode())
            yield connection

    async def _answers(
        self, connection: _Connection, request: Request, limit: float = ANSWER_TIMEOUT
    ) -> List[AnyReport]:
        return await _within(
            limit, connection.ask(request), lambda: NoAnswer(_silent(self._endpoint, "does not answer")))


# Blocking


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    """Runs an event loop until it is stopped, and ends its tasks."""
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
        tasks = asyncio.all_tasks(loop)
        for task in tasks:
            task.cancel()
        loop.run_until_complete(asyncio.gather(*tasks, asyncio.sleep(0), return_exceptions=True))
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        loop.close()


class Client:
    """A blocking client: the methods of `AsyncClient`, which run in a thread of its own. Safe from any thread."""

    def __init__(self, endpoint: Endpoint = None):
        self._is_closed = False
        self._lock = threading.Lock()
        self._loop: Optional[asyncio.AbstractEventLoop] = None
        self._thread: Optional[threading.Thread] = None
        self._client = AsyncClient(endpoint)

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __del__(self) -> None:
        if not self._is_closed and self._loop is not None:
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._loop.stop)

    def close(self) -> None:
        """Closes the subscriptions; a consumer that waits receives the end."""
        if self._loop is not None and not self._is_closed:
            self._run(self._client.close())
        with self._lock:
            thread, self._thread = self._thread, None
            self._is_closed = True
            if thread is not None and self._loop is not None:
                self._loop.call_soon_threadsafe(self._loop.stop)
        if thread is not None:
            thread.join()

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        with self._lock:
            if self._is_closed:
                work.close()
                raise ConnectionClosed("the client is closed")
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=_serve, args=(self._loop,), name="handlebar", daemon=True)
                self._thread.start()
            future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except concurrent.futures.CancelledError:
            raise ConnectionClosed("the client is closed") from None
        except BaseException:
            # Such as KeyboardInterrupt.
            future.cancel()
            raise

    def updates(
        self, distance_filter: Optional[float] = None, heartbeat: Optional[float] = None, poses: int = 0,
        satellites: bool = True, every_report: bool = False, arrivals: Optional[float] = None,
        course: bool = False,
    ) -> Updates:
        """Subscribes; the arguments are those of `Subscription`."""
        updates = self._client.updates(distance_filter, heartbeat, poses, satellites, every_report, arrivals, course)
        return Updates(self, updates)

    def locate(self, timeout: float = 10, max_age: float = 2) -> Fix:
        """One fix, received at most `max_age` ago. Without one within the timeout it fails with `TimedOut`."""
        return self._run(self._client.locate(timeout, max_age))

    def status(self) -> Status:
        """Health and counters of the daemon."""
        return self._run(self._client.status())

    def follow(self, view: str = "main") -> Follow:
        """The state of a view."""
        return self._run(self._client.follow(view))

    def set_following(self, enable: bool, view: str = "main") -> Follow:
        """Re-engages or releases a view, and returns its new state."""
        return self._run(self._client.set_following(enable, view))

    def targets(self) -> List[Arrival]:
        """The state of every target."""
        return self._run(self._client.targets())

    def set_target(self, name: str, latitude: float, longitude: float, radius: Optional[float] = None) -> Arrival:
        """Sets a persistent target, which stays until it is removed, and returns its state."""
        return self._run(self._client.set_target(name, latitude, longitude, radius))

    def remove_target(self, name: str) -> None:
        """Removes a target, whichever client has set it."""
        self._run(self._client.remove_target(name))

    def courses(self) -> List[Course]:
        """Every course, the followed one first."""
        return self._run(self._client.courses())

    def course(self, name: str) -> PlannedCourse:
        """The line and the cues of a course, whichever client has set it."""
        return self._run(self._client.course(name))

    def set_course(self, name: str, points: List[Tuple[float, ...]]) -> Course:
        """Sets a persistent course of points (latitude, longitude) or (latitude, longitude, elevation) and follows it."""
        return self._run(self._client.set_course(name, points))

    def add_cue(
        self, course: str, text: str, kind: Optional[str] = None, at: Optional[float] = None,
        place: Optional[Tuple[float, float]] = None,
    ) -> Course:
        """Adds a cue to a course, at metres from its start or near a place (latitude, longitude)."""
        return self._run(self._client.add_cue(course, text, kind, at, place))

    def follow_course(self, name: str) -> Course:
        """Follows a course that was set before."""
        return self._run(self._client.follow_course(name))

    def end_course(self, name: str) -> Course:
        """Ends a course; returns its last report."""
        return self._run(self._client.end_course(name))

    def trips(self) -> List[Trip]:
        """The figures of every trip."""
        return self._run(self._client.trips())

    def trip(self, name: str, change: Optional[str] = None) -> Trip:
        """Starts a trip, or shows one that has been started, or changes it, lap, reset or end; returns its figures. A trip
        goes on until it is ended, also over restarts of the daemon. Only the user who started it can change it."""
        return self._run(self._client.trip(name, change))

    def playback(
        self, pause: Optional[bool] = None, speed: Union[float, str, None] = None, seek: Optional[float] = None
    ) -> Playback:
        """Changes a recording that plays in place of a receiver, or only returns its state: whether to pause, the speed as a
        multiple of real time (0.1 to 1000) or "max", and the seconds from its start to continue at."""
        return self._run(self._client.playback(pause, speed, seek))

    def request(self, name: str, fields: Optional[Dict[str, Any]] = None) -> List[AnyReport]:
        """The reports that answer any other request, with its fields as on the wire: `request("RECORD", {"enable": True})`."""
        return self._run(self._client.request(name, fields))


class Updates:
    """A subscription: a blocking iterator of updates, with the properties of `AsyncUpdates`. Safe from any thread."""

    def __init__(self, client: Client, updates: AsyncUpdates):
        self._client = client
        self._updates = updates

    def __enter__(self) -> Updates:
        self._client._run(self._updates.__aenter__())
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __iter__(self) -> Updates:
        return self

    def __next__(self) -> Update:
        update = None if self._client._is_closed else self.next()
        if update is None:
            raise StopIteration
        return update

    def next(self, timeout: Optional[float] = None) -> Optional[Update]:
        """The next update; None once it is closed. `TimeoutError` when there is none within the timeout."""
        return self._client._run(self._updates.next(timeout))

    def close(self) -> None:
        """Ends the subscription. A consumer that waits receives the end."""
        with contextlib.suppress(ConnectionClosed):
            self._client._run(self._updates.close())

    @property
    def missed_fixes(self) -> int:
        """Number of fixes that were replaced by a newer one before they were consumed."""
        return self._updates.missed_fixes

    @property
    def missed_events(self) -> int:
        """Number of other updates that were discarded because 64 were pending."""
        return self._updates.missed_events

    def report_view(
        self, latitude: float, longitude: float, view: str = "main", seq: Optional[int] = None, cause: Optional[str] = None
    ) -> bool:
        """Reports where a map view is: the point under the position marker's home pixel, the number of the fix that it
        shows, and what moved it (user, follow, zoom, rotate or resize). Does not wait for the daemon: a `Follow` arrives when
        the view's state changes. Whether it could be sent."""

        async def report() -> bool:
            return self._updates.report_view(latitude, longitude, view, seq, cause)

        return self._client._run(report())

    def set_following(self, enable: bool, view: str = "main") -> Follow:
        """Re-engages or releases a view, and returns its new state."""
        return self._client._run(self._updates.set_following(enable, view))

    def set_target(
        self, name: str, latitude: float, longitude: float, radius: Optional[float] = None, persistent: bool = False
    ) -> Arrival:
        """Sets a target to watch for arrival within `radius` (1 to 10000, 100 by default), and returns its state. It ends
        with the subscription, unless it is persistent."""
        return self._client._run(self._updates.set_target(name, latitude, longitude, radius, persistent))

    def remove_target(self, name: str) -> None:
        """Removes a target."""
        self._client._run(self._updates.remove_target(name))
