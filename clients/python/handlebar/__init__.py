"""Client of the location daemon handlebard, blocking or with asyncio: fixes, poses, follow mode, targets, trips, courses,
sensors and playback.

    from handlebar import Client, Fix

    with Client() as client:
        for update in client.updates(distance_filter=10):
            if isinstance(update, Fix):
                print(update.latitude, update.longitude, update.speed, update.reason)

`AsyncClient` has the same methods as coroutines. A subscription reconnects whenever the daemon returns, and restores its
views and targets. Every other request has a connection of its own, so that answers never mix.

Angles are in degrees, distances and altitudes in metres, speeds in m/s, durations in seconds, times in UTC. Accuracies are
95 % figures. A missing value is None, never 0. Words such as a fix's reason are those of handlebar-protocol(7), and their types
name those of this release; a newer daemon may send others. A report of a class unknown to this release arrives as a `Report`.
"""

from . import _guidance, _health, _positions
from ._aio import AsyncClient, AsyncUpdates
from ._blocking import Client, Updates
from ._endpoint import Endpoint
from ._errors import CannotConnect, ConnectionClosed, ErrorCode, HandlebarError, NoAnswer, ProtocolError, Refused, TimedOut
from ._guidance import *
from ._health import *
from ._limits import COURSE_POINTS, MAXIMUM_EVENTS, MAXIMUM_LINE, STANDARD_PATH
from ._positions import *
from ._reports import AnyReport, Connected, Disconnected, Report, Update, read_report
from ._requests import Request, Subscription, TripChange, ViewCause
from ._session import Exchange, Session
from ._subscriber import Subscriber, UpdateQueue

__version__ = "0.1.0"

__all__ = [
    "AnyReport", "AsyncClient", "AsyncUpdates", "COURSE_POINTS", "CannotConnect", "Client", "Connected", "ConnectionClosed",
    "Disconnected", "Endpoint", "ErrorCode", "Exchange", "HandlebarError", "MAXIMUM_EVENTS", "MAXIMUM_LINE", "NoAnswer",
    "ProtocolError", "Refused", "Report", "Request", "STANDARD_PATH", "Session", "Subscriber", "Subscription", "TimedOut",
    "TripChange", "Update", "UpdateQueue", "Updates", "ViewCause", "read_report",
]
__all__ += _guidance.__all__
__all__ += _health.__all__
__all__ += _positions.__all__
