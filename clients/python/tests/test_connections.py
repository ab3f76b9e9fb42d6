"""Against a peer that misbehaves."""

import asyncio
import concurrent.futures
import contextlib
import json
import socket
import threading

import pytest

import handlebar
from handlebar import Arrival, AsyncClient, Client, Connected, Disconnected, Fix, Trip, _limits
from handlebar._connection import _connected
from peer import GREETING, TIMEOUT, WATCH, Peer, read, tpv, until, wait, wait_async


HOSTILE = {
    "no JSON": b"hello\r\n",
    "no object": b"[1]\r\n",
    "no class": b'{"mode":3}\r\n',
    "a class that is a number": b'{"class":3}\r\n',
    "a text for a number": b'{"class":"TPV","mode":3,"lat":"48","lon":11}\r\n',
    "a boolean for a number": b'{"class":"TPV","mode":3,"lat":true,"lon":11}\r\n',
    "not a number": b'{"class":"TPV","mode":3,"lat":NaN,"lon":11}\r\n',
    "too large": b'{"class":"TPV","mode":3,"lat":1e999,"lon":11}\r\n',
    "a large whole number": b'{"class":"TPV","mode":3,"lat":' + b"9" * 4000 + b',"lon":11}\r\n',
    "half a fix": b'{"class":"TPV","mode":3,"lat":48}\r\n',
    "an impossible day": b'{"class":"TPV","mode":3,"lat":4,"lon":1,"time":"2026-02-30T00:00:00.000Z"}\r\n',
    "a view without a name": b'{"class":"FOLLOW","following":true}\r\n',
    "satellites that are none": b'{"class":"SKY","satellites":[1]}\r\n',
    "counters that are none": b'{"class":"STATE","state":"lost","counts":[]}\r\n',
    "half a character": b'{"class":"STATE","state":"\\ud800"}\r\n',
    "bytes that are no text": b'{"class":"STATE","state":"\xff"}\r\n',
    "VERSION unasked": GREETING,
    "a line of 10,240 bytes": b'{"class":"X","y":"' + b"y" * (10_240 - 22) + b'"}\r\n',
    "a line without an end": b"{" * 100_000,
}


@pytest.mark.parametrize("line", HOSTILE.values(), ids=HOSTILE)
def test_a_line_that_breaks_the_protocol_ends_the_connection(peer, line):
    with Client(peer.path) as client, client.updates() as updates:
        with peer.accept(GREETING) as connection:
            # The client may close before it has read all.
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                connection.sendall(WATCH + tpv(1) + line + tpv(2))
            assert wait(updates, Fix).seq == 1
            assert isinstance(wait(updates, Disconnected).error, handlebar.ProtocolError)
        with peer.accept(GREETING) as connection:
            connection.sendall(tpv(3))
            assert isinstance(updates.next(TIMEOUT), Connected)
            assert wait(updates, Fix).seq == 3


def test_a_greeting_that_is_a_refusal_or_something_else(peer):
    refusal = b'{"class":"ERROR","message":"too many clients","code":"tooManyClients","remedy":"close one"}\r\n'
    with Client(peer.path) as client, client.updates() as updates:
        with peer.accept(refusal):
            pass
        error = wait(updates, Disconnected).error
        assert (error.code, str(error)) == ("tooManyClients", "too many clients; close one")
        with peer.accept(tpv(1)):
            assert "before VERSION" in str(wait(updates, Disconnected).error)


def test_a_course_that_changes_with_each_piece_is_given_up(peer, monkeypatch):
    monkeypatch.setattr(_limits, "COURSE_TIMEOUT", 0.2)

    def answer():
        connection, _ = peer.listener.accept()
        with connection, connection.makefile("rb") as requests:
            connection.sendall(GREETING)
            for revision, request in enumerate(requests):
                if not request.startswith(b"?COURSE="):
                    connection.sendall(GREETING)
                    continue
                start = json.loads(request[len("?COURSE="):-2])["from"]
                piece = {"class": "COURSE", "name": "c", "state": "on", "revision": revision, "from": start, "points": 9, "next": start + 1}
                connection.sendall(json.dumps(piece | {"polyline": "??"}).encode() + b"\r\n")

    threading.Thread(target=answer, daemon=True).start()
    with Client(peer.path) as client, pytest.raises(handlebar.NoAnswer, match="changes faster than it can be read"):
        client.course("c")


def test_a_connection_that_is_half_closed_is_made_again(peer):
    with Client(peer.path) as client, client.updates() as updates:
        with peer.accept(GREETING) as connection:
            connection.sendall(tpv(1) + tpv(2)[:20])
            connection.shutdown(socket.SHUT_WR)
            assert isinstance(wait(updates, Disconnected).error, handlebar.ConnectionClosed)
        with peer.accept(GREETING) as connection:
            # The peer reads no more: what is sent fails.
            connection.shutdown(socket.SHUT_RD)
            wait(updates, Connected)
            until(lambda: not updates.report_view(1, 2), "the end of the connection")
        with peer.accept(GREETING, tpv(3)):
            assert wait(updates, Fix, lambda fix: fix.seq == 3)


def test_a_host_that_vanishes_is_noticed():
    """It closes nothing: the kernel asks after 10 s without a byte."""

    def serve():
        connection, _ = listener.accept()
        connection.sendall(GREETING)
        return connection

    async def run():
        async with _connected(listener.getsockname()) as connection:
            one = connection.transport.get_extra_info("socket")
            numbers = (socket.TCP_KEEPIDLE, socket.TCP_KEEPINTVL, socket.TCP_KEEPCNT, socket.TCP_USER_TIMEOUT)
            return one.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE), [
                one.getsockopt(socket.IPPROTO_TCP, number) for number in numbers]

    with socket.create_server(("127.0.0.1", 0)) as listener, concurrent.futures.ThreadPoolExecutor() as pool:
        served = pool.submit(serve)
        assert asyncio.run(run()) == (1, [10, 5, 3, 25_000])
        served.result().close()


def test_a_loop_ends_with_the_client_that_another_thread_closes(peer):
    client = Client(peer.path)
    updates = client.updates()
    wait_on = updates.next

    def after_the_end():
        client.close()
        return wait_on()

    updates.next = after_the_end
    assert list(updates) == []


def test_two_threads_may_close_a_client(peer):
    client = Client(peer.path)
    close, calls = client._client.close, []

    async def slow():
        calls.append(None)
        if len(calls) == 1:
            await asyncio.Event().wait()
        await close()

    client._run(asyncio.sleep(0))
    client._client.close = slow
    with concurrent.futures.ThreadPoolExecutor() as pool:
        first = pool.submit(client.close)
        until(lambda: calls, "the first thread")
        client.close()
        first.result(TIMEOUT)


def test_a_target_that_was_removed_with_its_answer_does_not_come_back(peer):
    """What was set stays set also if its answer is not awaited any more; what another client removed stays removed."""
    answers = b'{"class":"ARRIVAL","name":"%s"}\r\n' + GREETING

    async def run():
        async with AsyncClient(peer.path) as client, client.updates() as updates:
            await wait_async(updates, Connected)
            await updates.set_target("first", 1, 2)
            second = asyncio.ensure_future(updates.set_target("second", 1, 2))
            await asyncio.get_running_loop().run_in_executor(None, asked.wait, TIMEOUT)
            second.cancel()
            with pytest.raises(asyncio.CancelledError):
                await second
            cancelled.set()
            await wait_async(updates, Disconnected)
            await wait_async(updates, Connected)

    asked, cancelled = threading.Event(), threading.Event()
    restored = []

    def serve():
        with peer.listener.accept()[0] as connection:
            connection.sendall(GREETING)
            read(connection, b'"first"')
            connection.sendall(answers % b"first" + b'{"class":"ARRIVAL","name":"first","state":"removed"}\r\n')
            read(connection, b'"second"')
            asked.set()
            assert cancelled.wait(TIMEOUT)
            connection.sendall(answers % b"second")
        with peer.listener.accept()[0] as connection:
            connection.sendall(GREETING)
            restored.append(read(connection, b'"json":true'))
            connection.recv(1)

    thread = threading.Thread(target=serve)
    thread.start()
    asyncio.run(run())
    thread.join()
    assert b'"second"' in restored[0] and b'"first"' not in restored[0]


def test_a_daemon_that_does_not_answer(peer, monkeypatch):
    monkeypatch.setattr(_limits, "ANSWER_TIMEOUT", 0.2)
    with Client(peer.path) as client, client.updates() as updates:
        with peer.accept(GREETING) as connection:
            with pytest.raises(handlebar.NoAnswer):
                updates.set_target("x", 1, 2)
            assert b'"name":"x"' in read(connection, b"?VERSION")
            assert isinstance(wait(updates, Disconnected).error, handlebar.NoAnswer)
        monkeypatch.setattr(_limits, "CONNECT_TIMEOUT", 0.2)
        with pytest.raises(handlebar.CannotConnect, match="accepts a connection and sends nothing"):
            client.status()
        peer.close()
        with client.updates() as others:
            wait(others, Disconnected)
            with pytest.raises(handlebar.CannotConnect):
                others.set_target("x", 1, 2)


def test_an_answer_that_does_not_end(peer):
    with Client(peer.path) as client, client.updates() as updates, peer.accept(GREETING) as connection:
        def flood():
            read(connection, b"?TARGET")
            with contextlib.suppress(OSError):
                while True:
                    connection.sendall(b'{"class":"ARRIVAL","name":"x"}\r\n' * 100)

        thread = threading.Thread(target=flood)
        thread.start()
        with pytest.raises(handlebar.ProtocolError, match="does not end"):
            updates.set_target("x", 1, 2)
        thread.join()


def test_a_slow_consumer_receives_the_newest_fix_and_a_count(peer):
    """Fixes are replaced, and their reasons kept; of events the last 64 are."""

    async def consume():
        async with AsyncClient(peer.path) as client, client.updates() as updates:
            send = asyncio.get_running_loop().run_in_executor(None, serve)
            await wait_async(updates, Connected)
            go.set()
            # Nothing is consumed until everything has been read.
            await send
            while updates.missed_events < 36:
                await asyncio.sleep(0)
            received = [await updates.next(TIMEOUT) for _ in range(65)]
            with pytest.raises(TimeoutError):
                await updates.next(0)
            return received, updates.missed_fixes, updates.missed_events

    go = threading.Event()
    kept = []

    def serve():
        with contextlib.ExitStack() as stack:
            connection = stack.enter_context(peer.accept(GREETING))
            assert go.wait(TIMEOUT)
            reasons = ("first", "stopped", "started", "moved")
            connection.sendall(b"".join(tpv(seq, reason) for seq, reason in enumerate(reasons, 1)))
            connection.sendall(b"".join(b'{"class":"ARRIVAL","name":"%d"}\r\n' % number for number in range(100)))
            kept.append(stack.pop_all())

    received, missed_fixes, missed_events = asyncio.run(consume())
    kept[0].close()
    (fix,) = [one for one in received if isinstance(one, Fix)]
    assert (fix.seq, fix.reason, fix.reasons) == (4, "moved", ("first", "stopped", "started", "moved"))
    assert [one.name for one in received if isinstance(one, Arrival)] == [str(number) for number in range(36, 100)]
    assert (missed_fixes, missed_events) == (3, 36)


def test_a_slow_consumer_of_every_report_stops_the_reading(peer):
    """A flood stays in the socket until it is consumed, and nothing is missed."""
    with Client(peer.path) as client, client.updates(every_report=True) as updates, peer.accept(GREETING) as connection:
        wait(updates, Connected)
        count = 8_000
        sender = threading.Thread(target=lambda: connection.sendall(b"".join(tpv(seq) for seq in range(count))))
        sender.start()
        until(lambda: len(updates._updates._stream.queue) >= handlebar.MAXIMUM_EVENTS, "a queue that is full")
        assert sender.is_alive()
        assert [wait(updates, Fix).seq for _ in range(count)] == list(range(count))
        assert (updates.missed_fixes, updates.missed_events) == (0, 0)
        sender.join()


# A daemon that is not up yet


def test_a_request_waits_for_a_daemon_that_is_not_up_yet(folder):
    """Also for one whose process is about to stop."""
    trips = []
    with Client(folder / "peer.sock", wait=TIMEOUT) as client:
        thread = threading.Thread(target=lambda: trips.append(client.trip("day")))
        thread.start()
        until(lambda: client._loop is not None, "the request")
        with Peer(folder) as peer:
            with peer.accept(b'{"class":"ERROR","message":"the daemon stops","code":"stopping"}\r\n'):
                pass
            with peer.accept():
                pass
            with peer.listener.accept()[0] as connection:
                connection.sendall(GREETING)
                read(connection, b"?VERSION")
                connection.sendall(b'{"class":"TRIP","name":"day","state":"lost"}\r\n' + GREETING)
                thread.join(TIMEOUT)
    assert trips == [Trip("day", "lost")]


def test_a_wait_ends_and_is_for_an_absent_daemon_only(folder):
    with Client(folder / "absent.sock", wait=0.3) as client:
        with pytest.raises(handlebar.CannotConnect, match="no daemon"):
            client.status()
        # It is reported once the time is over.
        assert isinstance(client.updates().next(TIMEOUT), Disconnected)
    (folder / "file").touch()
    with Client(folder / "file", wait=TIMEOUT) as client:
        with pytest.raises(handlebar.CannotConnect, match="a file"):
            client.status()
        assert isinstance(client.updates().next(TIMEOUT), Disconnected)
    for wait_limit in (-1, float("nan")):
        with pytest.raises(ValueError):
            Client(wait=wait_limit)


def test_a_subscription_that_waits_reports_the_connection_first(folder):
    """A connection that is lost later is reported as ever."""
    with Client(folder / "peer.sock", wait=float("inf")) as client, client.updates() as updates:
        until(lambda: updates._updates._stream._error is not None, "an attempt")
        with Peer(folder) as peer:
            with peer.accept(GREETING):
                assert isinstance(updates.next(TIMEOUT), Connected)
            assert isinstance(updates.next(TIMEOUT), Disconnected)
