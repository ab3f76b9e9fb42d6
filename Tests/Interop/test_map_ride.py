"""The recorded ride on the map page, in Chromium: shown, controlled, and its trail."""

import contextlib
import itertools
import sys
import threading

import nmea_sender
from chromium import Chromium
from handlebar_harness import RECORDING, ROOT, TIMEOUT, Daemon, Receiver, control, until
from map_page import TRIP, answered, desktop, metres, opened, pause, shot
from map_server import MapServer

sys.path.insert(0, str(ROOT / "clients" / "python"))
import handlebar  # noqa: E402

pytestmark = desktop


@contextlib.contextmanager
def riding(folder, count, period):
    """A daemon that records the ride of a receiver, the address of a page with a token, and what stops the receiver."""
    (folder / "rides").mkdir()
    with (
        Receiver(folder / "gps0") as receiver,
        Daemon(folder, f"serial:{receiver.link}", options=["--record", folder / "rides"]) as daemon,
        MapServer(daemon.socket, listen="0.0.0.0:0") as server,
    ):
        done = threading.Event()
        bursts = itertools.takewhile(lambda _: not done.is_set(), nmea_sender.ride(count, period=period))
        thread = threading.Thread(target=receiver.play, args=(bursts,), daemon=True)
        thread.start()

        def stop():
            done.set()
            thread.join(TIMEOUT)

        try:
            yield daemon, f"http://127.0.0.1:{server.place[1]}/?{server.url.partition('?')[2]}", stop
        finally:
            stop()


def row(title):
    """The row of the ride's panel."""
    return f"[...document.querySelectorAll('#panel li')].find((one) => one.querySelector('b').textContent === '{title}')"


def hold(page, title, label, end):
    """Holds a button of the ride's panel until its end is seen."""
    one = f"[...{row(title)}.querySelectorAll('.hold')].find((one) => one.textContent === '{label}')"
    x, y = page.run(f"(({{ x, y, width, height }}) => [x + width / 2, y + height / 2])({one}.getBoundingClientRect())")
    page.mouse("mousePressed", x, y, button="left", buttons=1, clickCount=1)
    page.until(end)
    page.mouse("mouseReleased", x, y, button="left", clickCount=1)


def test_the_recorded_ride_is_shown_and_controlled_with_a_token(folder):
    """A red light while it is recorded; its figures and the time of the receiver where the browser is; stopped in the panel that
    the light opens."""
    with riding(folder, 900, 0.2) as (daemon, url, _), Chromium(folder) as page:
        page.call("Emulation.setTimezoneOverride", timezoneId="America/New_York")
        light = "document.querySelector('#record')"
        page.open(url)
        page.until(f"{light}.dataset.state === 'recording' && !{light}.disabled", timeout=3 * TIMEOUT)
        assert page.run(f"getComputedStyle({light}.firstElementChild).backgroundColor") == "rgb(191, 31, 22)"
        page.until(f"/ k?m$/.test({TRIP}[0][1]) && {TRIP}[0][0] === 'Ride'")
        at = page.run("page.fix.time")
        hour = (int(at[11:13]) - (4 if "-03-08" <= at[4:10] < "-11-01" else 5)) % 24
        page.until(f"document.querySelector('#clock').textContent.startsWith('{hour}:')")
        shot(page, "recording-desktop")
        page.click("#record")
        page.until(f"{row('Recording')} !== undefined")
        hold(page, "Recording", "Stop", f"{light}.dataset.state === 'stopped'")
        with daemon.connect() as client:
            client.send("?RECORD;")
            assert client.wait("RECORD")["state"] == "stopped"
        assert page.run(f"getComputedStyle({light}.firstElementChild).backgroundColor") == "rgba(0, 0, 0, 0)"
        page.until(f"{row('Not recorded')} !== undefined")
        page.run(f"{row('Not recorded')}.querySelector('button').click()")
        page.until(f"{light}.dataset.state === 'recording'")
        # Without a token it is only shown.
        assert page.run(f"(page.daemon.onHeartbeat({{ mayControl: false }}), {light}.disabled && !{light}.hidden)")
        assert page.errors == []


def test_the_ride_is_run_from_a_page_with_a_token(folder, track):
    """Trips with laps, the course that is followed, and targets of all programs; what ends must be held, by a pointer or a key."""
    with (
        Daemon(folder, f"recording:{RECORDING}?loop=true") as daemon, MapServer(daemon.socket, listen="0.0.0.0:0") as server,
        Chromium(folder) as page, handlebar.Client(daemon.socket) as client,
    ):
        page.open(f"http://127.0.0.1:{server.place[1]}/?{server.url.partition('?')[2]}")
        light = "document.querySelector('#record')"
        # Though the daemon records nothing.
        page.until(f"!{light}.hidden && !{light}.disabled && globalThis.page?.fix !== undefined", timeout=3 * TIMEOUT)
        client.set_course("tour", track[::40])
        client.set_course("way home", track[-1:0:-40])
        assert control(daemon.socket, "target", "office", "48.1", "11.5")[0] == 0
        page.click("#record")
        page.until(f"document.querySelector('#panel').open && {row('Trip')} !== undefined")
        text = "{}.querySelector('p').textContent"
        assert page.run(f"{row('Recording')} === undefined && {row('Not recorded')} === undefined")

        page.run(f"{row('Trip')}.querySelector('button').click()")
        page.until(f"{text.format(row('Trip'))}.endsWith('lap 1')")
        page.run(f"{row('Trip')}.querySelector('button').click()")
        page.until(f"{text.format(row('Trip'))}.endsWith('lap 2')")
        # A touch in passing, another button, a key that is held already, and a click by a program end nothing.
        assert not page.run("""[...document.querySelectorAll('#panel .hold')].some((one) => {
            one.dispatchEvent(new PointerEvent('pointerdown', { button: 2 }))
            one.dispatchEvent(new KeyboardEvent('keydown', { key: ' ', repeat: true }))
            one.click()
            return one.matches('.held') || ['pointerup', 'pointerleave', 'pointercancel', 'keyup', 'blur'].some((end) => {
                one.dispatchEvent(new PointerEvent('pointerdown'))
                one.dispatchEvent(new Event(end))
                return one.matches('.held')
            })
        })""")
        answered(page)
        assert [(one.name, one.lap) for one in client.trips()] == [("Trip", 2)] and len(client.courses()) == 2
        # Keys of the map do nothing meanwhile.
        page.key("u")
        assert page.run("document.querySelector('#speed span').textContent") == "km/h"
        page.run(f"{row('Trip')}.querySelectorAll('.hold')[0].focus()")
        page.call("Input.dispatchKeyEvent", type="keyDown", key="Enter", windowsVirtualKeyCode=13, text="\r")
        page.until(f"{text.format(row('Trip'))}.endsWith('lap 1')")
        page.call("Input.dispatchKeyEvent", type="keyUp", key="Enter", windowsVirtualKeyCode=13)
        hold(page, "Trip", "End", f"{text.format(row('Trip'))} === 'Not started'")
        assert client.trips() == []

        assert page.run(f"{text.format(row('way home'))}.startsWith('Course, followed') && {text.format(row('tour'))} === 'Course'")
        page.run(f"{row('tour')}.querySelector('button').click()")
        page.until(f"{text.format(row('tour'))}.startsWith('Course, followed') && {text.format(row('way home'))} === 'Course'")
        assert [one.name for one in client.courses()] == ["tour", "way home"]
        hold(page, "tour", "End", f"{row('tour')} === undefined && {text.format(row('way home'))}.startsWith('Course, followed')")
        hold(page, "office", "Remove", f"{row('office')} === undefined")
        assert [one.name for one in client.courses()] == ["way home"]
        assert control(daemon.socket, "target")[1].strip() == ""
        # What the daemon refuses is said, and that nothing is connected.
        page.run("page.daemon.onLine({ class: 'ERROR', request: 'COURSE', code: 'forbidden', message: 'It is of another user' })")
        assert page.run("document.querySelector('#panel header p').textContent") == "It is of another user"
        page.key("Escape")
        page.until("!document.querySelector('#panel').open")
        assert page.errors == []


def test_trail_and_target_go_on_in_a_page_that_is_loaded_again(folder):
    """Even by a browser that starts again; not those of another day."""
    with opened(folder, query="speed=10&loop=true") as (daemon, _, page):
        page.until("page.view.trail.parts.flat().length > 20", timeout=60)
        page.mouse("mousePressed", 700, 300, button="right", buttons=2, clickCount=1)
        page.mouse("mouseReleased", 700, 300, button="right", clickCount=1)
        page.click("#menu button")
        page.until("document.querySelector('#target b').textContent === 'Target'")
        pause(page)
        points = "page.view.trail.parts.flat().map(({ lat, lng }) => [lat, lng])"
        before = page.run(points)
        # A new tab has a view of another name.
        page.run("sessionStorage.clear()")
        page.call("Page.reload")
        page.until(f"globalThis.page?.view.trail.parts.flat().length >= {len(before)}")
        after = page.run(points)
        assert all(metres(one, other) < 0.2 for one, other in zip(before, after))
        page.until("document.querySelector('#target b').textContent === 'Target'")
        answered(page)
        with daemon.connect() as client:
            client.send("?TARGET;")
            name = page.run("page.viewName")
            assert client.wait("ARRIVAL", lambda line: line["name"] == name)["state"] != "removed"
        # What is five hours old, or not to be read, is not gone on with.
        for text in ("JSON.stringify({ ...kept, time: kept.time - 5 * 3_600_000 })", "'x'"):
            page.call("Page.addScriptToEvaluateOnNewDocument", source="{ const kept = JSON.parse(localStorage.getItem('ride'));"
                      f" localStorage.setItem('ride', {text}) }}" if text != "'x'" else "localStorage.setItem('ride', 'x')")
            page.call("Page.reload")
            page.until("globalThis.page?.fix !== undefined && globalThis.page.view.drawn !== undefined")
            assert page.run("page.view.trail.parts.flat().length") < 5


def test_the_trail_of_the_recorded_ride_is_whole_in_a_page_that_is_opened_in_the_middle(folder):
    """In place of what an earlier page has kept, without a gap before the first fix of its own; also while the daemon is away."""
    trail = "page.view.trail.parts.filter((part) => part.length > 1).map((part) => part.map(({ lat, lng, alt }) => [lat, lng, alt]))"
    with riding(folder, 2000, 0.2) as (daemon, url, stop), Chromium(folder) as page, daemon.connect() as client:
        until(lambda: client.send("?RECORD;") or client.wait("RECORD").get("fixes", 0) > 40, "a ride")
        page.call("Page.addScriptToEvaluateOnNewDocument", source="""if (location.protocol === 'http:') {
            const kept = { time: Date.parse('2026-03-19T12:00:00Z'), trail: '[[[10,10],[10.1,10]]]' }
            localStorage.getItem('ride') ?? localStorage.setItem('ride', JSON.stringify(kept)) }""")
        page.open(url)
        page.until("globalThis.page?.fix !== undefined && page.view.trail.parts.flat().length > 40", timeout=3 * TIMEOUT)
        seq = page.run("page.fix.seq")
        page.until(f"page.fix.seq > {seq + 5}")
        (way,) = page.run(trail)
        # From the first fix to the newest, 2 m apart.
        assert metres(way[0], (48.1, 11.5)) < 10 and abs(way[0][2] - 500) < 1
        assert metres(way[-1], page.run("[page.fix.lat, page.fix.lon]")) < 20
        assert all(one[0] < other[0] for one, other in itertools.pairwise(way))
        length = len(way)
        shot(page, "trail-in-the-middle")
        stop()
        daemon.process.kill()
        daemon.process.wait(TIMEOUT)
        page.call("Page.reload")
        page.until(f"globalThis.page?.fix === undefined && globalThis.page?.view.trail.parts.flat().length >= {length}")
        (again,) = page.run(trail)
        assert metres(again[0], way[0]) < 0.2 and metres(again[-1], way[-1]) < 100
        # It is on the map.
        assert page.run("page.view.map.getBounds().contains(page.view.trail.last)")
