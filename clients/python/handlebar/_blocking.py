"""The blocking client."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import threading
import typing
from typing import Any, Coroutine, Dict, List, Literal, Optional, Tuple, Union

from ._aio import AsyncClient, AsyncUpdates
from ._endpoint import Endpoint
from ._errors import ConnectionClosed
from ._guidance import Arrival, Course, Follow, PlannedCourse, Sensor, SensorKind, Trip
from ._health import Playback, Status
from ._positions import Fix
from ._reports import AnyReport, Update
from ._requests import TripChange, ViewCause

T = typing.TypeVar("T")


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
    """A blocking client: the arguments and methods of `AsyncClient`, which run in a thread of its own. Safe from any
    thread."""

    def __init__(self, endpoint: Endpoint = None, wait: float = 0):
        self._is_closed = False
        self._lock = threading.Lock()
        self._loop: Optional[asyncio.AbstractEventLoop] = None
        self._thread: Optional[threading.Thread] = None
        self._client = AsyncClient(endpoint, wait)

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
            # Another thread may close it meanwhile.
            with contextlib.suppress(ConnectionClosed):
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
        course: bool = False, trips: bool = True, sensors: bool = False, estimated: bool = False,
    ) -> Updates:
        """Subscribes; the arguments are those of `Subscription`."""
        updates = self._client.updates(
            distance_filter, heartbeat, poses, satellites, every_report, arrivals, course, trips, sensors, estimated)
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

    def sensors(self) -> List[Sensor]:
        """The newest reading of every sensor."""
        return self._run(self._client.sensors())

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

    def trip(self, name: str, change: Optional[TripChange] = None) -> Trip:
        """Starts a trip, or shows one that has been started, or changes it, lap, reset or end; returns its figures. A trip
        goes on until it is ended, also over restarts of the daemon. Only the user who started it can change it."""
        return self._run(self._client.trip(name, change))

    def playback(
        self, pause: Optional[bool] = None, speed: Union[float, Literal["max"], None] = None, seek: Optional[float] = None
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
        # Another thread may close the client at any time.
        with contextlib.suppress(ConnectionClosed):
            update = self.next()
            if update is not None:
                return update
        raise StopIteration

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
        self, latitude: float, longitude: float, view: str = "main", seq: Optional[int] = None,
        cause: Optional[ViewCause] = None,
    ) -> bool:
        """Reports where a map view is: the point under the position marker's home pixel, the number of the fix that it
        shows, and what moved it (user, follow, zoom, rotate or resize). Does not wait for the daemon: a `Follow` arrives when
        the view's state changes. Whether it could be sent."""

        async def report() -> bool:
            return self._updates.report_view(latitude, longitude, view, seq, cause)

        return self._client._run(report())

    def report_sensor(self, sensor: SensorKind, value: Optional[float] = None, **fields: Any) -> None:
        """Sends a reading of a sensor, 20 a second at most; the arguments are those of `Request.sensor`. Fails with
        `Refused` for one that the daemon does not take."""
        self._client._run(self._updates.report_sensor(sensor, value, **fields))

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
