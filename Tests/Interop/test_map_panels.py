"""What the map page shows in words and numbers, in Chromium: figures, states, recordings, targets, trips, sensors."""

import itertools
import json
import math

import pytest

import nmea_sender
from chromium import Chromium
from handlebar_harness import RECORDING, TIMEOUT, Daemon, Receiver, control, until
from map_page import PROGRESS, TRIP, center, desktop, metres, opened, pause, pretending, shot
from map_server import MapServer
from test_protocol_schema import PAGE, schema, words

pytestmark = desktop


def test_numbers_and_states_are_shown_in_words(folder):
    with opened(folder, query="speed=10&loop=true") as (_, _, page):
        page.until("document.querySelector('#state').dataset.kind === 'good'")
        page.until("Number(document.querySelector('#speed b').textContent) > 10")
        page.until("/^\\d+ m$/.test(document.querySelector('#altitude').textContent)")
        page.until("/^\\d+ of \\d+$/.test(document.querySelector('#satellites').textContent)")
        page.until("/^± /.test(document.querySelector('#accuracy').textContent)")
        page.until("/^[NESW]+ \\d+°$/.test(document.querySelector('#heading').textContent)")


def test_failure_and_loss_are_shown_with_the_remedy(folder):
    receiver = folder / "gps0"
    with Daemon(folder, f"serial:{receiver}") as daemon, MapServer(daemon.socket) as server, Chromium(folder, 390, 844, 2) as page:
        page.open(server.url)
        page.until("document.querySelector('#state').dataset.kind === 'bad'", timeout=3 * TIMEOUT)
        text = page.run("document.querySelector('#state').innerText")
        assert "Receiver not found" in text and f"\n{receiver} does not exist" in text
        # A remedy may be a command: it is as the daemon sent it.
        assert page.run("document.querySelector('#state .remedy').textContent").startswith(
            ("no possible receiver is plugged in", "plugged in instead"))
        assert page.run("document.body.classList.contains('nowhere')")
        shot(page, "failed-phone")
        with Receiver(receiver) as tty:
            bursts = nmea_sender.ride(25, period=0.2)
            tty.play(bursts)
            page.until("document.querySelector('#state').dataset.kind === 'good' || page.fix !== undefined")
            page.until("document.querySelector('#state').dataset.kind === 'poor'")
            page.until("document.querySelector('.puck').classList.contains('old')")
            # Overdue at first, then lost.
            page.until("document.querySelector('#speed b').textContent === '–'")
            page.until("/^Last position \\d+ s ago · Nothing arrives/.test(document.querySelector('#state p').textContent)")
            assert not page.run("document.body.classList.contains('nowhere')")
            shot(page, "lost-phone")


def test_playback_is_controlled(folder):
    with opened(folder) as (daemon, _, page):
        def playback():
            with daemon.connect() as client:
                client.send("?PLAYBACK;")
                return client.wait("PLAYBACK")

        page.until("!document.querySelector('#playback').hidden && !document.querySelector('#seek').disabled")
        assert page.run("document.querySelector('#length').textContent") == "8:01"
        page.click("#play")
        until(lambda: playback()["paused"], "a pause")
        page.until("document.querySelector('#play').classList.contains('paused')")
        page.key(" ")
        until(lambda: not playback()["paused"], "the end of the pause")
        page.click("#pace")
        until(lambda: playback()["speed"] == 2, "twice the speed")
        page.until("document.querySelector('#pace').textContent === '2×'")
        assert page.run("document.querySelector('#pace').ariaLabel") == "Speed of the recording: 2 times"
        x, y, width = page.run(
            "(() => { const { x, y, width, height } = document.querySelector('#seek').getBoundingClientRect();"
            " return [x, y + height / 2, width] })()")
        page.mouse("mousePressed", x + width / 2, y, button="left", buttons=1, clickCount=1)
        page.mouse("mouseReleased", x + width / 2, y, button="left", clickCount=1)
        until(lambda: 220 < playback()["position"] < 300, "the middle of the ride")
        page.until("/^4:/.test(document.querySelector('#place').textContent)")
        page.until("document.querySelector('#state').dataset.kind === 'good' && page.fix.reason !== undefined")


def test_a_recording_ends_and_plays_again(folder):
    short = folder / "short.nmea"
    short.write_bytes(b"".join(RECORDING.read_bytes().splitlines(keepends=True)[:120]))
    with opened(folder, source=f"recording:{short}?speed=4") as (_, _, page):
        page.until("document.querySelector('#state b').textContent === 'End of the recording'")
        assert page.run("document.querySelector('#play').title") == "Play again (space)"
        assert page.run("document.querySelector('#pace').textContent") == "4×"
        # The ride with a fix is shorter than a second.
        page.run("globalThis.kinds = []; new MutationObserver((changes) => kinds.push(...changes.map(({ oldValue }) => oldValue)))"
                 ".observe(document.querySelector('#state'), { attributeFilter: ['data-kind'], attributeOldValue: true })")
        page.click("#play")
        page.until("kinds.includes('good')")


@pytest.mark.parametrize("stated, words", [
    ({"jamming": "critical"}, "The receiver reports jamming: critical"),
    ({"jamming": "ok", "spoofing": "indicated"}, "The receiver reports spoofed signals"),
    ({"antenna": "short"}, "The receiver reports a short circuit of its antenna"),
    ({"antenna": "open", "reason": "antenna"}, "No antenna that works: check its plug and its cable"),
    # A passive antenna: of the daemon, the reason is another one.
    ({"antenna": "open", "reason": "searching"}, "No position yet: the receiver needs a view of the sky"),
    ({"antenna": "ok"}, "No position yet: the receiver needs a view of the sky"),
    ({"reason": "silent"}, "Nothing arrives from the receiver: check its cable and its supply"),
    ({"reason": "jammed", "jamming": "critical"}, "Jamming prevents a fix · The receiver reports jamming: critical"),
    ({"reason": "searching", "signals": 7, "strongSignals": 2},
     "No position yet: the receiver needs a view of the sky · signals: 7, strong: 2"),
    ({"reason": "ofLater"}, "No position yet: the receiver needs a view of the sky"),
])
def test_interference_is_shown(folder, stated, words):
    version = {"class": "VERSION", "release": "1", "rev": "1", "proto_major": 3, "proto_minor": 14}
    state = {"class": "STATE", "state": "acquiring", "source": "gps0", **stated}
    lines = "".join(json.dumps(line) + "\r\n" for line in (version, state))
    with pretending(folder / "location.sock", lines) as socket_path, MapServer(socket_path) as server, Chromium(folder) as page:
        page.open(server.url)
        page.until(f"document.querySelector('#state p').textContent === '{words}'")
        assert page.errors == []


def test_every_reason_of_no_fix_is_shown_in_words(folder):
    reasons = words(schema(PAGE)["$defs"], "STATE.reason")
    with opened(folder) as (_, _, page):
        shown = page.run(
            f"{json.dumps(reasons)}.map((reason) => {{ page.daemon.onLine({{ class: 'STATE', state: 'acquiring', reason }});"
            " return document.querySelector('#state p').textContent })")
    assert [reason for reason, text in zip(reasons, shown, strict=True) if text.startswith("No position yet: ")] == ["searching"]
    assert len(set(shown)) == len(reasons)


def test_an_estimated_position_is_no_fix(folder):
    """In a tunnel the wheel goes on: the rider is an outline in the circle of that error, the state says so, and neither the
    trail nor a figure has it."""
    ride, settings = folder / "ride.nmea", folder / "handlebard.toml"
    options = ("--ride", "tour", "--seed", "5", "--wheel", "2.1", "--tunnel", "2000-3200")
    assert control("/nowhere", "simulate", *options, "-o", ride)[0] == 0
    settings.write_text("wheel-circumference = 2.1\n")

    def classes():
        page.frames(2)
        return set(page.run("[...document.querySelector('.puck').classList]")) & {"old", "estimated"}

    with (
        Daemon(folder, f"recording:{ride}", options=["--config", settings]) as daemon, MapServer(daemon.socket) as server,
        Chromium(folder) as page,
    ):
        page.open(server.url)
        page.until("globalThis.page?.fix !== undefined", timeout=3 * TIMEOUT)
        assert classes() == set()
        # Fast to the tunnel, and slowly in it.
        page.run(
            "globalThis.radii = []; { const take = page.daemon.onLine; page.daemon.onLine = (line) => { take(line);"
            " if (line.estimating) page.daemon.send('PLAYBACK', { speed: 2 });"
            " if (line.reason === 'estimated') radii.push(line.eph) } } page.daemon.send('PLAYBACK', { speed: 25 }); void 0")
        page.until("radii.at(-1) > 20", timeout=60)
        pause(page)
        assert classes() == {"estimated"}
        title, words = page.run("['b', 'p'].map((one) => document.querySelector(`#state ${one}`).textContent)")
        assert title == "No fix" and words.startswith("Position estimated by the wheel · Last position ")
        assert page.run("document.querySelector('#speed b').textContent") == "–"
        assert page.run("page.fix.reason !== 'estimated' && page.view.trail.last.distanceTo(page.fix) <= 1")
        assert page.run("page.view.map.distance(page.view.drawn, page.fix)") > 20
        page.run("void page.view.map.setZoom(20, { animate: false })")
        page.frames(2)
        radius, error = page.run(
            "[document.querySelector('.accuracy').getBBox().width / 2, Math.hypot(page.view.drawn.radius, radii.at(-1))]")
        pixel = 40_075_017 / (256 * 2**20) * math.cos(math.radians(center(page)[0]))
        assert abs(radius * pixel - error) < 0.05 and error > 20
        shot(page, "estimated-desktop")
        # Of a daemon that is silent it is not known.
        page.run("page.daemon.onSilence(true)")
        assert classes() == {"old"} and "estimated" not in page.run("document.querySelector('#state').textContent")
        page.run("page.daemon.onSilence(false)")
        assert classes() == {"estimated"}
        page.run("page.daemon.send('PLAYBACK', { pause: false, speed: 25 })")
        page.until("document.querySelector('#state').dataset.kind === 'good'", timeout=60)
        assert classes() == set() and page.errors == []


def test_targets_are_shown_and_set(folder):
    with opened(folder) as (daemon, _, page):
        assert control(daemon.socket, "target", "office", "48.1400", "11.5800")[0] == 0
        page.until("document.querySelector('#target b').textContent === 'office' && /m/.test(document.querySelector('#target p').textContent)")
        lat, lng = page.until("(() => { let at; page.view.map.eachLayer((layer) => layer.getIcon?.() && (at = layer.getLatLng()));"
                              " return at && [at.lat, at.lng] })()")
        assert metres((lat, lng), (48.14, 11.58)) < 3
        # The same name at another place.
        assert control(daemon.socket, "target", "office", "48.1500", "11.5900")[0] == 0
        page.until("(() => { let at; page.view.map.eachLayer((layer) => layer.getIcon?.() && (at = layer.getLatLng()));"
                   " return at && page.view.map.distance(at, [48.15, 11.59]) < 15 })()")
        assert control(daemon.socket, "target", "office", "off")[0] == 0
        page.until("document.querySelector('#target').hidden")
        page.mouse("mousePressed", 700, 300, button="right", buttons=2, clickCount=1)
        page.mouse("mouseReleased", 700, 300, button="right", clickCount=1)
        page.until("!document.querySelector('#menu').hidden")
        page.click("#menu button")
        page.until("document.querySelector('#target b').textContent === 'Target'")
        with daemon.connect() as client:
            client.send("?TARGET;")
            assert client.wait("ARRIVAL")["name"] == page.run("page.viewName")
        page.click("#target button")
        page.until("document.querySelector('#target').hidden")


def test_a_target_is_approached(folder, track):
    """The distance and the time to it, then that it is reached."""
    with opened(folder, query="speed=4&loop=true") as (daemon, _, page):
        # Where the rider is 80 s after the place from which he goes on, of 481 s.
        lat, lon = track[len(track) * 110 // 481]
        assert control(daemon.socket, "target", "café", str(lat), str(lon))[0] == 0
        # He passes in a few seconds.
        page.run("globalThis.texts = []; new MutationObserver(() =>"
                 " texts.push(...['b', 'p'].map((one) => document.querySelector(`#target ${one}`).textContent)))"
                 ".observe(document.querySelector('#target'), { childList: true, subtree: true })")
        page.run("page.daemon.send('PLAYBACK', { seek: 30 })")
        page.until("texts.some((text) => /^[\\d.]+ k?m · \\d+ min$/.test(text))")
        page.until("texts.includes('Arriving: café')")
        assert page.run("document.querySelector('#target svg').ariaLabel") in ("N", "NE", "E", "SE", "S", "SW", "W", "NW")


def test_a_trip_is_shown_while_one_runs(folder):
    """Of two, the one that was started last; none after its end, and those of a restarted daemon only."""
    with opened(folder, query="speed=25&loop=true") as (daemon, _, page):
        trip = "document.querySelector('#trip')"
        assert page.run(f"{trip}.hidden")
        assert control(daemon.socket, "trip", "tour")[0] == 0
        page.until(f"!{trip}.hidden && {trip}.title === 'tour'")
        page.until(f"/ km$/.test({TRIP}[0][1])", timeout=60)
        (name, distance), (_, moving), (_, average), (_, ascent) = page.run(TRIP)
        assert name in ("Trip", "Paused") and distance.endswith(" km")
        minutes, seconds = map(int, moving.split(":"))
        # In the same line of the daemon.
        assert abs(float(distance.split()[0]) / (minutes * 60 + seconds) * 3600 - float(average)) < 0.08 * float(average)
        assert ascent.endswith(" m")
        # Those who stand pause.
        page.until(f"{TRIP}[0][0] === 'Paused'", timeout=60)
        page.until(f"{TRIP}[0][0] === 'Trip'", timeout=60)
        assert control(daemon.socket, "trip", "day")[0] == 0
        page.until(f"{trip}.title === 'day'")
        assert control(daemon.socket, "trip", "day", "off")[0] == 0
        page.until(f"{trip}.title === 'tour'")
        # A page that is loaded later asks for it.
        pause(page)
        page.call("Page.reload")
        page.until(f"globalThis.page && {trip}.title === 'tour'")
        before = page.run(TRIP)
        daemon.process.kill()
        daemon.process.wait(TIMEOUT)
        page.until("document.querySelector('#state').dataset.kind === 'lost'")
        assert page.run(TRIP) == before and not page.run(f"{trip}.hidden")
        daemon.socket.unlink()
        with Daemon(folder, f"recording:{RECORDING}?loop=true") as another:
            page.until("document.querySelector('#state').dataset.kind !== 'lost'")
            page.until(f"{trip}.hidden")
            another.stop()


def test_sensors_stand_in_place_of_the_receivers_figures_while_they_measure(folder):
    def cell(name):
        return f"[document.querySelector('#{name}').previousElementSibling.textContent, document.querySelector('#{name}').textContent]"

    with opened(folder, query="speed=10&loop=true") as (daemon, _, page):
        page.until(f"/^[NESW]+ \\d+°$/.test({cell('heading')}[1])")
        crank = ((3 * turn, 2 * turn) for turn in itertools.count(1))

        def measured():
            # Fed until it is seen: a value that is not renewed is shown for five seconds.
            turns = "".join(f"{count} {time}\n" for count, time in itertools.islice(crank, 2))
            for kind, value in (("heartRate", "142\n"), ("power", "204.4\n"), ("crank", turns), ("heartRate", "7\n")):
                assert control(daemon.socket, "sensor", kind, stdin=value)[0] == 0
            return page.run(f"[{', '.join(map(cell, ('heading', 'accuracy', 'satellites')))}]")

        # A heart rate that cannot be is not shown.
        until(lambda: measured() == [["Heart rate", "142"], ["Power", "204 W"], ["Cadence", "90"]], "the values of the sensors")
        page.until(f"{cell('heading')}[0] === 'Heading' && {cell('satellites')}[0] === 'Satellites'")
        assert page.run(cell("accuracy"))[1].startswith("± ") and page.errors == []

        def heart(**fields):
            page.run(f"page.daemon.onLine({json.dumps({'class': 'SENSOR', 'sensor': 'heartRate', 'unit': '1/min', **fields})})")
            return page.run(cell("heading"))[1]

        # Of two units, the first until it is silent.
        assert [heart(source=source, value=value) for source, value in (("a", 140), ("b", 99), ("a", 141))] == ["140", "140", "141"]
        heart(source="a", value=142, age=4.9)
        page.until(f"{cell('heading')}[0] === 'Heading'")
        assert heart(source="b", value=98) == "98"


def test_the_grade_stands_in_place_of_the_altitude_if_the_rider_chooses_it(folder):
    with opened(folder, query="speed=10&loop=true") as (_, _, page):
        page.until("/^\\d+ m$/.test(document.querySelector('#altitude').textContent)")
        pause(page)
        page.run("window.plain = page.fix; 0")

        def cell(press=False, **fields):
            if press:
                page.run("document.querySelector('#altitude').click()")
            page.run(f"page.daemon.onLine({{ ...plain, seq: page.fix.seq + 1, ...{json.dumps(fields)} }})")
            return page.run("['dt', 'dd'].map((name) => document.querySelector(`#receiver div:nth-child(2) ${name}`).textContent)")

        assert cell(altFused=512.4, grade=-4.4) == ["Altitude", "512 m"]
        assert cell(press=True, altFused=512.4, grade=-4.4) == ["Grade", "-4 %"]
        # Too slow for one.
        assert cell() == ["Grade", "–"]
        assert cell(press=True, altFused=512.4) == ["Altitude", "512 m"] and page.errors == []


def test_a_rider_who_thinks_in_miles_reads_miles(folder):
    """Every figure follows the choice, which is kept."""
    with opened(folder, query="speed=4&loop=true") as (daemon, _, page):
        page.until("Number(document.querySelector('#speed b').textContent) > 10", timeout=60)
        assert control(daemon.socket, "trip", "tour")[0] == 0
        page.until(f"/ k?m$/.test({TRIP}[0][1])")
        pause(page)
        page.run("page.daemon.onLine({ class: 'COURSE', name: 'tour', state: 'on', along: 1, remaining: 16093.44, ascent: 304.8,"
                 " climb: 1609.344, climbAscent: 30.48, grade: 5 })")
        height = page.run("page.fix.altMSL ?? page.fix.alt")
        page.key("u")
        speed = page.run("page.fix.speed")
        # One who stands has none.
        assert page.run("document.querySelector('#speed').innerText.split('\\n')") == [
            str(round(speed * 3600 / 1609.344 if speed >= 0.5 else 0)), "mph"]
        assert abs(int(page.run("document.querySelector('#altitude').textContent").removesuffix(" ft")) - height / 0.3048) <= 0.5
        assert page.run("document.querySelector('#accuracy').textContent").endswith(" ft")
        assert page.run(PROGRESS) == ["10.0 mi", "1000 ft", "–", "–"]
        assert page.run("document.querySelector('#climb').innerText") == "1.0 mi · ↑ 100 ft · 5 %"
        trip = page.run(TRIP)
        assert trip[0][1].endswith((" ft", " mi")) and trip[2][0] == "Avg mph" and trip[3][1].endswith((" ft", "–"))
        text, width = page.run("(() => { const bar = document.querySelector('#scale'); return [bar.textContent, bar.offsetWidth] })()")
        pixel = 40_075_017 / (256 * 2 ** page.run("page.view.map.getZoom()")) * math.cos(math.radians(center(page)[0]))
        assert abs(float(text.removesuffix(" ft")) * 0.3048 - width * pixel) < 2 * pixel
        page.call("Page.reload")
        page.until("globalThis.page?.fix !== undefined && document.querySelector('#speed span').textContent === 'mph'")
        # By the map's menu.
        page.key("t")
        page.until("document.querySelector('#units').textContent === 'Show kilometres'")
        page.click("#units")
        page.until("document.querySelector('#speed span').textContent === 'km/h' && document.querySelector('#menu').hidden")


def test_another_unit_is_no_fix(folder):
    """Without one there is no figure, and the clock goes on."""
    version = {"class": "VERSION", "release": "1", "rev": "1", "proto_major": 3, "proto_minor": 14}
    fix = {"class": "TPV", "mode": 3, "seq": 1, "time": "2026-05-01T10:00:59.000Z", "lat": 48.1, "lon": 11.5, "speed": 9, "altMSL": 500}
    lost = {"class": "STATE", "state": "lost", "source": "gps0"}
    lines = "".join(json.dumps(line) + "\r\n" for line in (version, lost))
    with pretending(folder / "location.sock", lines) as socket_path, MapServer(socket_path) as server, Chromium(folder) as page:
        page.open(server.url)
        page.until("globalThis.page && document.querySelector('#state b').textContent === 'No fix'")
        assert page.run(f"(page.daemon.onLine({json.dumps(fix)}), document.querySelector('#speed b').textContent)") == "32"
        page.run(f"page.daemon.onLine({json.dumps(lost)})")
        page.until("document.querySelector('#clock').textContent.includes(':01')")
        page.key("u")
        # As often as the clock is shown.
        page.run("new Promise((done) => setTimeout(done, 250))")
        assert page.run("['#speed b', '#altitude'].map((one) => document.querySelector(one).textContent)") == ["–", "–"]
        assert page.run("document.querySelector('#clock').textContent.includes(':01')")


def test_the_size_for_riding_is_chosen_by_an_option_and_in_the_menu(folder):
    """What the rider has chosen is kept."""
    size = "document.body.dataset.size"
    with opened(folder, "--riding", width=800, height=480) as (_, _, page):
        page.until(f"{size} === 'riding'")
        page.until("document.querySelector('#state').dataset.kind === 'good'")
        page.run("page.daemon.onLine({ class: 'COURSE', name: 'tour', state: 'on', along: 1, remaining: 16000, ascent: 300, eta: 3600,"
                 " time: page.fix.time, climb: 1600, climbAscent: 30, grade: 5, cue: 'Right', cueKind: 'right', cueDistance: 900 })")
        shown = "[...document.querySelectorAll('#dock dt, #climb')].filter((one) => one.checkVisibility()).map((one) => one.textContent.trim())"
        assert {"To go", "Time left", "1.6 km · ↑ 30 m · 5 %"} <= set(page.run(shown))
        shot(page, "riding-course-800x480")
        page.key("t")
        page.until("document.querySelector('#size').textContent === 'Size for reading'")
        page.click("#size")
        page.until(f"{size} === 'reading' && document.querySelector('#menu').hidden")
        page.call("Page.reload")
        page.until(f"globalThis.page && {size} === 'reading'")
        page.key("t")
        page.until("document.querySelector('#size').textContent === 'Size for riding'")
