// The rider's place at every frame, between the poses that the daemon sends.

/** Longest delay behind the newest pose, and longest hole that is smoothed over; milliseconds. A pose that comes earlier than
 * that delay, too, says that those before it were late. */
const longestDelay = 300
const longestHole = 500

/**
 * A line through the poses, in the time of this computer.
 *
 * Frames are drawn about one interval behind the newest pose, so that every frame lies between two poses and none has to
 * be taken back: the rider moves as monotonically as the poses do. The jitter of arrivals is averaged out by the poses'
 * own times, and the delay covers what remains of it.
 */
export class Motion {
  #poses = []
  #delay = 0
  #head = -Infinity
  /** Times real time, of a recording; 0 when it is unknown. */
  pace = 1

  /** Takes a `POSE`, received at `now` milliseconds. */
  take(line, now) {
    const last = this.#poses.at(-1)
    const pose = { lat: line.lat, lon: line.lon, track: line.track, radius: line.eph, basis: line.basis, at: now }
    pose.time = line.time ? Date.parse(line.time) : NaN
    if (last) {
      let expected = last.at + (pose.time - last.time) / this.pace
      if (expected - now > longestDelay) {
        this.#redate(pose)
        expected = now
      }
      if (pose.time > last.time && Math.abs(now - expected) < longestHole) {
        pose.at = expected + 0.1 * (now - expected)
        const needed = Math.min(now - last.at, longestDelay)
        this.#delay = Math.max(needed, this.#delay + 0.01 * (needed - this.#delay))
      }
      pose.at = Math.max(pose.at, last.at)
      pose.cut = line.jump || pose.at - last.at > 2 * longestHole
      pose.track ??= last.track
    }
    this.#poses.push(pose)
    // Only what the next frames need, even while none is drawn.
    while (this.#poses.length > 2 && (this.#poses[1].at <= this.#head || this.#poses.length > 100)) this.#poses.shift()
  }

  /** After a hole, the poses of the hole come at once: they belong to the times before the last of them, not after the first. */
  #redate(newest) {
    for (const pose of this.#poses) {
      const at = newest.at - (newest.time - pose.time) / this.pace
      if (at < pose.at) pose.at = at
    }
  }

  /** Forgets all poses: the next one stands for itself. */
  reset() {
    this.#poses = []
    this.#delay = 0
  }

  /** The place at `now`: lat, lon, track, radius, basis; undefined without a pose. */
  at(now) {
    const poses = this.#poses
    if (!poses.length) return undefined
    this.#head = Math.max(this.#head, now - this.#delay)
    let next = poses.findIndex((pose) => pose.at > this.#head)
    if (next < 0) return poses.at(-1)
    if (next === 0) return poses[0]
    const from = poses[next - 1]
    const to = poses[next]
    if (to.cut) return from
    const part = (this.#head - from.at) / (to.at - from.at)
    const mix = (a, b) => a + part * (b - a)
    return {
      lat: mix(from.lat, to.lat),
      lon: mix(from.lon, to.lon),
      track: from.track === undefined ? to.track : from.track + part * turn(from.track, to.track),
      radius: mix(from.radius, to.radius),
      basis: to.basis,
    }
  }
}

/** Whether a fix comes after a gap, or a seek: the one before tells nothing of it. */
export const isApart = ({ reason }) => ['first', 'regained', 'snapshot'].includes(reason)

/** Whether the newest fix is one of now: not older than two of the receiver's intervals. */
export class Freshness {
  #time = NaN
  #at = -Infinity
  #interval = 1000
  /** Whether a recording stands still, whose newest fix is that of now. */
  isHeld = false

  /** Takes a fix, received at `now` milliseconds; `pace` is the speed of a recording, 0 when it is unknown. */
  take(fix, now, pace) {
    if (isApart(fix)) this.reset()
    const time = Date.parse(fix.time)
    const at = now - 1000 * (fix.age ?? 0)
    const dated = (time - this.#time) / (pace || 1)
    const interval = Number.isNaN(dated) ? at - this.#at : dated
    if (interval > 0 && interval < 10_000) this.#interval = interval
    this.#time = time
    this.#at = at
  }

  reset() {
    this.#time = NaN
    this.#at = -Infinity
  }

  /** Not before a second and a half: a fast receiver's lines may be late on a busy machine. */
  isOverdue(now) {
    return !this.isHeld && this.#at > -Infinity && now - this.#at > Math.max(2 * this.#interval, 1500)
  }
}

let firstLongitude

/** A longitude within 180° of the page's first one: beyond ±180° the map goes on, and no line is drawn around the world. */
export function beside(lon) {
  firstLongitude ??= lon
  return lon - 360 * Math.round((lon - firstLongitude) / 360)
}

/** Degrees from one direction to another, −180 to 180. */
export function turn(from, to) {
  return ((to - from + 540) % 360) - 180
}
