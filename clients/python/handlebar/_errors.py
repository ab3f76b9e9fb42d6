"""What a request fails with, and why a subscription is without a connection."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Optional

from ._guidance import NothingSet

if TYPE_CHECKING:
    from ._health import ErrorReport

ErrorCode = Literal[
    "request", "forbidden", NothingSet, "timedOut", "denied", "disabled", "misconfigured", "tooManyClients", "stopping",
    "unavailable"]


class HandlebarError(Exception):
    """The failure of a request, or the loss of a subscription's connection."""


class CannotConnect(HandlebarError):
    """No daemon listens at the endpoint, or it may not be opened."""


class _NoDaemon(CannotConnect):
    """None listens, or it does not greet: it may not be up yet."""


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

    report: ErrorReport
    """What the daemon sent."""
    code: Optional[ErrorCode]
    """What was wrong, in a word."""
    message: str
    """What was wrong, in words."""
    remedy: Optional[str]
    """What to do about it, in words."""

    def __init__(self, report: ErrorReport):
        super().__init__("; ".join(filter(None, [report.message, report.remedy])))
        self.report = report
        self.code = report.code
        self.message = report.message
        self.remedy = report.remedy


class TimedOut(Refused, TimeoutError):
    """No fix within the timeout of `locate`. `report` has the last known position, if there is one."""


def _is_absent(error: HandlebarError) -> bool:
    """Whether an attempt to connect failed because the daemon is not up, or is about to stop."""
    return isinstance(error, (_NoDaemon, ConnectionClosed)) or isinstance(error, Refused) and error.code == "stopping"
