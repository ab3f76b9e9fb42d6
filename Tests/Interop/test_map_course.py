"""The followed course on the map page, in Chromium: its line, its profile, and the way along it."""

import json
import math
import sys
import time

import pytest

from chromium import Chromium
from handlebar_harness import ROOT, until
from map_page import METRES, PROGRESS, center, desktop, metres, opened, pause, pretending, shot
from map_server import MapServer

sys.path.insert(0, str(ROOT / "clients" / "python"))
import handlebar  # noqa: E402
from handlebar._polyline import encode  # noqa: E402

pytestmark = desktop

WAY = """(({ points, ridden, ahead }) => [points, ridden.getLatLngs(), ahead.getLatLngs()].map((places) =>
  places.map((one) => one.place ?? one).map(({ lat, lng }) => [lat, lng])))(page.view.course)"""


def test_the_followed_course_is_drawn_with_what_is_ahead(folder, track):
    """Its line at its places, paler behind the rider; the way left, the next cue; a longer one as it grows; none after its end."""
    with opened(folder) as (daemon, _, page), handlebar.Client(daemon.socket) as client:
        shown = "!document.querySelector('#progress').hidden"
        assert not page.run(shown) and page.run("document.querySelector('#guide').hidden")
        page.run("page.daemon.send('PLAYBACK', { seek: 30 })")
        # One point for each 10 m, up to the middle of the ride.
        points = []
        for place in track:
            if not points or metres(points[-1], place) > 10:
                points.append(place)
        middle = len(points) // 2
        client.set_course("tour", [(*place, 500.0 + number) for number, place in enumerate(points[:middle])])
        client.add_cue("tour", "Left at the café", kind="left", place=points[middle - 20])
        page.until(f"{shown} && document.querySelector('#progress').title === 'tour'")
        drawn = until(
            lambda: (way := page.run(WAY)[0]) and metres(way[-1], points[middle - 1]) < 0.2 and way, "the whole line")
        assert len(drawn) > 10 and all(min(metres(place, other) for other in points[:middle]) < 0.2 for place in drawn)
        assert metres(drawn[0], points[0]) < 0.2
        # Its length is the daemon's.
        length = client.courses()[0]
        assert abs(page.run("page.view.course.points.at(-1).along") - (length.along or 0) - length.remaining) < 1
        page.until("page.view.course.report.state === 'on'", timeout=60)
        page.until("document.querySelector('#cue p').textContent === 'Left at the café'")
        page.until("/^[\\d.]+ k?m$/.test(document.querySelector('#cue b').textContent)")
        page.until(f"{PROGRESS}[2] !== '–'", timeout=60)
        pause(page)
        ridden, ahead = page.run(WAY)[1:]
        here = page.run("[page.fix.lat, page.fix.lon]")
        assert ridden[-1] == ahead[0] and metres(ahead[0], here) < 15 and metres(ahead[-1], points[middle - 1]) < 0.2
        left = page.run(PROGRESS)
        assert left[0].endswith("m") and left[1].endswith(" m") and left[2].endswith((" min", " h")) and ":" in left[3], left
        shot(page, "course-desktop-day")
        # The line grows.
        with daemon.connect() as other:
            fields = handlebar.Request.course("tour", points[middle:middle + 90], append=True).fields
            other.send(f"?COURSE={json.dumps({name: value for name, value in fields.items() if value is not None})};")
            until(lambda: metres(page.run(WAY)[0][-1], points[middle + 89]) < 0.2, "the longer line")
        # Another one is followed instead, and the first one again at its end.
        client.set_course("other", [points[0], points[40]])
        page.until(f"document.querySelector('#progress').title === 'other' && {WAY}[0].length === 2")
        client.end_course("other")
        page.until(f"document.querySelector('#progress').title === 'tour' && {WAY}[0].length > 10")
        # A page that is loaded later reads it.
        page.call("Page.reload")
        page.until(f"globalThis.page?.view.course.report && {WAY}[0].length > 10")
        client.end_course("tour")
        page.until(f"!({shown}) && document.querySelector('#guide').hidden && {WAY}[0].length === 0")


# Columns with their heights, in pixels from the top, and the left edge of a part.
LINE = "document.querySelector('#profile .line').getAttribute('d').slice(1).split('L').map((place) => place.split(' ').map(Number))"


EDGES = "document.querySelector('#profile {}').getAttribute('d')"


def test_a_ride_across_the_antimeridian_is_drawn_in_one_place(folder):
    """The rider, the trail, the course and a target, which would be at both ends of the world, with lines between."""
    version = {"class": "VERSION", "release": "1", "rev": "1", "proto_major": 3, "proto_minor": 14}
    state = {"class": "STATE", "state": "tracking", "source": "gps0", "mode": 3}
    course = {"class": "COURSE", "name": "a", "state": "on", "along": 0, "remaining": 1, "revision": 1}
    piece = {**course, "from": 0, "points": 2, "polyline": encode([-16_800_000, 179_990_000, -16_800_000, -179_990_000], 2)}
    target = {"class": "ARRIVAL", "name": "a", "state": "away", "lat": -16.8, "lon": -179.999}
    fixes = [{"class": "TPV", "mode": 3, "seq": seq, "time": f"2026-05-01T10:00:0{seq}.000Z", "lat": -16.8, "lon": lon, "reason": "moved"}
             for seq, lon in ((1, 179.9999), (2, -179.9999))]
    lines = "".join(json.dumps(line) + "\r\n" for line in (version, state, course, piece, target, *fixes))
    with pretending(folder / "location.sock", lines) as socket_path, MapServer(socket_path) as server, Chromium(folder) as page:
        page.open(server.url)
        page.until("globalThis.page?.view.drawn && page.view.trail.parts.flat().length > 1 && page.view.course.points.length === 2")
        longitudes = page.run("""(({ drawn, trail, course, map }) => {
          const found = [drawn.lon, ...[...trail.parts.flat(), ...course.points.map(({ place }) => place)].map(({ lng }) => lng)]
          map.eachLayer((layer) => layer instanceof L.Marker && found.push(layer.getLatLng().lng))
          return found })(page.view)""")
        assert len(longitudes) > 5 and max(longitudes) - min(longitudes) < 0.1
        assert page.errors == []


def test_the_profile_of_the_course_has_the_rider_and_the_climb(folder, track):
    """Heights along the whole course; how far the rider is, and from there to the end of the climb. Then those of the way so far."""
    with opened(folder) as (daemon, _, page), handlebar.Client(daemon.socket) as client:
        box = "document.querySelector('#profile')"
        page.run("page.daemon.send('PLAYBACK', { seek: 30 })")
        places = []
        for place in track:
            if not places or metres(places[-1], place) > 10:
                places.append(place)
        # A hill of 200 m at a quarter of the way.
        top = len(places) // 4
        client.set_course("tour", [
            (*place, 500 + 200 * (number / top if number < top else (len(places) - number) / (len(places) - top)))
            for number, place in enumerate(places)])
        page.until(f"!{box}.hidden && {box}.dataset.of === 'course'")
        # The course comes in pieces, and so does its profile.
        page.until(f"{box}.innerText.split(/\\s*\\n\\s*/).join() === '699 m,502 m'")
        line = page.run(LINE)
        assert len(line) == 160 and abs(min(line, key=lambda place: place[1])[0] - 40) < 3
        assert all(one[1] >= other[1] for one, other in zip(line[:38], line[1:38]))
        page.until("page.view.course.report.state === 'on' && page.view.course.report.climb > 0", timeout=60)
        pause(page)
        along, climb, length = page.run("(({ report, profile }) => [report.along, report.climb, profile.length])(page.view.course)")
        here, end = 160 * along / length, 160 * (along + climb) / length
        page.until(f"{EDGES.format('.here')} === 'M{here:.1f} 0V40'")
        assert page.run(EDGES.format(".climb")) == f"M{here:.1f} 0H{end:.1f}V40H{here:.1f}z" and abs(end - 40) < 3
        assert page.run(EDGES.format(".ridden")).startswith(f"M0 0H{here:.1f}V40")
        assert page.run(f"{PROGRESS}[1]").endswith(" m")
        shot(page, "profile-desktop-day")
        # Backwards, what has been ridden is at the right.
        page.run("page.daemon.onLine({ ...page.view.course.report, reverse: true, climb: undefined })")
        assert page.run(EDGES.format(".ridden")) == f"M{here:.1f} 0H160V40H{here:.1f}z" and page.run(EDGES.format(".climb")) == ""
        # Without a course, the trail's heights are those of the receiver.
        page.run("page.daemon.send('PLAYBACK', { pause: false, speed: 10 })")
        client.end_course("tour")
        page.until(f"{box}.hidden || {box}.dataset.of === 'trail'")
        page.until(f"!{box}.hidden && {box}.dataset.of === 'trail'", timeout=60)
        pause(page)
        altitudes = page.run("page.view.trail.parts.flat().flatMap(({ alt }) => alt ?? [])")
        high, low = (int(text.removesuffix(" m")) for text in page.run(f"{box}.innerText.split(/\\s*\\n\\s*/)"))
        assert min(altitudes) - 1 <= low <= high <= max(altitudes) + 1
        # A page that is loaded again goes on with it.
        page.call("Page.reload")
        page.until(f"globalThis.page?.fix !== undefined && {box}.dataset.of === 'trail' && !{box}.hidden")


def test_the_profile_has_no_heights_that_are_not_known(folder):
    """A column without a height lies between its neighbours; a way without heights, or without length, has no profile."""
    with opened(folder) as (_, _, page):
        made = page.run(
            "import('./profile.js').then(({ heights }) => ["
            "  heights([{ along: 0, height: 100 }, { along: 500 }, { along: 1000, height: 300 }]),"
            "  heights([{ along: 0 }, { along: 1000 }]), heights([{ along: 0, height: 1 }]), heights([])])"
            ".then(([one, ...none]) => [[...one.means], one.low, one.high, none.every((profile) => profile === undefined)])")
        means, low, high, none = made
        assert (low, high, none) == (100, 300, True)
        assert all(abs(mean - (100 + 200 * column / 159)) < 1e-6 for column, mean in enumerate(means))


def angle(element):
    """Degrees to the right of the window's top to which an element is turned, 0 to 360."""
    return (f"(({{ a, b }}) => (Math.atan2(b, a) * 180 / Math.PI + 360) % 360)"
            f"(new DOMMatrix(getComputedStyle(document.querySelector('{element}')).transform))")


def test_arrows_turn_with_the_map(folder):
    """To a course and to a target, they point where the way is on the map; the sign of a cue and the words stay."""
    with opened(folder) as (_, _, page):
        page.until("document.querySelector('#state').dataset.kind === 'good'")
        course = {"class": "COURSE", "name": "tour", "state": "off", "along": 900, "remaining": 4100, "bearing": 215, "distance": 145}
        cue = course | {"state": "on", "cue": "Sharp right", "cueKind": "sharp_right", "cueDistance": 84}
        target = {"class": "ARRIVAL", "name": "home", "state": "approaching", "lat": 48, "lon": 11, "radius": 100, "distance": 300, "bearing": 20}

        def angles(line, up):
            """With a direction up, in the frame of that line: of the sign and of the target's arrow."""
            turned = page.run(
                f"(page.daemon.onLine({json.dumps(line)}), page.daemon.onLine({json.dumps(target)}),"
                f" {f'page.view.sheet.turn({up}, 5, Infinity)' if up else 'page.view.sheet.level()'},"
                f" [{angle('#cue svg')}, {angle('#target > svg')}, document.querySelector('#cue svg').ariaLabel])")
            return [round(one) % 360 if isinstance(one, float | int) else one for one in turned]

        assert angles(course, 0) == [215, 20, "SW"]
        # Riding south, the course is behind and to the left.
        assert angles(course, 180) == [35, 200, "SW"]
        assert angles(course, 300) == [275, 80, "SW"]
        assert angles(cue, 180) == [0, 200, "sharp_right"]


def test_the_way_back_to_the_course_is_shown(folder):
    """An arrow towards it, the distance and a banner; towards the start before it, and at the end that it is finished."""
    with opened(folder) as (_, _, page):
        page.until("document.querySelector('#state').dataset.kind === 'good'")
        line = {"class": "COURSE", "name": "tour", "state": "off", "along": 900, "remaining": 4100, "bearing": 215.4, "distance": 145.2}

        def show(**fields):
            page.run(f"page.daemon.onLine({json.dumps({**line, **fields})})")
            return page.run(
                "['#cue b', '#cue p'].map((one) => document.querySelector(one).textContent).concat("
                f"Math.round({angle('#cue svg')}), document.querySelector('#cue svg').ariaLabel)")

        assert show() == ["145 m", "Off course", 215, "SW"]
        assert page.run("document.querySelector('#guide').dataset.state") == "off"
        shot(page, "off-desktop-day")
        assert show(state="before", distance=2300) == ["2.3 km", "To the start of tour", 215, "SW"]
        assert show(state="finished")[:3] == ["Finished", "tour", 0]
        turn = {"state": "on", "cue": "Sharp right", "cueDistance": 84, "climb": 1240, "climbAscent": 85.4, "grade": 6.7}
        assert show(**turn, cueKind="sharp_right") == ["84 m", "Sharp right", 0, "sharp_right"]
        right = page.run("document.querySelector('#cue path').getAttribute('d')")
        assert page.run("document.querySelector('#climb').innerText") == "1.2 km · ↑ 85 m · 7 %"
        show(**turn, cueKind="left")
        left = page.run("document.querySelector('#cue path').getAttribute('d')")
        show(**turn, cueKind="water")
        assert len({left, right, page.run("document.querySelector('#cue path').getAttribute('d')")}) == 3
        show(state="on", reverse=True)
        assert page.run("document.querySelector('#guide').hidden && document.querySelector('#progress dt').textContent") == "To the start"
        # Of a course that is not followed, nothing is shown.
        show(name="other", state="kept")
        assert page.run("document.querySelector('#progress').title") == "tour"
        show(state="ended")
        assert page.run("document.querySelector('#progress').hidden")


def test_the_turn_at_hand_is_the_largest_figure(folder, track):
    """Within 200 m or 15 s, with the turn after it when that is near; a rider who slows down still sees it so."""
    with opened(folder) as (daemon, _, page), handlebar.Client(daemon.socket) as client:
        page.call("Emulation.setTimezoneOverride", timezoneId="America/New_York")
        page.until("document.querySelector('#state').dataset.kind === 'good'")
        client.set_course("tour", [track[0], (track[0][0] + 0.02, track[0][1])])
        for text, kind, at in (("Right onto the bridge", "right", 500), ("Left", "left", 640), ("Café", "food", 900)):
            client.add_cue("tour", text, kind=kind, at=at)
        page.until("page.view.course.cues.length === 3")
        pause(page)
        line = page.run("page.view.course.report")

        def show(**fields):
            """The distance to the cue and its height against that of the speed; to the one after it, and its sign."""
            page.run(f"page.daemon.onLine({json.dumps({**line, 'state': 'on', 'cue': 'Right onto the bridge', 'cueKind': 'right', **fields})})")
            return page.run(
                "(() => { const size = (one) => parseFloat(getComputedStyle(document.querySelector(one)).fontSize);"
                " const then = document.querySelector('#then'); return [document.querySelector('#cue b').textContent,"
                " size('#cue b') > size('#speed b'), then.checkVisibility() ? then.textContent.trim() : null,"
                " then.querySelector('svg').ariaLabel, then.querySelector('path').getAttribute('d')] })()")

        def near(metres):
            return show(along=500 - metres, cueDistance=metres)[:3]

        page.run("void (page.fix.speed = 5)")
        assert near(210) == ["210 m", False, None]
        assert near(190) == ["190 m", True, "140 m"]
        assert near(210) == ["210 m", True, "140 m"], "while the rider slows down"
        _, _, _, words, path = show(along=410, cueDistance=90)
        assert words == "then left" and path != page.run("document.querySelector('#cue path').getAttribute('d')")
        shot(page, "near-desktop-day")
        # The one after that is too far for a glance.
        assert show(along=600, cue="Left", cueKind="left", cueDistance=40)[:3] == ["40 m", True, None]
        page.run("void (page.fix.speed = 30)")
        assert near(440) == ["440 m", True, "140 m"] and near(460) == ["460 m", False, None]
        page.key("r")
        assert near(190)[1]
        # The end as a time of day, where the browser is; none of another day.
        assert show(remaining=9000, time="2026-03-19T12:00:00Z", eta=5400, ascent=10)
        assert page.run(PROGRESS) == ["9.0 km", "10 m", "1:30 h", "9:30"]
        # It is not to be read as a time of day.
        for eta, words in ((20, "1 min"), (725, "12 min"), (3599, "1:00 h")):
            show(time="2026-03-19T12:00:00Z", eta=eta)
            assert page.run(PROGRESS)[2] == words
        show(time="2026-03-19T12:00:00Z", eta=90_000)
        assert page.run(PROGRESS)[2:] == ["25:00 h", "–"]


@pytest.mark.parametrize("size", [(480, 320), (320, 480), (390, 844), (1280, 800)])
def test_a_cue_ends_at_a_letter(folder, size):
    """It has two lines, at the turn and in the size for riding, too; what is longer ends with an ellipsis, in as much of the card as
    there is."""
    with opened(folder, width=size[0], height=size[1]) as (_, _, page):
        page.until("document.querySelector('#state').dataset.kind === 'good'")
        course = {"class": "COURSE", "name": "tour", "state": "on", "along": 900, "remaining": 4100, "cueKind": "right"}

        def lines(cue, away=900):
            """How many there are, whether all of the text is shown, and the share of its width that the last one fills."""
            page.run(f"page.daemon.onLine({json.dumps({**course, 'cue': cue, 'cueDistance': away})})")
            return page.run(
                "(() => { const one = document.querySelector('#cue p'); const range = document.createRange();"
                " range.selectNodeContents(one); const { bottom, width } = one.getBoundingClientRect();"
                " const shown = [...range.getClientRects()].filter((line) => line.bottom < bottom + 2);"
                " return [new Set(shown.map(({ top }) => top)).size, one.scrollHeight <= one.clientHeight + 1, shown.at(-1).width / width] })()")

        assert lines("Right onto Leopoldstraße")[1]
        long = f"Right onto {'Donaudampfschifffahrtsgesellschaft' * 4}"
        count, isWhole, share = lines(long)
        assert count == 2 and not isWhole and share > 0.85
        shot(page, f"cue-{size[0]}x{size[1]}")
        assert lines(long, away=90)[:2] == [2, False]
        page.key("r")
        assert lines(long, away=80)[:2] == [2, False]


CHEVRONS = """(({ course: { chevrons, report } }) => chevrons.getLatLngs().map((corners) => corners.map(({ lat, lng }) => [lat, lng])))(page.view)"""


def test_chevrons_show_which_way_the_course_runs(folder):
    """Along what is ahead, as far apart as a glance needs, in the direction of riding."""
    with opened(folder) as (daemon, _, page), handlebar.Client(daemon.socket) as client:
        page.until("document.querySelector('#state').dataset.kind === 'good'")
        lat, lon = center(page)
        client.set_course("tour", [(lat - 0.02, lon), (lat + 0.02, lon)])
        page.until("page.view.course.points.length > 1")
        pause(page)
        lat = center(page)[0]
        length = page.run("page.view.course.points.at(-1).along")

        def chevrons(**fields):
            page.run(f"page.daemon.onLine({{ ...page.view.course.report, state: 'on', ...{json.dumps(fields)} }})")
            return page.run(CHEVRONS)

        found = chevrons(along=length / 2)
        begin = page.run("(({ lat }) => lat)(page.view.course.ahead.getLatLngs()[0])")
        assert 2 < len(found) < 20 and all(one[1][0] > begin for one in found)
        assert all(tip[0] > left[0] and tip[0] > right[0] and left[1] < tip[1] < right[1] for right, tip, left in found)
        # Pixels between them, at this zoom level and closer.
        for _ in range(2):
            pixel = 40_075_017 / (256 * 2 ** page.run("page.view.map.getZoom()")) * math.cos(math.radians(lat))
            tips = [one[1] for one in page.run(CHEVRONS)]
            gaps = [metres(one, other) / pixel for one, other in zip(tips, tips[1:])]
            assert len(gaps) > 1 and max(gaps) - min(gaps) < 1 and 95 < gaps[0] < 193
            page.run("void page.view.map.setZoom(page.view.map.getZoom() + 1, { animate: false })")
        found = chevrons(along=length / 2, reverse=True)
        assert found and all(one[1][0] < begin for one in found)
        assert all(tip[0] < left[0] and right[1] < tip[1] < left[1] for right, tip, left in found)
        assert chevrons(state="finished", reverse=False) == []
        shot(page, "chevrons-desktop-day")


def test_a_course_of_100000_points_is_drawn(folder):
    with opened(folder) as (daemon, _, page), handlebar.Client(daemon.socket) as client:
        points, latitude, longitude, course = [], 48.1373, 11.5754, 0.0
        for number in range(100_000):
            points.append((latitude, longitude))
            course += 0.1 * math.sin(number / 30) + 0.05 * math.sin(number / 7)
            latitude += 5 * math.cos(course) / METRES
            longitude += 5 * math.sin(course) / METRES / math.cos(math.radians(latitude))
        begin = time.monotonic()
        client.set_course("long", points)
        page.until("page.view.course.points.at(-1)?.along > 490_000", timeout=60)
        drawn = page.run("page.view.course.points.length")
        print(f"100,000 points set and drawn with {drawn} in {time.monotonic() - begin:.1f} s")
        assert 100 < drawn <= 4096
        begin = time.monotonic()
        page.run("void page.view.map.setZoom(10, { animate: false })")
        page.frames(2)
        print(f"two frames after zooming out in {1000 * (time.monotonic() - begin):.0f} ms")
        shot(page, "course-long")
