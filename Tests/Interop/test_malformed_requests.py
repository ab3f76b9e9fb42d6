"""Every malformed request gets one ERROR, and the connection stays open."""

import pytest

from handlebar_harness import Daemon, Ended, own_folder

MALFORMED = {
    "no question mark": "hello\n",
    "nothing asked": "?;",
    "nothing asked, by newline": "?\n",
    "unknown": "?NONSENSE;",
    "lower case": "?watch;",
    "unknown with an object": '?NONSENSE={"a":1};',
    "not an object": "?WATCH=1;",
    "an array": "?WATCH=[1,2];",
    "empty value": "?WATCH=;",
    "not JSON": "?WATCH={enable};",
    "cut by a newline": '?WATCH={"enable":true\n',
    "trailing comma": '?WATCH={"enable":true,};',
    "wrong type": '?WATCH={"enable":"yes"};',
    "number for a flag": '?WATCH={"json":1};',
    "negative filter": '?WATCH={"distanceFilter":-1};',
    "text for a filter": '?WATCH={"distanceFilter":"10"};',
    "NaN": '?WATCH={"distanceFilter":NaN};',
    "infinite": '?WATCH={"distanceFilter":1e999};',
    "negative heartbeat": '?WATCH={"heartbeat":-5};',
    "arrivals more than once a second": '?WATCH={"arrivals":0.5};',
    "negative arrivals": '?WATCH={"arrivals":-1};',
    "arrivals less than once a day": '?WATCH={"arrivals":1e300};',
    "text for arrivals": '?WATCH={"arrivals":"5"};',
    "nested arrivals": '?WATCH={"arrivals":[5]};',
    "NaN for arrivals": '?WATCH={"arrivals":NaN};',
    "arrivals twice": '?WATCH={"arrivals":5,"arrivals":5};',
    "view without a place": '?VIEW={"view":"main"};',
    "view off the globe": '?VIEW={"view":"main","lat":91,"lon":0};',
    "view without longitude": '?VIEW={"view":"main","lat":48};',
    "view by an unknown cause": '?VIEW={"view":"main","lat":48,"lon":11,"cause":"boredom"};',
    "view with a negative seq": '?VIEW={"view":"main","lat":48,"lon":11,"seq":-1};',
    "view with a fraction of a seq": '?VIEW={"view":"main","lat":48,"lon":11,"seq":1.5};',
    "view with a seq beyond 64 bits": '?VIEW={"view":"main","lat":48,"lon":11,"seq":99999999999999999999};',
    "follow by a number": '?FOLLOW={"view":5,"enable":true};',
    "locate before now": '?LOCATE={"timeout":-1};',
    "locate with text": '?LOCATE={"timeout":"soon"};',
    "target without a name": '?TARGET={"lat":48,"lon":11};',
    "target with a bad place": '?TARGET={"name":"home","lat":"north","lon":11};',
    "target with a bad radius": '?TARGET={"name":"home","lat":48,"lon":11,"radius":-3};',
    "target with an empty object": "?TARGET={};",
    "trip without a name": '?TRIP={"lap":true};',
    "trip with an empty object": "?TRIP={};",
    "trip with an empty name": '?TRIP={"name":""};',
    "trip with a name of 65 bytes": '?TRIP={"name":"' + "x" * 65 + '"};',
    "trip with a number for a name": '?TRIP={"name":1e300};',
    "trip with NaN for a name": '?TRIP={"name":NaN};',
    "trip with a name twice": '?TRIP={"name":"day","name":"day"};',
    "trip with text for a lap": '?TRIP={"name":"day","lap":"yes"};',
    "trip with a nested reset": '?TRIP={"name":"day","reset":{"all":true}};',
    "trip that begins a lap and ends": '?TRIP={"name":"day","lap":true,"enable":false};',
    "lap of no trip": '?TRIP={"name":"absent","lap":true};',
    "trip with an unknown field": '?TRIP={"name":"day","distance":5};',
    "playback without a recording": '?PLAYBACK={"pause":true};',
    "playback with text": '?PLAYBACK={"speed":"fast"};',
    "longer than 4 KiB": "?" + "X" * 5000 + "\n",
    "an object longer than 4 KiB": '?WATCH={"device":"' + "x" * 5000 + '"};',
    "no UTF-8": b'?WATCH={"device":"\xff\xfe"};',
    "a control byte": b"?WA\x00TCH;",
    "nested without end": "?WATCH=" + "[" * 2000 + "\n",
}


@pytest.fixture(scope="module")
def daemon():
    with own_folder() as folder, Daemon(folder, f"serial:{folder}/absent?speed=9600") as daemon:
        yield daemon
        daemon.stop()


def answers(client):
    """The lines before the answer to a request on the next line."""
    client.send("\n?POLL;")
    before = []
    while (one := client.next())["class"] != "POLL":
        before.append(one)
    return before


@pytest.mark.parametrize("request_text", MALFORMED.values(), ids=MALFORMED.keys())
def test_one_error_and_the_connection_lives(daemon, request_text):
    with daemon.connect() as client:
        client.send(request_text)
        came = answers(client)
        assert [one["class"] for one in came] == ["ERROR"], came
        assert len(came[0]["message"]) > 10, "a message that helps"
        assert answers(client) == []


@pytest.mark.parametrize(
    ("request_text", "cause"),
    [
        (b'?WATCH={"device":"\xff\xfe"};', "not UTF-8"), (b'?WATCH={"enable":\xff};', "not UTF-8"),
        (b'?WATCH={\xc3"enable":true};', "not UTF-8"), (rb'?TARGET={"name":"\ud800","lat":1,"lon":1};', "surrogate"),
        ("?WÄTCH;", "byte 195 is not ASCII"), (b"?WA\x00TCH;", "byte 0 is a control character"),
    ],
)  # fmt: skip
def test_the_cause_is_named(daemon, request_text, cause):
    with daemon.connect() as client:
        client.send(request_text)
        assert cause in client.wait("ERROR")["message"]


@pytest.mark.parametrize("request_text", list(MALFORMED.values())[:6], ids=list(MALFORMED)[:6])
def test_byte_by_byte(daemon, request_text):
    """A request in pieces is the same request."""
    with daemon.connect() as client:
        for byte in request_text.encode():
            client.send(bytes([byte]))
        assert [one["class"] for one in answers(client)] == ["ERROR"]


def test_a_subscription_survives_an_error(daemon):
    with daemon.connect() as client:
        client.watch(distanceFilter=25)
        client.send('?WATCH={"distanceFilter":-1};')
        client.wait("ERROR")
        client.send("?WATCH;")
        watch = client.wait("WATCH")
        assert watch["enable"] is True and watch["distanceFilter"] == 25


def test_sixteen_errors_in_a_row_close(daemon):
    with daemon.connect() as client:
        try:
            for _ in range(20):
                client.send("?NONSENSE;")
        except Ended:
            pass
        came = client.until_quiet(5)
        assert client.ended
        assert [one["class"] for one in came] == ["ERROR"] * 16


def test_split_request(daemon):
    """gpsd applies the first half of a request in two pieces; this daemon waits for the rest."""
    with daemon.connect() as client:
        client.send('?WATCH={"enable":true,"js')
        client.send('on":true,"distanceFilter":7')
        client.send("};")
        assert client.wait("WATCH")["distanceFilter"] == 7


def test_several_in_one_write(daemon):
    with daemon.connect() as client:
        client.send('?WATCH={"enable":false};?POLL;\n?NONSENSE;?FOLLOW;')
        names = []
        while "FOLLOW" not in names:
            names.append(client.next()["class"])
        assert [name for name in names if name in ("WATCH", "POLL", "ERROR", "FOLLOW")] == [
            "WATCH", "POLL", "ERROR", "FOLLOW",
        ]
