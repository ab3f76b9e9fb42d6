"""The client with asyncio."""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
import typing
import weakref
from typing import Any, AsyncIterator, Callable, Dict, List, Literal, Optional, Tuple, Union

from . import _limits
from ._connection import _connected, _Connection, _within
from ._endpoint import Endpoint, _resolved, _silent
from ._errors import HandlebarError, NoAnswer, ProtocolError, Refused, _is_absent
from ._guidance import Arrival, Course, CoursePiece, Follow, PlannedCourse, Sensor, SensorKind, Trip
from ._health import Playback, Status
from ._limits import COURSE_POINTS
from ._positions import Fix
from ._reports import AnyReport, Update
from ._requests import _ADDITIONS, Request, Subscription, TripChange, ViewCause, _checked, _name
from ._stream import _Stream

T = typing.TypeVar("T")


class AsyncUpdates:
    """A subscription: an asynchronous iterator of updates, which reconnects until it is closed or no longer referenced.

    A consumer that is slower than the daemon receives the newest fix, with the `reasons` of those that it replaced; what was
    missed is counted. Views and targets that are set through it come back after a restart of the daemon, and end with it.
    """

    def __init__(self, endpoint: Union[str, Tuple[str, int]], subscription: Subscription, wait: float = 0):
        self._stream = _Stream(endpoint, subscription, wait)

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
        self, latitude: float, longitude: float, view: str = "main", seq: Optional[int] = None,
        cause: Optional[ViewCause] = None,
    ) -> bool:
        """Reports where a map view is: the point under the position marker's home pixel, the number of the fix that it
        shows, and what moved it (user, follow, zoom, rotate or resize). Does not wait: a `Follow` arrives when the view's
        state changes. Whether it could be sent."""
        return self._stream.report_view(Request.view(latitude, longitude, view, seq, cause))

    async def report_sensor(self, sensor: SensorKind, value: Optional[float] = None, **fields: Any) -> None:
        """Sends a reading of a sensor, 20 a second at most; the arguments are those of `Request.sensor`. Fails with
        `Refused` for one that the daemon does not take."""
        await self._stream.ask(Request.sensor(sensor, value, **fields))

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


class AsyncClient:
    """A client with asyncio. Requests fail with a `HandlebarError`.

    The endpoint is the path of the daemon's socket, or the host and port of its TCP port; by default HANDLEBAR_SOCKET of the
    environment, else the standard path. As a context manager it closes its subscriptions.

    `wait` is for programs that start before the daemon, as at boot: for so many seconds a request waits for a daemon that is
    not up, and a subscription reports no `Disconnected` before its first `Connected`. `math.inf` waits without an end.
    """

    def __init__(self, endpoint: Endpoint = None, wait: float = 0):
        self._endpoint = _resolved(endpoint)
        self._wait = float(wait)
        _checked("wait", self._wait, 0, math.inf)
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
        course: bool = False, trips: bool = True, sensors: bool = False, estimated: bool = False,
    ) -> AsyncUpdates:
        """Subscribes; the arguments are those of `Subscription`."""
        if poses and not isinstance(self._endpoint, str):
            raise ValueError("poses are sent on the Unix socket only")
        subscription = Subscription(
            distance_filter, heartbeat, poses, satellites, every_report, arrivals, course, trips, sensors, estimated)
        updates = AsyncUpdates(self._endpoint, subscription, self._wait)
        self._subscriptions.add(updates)
        return updates

    async def locate(self, timeout: float = 10, max_age: float = 2) -> Fix:
        """One fix, received at most `max_age` ago. Without one within the timeout it fails with `TimedOut`."""
        # The daemon measures the timeout; the limit here is for a daemon that does not.
        answers = await self._ask(Request.locate(timeout, max_age), timeout + _limits.ANSWER_TIMEOUT)
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
        return await self._every("TARGET", "noTarget")

    async def set_target(self, name: str, latitude: float, longitude: float, radius: Optional[float] = None) -> Arrival:
        """Sets a persistent target, which stays until it is removed, and returns its state."""
        answers = await self._ask(Request.target(name, latitude, longitude, radius, persistent=True))
        return _answer(answers, Arrival, lambda one: one.name == name)

    async def remove_target(self, name: str) -> None:
        """Removes a target, whichever client has set it."""
        await self._ask(Request.remove_target(name))

    async def trips(self) -> List[Trip]:
        """The figures of every trip."""
        return await self._every("TRIP", "noTrip")

    async def trip(self, name: str, change: Optional[TripChange] = None) -> Trip:
        """Starts a trip, or shows one that has been started, or changes it, lap, reset or end; returns its figures. A trip
        goes on until it is ended, also over restarts of the daemon. Only the user who started it can change it."""
        return _answer(await self._ask(Request.trip(name, change)), Trip, lambda one: one.name == name)

    async def sensors(self) -> List[Sensor]:
        """The newest reading of every sensor."""
        return await self._every("SENSOR", "noSensor")

    async def courses(self) -> List[Course]:
        """Every course, the followed one first."""
        return await self._every("COURSE", "noCourse")

    async def course(self, name: str) -> PlannedCourse:
        """The line and the cues of a course, whichever client has set it."""
        pieces: List[CoursePiece] = []
        start: Optional[int] = 0
        end = time.monotonic() + _limits.COURSE_TIMEOUT
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
        self, pause: Optional[bool] = None, speed: Union[float, Literal["max"], None] = None, seek: Optional[float] = None
    ) -> Playback:
        """Changes a recording that plays in place of a receiver, or only returns its state: whether to pause, the speed as a
        multiple of real time (0.1 to 1000) or "max", and the seconds from its start to continue at."""
        return _answer(await self._ask(Request.playback(pause, speed, seek)), Playback)

    async def request(self, name: str, fields: Optional[Dict[str, Any]] = None) -> List[AnyReport]:
        """The reports that answer any other request, with its fields as on the wire: `request("RECORD", {"enable": True})`."""
        if name in ("WATCH", "VERSION", "LOCATE"):
            raise ValueError(f"{name} has a method of its own")
        return await self._ask(Request(name, fields))

    async def _every(self, name: str, nothing: str) -> List[Any]:
        """The reports that answer a question; none if it is refused because there is nothing of the kind."""
        try:
            return await self._ask(Request(name))
        except Refused as error:
            if error.code == nothing:
                return []
            raise

    async def _ask(self, request: Request, limit: Optional[float] = None) -> List[AnyReport]:
        async with self._connection() as connection:
            return await self._answers(connection, request, limit)

    @contextlib.asynccontextmanager
    async def _connection(self) -> AsyncIterator[_Connection]:
        async with contextlib.AsyncExitStack() as stack:
            connection = await self._reached(stack)
            if not isinstance(self._endpoint, str):
                connection.write(_ADDITIONS.encode())
            yield connection

    async def _reached(self, stack: contextlib.AsyncExitStack) -> _Connection:
        """A connection for a request, once the daemon is up."""
        end = time.monotonic() + self._wait
        while True:
            try:
                return await stack.enter_async_context(_connected(self._endpoint))
            except HandlebarError as error:
                left = end - time.monotonic()
                if left <= 0 or not _is_absent(error):
                    raise
                await asyncio.sleep(min(_limits.RETRY, left))

    async def _answers(
        self, connection: _Connection, request: Request, limit: Optional[float] = None
    ) -> List[AnyReport]:
        return await _within(
            _limits.ANSWER_TIMEOUT if limit is None else limit, connection.ask(request),
            lambda: NoAnswer(_silent(self._endpoint, "does not answer")))
