"""The connection behind a subscription."""

from __future__ import annotations

import asyncio
import contextlib
import random
from typing import Any, List, Optional, Tuple, Union

from . import _limits
from ._connection import _connected, _Connection, _within
from ._endpoint import _silent
from ._errors import ConnectionClosed, HandlebarError, NoAnswer, ProtocolError, _is_absent
from ._health import Version
from ._limits import MAXIMUM_EVENTS, MAXIMUM_UNSENT
from ._reports import AnyReport, Connected, Disconnected, Update
from ._requests import Request, Subscription
from ._subscriber import Subscriber, UpdateQueue


class _Stream:
    """The connection behind `AsyncUpdates`, and its task, which must not keep the iterator alive."""

    def __init__(self, endpoint: Union[str, Tuple[str, int]], subscription: Subscription, wait: float):
        self.queue = UpdateQueue(subscription.every_report)
        self._endpoint = endpoint
        self._subscriber = Subscriber(subscription)
        # Seconds to wait for a daemon that is not up yet, and until when its absence is not reported.
        self._wait_limit = wait
        self._silent_until = 0.0
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
            self._silent_until = self._loop.time() + self._wait_limit
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
            is_awaited = _is_absent(error) and self._loop.time() < self._silent_until
            if not is_awaited and (type(error), str(error)) != delivered:
                delivered = (type(error), str(error))
                self._deliver(Disconnected(error))
            await asyncio.sleep(self._subscriber.delay(random.random()))

    def _receive(self, connection: _Connection, report: AnyReport) -> None:
        if isinstance(report, Version):
            self._connection = connection
            self._silent_until = 0.0
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
        limit = max(_limits.CONNECT_TIMEOUT, self._wait_limit)
        deadline = asyncio.get_running_loop().time() + limit
        while self._connection is None and not self._is_closed:
            if not await self._wait(deadline):
                raise self._error or NoAnswer(f"no daemon within {limit:g} s")
        if self._connection is None:
            raise ConnectionClosed("the subscription is closed")
        connection = self._connection
        self._subscriber.asked(request)
        asking = connection.ask(request, self._subscriber.answered)
        self._control_reading()
        try:
            answers = await _within(
                _limits.ANSWER_TIMEOUT, asking, lambda: NoAnswer(_silent(self._endpoint, "does not answer")))
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
