"""An open connection with asyncio."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import time
import typing
from typing import Any, AsyncIterator, Awaitable, Callable, List, Optional, Tuple, Union

from . import _limits
from ._endpoint import _cannot_connect, _foreign, _silent
from ._errors import CannotConnect, ConnectionClosed, HandlebarError, ProtocolError, _NoDaemon, _NotHandlebard
from ._health import Version
from ._reports import AnyReport
from ._requests import Request
from ._session import Exchange, Session

T = typing.TypeVar("T")


_OnReport = Callable[["_Connection", AnyReport], None]


class _Connection(asyncio.Protocol):
    """An open connection: the socket of a session."""

    def __init__(self, on_report: _OnReport):
        loop = asyncio.get_running_loop()
        self.session = Session()
        self.transport: Any = None
        self.greeted: asyncio.Future[Version] = loop.create_future()
        # The cause of the connection's end.
        self.lost: asyncio.Future[HandlebarError] = loop.create_future()
        self._on_report = on_report
        self._error: Optional[HandlebarError] = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport
        one = transport.get_extra_info("socket")
        if one.family == socket.AF_UNIX:
            return
        # Detects within 25 s a host that vanished without closing, by probes while nothing is sent. The first option has
        # another name on macOS.
        one.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        options = {"KEEPIDLE": 10, "KEEPALIVE": 10, "KEEPINTVL": 5, "KEEPCNT": 3, "USER_TIMEOUT": 25_000}
        for name, value in options.items():
            if hasattr(socket, f"TCP_{name}"):
                one.setsockopt(socket.IPPROTO_TCP, getattr(socket, f"TCP_{name}"), value)

    def data_received(self, data: bytes) -> None:
        try:
            for report in self.session.receive(data, time.monotonic()):
                if isinstance(report, Version) and not self.greeted.done():
                    self.greeted.set_result(report)
                self._on_report(self, report)
        except ProtocolError as error:
            self.fail(error)

    def fail(self, error: HandlebarError) -> None:
        """Closes the connection because of an error."""
        self._error = self._error or error
        self.transport.abort()

    def connection_lost(self, exc: Optional[Exception]) -> None:
        error = self._error or ConnectionClosed(f"the daemon closed the connection{f': {exc}' if exc else ''}")
        cause = self.session.close(error)
        if not self.lost.done():
            self.lost.set_result(cause)

    def write(self, data: bytes) -> None:
        self.transport.write(data)

    async def greeting(self) -> None:
        """Waits for the first line."""
        both: List[asyncio.Future[Any]] = [self.greeted, self.lost]
        await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        if not self.greeted.done():
            raise self.lost.result()

    def ask(
        self, request: Request, on_answer: Callable[[Request], None] = lambda _: None
    ) -> asyncio.Future[List[AnyReport]]:
        """Sends a request; the result has the reports that answer it. `on_answer` is called before a later report is read,
        also if the result is not awaited any more."""
        answers: asyncio.Future[List[AnyReport]] = asyncio.get_running_loop().create_future()

        def on_end(exchange: Exchange) -> None:
            if exchange.error is None:
                on_answer(request)
            if answers.done():
                return
            if exchange.error is None:
                answers.set_result(exchange.answers)
            else:
                answers.set_exception(exchange.error)

        if self.lost.done():
            answers.set_exception(self.lost.result())
        else:
            self.write(self.session.ask(Exchange(request, on_end)))
        return answers


async def _within(seconds: float, work: Awaitable[T], late: Callable[[], Exception]) -> T:
    """The result of work that is cancelled when it takes longer, or with the caller."""
    # Before Python 3.12, wait_for() loses a cancellation that comes together with the result.
    future = asyncio.ensure_future(work)
    try:
        await asyncio.wait([future], timeout=seconds)
    except asyncio.CancelledError:
        # Cancelled in vain if it is done; its error is of no interest.
        if not future.cancel() and not future.cancelled():
            future.exception()
        raise
    if not future.done():
        future.cancel()
        raise late()
    return future.result()


@contextlib.asynccontextmanager
async def _connected(
    endpoint: Union[str, Tuple[str, int]], on_report: _OnReport = lambda *_: None
) -> AsyncIterator[_Connection]:
    """A connection that has been greeted; closed in the end."""
    loop = asyncio.get_running_loop()
    connection = _Connection(on_report)

    async def connect() -> None:
        try:
            if isinstance(endpoint, str):
                # asyncio would take a full backlog (EAGAIN) for a connection that is being made.
                one = socket.socket(socket.AF_UNIX)
                try:
                    one.setblocking(False)
                    one.connect(endpoint)
                except BaseException:
                    one.close()
                    raise
                await loop.create_unix_connection(lambda: connection, sock=one)
            else:
                await loop.create_connection(lambda: connection, *endpoint)
        except (OSError, ValueError) as error:
            raise _cannot_connect(endpoint, error) from None
        try:
            await connection.greeting()
        except _NotHandlebard:
            raise ProtocolError(_foreign(endpoint)) from None

    def late() -> CannotConnect:
        if connection.transport is None:
            return _cannot_connect(endpoint, TimeoutError())
        return _NoDaemon(_silent(endpoint, "accepts a connection and sends nothing"))

    try:
        await _within(_limits.CONNECT_TIMEOUT, connect(), late)
        yield connection
    finally:
        if connection.transport is not None:
            connection.transport.abort()
