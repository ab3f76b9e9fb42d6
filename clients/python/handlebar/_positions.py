"""Reports of where the rider is, and of the satellites."""

from __future__ import annotations

import dataclasses
import datetime
import time
from typing import Literal, Optional, Tuple, Union

from ._fields import _field, _flag, _number, _report, _several, _text, _time, _whole

__all__ = ["Basis", "ErrorEstimate", "Fix", "LastKnown", "Pose", "Reason", "Satellite", "Satellites"]

Reason = Literal[
    "first", "moved", "stopped", "started", "mode", "source", "regained", "heartbeat", "requested", "snapshot", "estimated"]
Basis = Literal["fix", "predicted", "held"]

# A report has a field `time`.
_monotonic = time.monotonic


@_report("TPV")
@dataclasses.dataclass(frozen=True)
class Fix:
    """One delivered fix: `TPV` with a position."""

    latitude: float = _field("lat", _number, required=True)
    """Degrees."""
    longitude: float = _field("lon", _number, required=True)
    """Degrees."""
    mode: int = _field("mode", _whole, default=3, required=True)
    """2 or 3 dimensions."""
    status: Optional[int] = _field("status", _whole)
    """1 autonomous, 2 differential, 3 RTK fixed, 4 RTK float, 5 dead reckoning …, see handlebar-protocol(7)."""
    time: Optional[datetime.datetime] = _field("time", _time)
    """Of the epoch; None until the receiver has sent a date."""
    altitude_msl: Optional[float] = _field("altMSL", _number)
    """Metres above mean sea level."""
    altitude_hae: Optional[float] = _field("altHAE", _number)
    """Metres above the WGS 84 ellipsoid."""
    geoid_separation: Optional[float] = _field("geoidSep", _number)
    """Metres that mean sea level lies above the ellipsoid."""
    speed: Optional[float] = _field("speed", _number)
    """Over ground, m/s."""
    course: Optional[float] = _field("track", _number)
    """Heading over ground, degrees from true north."""
    climb: Optional[float] = _field("climb", _number)
    """Rate of climb, m/s."""
    heading: Optional[float] = _field("heading", _number)
    """Direction that the receiver points to, from true north."""
    magnetic_variation: Optional[float] = _field("magvar", _number)
    """Degrees, positive to the east."""
    horizontal_accuracy: Optional[float] = _field("eph", _number)
    """95 %, metres."""
    vertical_accuracy: Optional[float] = _field("epv", _number)
    """95 %, metres."""
    speed_accuracy: Optional[float] = _field("eps", _number)
    """95 %, m/s."""
    course_accuracy: Optional[float] = _field("epd", _number)
    """95 %, degrees."""
    seq: Optional[int] = _field("seq", _whole)
    """Number of the fix since the daemon started, from 1."""
    reason: Optional[Reason] = _field("reason", _text)
    """Why it was delivered."""
    age: Optional[float] = _field("age", _number)
    """Seconds since its reception when the daemon sent it; None for a new fix."""
    source: Optional[str] = _field("source", _text)
    """Kind of the source."""
    device: Optional[str] = _field("device", _text)
    """Path or address of the source."""
    is_suspect: bool = _field("suspect", _flag, default=False)
    """Whether it was held as a jump before it was accepted."""
    bend: Optional[float] = _field("bend", _number)
    """Curvature of the followed course ahead, 1/km, positive to the right; None unless the rider is on one."""
    wheel_speed: Optional[float] = _field("wheelSpeed", _number)
    """By the wheel, m/s."""
    fused_altitude: Optional[float] = _field("altFused", _number)
    """Above mean sea level by GNSS and a barometer, metres."""
    fused_altitude_error: Optional[float] = _field("altFusedError", _number)
    """95 %, metres."""
    grade: Optional[float] = _field("grade", _number)
    """Of the way just ridden by a barometer, percent; None below 1 m/s."""
    grade_error: Optional[float] = _field("gradeError", _number)
    """95 %, percentage points."""
    reasons: Tuple[Reason, ...] = ()
    """The reasons of the fixes that it replaced because the consumer was slow, in order, and its own."""
    received: float = dataclasses.field(default_factory=_monotonic, compare=False)
    """Its reception on the clock `time.monotonic()`."""


@_report("POSE")
@dataclasses.dataclass(frozen=True)
class Pose:
    """Where the rider is between two fixes, for a subscription with `poses`."""

    latitude: float = _field("lat", _number, required=True)
    """Degrees."""
    longitude: float = _field("lon", _number, required=True)
    """Degrees."""
    time: Optional[datetime.datetime] = _field("time", _time)
    """UTC."""
    course: Optional[float] = _field("track", _number)
    """Heading over ground, degrees from true north."""
    speed: Optional[float] = _field("speed", _number)
    """Over ground, m/s."""
    horizontal_accuracy: Optional[float] = _field("eph", _number)
    """Radius in which the receiver would report a fix."""
    fix_seq: Optional[int] = _field("fixSeq", _whole)
    """Number of the fix that it follows from."""
    age: Optional[float] = _field("age", _number)
    """Seconds since that fix was measured."""
    basis: Optional[Basis] = _field("basis", _text)
    """How it was made."""
    is_jump: bool = _field("jump", _flag, default=False)
    """Whether a large correction was made at once."""


@dataclasses.dataclass(frozen=True)
class Satellite:
    """One satellite in view."""

    prn: int = _field("PRN", _whole, required=True)
    """As in gpsd's `PRN`."""
    gnss_id: Optional[int] = _field("gnssid", _whole)
    """0 GPS, 1 SBAS, 2 Galileo, 3 BeiDou, 4 IMES, 5 QZSS, 6 GLONASS, 7 NavIC."""
    sv_id: Optional[int] = _field("svid", _whole)
    """Number within its system."""
    elevation: Optional[float] = _field("el", _number)
    """Degrees."""
    azimuth: Optional[float] = _field("az", _number)
    """Degrees from true north."""
    signal: Optional[float] = _field("ss", _number)
    """dBHz."""
    is_used: bool = _field("used", _flag, default=False)
    """Whether the fix uses it."""


@_report("SKY")
@dataclasses.dataclass(frozen=True)
class Satellites:
    """The satellites in view: `SKY`."""

    satellites: Tuple[Satellite, ...] = _field("satellites", _several(Satellite), default=())
    """In view."""
    time: Optional[datetime.datetime] = _field("time", _time)
    """UTC."""
    used_count: Optional[int] = _field("uSat", _whole)
    """Number of satellites that the fix uses."""
    hdop: Optional[float] = _field("hdop", _number)
    """Horizontal dilution of precision."""
    vdop: Optional[float] = _field("vdop", _number)
    """Vertical dilution of precision."""
    pdop: Optional[float] = _field("pdop", _number)
    """Dilution of precision of the position."""
    device: Optional[str] = _field("device", _text)
    """Path or address of the source."""


@_report("GST")
@dataclasses.dataclass(frozen=True)
class ErrorEstimate:
    """The receiver's own estimate of its errors, one standard deviation: `GST`."""

    time: Optional[datetime.datetime] = _field("time", _time)
    """UTC."""
    range_error: Optional[float] = _field("rms", _number)
    """Metres."""
    major: Optional[float] = _field("major", _number)
    """Major half axis of the error ellipse, metres."""
    minor: Optional[float] = _field("minor", _number)
    """Minor half axis, metres."""
    orientation: Optional[float] = _field("orient", _number)
    """Of the major axis, from true north."""
    latitude_error: Optional[float] = _field("lat", _number)
    """Metres."""
    longitude_error: Optional[float] = _field("lon", _number)
    """Metres."""
    altitude_error: Optional[float] = _field("alt", _number)
    """Metres."""
    device: Optional[str] = _field("device", _text)
    """Path or address of the source."""


@dataclasses.dataclass(frozen=True)
class LastKnown:
    """The last known position, of this or of an earlier run of the daemon."""

    latitude: float = _field("lat", _number, required=True)
    """Degrees."""
    longitude: float = _field("lon", _number, required=True)
    """Degrees."""
    time: Optional[datetime.datetime] = _field("time", _time)
    """UTC."""
    horizontal_accuracy: Optional[float] = _field("eph", _number)
    """95 %, metres."""
    seq: Optional[int] = _field("seq", _whole)
    """Number of the fix; None if it is of an earlier run."""
    age: Optional[float] = _field("age", _number)
    """Seconds since it was received; None if it is of an earlier run and the time since then is not known."""
    source: Optional[str] = _field("source", _text)
    """Kind of the source."""


PositionReport = Union[Fix, Pose, Satellites, ErrorEstimate]
