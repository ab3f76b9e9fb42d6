"""One connection without its socket and clock."""

from __future__ import annotations

import collections
from typing import Callable, Deque, Dict, Iterator, List, Optional, Tuple, Union

from ._errors import ConnectionClosed, HandlebarError, ProtocolError, Refused, _NotHandlebard
from ._fields import CLASSES
from ._guidance import Arrival, Course, CoursePiece, Follow
from ._health import ErrorReport, Version
from ._limits import MAXIMUM_ANSWERS, MAXIMUM_LINE
from ._positions import Fix
from ._reports import AnyReport, Report, read_report
from ._requests import Request


# Reports that answer a request where they are not of its own name.
_ANSWERS: Dict[str, Union[type, Tuple[type, ...]]] = {
    "VIEW": Follow,
    "TARGET": Arrival,
    "COURSE": (Course, CoursePiece),
    "CUE": Course,
    "LOCATE": Fix,
}


class Exchange:
    """A request that was sent, and what answers it. `on_end` is called at its end."""

    def __init__(self, request: Request, on_end: Callable[[Exchange], None] = lambda _: None):
        self.request = request
        self.answers: List[AnyReport] = []
        self.error: Optional[HandlebarError] = None
        self.is_ended: bool = False
        self._on_end = on_end

    def take(self, report: AnyReport) -> None:
        """Keeps a report that may be an answer."""
        name = self.request.name
        if isinstance(report, Report):
            if report.class_ != name:
                return
        elif not isinstance(report, _ANSWERS.get(name, CLASSES.get(name, ()))):
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
