"""The rider on the map page between fixes, in Chromium: poses, frames, and fixes that are late."""

import json
import math
import statistics
import time

from chromium import Chromium
from handlebar_harness import ROOT, until
from map_page import METRES, center, desktop, metres, middle, opened, pause, pretending, rider_pixel, seek
from map_server import MapServer

pytestmark = desktop


def test_the_arrow_and_the_circle_are_those_of_the_pose(folder):
    """The arrow has the pose's direction; the circle has its radius with the fix's own error, to the map's scale."""
    with opened(folder, source=f"recording:{ROOT / 'recordings' / 'motorway.nmea'}?loop=true") as (_, _, page):
        seek(page, 60)
        page.until("document.querySelector('#state').dataset.kind === 'good' && page.fix.speed > 10")
        # Between the first fix after the seek and its first pose, the fix itself is drawn.
        page.frames(2)
        page.until("page.view.drawn.basis !== undefined")
        pause(page)
        page.run("void page.view.map.setZoom(20, { animate: false })")
        page.frames(2)
        track, error, turn, radius = page.run(
            "[page.view.drawn.track, Math.hypot(page.view.drawn.radius, page.fix.eph),"
            " parseFloat(document.querySelector('.puck g').style.transform.slice(7)),"
            " document.querySelector('.accuracy').getBBox().width / 2]")
        assert abs(turn - track) < 0.1 and abs((track - page.run("page.fix.track") + 180) % 360 - 180) < 30
        pixel = 40_075_017 / (256 * 2**20) * math.cos(math.radians(center(page)[0]))
        assert abs(radius * pixel - error) < 0.02 and error > 1
        # The scale bar, too.
        text, width = page.run("(() => { const bar = document.querySelector('#scale'); return [bar.textContent, bar.offsetWidth] })()")
        assert abs(float(text.removesuffix(" m")) - width * pixel) < 2 * pixel


def test_a_fix_is_overdue_after_two_of_the_receivers_intervals(folder):
    def overdue(page, fixes, *times):
        return page.run(
            "import(`${location.origin}/motion.js`).then(({ Freshness }) => { const freshness = new Freshness();"
            f" for (const [now, fix] of {json.dumps(fixes)}) freshness.take(fix, now, 1);"
            f" return {json.dumps(times)}.map((now) => freshness.isOverdue(now)) }})")

    with opened(folder) as (_, _, page):
        dated = [(now, {"time": f"2026-05-01T10:00:0{now // 1000}.000Z"}) for now in (1000, 2000)]
        assert overdue(page, dated, 3900, 4100) == [False, True]
        # Without a date.
        assert overdue(page, [(now, {}) for now in (3000, 6000, 9000)], 14_900, 15_100) == [False, True]
        # A gap is no interval.
        regained = (9000, {"time": "2026-05-01T10:00:09.000Z", "reason": "regained"})
        assert overdue(page, [*dated, regained], 10_900, 11_100) == [False, True]


def test_after_a_recording_a_receiver_is_shown_in_real_time(folder):
    """The daemon was started again with another source: the clock goes on, and no recording has ended."""
    version = {"class": "VERSION", "release": "1", "rev": "1", "proto_major": 3, "proto_minor": 14}
    lost = {"class": "STATE", "state": "lost", "source": "gps0"}
    ended = {"class": "PLAYBACK", "file": "a", "position": 9, "duration": 9, "speed": 4, "paused": False, "ended": True}
    refused = {"class": "ERROR", "request": "PLAYBACK", "message": "no source is a recording"}
    fix = {"class": "TPV", "mode": 3, "seq": 1, "time": "2026-05-01T10:00:59.000Z", "lat": 48.1, "lon": 11.5}
    lines = "".join(json.dumps(line) + "\r\n" for line in (version, lost))
    with pretending(folder / "location.sock", lines) as socket_path, MapServer(socket_path) as server, Chromium(folder) as page:
        page.open(server.url)
        page.until("globalThis.page && document.querySelector('#state b').textContent === 'No fix'")
        for line in (ended, refused, fix, lost):
            page.run(f"page.daemon.onLine({json.dumps(line)})")
        page.until("document.querySelector('#clock').textContent.includes(':01')")
        idle = json.dumps({"class": "STATE", "state": "idle", "source": "gps0"})
        assert page.run(f"(page.daemon.onLine({idle}), document.querySelector('#state b').textContent)") == "Waiting"


AFTER_A_HOLE = """
import(`${location.origin}/motion.js`).then(({ Motion }) => {
  const motion = new Motion()
  const [begin, lags, paces] = [5000, [], []]
  let [sent, drawn] = [0, 0]
  for (let now = 0; now < 12000; now += 16) {
    if (now > begin && now < begin + HOLE) continue
    for (; sent <= now; sent += 100) motion.take({ lat: sent / 1e6, lon: 0, time: new Date(sent).toISOString() }, now)
    const place = 1e6 * motion.at(now).lat
    if (now > begin + HOLE + 16) {
      lags.push(now - place)
      paces.push((place - drawn) / 16)
    }
    drawn = place
  }
  return [Math.max(...lags), Math.min(...paces), Math.max(...paces)]
})
"""


def test_after_a_hole_the_rider_is_where_the_poses_say(folder):
    """The page stood still: what was sent meanwhile arrives at once, and the first frame after it is as near to it as ever."""
    with opened(folder) as (_, _, page):
        for hole in (300, 500, 685, 1000, 3000):
            lag, slowest, fastest = page.run(AFTER_A_HOLE.replace("HOLE", str(hole)))
            assert lag < 500 and slowest >= 0 and fastest < 2, (hole, lag, slowest, fastest)


RECORD = """
new Promise((resolve) => {
  const [frames, poses] = [[], []]
  const take = page.daemon.onLine
  page.daemon.onLine = (line) => {
    take(line)
    if (line.class === 'POSE') poses.push([performance.now(), Date.parse(line.time)])
  }
  const { draw } = page.view
  page.view.draw = function (place, ...rest) {
    // Not the time of a callback of its own, which a busy machine calls later.
    frames.push([performance.now(), place.lat, place.lon, place.track ?? null])
    draw.call(this, place, ...rest)
    if (frames.at(-1)[0] - frames[0][0] < MILLISECONDS) return
    page.daemon.onLine = take
    delete page.view.draw
    resolve([frames, poses])
  }
})
"""


def test_motion_is_monotone_at_every_frame(folder):
    """At 60 frames a second, the rider moves forward along the way or stands; most frames move while riding."""
    with opened(folder, source=f"recording:{ROOT / 'recordings' / 'motorway.nmea'}?loop=true") as (_, _, page):
        seek(page, 60)
        page.until("page.fix.speed > 10")

        def recorded():
            """The frames of five seconds, and whether the poses came in time for each step: a busy machine sends some late, and
            the rider then stands, leaps, and stands until the page is as far behind the poses as it now must be."""
            frames, poses = page.run(RECORD.replace("MILLISECONDS", "5000"))
            offset = min((arrival - time for arrival, time in poses), default=0)
            arrivals = [frames[0][0], *(arrival for arrival, _ in poses), frames[-1][0]]
            late = [*(arrival - time - offset > 150 for arrival, time in poses), False]
            holes = [(begin, end + 350) for begin, end, is_late in zip(arrivals, arrivals[1:], late) if is_late or end - begin > 150]
            timely = [not any(begin < frame[0] < end for begin, end in holes) for frame in frames[1:]]
            return sum(timely) > len(timely) / 2 and (frames, timely)

        frames, timely = until(recorded, "poses that come in time")
        steps = []
        for (_, lat, lon, _), (_, next_lat, next_lon, track) in zip(frames, frames[1:]):
            north, east = (next_lat - lat) * METRES, (next_lon - lon) * METRES * math.cos(math.radians(lat))
            steps.append(east * math.sin(math.radians(track)) + north * math.cos(math.radians(track)))
        gaps = sorted(after[0] - before[0] for before, after in zip(frames, frames[1:]))
        ride = sum(steps) / (frames[-1][0] - frames[0][0]) * 1000
        # Metres beyond the way of the time between two frames, which a busy machine draws late.
        leaps = [step - 2 * ride * (after[0] - before[0]) / 1000
                 for step, before, after, is_timely in zip(steps, frames, frames[1:], timely) if is_timely]
        moving = sum(step > 0 for step, is_timely in zip(steps, timely) if is_timely) / sum(timely)
        print(f"{len(frames)} frames in 5 s, {gaps[len(gaps) // 2]:.1f} ms apart, 95 % within {gaps[len(gaps) * 95 // 100]:.1f} ms,"
              f" worst {gaps[-1]:.1f} ms; {ride:.1f} m/s, {100 * moving:.0f} % move, steps {min(steps):.4f} to {max(steps):.2f} m")
        assert min(steps) > -2e-3
        assert moving > 0.9 and max(leaps) < 0.1 * ride
        # The arrow stays in the middle while the map moves below it.
        x, y = middle(page)
        assert math.dist(rider_pixel(page), (x, y)) < 1.5


TIMES = """
globalThis.times = { fixes: {}, poses: [], frames: [] }
{
  const clock = () => performance.timeOrigin + performance.now()
  const take = page.daemon.onLine
  page.daemon.onLine = (line) => {
    const now = clock()
    take(line)
    if (line.class === 'POSE') times.poses.push([now, line.lat, line.lon])
    // What is drawn in a frame is drawn after its callbacks.
    if (line.class === 'TPV' && line.seq) requestAnimationFrame(() => (times.fixes[line.seq] = [now, clock()]))
  }
  function frame() {
    times.frames.push([clock(), page.view.drawn.lat, page.view.drawn.lon])
    requestAnimationFrame(frame)
  }
  requestAnimationFrame(frame)
}
void 0
"""


def test_a_fix_is_drawn_in_the_next_frame(folder):
    """The time from a fix at another client's socket to the frame with it, and from a pose to the rider's arrival there."""
    with opened(folder, source=f"recording:{ROOT / 'recordings' / 'motorway.nmea'}?loop=true") as (daemon, _, page):
        seek(page, 60)
        page.until("page.fix.speed > 10")
        with daemon.connect() as client:
            client.watch(distanceFilter=0)
            page.run(TIMES)
            until(lambda: client.receive() or len([one for one in client.lines if one["class"] == "TPV"]) > 8, "fixes")
        newest = max(one.get("seq", 0) for one in client.lines if one["class"] == "TPV")
        page.until(f"times.fixes[{newest}] !== undefined")
        times = page.run("times")
        epoch = time.time() - time.monotonic()
        sent = {str(one["seq"]): 1000 * (one["_at"] + epoch) for one in client.lines if one["class"] == "TPV" and one.get("seq")}
        delays = sorted(
            (drawn - sent[seq], received - sent[seq]) for seq, (received, drawn) in times["fixes"].items() if seq in sent)
        lags = []
        for at, lat, lon in times["poses"]:
            after = [(metres((lat, lon), place), then - at) for then, *place in times["frames"] if 0 <= then - at < 600]
            if after and at + 600 < times["frames"][-1][0]:
                lags.append(min(after)[1])
        print(f"from the socket to the frame {delays[len(delays) // 2][0]:.1f} ms, worst {delays[-1][0]:.1f} ms"
              f" (to the page {statistics.median(one[1] for one in delays):.1f} ms);"
              f" from a pose to the rider's place {statistics.median(lags):.0f} ms")
        # A busy machine draws its frames farther apart, and brings the lines as much later.
        gap = statistics.median(after[0] - before[0] for before, after in zip(times["frames"], times["frames"][1:]))
        assert len(delays) > 5 and statistics.median(drawn for drawn, _ in delays) < 100 + 3 * gap
        assert statistics.median(drawn - received for drawn, received in delays) < 2 * gap
        assert statistics.median(lags) < 250 + 3 * gap
