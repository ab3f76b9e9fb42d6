"""Reports of the sources, of recordings and of the daemon."""

from __future__ import annotations

import dataclasses
import datetime
from typing import Dict, Literal, Optional, Tuple, Union

from ._errors import ErrorCode, Refused, TimedOut
from ._fields import _counts, _field, _flag, _number, _one, _report, _several, _text, _time, _whole
from ._positions import LastKnown

__all__ = [
    "Absence", "Antenna", "ErrorReport", "FirstFix", "Jamming", "Lead", "Playback", "Recording", "RecordingState",
    "ResetReason", "Source", "SourceError", "SourceState", "Spoofing", "StartKind", "State", "Status", "Version",
]

SourceState = Literal["idle", "opening", "acquiring", "tracking", "lost", "failed"]
SourceError = Literal["denied", "notFound", "busy", "disabled", "unavailable", "misconfigured", "noNMEA"]
Lead = Literal["silent", "noFix", "failed", "preferred", "removed"]
Jamming = Literal["unknown", "ok", "warning", "critical"]
Spoofing = Literal["unknown", "none", "indicated", "multiple"]
Antenna = Literal["unknown", "ok", "open", "short"]
Absence = Literal[
    "noDevice", "denied", "busy", "disabled", "unavailable", "misconfigured", "silent", "wrongSpeed", "noNMEA", "antenna", "jammed",
    "implausible", "timeOnly", "noPosition", "searching"]
StartKind = Literal["warm", "aided", "cold"]
ResetReason = Literal[
    "coldStart", "watchdog", "hardwareReset", "hardwareBackup", "softwareBackup", "softwareReset", "systemReset",
    "vioFailure", "vddxFailure", "vddrfFailure", "coreFailure",
]
RecordingState = Literal["starting", "recording", "stopped", "failed", "off"]


@_report("STATE")
@dataclasses.dataclass(frozen=True)
class State:
    """The leading source and its state."""

    state: SourceState = _field("state", _text, required=True)
    """Of the leading source."""
    time: Optional[datetime.datetime] = _field("time", _time)
    """UTC."""
    mode: Optional[int] = _field("mode", _whole)
    """2 or 3 while tracking."""
    source: Optional[str] = _field("source", _text)
    """Kind of the source."""
    device: Optional[str] = _field("device", _text)
    """Path or address of the source."""
    leads: Optional[Lead] = _field("leads", _text)
    """Why the lead changed."""
    since: Optional[float] = _field("since", _number)
    """Seconds in this state."""
    error: Optional[SourceError] = _field("error", _text)
    """Kind of the error of a failed source."""
    message: Optional[str] = _field("message", _text)
    """The error in words."""
    remedy: Optional[str] = _field("remedy", _text)
    """What to do about it, in words."""
    previous: Optional[SourceState] = _field("previous", _text)
    """The state before it failed."""
    seq: Optional[int] = _field("seq", _whole)
    """Number of the newest fix."""
    jamming: Optional[Jamming] = _field("jamming", _text)
    """What the receiver states."""
    jamming_source: Optional[str] = _field("jammingSource", _text)
    """The message that states it."""
    spoofing: Optional[Spoofing] = _field("spoofing", _text)
    """What the receiver states."""
    spoofing_source: Optional[str] = _field("spoofingSource", _text)
    """The message that states it."""
    antenna: Optional[Antenna] = _field("antenna", _text)
    """What the receiver states; passive ones are `open`, too."""
    antenna_source: Optional[str] = _field("antennaSource", _text)
    """The message or sentence that states it."""
    reason: Optional[Absence] = _field("reason", _text)
    """Why there is no fix; None with one, and until it is known."""
    reason_since: Optional[float] = _field("reasonSince", _number)
    """Seconds for which that has been the reason."""
    signals: Optional[int] = _field("signals", _whole)
    """Number of satellites with a signal, while it searches."""
    strong_signals: Optional[int] = _field("strongSignals", _whole)
    """Those of them of at least 30 dBHz."""
    is_estimating: bool = _field("estimating", _flag, default=False)
    """Whether a wheel continues the position while there is no fix."""
    recording_error: Optional[str] = _field("recordingError", _text)
    """Why the ride is not being recorded."""
    last_known: Optional[LastKnown] = _field("lastKnown", _one(LastKnown))
    """Unless it is tracking."""
    counts: Optional[Dict[str, int]] = _field("counts", _counts)
    """Counters, by the names of handlebar-protocol(7)."""


@_report("PLAYBACK")
@dataclasses.dataclass(frozen=True)
class Playback:
    """The state of a recording that plays in place of a receiver."""

    source: Optional[str] = _field("source", _text)
    """Kind of the source."""
    position: Optional[float] = _field("position", _number)
    """Seconds from the start of the recording."""
    duration: Optional[float] = _field("duration", _number)
    """Seconds."""
    speed: Optional[float] = _field("speed", _number)
    """Times real time; None at full speed."""
    is_paused: bool = _field("paused", _flag, default=False)
    """Whether it is paused."""
    has_ended: bool = _field("ended", _flag, default=False)
    """Whether its end has been reached."""
    file: Optional[str] = _field("file", _text)
    """Path of the recording."""


@_report("RECORD")
@dataclasses.dataclass(frozen=True)
class Recording:
    """The state of recording, and the ride that is being recorded: `RECORD`."""

    state: RecordingState = _field("state", _text, required=True)
    """`failed` is tried again; `off` without a directory."""
    directory: Optional[str] = _field("directory", _text)
    """Of the recorded rides."""
    ride: Optional[str] = _field("ride", _text)
    """Name of the ride."""
    file: Optional[str] = _field("file", _text)
    """The file in progress."""
    bytes: Optional[int] = _field("bytes", _whole)
    """Written since the daemon started."""
    error: Optional[str] = _field("error", _text)
    """Why it failed, in words."""
    start: Optional[datetime.datetime] = _field("start", _time)
    """UTC of the ride's first fix."""
    duration: Optional[float] = _field("duration", _number)
    """Seconds from the ride's first fix to its last."""
    moving_time: Optional[float] = _field("movingTime", _number)
    """Seconds of moving."""
    distance: Optional[float] = _field("distance", _number)
    """Metres."""
    ascent: Optional[float] = _field("ascent", _number)
    """Metres climbed."""
    maximum_speed: Optional[float] = _field("maxSpeed", _number)
    """m/s."""
    average_speed: Optional[float] = _field("averageSpeed", _number)
    """While moving, m/s."""
    fixes: Optional[int] = _field("fixes", _whole)
    """Number of fixes of the ride."""
    gaps: Optional[int] = _field("gaps", _whole)
    """Number of gaps between them."""


@dataclasses.dataclass(frozen=True)
class Source:
    """The health of one source, in `Status`."""

    source: Optional[str] = _field("source", _text)
    """Kind of the source."""
    device: Optional[str] = _field("device", _text)
    """Path or address of the source."""
    state: Optional[SourceState] = _field("state", _text)
    """As in `State`."""
    mode: Optional[int] = _field("mode", _whole)
    """2 or 3 dimensions."""
    error: Optional[SourceError] = _field("error", _text)
    """Kind of the error of a failed source."""
    message: Optional[str] = _field("message", _text)
    """The error in words."""
    remedy: Optional[str] = _field("remedy", _text)
    """What to do about it, in words."""
    bit_rate: Optional[int] = _field("bps", _whole)
    """Speed of a serial line, bit/s."""
    load: Optional[float] = _field("load", _number)
    """Share of it that is used."""
    cycle: Optional[float] = _field("cycle", _number)
    """Seconds between epochs."""
    noise: Optional[int] = _field("noise", _whole)
    """Bytes outside of sentences and messages in the last minute."""
    bad_checksums: Optional[int] = _field("badChecksum", _whole)
    """Sentences with a wrong checksum in the last minute."""
    overruns: Optional[int] = _field("overruns", _whole)
    """Bytes that the driver of a serial line has lost in the last minute; None if it does not count them."""
    jamming: Optional[Jamming] = _field("jamming", _text)
    """As in `State`."""
    jamming_source: Optional[str] = _field("jammingSource", _text)
    """The message that states it."""
    spoofing: Optional[Spoofing] = _field("spoofing", _text)
    """What the receiver states."""
    spoofing_source: Optional[str] = _field("spoofingSource", _text)
    """The message that states it."""
    antenna: Optional[Antenna] = _field("antenna", _text)
    """What the receiver states; passive ones are `open`, too."""
    antenna_source: Optional[str] = _field("antennaSource", _text)
    """The message or sentence that states it."""
    datum: Optional[str] = _field("datum", _text)
    """Of its positions, as the receiver states it (DTM); None for WGS 84."""
    reset_reason: Optional[ResetReason] = _field("resetReason", _text)
    """Why the receiver has started, as a u-blox receiver states it (MON-SYS)."""
    receiver: Optional[str] = _field("receiver", _text)
    """State of the receiver's set-up."""


@dataclasses.dataclass(frozen=True)
class FirstFix:
    """The first fix since a source was opened or, if that is known, since its receiver was switched on."""

    duration: Optional[float] = _field("duration", _number)
    """Seconds."""
    start: Optional[StartKind] = _field("start", _text)
    """None if it is not known."""
    aids: Optional[str] = _field("aids", _text)
    """What the receiver was given and has accepted, separated by commas: time, position, database, assistance."""


@_report("STATUS")
@dataclasses.dataclass(frozen=True)
class Status:
    """Health and counters of the daemon."""

    release: Optional[str] = _field("release", _text)
    """Release of the daemon."""
    uptime: Optional[float] = _field("uptime", _number)
    """Seconds since the daemon started."""
    state: Optional[SourceState] = _field("state", _text)
    """As in `State`."""
    mode: Optional[int] = _field("mode", _whole)
    """2 or 3 dimensions."""
    source: Optional[str] = _field("source", _text)
    """Kind of the source."""
    reason: Optional[Absence] = _field("reason", _text)
    """Why there is no fix, as in `State`."""
    seq: Optional[int] = _field("seq", _whole)
    """Number of the newest fix."""
    age: Optional[float] = _field("age", _number)
    """Seconds since the reception of the newest fix."""
    clients: Optional[int] = _field("clients", _whole)
    """Number of connected clients."""
    client_limit: Optional[int] = _field("clientLimit", _whole)
    """Most clients that may be connected."""
    recording: Optional[str] = _field("recording", _text)
    """The file in progress."""
    recording_error: Optional[str] = _field("recordingError", _text)
    """Why the ride is not being recorded."""
    last_known: Optional[LastKnown] = _field("lastKnown", _one(LastKnown))
    """Unless it is tracking."""
    first_fix: Optional[FirstFix] = _field("firstFix", _one(FirstFix))
    """Of the leading source."""
    counts: Optional[Dict[str, int]] = _field("counts", _counts)
    """Counters, by the names of handlebar-protocol(7)."""
    sources: Tuple[Source, ...] = _field("sources", _several(Source), default=())
    """Every source, in the order of preference."""
    sensors: Tuple[Source, ...] = _field("sensors", _several(Source), default=())
    """Every sensor that the daemon reads itself: `opening` or `acquiring` before its first reading, then `tracking`, or
    `failed`."""


@_report("VERSION")
@dataclasses.dataclass(frozen=True)
class Version:
    """The daemon's release and its version of gpsd's protocol."""

    release: Optional[str] = _field("release", _text)
    """Release of the daemon."""
    protocol_major: Optional[int] = _field("proto_major", _whole)
    """Version of gpsd's protocol."""
    protocol_minor: Optional[int] = _field("proto_minor", _whole)
    """Version of gpsd's protocol."""
    additions: Optional[int] = _field("handlebar", _whole)
    """Version of the additions to gpsd's protocol, which grows with what may be asked; None from gpsd."""


@_report("ERROR")
@dataclasses.dataclass(frozen=True)
class ErrorReport:
    """A request was refused or failed, or the daemon is about to close the connection: `ERROR`."""

    message: str = _field("message", _text, required=True)
    """What was wrong, in words."""
    code: Optional[ErrorCode] = _field("code", _text)
    """What was wrong, in a word."""
    request: Optional[str] = _field("request", _text)
    """Name of the request."""
    remedy: Optional[str] = _field("remedy", _text)
    """What to do about it, in words."""
    time: Optional[datetime.datetime] = _field("time", _time)
    """UTC of the last known position, in answers to LOCATE."""
    latitude: Optional[float] = _field("lat", _number)
    """Degrees, of the last known position."""
    longitude: Optional[float] = _field("lon", _number)
    """Degrees, of the last known position."""
    horizontal_accuracy: Optional[float] = _field("eph", _number)
    """95 %, metres."""
    seq: Optional[int] = _field("seq", _whole)
    """Number of that fix."""
    age: Optional[float] = _field("age", _number)
    """Seconds since it was received."""
    source: Optional[str] = _field("source", _text)
    """Kind of the source."""

    @property
    def exception(self) -> Refused:
        """The exception of a refused request."""
        return (TimedOut if self.code == "timedOut" else Refused)(self)


HealthReport = Union[State, Playback, Recording, Status, Version, ErrorReport]
