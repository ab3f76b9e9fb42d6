"""The map page in Chromium for the tests: opened with a daemon that plays a ride, measured and moved."""

import contextlib
import math
import os
import pathlib
import socketserver
import threading
import time

import pytest

from chromium import Chromium
from gpsd_harness import needs
from handlebar_harness import RECORDING, TIMEOUT, Daemon
from map_server import MapServer

desktop = [
    pytest.mark.desktop, needs("chromium"),
    pytest.mark.skipif(not pathlib.Path("/usr/share/javascript/leaflet").exists(), reason="libjs-leaflet is not installed"),
]
# Screenshots are kept in this folder, to be looked at.
SHOTS = os.environ.get("HANDLEBAR_SHOTS")


@contextlib.contextmanager
def opened(folder, *options, source=None, query="speed=1&loop=true", **window):
    """A daemon, a server, and a page that has drawn the rider: daemon, server, browser."""
    source = source or f"recording:{RECORDING}?{query}"
    with Daemon(folder, source) as daemon, MapServer(daemon.socket, *options) as server, Chromium(folder, **window) as page:
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
        yield path
        server.shutdown()


def shot(page, name):
    if SHOTS:
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
    return page.run("(() => { const { x, y } = page.view.map.getSize(); return [x / 2, y / 2] })()")


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
    before = None
    while before != (before := center(page)):
        time.sleep(0.5)


def view_of(daemon, page):
    """The state of the page's view in the daemon."""
    with daemon.connect() as client:
        client.send(f'?FOLLOW={{"view":"{page.run("page.viewName")}"}};')
        return client.wait("FOLLOW")


def free(page):
    """Drags far away."""
    page.until("page.fix !== undefined")
    time.sleep(3.2)
    x, y = middle(page)
    page.drag((x, y), (-180, 170))
    page.until("!page.view.isFollowing")
