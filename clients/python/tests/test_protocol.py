"""Reports and requests, without a connection."""

import contextlib

import pytest

import handlebar
from handlebar import Client
from peer import GREETING, tpv


def test_a_missing_value_is_none_and_an_unknown_class_a_report():
    fix = handlebar.read_report(b'{"class":"TPV","mode":2,"lat":0,"lon":-0.5}\r')
    assert (fix.latitude, fix.longitude, fix.speed, fix.time, fix.seq, fix.reasons) == (0, -0.5, None, None, None, ())
    other = handlebar.read_report(b'{"class":"LAPS","name":"day","laps":[{"lap":1}]}')
    assert other == handlebar.Report("LAPS", {"name": "day", "laps": [{"lap": 1}]})
    assert isinstance(handlebar.read_report(b'{"class":"TPV","mode":1}'), handlebar.Report)
    assert handlebar.read_report(b'{"class":"ARRIVAL","name":"x"}').state is None


def test_bytes_arrive_in_any_pieces():
    stream = GREETING + b"".join(tpv(number) for number in range(20))
    whole = list(handlebar.Session().receive(stream))
    assert len(whole) == 21
    for size in (1, 7, 100):
        session = handlebar.Session()
        pieces = [stream[at : at + size] for at in range(0, len(stream), size)]
        assert [report for piece in pieces for report in session.receive(piece)] == whole


def test_deep_nesting_is_read_or_refused():
    """The limit is that of the Python."""
    line = b'{"class":"X","y":' + b"[" * 5000 + b"]" * 5000 + b"}\r\n"
    with contextlib.suppress(handlebar.ProtocolError):
        assert handlebar.read_report(line).class_ == "X"


def test_the_longest_line_is_read():
    line = b'{"class":"X","y":"' + b"y" * (handlebar.MAXIMUM_LINE - 22) + b'"}\r\n'
    assert len(line) == handlebar.MAXIMUM_LINE
    session = handlebar.Session()
    assert len(list(session.receive(GREETING + line + line))) == 3


def test_attempts_are_spread_from_a_tenth_of_a_second_to_five():
    subscriber = handlebar.Subscriber(handlebar.Subscription())
    assert [subscriber.delay(1) for _ in range(8)] == [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5, 5]
    assert subscriber.delay(0) == 2.5
    subscriber.register(handlebar.Report("WATCH", {}))
    assert subscriber.delay(1) == 0.1


INVALID = [
    ("updates", {"distance_filter": -1}), ("updates", {"distance_filter": float("nan")}), ("updates", {"heartbeat": 0.05}),
    ("updates", {"poses": 61}), ("updates", {"poses": 0.5}), ("locate", {"timeout": float("inf")}), ("locate", {"max_age": -1}),
    ("set_target", {"name": "", "latitude": 1, "longitude": 2}),
    ("set_target", {"name": "é" * 33, "latitude": 1, "longitude": 2}),
    ("trip", {"name": ""}), ("trip", {"name": "day", "change": "off"}),
    ("set_target", {"name": "x", "latitude": 91, "longitude": 2}), ("follow", {"view": "\ud800"}),
    ("set_target", {"name": "x", "latitude": 1, "longitude": 2, "radius": 0.5}), ("playback", {"seek": -1}),
    ("playback", {"speed": 1001}), ("request", {"name": "STATUS;"}), ("request", {"name": "WATCH", "fields": {"enable": True}}),
]


@pytest.mark.parametrize("method, arguments", INVALID, ids=str)
def test_an_invalid_value_is_an_error_at_the_call(folder, method, arguments):
    with Client(folder / "absent.sock") as client, pytest.raises(ValueError):
        getattr(client, method)(**arguments)


def test_an_invalid_view_or_endpoint_is_an_error_at_the_call(folder):
    with Client(folder / "absent.sock") as client, client.updates() as updates:
        for arguments in ({"latitude": 91}, {"cause": "wind"}, {"seq": -1}, {"view": ""}):
            with pytest.raises(ValueError):
                updates.report_view(**({"latitude": 1, "longitude": 2} | arguments))
    with pytest.raises(ValueError):
        Client(("localhost", 0))
    with Client(("localhost", 2947)) as client, pytest.raises(ValueError, match="Unix socket"):
        client.updates(poses=10)
