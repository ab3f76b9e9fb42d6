"""The words of the protocol's fields. A newer daemon may send others."""

from typing import Literal

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
Reason = Literal[
    "first", "moved", "stopped", "started", "mode", "source", "regained", "heartbeat", "requested", "snapshot", "estimated"]
Basis = Literal["fix", "predicted", "held"]
FollowReason = Literal["initial", "drift", "requested"]
ArrivalState = Literal["away", "arriving", "removed"]
SensorKind = Literal["wheel", "pressure", "crank", "heartRate", "power", "temperature"]
TripState = Literal["moving", "paused", "lost", "ended"]
CourseState = Literal["before", "on", "off", "finished", "kept", "ended"]
RecordingState = Literal["starting", "recording", "stopped", "failed", "off"]
ErrorCode = Literal[
    "request", "forbidden", "noTarget", "noTrip", "noCourse", "noSensor", "timedOut", "denied", "disabled",
    "misconfigured", "tooManyClients", "stopping", "unavailable"]
ViewCause = Literal["user", "follow", "zoom", "rotate", "resize"]
TripChange = Literal["lap", "reset", "end"]
