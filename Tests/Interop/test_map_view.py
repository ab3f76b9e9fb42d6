"""Where the map page looks, in Chromium: follow mode from end to end, and where it opens."""

import json
import math
import os
import signal
import sys

import pytest

import nmea_sender
from chromium import Chromium
from handlebar_harness import RECORDING, ROOT, TIMEOUT, Daemon, Receiver, control, until
from map_page import (
    METRES, answered, center, centred, desktop, follows, free, further_fixes, metres, middle, opened, pause, seek, shot, view_of)
from map_server import MapServer, mbtiles

sys.path.insert(0, str(ROOT / "clients" / "python"))
import handlebar  # noqa: E402

pytestmark = desktop


def test_the_map_opens_where_the_rider_left_it(folder):
    """Before the first fix, at the last position of the run before."""
    place = (48.2, 11.6)
    (folder / "state").mkdir()
    position = json.dumps({"lat": place[0], "lon": place[1]})
    (folder / "state" / "position").write_text(f"# handlebard position 1\nx 1 {position}\nend\n")
    with (
        Daemon(folder, f"serial:{folder}/none", options=["--state", folder / "state"]) as daemon,
        MapServer(daemon.socket) as server,
        Chromium(folder) as page,
    ):
        page.open(server.url)
        page.until("globalThis.page?.view.hasPlace")
        assert metres(center(page), place) < 1 and page.run("page.fix === undefined")
        assert page.errors == []


def test_tiles_are_shown_with_the_grid_beyond_their_edge(folder):
    mbtiles(folder / "city.mbtiles", 48.1373, 11.5754, zooms=range(14, 17))
    with opened(folder, "--tiles", folder / "city.mbtiles") as (_, _, page):
        page.until("document.querySelectorAll('.tiles .leaflet-tile-loaded').length >= 4")
        assert page.run("document.querySelector('.tiles').classList.contains('light')")
        assert page.run("document.querySelector('#attribution').textContent") == "© Synthetic"
        page.until("document.querySelectorAll('.grid').length > 4")
        shot(page, "tiles-desktop-day")
        page.key("n")
        page.key("n")
        shot(page, "tiles-desktop-night")
        page.resize(390, 844, 2, True)
        shot(page, "tiles-phone-night")
        # Closer than the tiles go, they are enlarged; farther, the grid remains.
        page.run("void page.view.map.setZoom(18, { animate: false })")
        page.until("document.querySelectorAll('.tiles .leaflet-tile-loaded').length > 0")
        page.run("void page.view.map.setZoom(10, { animate: false })")
        page.until("document.querySelectorAll('.tiles img').length === 0 && document.querySelectorAll('.grid').length > 0")


def drag_by(page, way):
    """Drags until the view is `way` metres north of the fix."""
    x, y = middle(page)
    (lat, lon), (view_lat, view_lon) = page.run("[page.fix.lat, page.fix.lon]"), center(page)
    # Degrees of longitude in a pixel; of latitude, there are fewer.
    pixel = 360 / (256 * 2 ** page.run("page.view.map.getZoom()"))
    north = (lat + way / METRES - view_lat) / (pixel * math.cos(math.radians(lat)))
    page.drag((x, y), (round((view_lon - lon) / pixel), round(north)))


@pytest.mark.parametrize("camera", [False, True])
@pytest.mark.parametrize(("way", "stays"), [(99, True), (100.2, False)])
def test_a_drag_beyond_100_m_frees_the_view(folder, way, stays, camera):
    """From where the rider is while the map follows, with north up and with the way ahead up."""
    with opened(folder, camera=camera, width=1000, height=2300) as (daemon, _, page):
        # At this zoom level the rider stays in the middle half of the screen.
        seek(page, 40)
        page.until("document.querySelector('#state').dataset.kind === 'good' && page.fix.speed > 3")
        pause(page)
        page.run("void page.view.map.setZoom(19, { animate: false })")
        # The report of this, with the newest fix, ends the time after a connection in which views are not judged.
        answered(page)
        drag_by(page, way)
        answered(page)
        assert follows(page) == stays
        state = view_of(daemon, page)
        assert state["following"] == stays
        if stays:
            # The map has come back to the rider.
            until(lambda: metres(center(page), page.run("[page.view.drawn.lat, page.view.drawn.lon]")) < 0.3, "the rider")
            assert page.run("document.querySelector('#follow').hidden") == (not camera)
        else:
            assert state["reason"] == "drift" and abs(state["distance"] - way) < 0.3, state
            assert state["seq"] == page.run("page.fix.seq")
            assert not page.run("document.querySelector('#follow').hidden")
            shot(page, "free-desktop")


def test_a_short_drag_frees_a_view_that_is_zoomed_in(folder):
    """The rider has left the middle half of the screen: 26 m away, the page asks for the end of following itself."""
    with opened(folder, width=800, height=600) as (daemon, _, page):
        further_fixes(page)
        pause(page)
        page.run("void page.view.map.setZoom(20, { animate: false })")
        answered(page)
        page.drag(middle(page), (0, 140))
        answered(page)
        assert follows(page)
        centred(page)
        page.drag(middle(page), (0, 260))
        page.until("!page.view.isFollowing")
        answered(page)
        state = view_of(daemon, page)
        assert not state["following"] and not page.run("document.querySelector('#follow').hidden")


REPORTS = """
globalThis.reports = []
const send = WebSocket.prototype.send
WebSocket.prototype.send = function (text) {
  if (text.startsWith('?VIEW=')) reports.push({ ...JSON.parse(text.slice(6, -2)), fix: page.fix.seq, at: performance.now() })
  send.call(this, text)
}
void 0
"""


def test_what_moved_the_view_is_reported(folder):
    """With the number of the fix that is shown, at most ten times a second while the map moves, the last place always."""
    with opened(folder) as (_, _, page):
        page.until("document.querySelector('#state').dataset.kind === 'good'")
        page.run(REPORTS)

        def causes():
            found = page.run("reports.splice(0)")
            assert all(one["view"] == page.run("page.viewName") and one["seq"] == one["fix"] for one in found)
            return found

        page.until("reports.length > 1")
        assert {one["cause"] for one in causes()} == {"follow"}
        page.click("#closer")
        page.until("reports.some(({ cause }) => cause === 'zoom') && reports.at(-1).cause === 'follow'")
        assert "zoom" in {one["cause"] for one in causes()} <= {"follow", "zoom"}
        page.resize(900, 700)
        page.until("reports.some(({ cause }) => cause === 'resize')")
        assert {one["cause"] for one in causes()} <= {"follow", "resize"}
        x, y = middle(page)
        page.drag((x, y), (-150, 120), steps=60)
        answered(page)
        dragged = [one for one in causes() if one["cause"] == "user"]
        assert len(dragged) >= 2
        # The last one is not delayed. A busy machine sends some later than they were made, and so nearer to the next.
        assert len(dragged) - 2 <= (dragged[-1]["at"] - dragged[0]["at"]) / 100 + 1
        assert follows(page) or metres(center(page), (dragged[-1]["lat"], dragged[-1]["lon"])) < 0.01


def test_the_button_follows_again_and_recentres(folder):
    with opened(folder) as (daemon, _, page):
        free(page)
        assert not view_of(daemon, page)["following"]
        place = center(page)
        further_fixes(page, 2)
        assert metres(center(page), place) < 0.01, "a free map stands still"
        page.click("#follow")
        page.until("page.view.isFollowing && document.querySelector('#follow').hidden")
        assert view_of(daemon, page)["following"]
        centred(page)
        # By the key, as well.
        free(page)
        page.key("f")
        page.until("page.view.isFollowing")


def test_zooming_and_turning_the_screen_do_not_free_the_view(folder):
    with opened(folder) as (daemon, _, page):
        further_fixes(page)
        zoom = page.run("page.view.map.getZoom()")

        def zoomed(condition):
            """Waits for a zoom level, which the map has from the last frame of its animation on."""
            page.until(f"((zoom) => {condition} && !page.view.map._animatingZoom)(page.view.map.getZoom())")
            page.frames(2)

        for key in "--++-":
            page.key(key)
            zoom += 1 if key == "+" else -1
            zoomed(f"zoom === {zoom}")
        page.mouse("mouseWheel", 300, 300, deltaX=0, deltaY=-240)
        zoomed(f"zoom > {zoom}")
        page.resize(390, 844, 2, True)
        zoom = page.run("page.view.map.getZoom()")
        page.touch("touchStart", (150, 300), (250, 300))
        for step in range(8):
            page.touch("touchMove", (150 - 8 * step, 300 - 10 * step), (250 + 8 * step, 300 - 10 * step))
        page.touch("touchEnd")
        zoomed(f"zoom > {zoom} && Number.isInteger(zoom)")
        page.resize(844, 390, 2, True)
        answered(page)
        assert follows(page) and view_of(daemon, page)["following"]
        centred(page)
        shot(page, "across")


def test_a_finger_and_the_arrow_keys_free_the_view(folder):
    with opened(folder, width=390, height=844, scale=2, touch=True) as (_, _, page):
        further_fixes(page)
        page.touch("touchStart", (200, 400))
        for step in range(1, 11):
            page.touch("touchMove", (200 - 15 * step, 400 - 15 * step))
        page.touch("touchEnd")
        page.until("!page.view.isFollowing")
        shot(page, "free-phone")
        page.click("#follow")
        page.until("page.view.isFollowing")
        further_fixes(page)
        centred(page)
        page.key("ArrowUp")
        page.until("!page.view.isFollowing")


def test_the_button_ends_a_slide_that_would_free_the_view_again(folder):
    with opened(folder) as (_, _, page):
        free(page)
        # Pressed while the map still moves; the answer comes some frames later.
        page.run(
            "const { daemon, view } = page; const { onLine, send } = daemon; globalThis.sent = [];"
            " daemon.onLine = (line) => { if (line.class === 'FOLLOW') setTimeout(() => onLine(line), 150); else onLine(line) };"
            " daemon.send = (name, fields) => { sent.push(fields?.cause); return send.call(daemon, name, fields) };"
            " view.pan(-120, 0); sent.length = 0; document.querySelector('#follow').click()")
        page.until("page.view.isFollowing")
        further_fixes(page)
        answered(page)
        assert follows(page) and "user" not in page.run("sent")
        centred(page)


def test_a_page_that_is_loaded_again_stays_free(folder):
    with opened(folder) as (_, _, page):
        free(page)
        place, zoom = center(page), page.run("page.view.map.getZoom()")
        page.call("Page.reload")
        page.until("globalThis.page?.fix !== undefined && !page.view.isFollowing")
        further_fixes(page, 2)
        assert metres(center(page), place) < 3 and page.run("page.view.map.getZoom()") == zoom


def test_a_restarted_daemon_is_found_and_the_view_stays_free(folder):
    with opened(folder) as (daemon, _, page):
        free(page)
        name = page.run("page.viewName")
        daemon.process.kill()
        daemon.process.wait(TIMEOUT)
        page.until("document.querySelector('#state').dataset.kind === 'lost'")
        page.until("document.querySelector('#state p').textContent.includes('systemctl start handlebard')")
        shot(page, "disconnected-desktop")
        daemon.socket.unlink(missing_ok=True)
        with Daemon(folder, f"recording:{RECORDING}?loop=true") as again:
            page.until("document.querySelector('#state').dataset.kind !== 'lost'")
            page.until("document.querySelector('#state').dataset.kind === 'good'")
            answered(page)
            with again.connect() as client:
                client.send(f'?FOLLOW={{"view":"{name}"}};')
                assert not client.wait("FOLLOW")["following"]
            assert not follows(page)
            page.click("#follow")
            page.until("page.view.isFollowing")


def seen(page, points):
    """Whether all the points are on the map, beside what covers it."""
    return page.run(
        "(([points, boxes]) => points.every(([lat, lng]) => { const box = page.view.map.getContainer().getBoundingClientRect();"
        " const { x, y } = page.view.map.latLngToContainerPoint([lat, lng]).add([box.left, box.top]);"
        " const map = document.querySelector('#map').getBoundingClientRect();"
        " return x > map.left && x < map.right && y > map.top && y < map.bottom &&"
        "   boxes.every(({ left, top, right, bottom }) => x < left || x > right || y < top || y > bottom) }))"
        f"([{json.dumps(points)}, [...document.querySelectorAll('.card')].map((one) => one.getBoundingClientRect())])")


@pytest.mark.parametrize("size", [(1280, 800), (480, 320), (390, 844)])
def test_the_whole_course_is_shown_at_once(folder, size):
    """By a button, which ends following without a word of a hand that moved the map; as large as there is room for it."""
    with opened(folder, "--riding", camera=True, width=size[0], height=size[1]) as (daemon, _, page), handlebar.Client(daemon.socket) as client:
        page.until("document.querySelector('#state').dataset.kind === 'good'")
        overview = "document.querySelector('#overview')"
        assert page.run(f"{overview}.hidden")
        lat, lon = center(page)
        points = [(lat - 0.1, lon - 0.2), (lat, lon + 0.1), (lat + 0.15, lon)]
        client.set_course("tour", points)
        page.until(f"!{overview}.hidden && page.view.course.points.length > 2")
        page.run(REPORTS)
        page.click("#overview")
        page.until("!page.view.isFollowing && !page.view.sheet.isSquare")
        answered(page)
        page.frames(2)
        assert not view_of(daemon, page)["following"] and seen(page, points)
        low, high = (page.run(f"page.view.map.latLngToContainerPoint({list(points[one])}).y") for one in (0, 2))
        assert low - high > 0.25 * page.run("document.querySelector('#map').clientHeight")
        assert "user" not in page.run("reports.map(({ cause }) => cause)")
        shot(page, f"overview-{size[0]}x{size[1]}")
        zoom = page.run("page.view.map.getZoom()")
        further_fixes(page, 2)
        assert page.run("page.view.map.getZoom()") == zoom and not follows(page)
        page.click("#follow")
        page.until("page.view.isFollowing && document.querySelector('#follow').hidden")
        page.key("o")
        page.until("!page.view.isFollowing")
        client.end_course("tour")
        page.until(f"{overview}.hidden")


def test_without_a_fix_the_map_opens_at_the_course(folder):
    """Else at the last known position, and never at the whole world; then at the rider, as close as ever. It asks nothing
    that the daemon does not know."""
    (folder / "state").mkdir()
    position = json.dumps({"lat": 40, "lon": -3})
    (folder / "state" / "position").write_text(f"# handlebard position 1\nx 1 {position}\nend\n")
    mbtiles(folder / "city.mbtiles", 48.1373, 11.5754, zooms=range(0, 3))
    receiver = folder / "gps0"
    points = [(48.0, 11.4), (48.2, 11.5), (48.1, 11.9)]
    with (
        Daemon(folder, f"serial:{receiver}", options=["--state", folder / "state"]) as daemon,
        MapServer(daemon.socket, "--tiles", folder / "city.mbtiles") as server,
        Chromium(folder, 800, 480) as page, handlebar.Client(daemon.socket) as client,
    ):
        client.set_course("tour", points)
        page.open(server.url)
        page.until("globalThis.page?.view.hasPlace")
        page.frames(2)
        assert seen(page, points) and page.run("page.fix === undefined && page.view.isFollowing")
        shot(page, "course-without-fix")
        # Again, after it was loaded again; and a hand keeps it where it is.
        page.call("Page.reload")
        page.until("globalThis.page?.view.hasPlace")
        page.frames(2)
        assert seen(page, points)
        client.end_course("tour")
        page.call("Page.reload")
        page.until("globalThis.page?.view.hasPlace && !page.view.course.report")
        page.frames(2)
        assert seen(page, [(40, -3)]) and not seen(page, points)
        with Receiver(receiver) as tty:
            tty.play(nmea_sender.ride(25, period=0.2))
            page.until("page.view.drawn !== undefined", timeout=3 * TIMEOUT)
            page.frames(2)
            assert page.run("page.view.map.getZoom()") >= 15
            assert metres(center(page), page.run("[page.view.drawn.lat, page.view.drawn.lon]")) < 100
        assert page.errors == []
        status = json.loads(control(daemon.socket, "status", "--json")[1])
        assert status["counts"]["badRequests"] == 0


def test_a_kiosk_without_its_tiles_shows_the_page_and_says_so(folder, monkeypatch):
    """Also before there is a place."""
    tiles = folder / "region.mbtiles"
    with Chromium(folder) as page:
        program = folder / "bin" / "chromium"
        program.parent.mkdir()
        program.write_text("#!/bin/sh\nexec sleep 600\n")
        program.chmod(0o755)
        monkeypatch.setenv("PATH", str(program.parent), prepend=os.pathsep)
        monkeypatch.setenv("XDG_STATE_HOME", str(folder / "state"))
        with MapServer(folder / "absent", "--kiosk", "--tiles", tiles) as server:
            page.open(server.url)
            page.until("document.body.dataset.size === 'riding' && document.querySelector('#state').dataset.kind === 'lost'")
            shown = "[...document.querySelectorAll('#attribution')].filter((one) => one.checkVisibility({ visibilityProperty: true }))"
            assert page.run(f"{shown}.map((one) => one.textContent)") == [f"{tiles}: No such file or directory"]
            assert server.stop() == 128 + signal.SIGTERM


def test_without_any_place_the_map_is_empty(folder):
    mbtiles(folder / "city.mbtiles", 48.1373, 11.5754, zooms=range(0, 3))
    with (
        Daemon(folder, f"serial:{folder}/none") as daemon,
        MapServer(daemon.socket, "--tiles", folder / "city.mbtiles") as server, Chromium(folder) as page,
    ):
        for _ in range(2):
            page.open(server.url)
            page.until("globalThis.page && document.querySelector('#state').dataset.kind !== 'wait'")
            page.until("document.querySelectorAll('.tiles .leaflet-tile-loaded').length > 0")
            assert page.run("[...document.querySelectorAll('.tiles .leaflet-tile-loaded')].every((one) => !one.checkVisibility({ visibilityProperty: true }))")
