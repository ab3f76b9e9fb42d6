"""The map page in Chromium as a whole: fixes, night, connections, and what it survives."""

import json
import signal

import pytest

from chromium import Chromium
from handlebar_harness import LONG, TIMEOUT, control, on_track
from map_page import desktop, further_fixes, metres, opened, pause, pretending, rider_pixel, shot
from map_server import MapServer

pytestmark = desktop


def test_fixes_are_drawn_at_their_places(folder, track):
    """The trail goes through the recording's positions, and the rider is drawn where the poses are."""
    with opened(folder, query="speed=10&loop=true") as (_, _, page):
        page.until("page.view.trail.parts.flat().length > 40", timeout=60)
        points = page.run("page.view.trail.parts.flat().map(({ lat, lng }) => [lat, lng])")
        assert all(on_track(track, lat, lon) for lat, lon in points)
        pause(page)
        lat, lon = page.run("[page.view.drawn.lat, page.view.drawn.lon]")
        assert min(metres((lat, lon), place) for place in track) < 15
        # The arrow is at the projected place, and so are the points of the trail.
        x, y = rider_pixel(page)
        expected = page.run(
            "(() => { const { x, y } = page.view.map.latLngToContainerPoint(page.view.drawn); return [x, y] })()")
        assert abs(x - expected[0]) < 1.5 and abs(y - expected[1]) < 1.5
        painted, colour = page.run(
            "(({ map, trail }) => { const line = trail.line.getElement(); const back = line.getScreenCTM().inverse();"
            " return [trail.parts.flat().slice(-8, -3).map((point) => { const { x, y } = map.latLngToContainerPoint(point);"
            "   return line.isPointInStroke(new DOMPoint(x, y).matrixTransform(back)) }), getComputedStyle(line).stroke] })(page.view)")
        assert painted == [True] * 5 and colour == "rgb(11, 98, 214)"
        shot(page, "grid-desktop-day")


def test_night_comes_by_the_sun_and_by_hand(folder):
    """The bundled ride is at noon; the same ride at night is dark. The button overrides the sun."""
    night = folder / "night.nmea"
    assert control("/nowhere", "simulate", "--ride", "city", "--start", "2026-03-19T23:00:00Z", "-o", night)[0] == 0
    with opened(folder, query="loop=true") as (_, _, page):
        theme = "document.documentElement.dataset.theme"
        page.until(f"{theme} === 'day'")
        light = page.run("getComputedStyle(document.body).backgroundColor")
        for expected in ("day", "night", "day"):
            page.click("#night")
            assert page.run(theme) == expected
        page.key("n")
        page.key("n")
        page.until(f"{theme} === 'night'")
        assert page.run("getComputedStyle(document.body).backgroundColor") != light
        # The choice stays.
        page.call("Page.reload")
        page.until(f"globalThis.page && {theme} === 'night'")
        # Noon and midnight in Munich, from an almanac.
        for hour, lowest, highest in ((11.3, 41, 42.5), (23.3, -43, -41.5)):
            elevation = page.run(
                "import('./daylight.js').then(({ sunElevation }) =>"
                f" sunElevation(Date.parse('2026-03-19T00:00:00Z') + {hour} * 3600000, 48.14, 11.58))")
            assert lowest < elevation < highest
    with opened(folder, source=f"recording:{night}?loop=true") as (_, _, page):
        page.until("document.documentElement.dataset.theme === 'night'")
        shot(page, "grid-desktop-night")


def test_a_restarted_server_is_found(folder):
    with opened(folder) as (daemon, server, page):
        assert server.stop() == 143
        page.until("document.querySelector('#state').dataset.kind === 'lost'")
        page.until("document.querySelector('#state').innerText.includes('not running')")
        with MapServer(daemon.socket, listen=server.host):
            page.until("document.querySelector('#state').dataset.kind === 'good'")
        page.errors.clear()


@pytest.mark.slow
def test_a_server_that_stops_answering_is_a_lost_connection(folder):
    """As when a phone leaves the network: nothing closes the connection."""
    with opened(folder) as (_, server, page):
        server.process.send_signal(signal.SIGSTOP)
        try:
            page.until("document.querySelector('#state').dataset.kind === 'lost'")
            assert "does not answer" in page.run("document.querySelector('#state').innerText")
        finally:
            server.process.send_signal(signal.SIGCONT)
        page.until("document.querySelector('#state').dataset.kind === 'good'")
        page.errors.clear()


def test_a_daemon_that_stops_answering_is_not_shown_as_tracking(folder):
    """Its last speed is not one of now after two intervals; the blame is the daemon's, since the server goes on."""
    with opened(folder) as (daemon, _, page):
        page.until("document.querySelector('#state').dataset.kind === 'good'")
        assert "recording" not in page.run("document.querySelector('#state').innerText")
        further_fixes(page, 2)
        title = "document.querySelector('#state b').textContent"
        # The first of the two titles is gone after some seconds.
        page.run("globalThis.titles = [];"
                 f" new MutationObserver(() => titles.push([{title}, document.querySelector('#dock').classList.contains('stale')]))"
                 ".observe(document.querySelector('#state b'), { childList: true })")
        daemon.process.send_signal(signal.SIGSTOP)
        try:
            page.until(f"{title} === 'The daemon does not answer'")
            assert page.run("titles")[-2:] == [["No new position", True], ["The daemon does not answer", True]]
            page.run("new Promise((done) => { let left = 4; const take = page.daemon.onHeartbeat;"
                     " page.daemon.onHeartbeat = (line) => { take(line); if (!--left) done(page.daemon.onHeartbeat = take) } })")
            further = page.run("document.querySelector('#state').innerText")
            assert "map server" not in further and "systemctl restart handlebard" in further
        finally:
            daemon.process.send_signal(signal.SIGCONT)
        page.until("document.querySelector('#state').dataset.kind === 'good' && !document.querySelector('#dock').classList.contains('stale')")


def test_lines_of_a_lying_daemon_leave_the_page_in_use(folder):
    """Numbers that are no places and no lengths; a number as 1e999 is infinite in JavaScript."""
    fix = {"class": "TPV", "mode": 3, "status": 1, "seq": 1, "time": "2026-05-01T10:00:00.000Z", "lat": 48.1, "lon": 11.5}
    pose = {"class": "POSE", "time": fix["time"], "lat": 48.1, "lon": 11.5, "eph": 5, "fixSeq": 1, "age": 0, "basis": "fix"}
    arrival = {"class": "ARRIVAL", "name": "a", "state": "away", "distance": 10, "bearing": 10, "eta": 10}
    playback = {"class": "PLAYBACK", "file": "a", "position": 1, "duration": 10, "speed": 1, "paused": False, "ended": False}
    course = {"class": "COURSE", "name": "a", "state": "on", "remaining": 1, "revision": 1}
    piece = {"class": "COURSE", "name": "a", "state": "on", "revision": 1, "from": 0, "points": 9, "polyline": "??"}
    trip = {"class": "TRIP", "name": "a", "state": "moving", "distance": 1, "duration": 1, "movingTime": 1, "lap": 1}
    far = [1e300, -1e300, "1e999", 91.0, 181.0, "1e300"]
    lies = [
        *({**line, name: number} for line in (fix, pose) for name in ("lat", "lon") for number in far),
        *({**fix, name: number} for name in ("speed", "track", "altMSL", "eph", "age") for number in (1e300, "1e999")),
        *({**pose, name: number} for name in ("track", "eph", "age") for number in (1e300, "1e999")),
        fix, *({**arrival, name: number} for name in ("distance", "bearing", "eta") for number in (1e300, "1e999")),
        *({**playback, name: number} for name in ("position", "duration", "speed") for number in (1e300, "1e999")),
        *({**trip, name: number} for name in ("distance", "duration", "movingTime", "averageSpeed", "ascent") for number in (1e300, "1e999")),
        *({**course, name: number} for name in ("along", "remaining", "eta", "ascent", "climb", "grade") for number in (1e300, "1e999")),
        *({**course, "state": "off", name: number} for name in ("distance", "bearing") for number in (1e300, "1e999")),
        *({**piece, "points": number} for number in (1e300, "1e999")),
        *({**piece, "polyline": text} for text in ("", "?", "~~~~~~~~~~~~~~~~~~~", "\u2603\u2603", "_izlhA~rlgdF" * 300)),
        {"class": "SKY", "uSat": 1e300, "nSat": "1e999", "satellites": []},
    ]
    version = {"class": "VERSION", "release": "1", "rev": "1", "proto_major": 3, "proto_minor": 14}
    state = {"class": "STATE", "state": "tracking", "source": "gps0", "mode": 3}
    honest = [{**fix, "seq": 2, "lat": 48.2, "reason": "first", "eph": 5}, {**pose, "lat": 48.2, "fixSeq": 2}]
    lines = "".join(json.dumps(line) + "\r\n" for line in [version, state, *lies, *honest]).replace('"1e999"', "1e999")
    with pretending(folder / "location.sock", lines) as socket_path, MapServer(socket_path) as server, Chromium(folder) as page:
        page.open(server.url)
        page.until("globalThis.page?.fix?.seq === 2 && page.view.drawn?.lat === 48.2", timeout=3 * TIMEOUT)
        for _ in range(3):
            page.run("new Promise(requestAnimationFrame)")
        # From here on it is the rider's zoom, not one of a speed.
        page.click("#closer")
        page.until("page.view.isSuspended && Number.isInteger(page.view.map.getZoom()) && !page.view.map._animatingZoom")
        zoom = page.run("page.view.map.getZoom()")
        page.click("#closer")
        page.until(f"page.view.map.getZoom() === {zoom + 1}")
        assert page.errors == []


@pytest.mark.slow
def test_an_open_page_does_not_grow(folder):
    """An hour of the ride in a minute, or in an hour with HANDLEBAR_LONG=1: the page's memory stays as it is."""
    speed, fixes = (1, 900) if LONG else (60, 480)
    with opened(folder, query=f"speed={speed}&loop=true") as (_, _, page):
        sizes = []
        for _ in range(5):
            further_fixes(page, fixes, timeout=TIMEOUT + 2 * fixes / speed)
            sizes.append(page.memory())
        points = page.run("page.view.trail.parts.flat().length")
        print("heap and nodes:", sizes, "points of the trail:", points)
        heaps, nodes = zip(*sizes)
        assert heaps[-1] < heaps[0] + 1_500_000 and points <= 4096
        assert nodes[-1] < nodes[0] + 600
