"""Reports, and the line of each."""

from __future__ import annotations

import dataclasses
import json
import time
from typing import Any, Dict, Optional, Union

from ._errors import HandlebarError, ProtocolError
from ._fields import CLASSES, _read, _text
from ._guidance import CoursePiece, GuidanceReport
from ._health import HealthReport, Version
from ._positions import Fix, PositionReport


@dataclasses.dataclass(frozen=True)
class Report:
    """A report of a class that this release does not know, with its fields as on the wire."""

    class_: str
    """Its class."""
    fields: Dict[str, Any] = dataclasses.field(hash=False)
    """By their names on the wire."""


@dataclasses.dataclass(frozen=True)
class Connected:
    """A subscription reached a daemon. What it reported before may have changed."""

    version: Version
    """What the daemon sent first."""


@dataclasses.dataclass(frozen=True)
class Disconnected:
    """A subscription lost its connection or could not make one; connecting continues. The same error is reported once."""

    error: HandlebarError
    """Why there is no connection."""


AnyReport = Union[PositionReport, GuidanceReport, HealthReport, Report]
Update = Union[AnyReport, Connected, Disconnected]


def _not_finite(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def read_report(line: bytes, now: Optional[float] = None) -> AnyReport:
    """The report of a line, received at `now` on the clock `time.monotonic()`; `ProtocolError` for any other line."""
    try:
        fields = json.loads(line.decode(), parse_constant=_not_finite)
        name = _text(fields.pop("class") if isinstance(fields, dict) else None)
        kind = CoursePiece if name == "COURSE" and "from" in fields else CLASSES.get(name)
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
        reasons: Any = tuple(several.split(",")) if isinstance(several, str) else (report.reason,) if report.reason else ()
        report = dataclasses.replace(report, received=received, reasons=reasons)
    return report
