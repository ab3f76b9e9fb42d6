"""The map page in Chromium for the tests: opened with a daemon that plays a ride, measured and moved."""

import contextlib
import math
import os
import pathlib
import socketserver
import threading

import pytest

from chromium import Chromium
from gpsd_harness import needs
from handlebar_harness import RECORDING, TIMEOUT, Daemon, until
from map_server import MapServer

desktop = [
    pytest.mark.desktop, needs("chromium"),
    pytest.mark.skipif(not pathlib.Path("/usr/share/javascript/leaflet").exists(), reason="libjs-leaflet is not installed"),
]
# Screenshots are kept in this folder, to be looked at.
SHOTS = os.environ.get("HANDLEBAR_SHOTS")


# A blank page has no storage.
NORTH_UP = """
if (location.protocol === 'http:') {
  localStorage.setItem('up', 'north')
  localStorage.setItem('zoom', 'fixed')
}
"""


@contextlib.contextmanager
def opened(folder, *options, source=None, query="speed=1&loop=true", camera=False, **window):
    """A daemon, a server, and a page that has drawn the rider: daemon, server, browser. With a camera, the map turns and zooms
    by itself, as it does for a rider."""
    source = source or f"recording:{RECORDING}?{query}"
    with Daemon(folder, source) as daemon, MapServer(daemon.socket, *options) as server, Chromium(folder, **window) as page:
        if not camera:
            page.call("Page.addScriptToEvaluateOnNewDocument", source=NORTH_UP)
        page.open(server.url)
        page.until("globalThis.page?.view.drawn !== undefined && page.fix !== undefined", timeout=3 * TIMEOUT)
        yield daemon, server, page
        assert page.errors == []
        # Nothing is loaded from elsewhere.
        assert all(url.startswith((server.url, "data:")) for url in page.requests), page.requests


@contextlib.contextmanager
def pretending(path, lines):
    """A daemon that sends the same lines to every client, and again for each of its requests; yields its socket."""

    class Session(socketserver.BaseRequestHandler):
        def handle(self):
            with contextlib.suppress(OSError):
                while self.request.recv(4096):
                    self.request.sendall(lines.encode())

    with socketserver.ThreadingUnixStreamServer(str(path), Session) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield path
        finally:
            server.shutdown()


# Nothing changes its colour, and every tile has come and is opaque.
STILL = """
(() => {
  let isLoading = document.getAnimations().length > 0
  page.view.map.eachLayer((layer) => (isLoading ||= layer.isLoading?.()))
  return !isLoading && [...document.querySelectorAll('.leaflet-tile-loaded')].every(({ style }) => (style.opacity || 1) >= 1)
})()
"""


def shot(page, name):
    if SHOTS:
        page.until(STILL)
        page.screenshot(pathlib.Path(SHOTS, f"{name}.png"))


# In a degree of latitude, at the bundled ride.
METRES = 111_190


def metres(one, other):
    """Between two places, latitude and longitude."""
    north = (one[0] - other[0]) * METRES
    east = (one[1] - other[1]) * METRES * math.cos(math.radians(one[0]))
    return math.hypot(north, east)


def center(page):
    return page.run("(() => { const { lat, lng } = page.view.map.getCenter(); return [lat, lng] })()")


def middle(page):
    return page.run(
        "(({ x, y, width, height }) => [x + width / 2, y + height / 2])(document.querySelector('#map').getBoundingClientRect())")


def rider_pixel(page):
    """Where the arrow is on the screen."""
    return page.run(
        "(() => { const box = document.querySelector('.puck .disc').getBoundingClientRect();"
        " return [box.x + box.width / 2, box.y + box.height / 2] })()")


def follows(page):
    return page.run("page.view.isFollowing")


def pause(page):
    """Stops the ride, and waits until nothing moves any more."""
    page.run("page.daemon.send('PLAYBACK', { pause: true })")
    page.until("document.querySelector('#play').classList.contains('paused')")
    places = [None]

    def stands_still():
        page.frames(15)
        places.append(page.run(
            "(({ drawn, map, sheet }) => [drawn.lat, drawn.lon, drawn.track, sheet.up, map.getZoom(), map._getMapPanePos().x,"
            " map._getMapPanePos().y, Boolean(map._animatingZoom)])(page.view)"))
        return places[-1] == places[-2]

    until(stands_still, "the end of every movement")


def further_fixes(page, count=1, timeout=TIMEOUT):
    """Waits until so many further fixes have come and been drawn. A view that follows is reported with each: the first ends the
    time after a connection in which it is not judged."""
    seq = page.until("page.fix?.seq")
    page.until(f"page.fix.seq >= {seq + count}", timeout)
    page.frames(2)


def answered(page):
    """Waits until the daemon has judged everything that the page has reported, and the page knows it: an answer follows, about
    a view that no one else asks for."""
    page.run(
        "new Promise((done) => { const take = page.daemon.onLine; page.daemon.onLine = (line) => { take(line);"
        " if (line.class === 'FOLLOW' && line.view === 'map-answered') { page.daemon.onLine = take; done() } };"
        " page.daemon.send('FOLLOW', { view: 'map-answered' }) })")


def seek(page, second):
    """Plays on from there. The daemon sends no fix from before once it has answered, but one may have been on its way."""
    page.run(f"page.daemon.send('PLAYBACK', {{ seek: {second} }})")
    answered(page)
    further_fixes(page, 2)


def centred(page):
    """Waits until the rider is in the middle of the map."""
    until(lambda: math.dist(rider_pixel(page), middle(page)) < 1.5, "the rider in the middle")


def view_of(daemon, page):
    """The state of the page's view in the daemon."""
    with daemon.connect() as client:
        client.send(f'?FOLLOW={{"view":"{page.run("page.viewName")}"}};')
        return client.wait("FOLLOW")


def free(page):
    """Drags far away."""
    further_fixes(page)
    x, y = middle(page)
    page.drag((x, y), (-180, 170))
    page.until("!page.view.isFollowing")


TRIP = "[...document.querySelectorAll('#trip > *')].map((one) => one.innerText.split('\\n'))"
PROGRESS = "[...document.querySelectorAll('#progress dd')].map((one) => one.textContent)"
