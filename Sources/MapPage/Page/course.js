// The course that is followed: its line on the map, and what is ahead on it.

import { beside } from './motion.js'
import { compassPoint, find, put, putFigures, trace } from './panels.js'
import { heights } from './profile.js'
import { farMetres, height, known, metres, timeLeft, timeOfDay } from './units.js'

/** Least time between two readings of a line that grows, milliseconds. */
const readInterval = 1000
/** Most points of a course, and of its drawn line. */
const maximumPoints = 100_000
const maximumDrawn = 4096
const maximumCues = 1000
/** Tenths of a metre of a point whose elevation is not known. */
const noElevation = -327_680
/** Metres of the way that are drawn as ridden at once. */
const drawnStep = 5
/** Pixels: at least between two chevrons along the line, from the middle of one to its tip, and to its side. */
const chevron = { gap: 96, length: 5, width: 9 }
/** How near a cue is at hand: metres, or seconds at the rider's speed; and how near the cue after it, metres. */
const atHand = { metres: 200, seconds: 15, after: 200 }

// WGS84.
const equator = 6_378_137
const eccentricitySquared = 0.00669438

/** The numbers of a text in the encoded polyline format. */
function* numbers(text) {
  let [number, factor] = [0, 1]
  for (const character of text) {
    const bits = character.charCodeAt(0) - 63
    number += (bits & 31) * factor
    factor *= 32
    if (bits & 32) continue
    yield number % 2 ? -(number + 1) / 2 : number / 2;
    [number, factor] = [0, 1]
  }
}

/** The places of a line, with their heights if those are known; none from the first on that is not on Earth. */
export function places(polyline = '', elevation = '') {
  const found = []
  const [all, climbs] = [numbers(polyline), numbers(elevation)]
  let [lat, lng, tenths] = [0, 0, 0]
  for (const north of all) {
    lat += north
    lng += all.next().value ?? NaN
    if (!(Math.abs(lat) <= 90e6 && Math.abs(lng) <= 180e6)) break
    tenths += climbs.next().value ?? NaN
    // Beyond what is on Earth it is missing, too.
    const height = tenths > noElevation && tenths < 90_000 ? tenths / 10 : undefined
    found.push({ lat: lat / 1e6, lng: beside(lng / 1e6), height })
  }
  return found
}

/** Metres between two near places, on the ellipsoid as the daemon's. */
function distance(one, other) {
  const degree = Math.PI / 180
  const latitude = ((one.lat + other.lat) / 2) * degree
  const bulge = 1 - eccentricitySquared * Math.sin(latitude) ** 2
  const north = ((other.lat - one.lat) * degree * equator * (1 - eccentricitySquared)) / bulge ** 1.5
  const east = ((other.lng - one.lng) * degree * equator * Math.cos(latitude)) / bulge ** 0.5
  return Math.hypot(north, east)
}

/** The line of the followed course, read in pieces, under the trail. What has been ridden is paler. */
export class CourseLine {
  /** The newest report of the followed course. */
  report
  /** The drawn places; each has its metres from the start in `along`. */
  points = []
  /** Its cues, in the order of the line; each has its metres from the start in `at`. */
  cues = []
  /** Its heights, if they are known. */
  profile
  #send
  #timer
  #readAt = -Infinity
  /** What is being read: revision, number of points and cues so far, the last point, the points of each piece, the cues. */
  #reading
  #drawn
  /** What of the points is ahead, from the rider on. */
  #ahead = []

  /** `send(fields)` sends a `COURSE` request; calls `onLine()` when the line has been read. */
  constructor(map, send, onLine) {
    this.map = map
    this.#send = send
    this.onLine = onLine
    map.createPane('course').style.zIndex = 390
    const renderer = (this.renderer = L.svg({ pane: 'course' }))
    const line = (className, options) =>
      L.polyline([], { renderer, className, smoothFactor: 0.5, interactive: false, ...options }).addTo(map)
    this.ridden = line('course', { weight: 7, opacity: 0.45 })
    this.casing = line('casing', { weight: 11, opacity: 0.9 })
    this.ahead = line('course', { weight: 7 })
    this.chevrons = line('course', { weight: 4, smoothFactor: 0, noClip: true })
    map.on('moveend', () => this.#point())
  }

  clear() {
    clearTimeout(this.#timer)
    this.report = this.profile = this.#timer = this.#reading = undefined
    this.points = []
    this.cues = []
    this.#show()
  }

  /** The cue after the next one: its `kind`, and metres between the two in `gap`. */
  get cueAfter() {
    const { along, cue, cueDistance } = this.report ?? {}
    const index = this.cues.findIndex(({ at, text }) => text === cue && Math.abs(at - along - cueDistance) < 2)
    const next = index < 0 ? undefined : this.cues[index + 1]
    return next && { kind: next.kind, gap: next.at - this.cues[index].at }
  }

  /** Takes a `COURSE`: a report, or a piece of the line. */
  take(line) {
    if (line.from !== undefined) return this.#collect(line)
    if (line.name === this.report?.name) {
      if (line.state === 'ended') return this.clear()
    } else if (line.state !== 'ended' && line.state !== 'kept') this.clear()
    // Of courses that are not followed nothing is shown.
    if (line.state === 'ended' || line.state === 'kept') return
    const isChanged = line.revision !== this.report?.revision
    this.report = line
    if (isChanged) this.#read()
    this.#show()
  }

  /** Reads the line, while it grows once a second. */
  #read() {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#readAt = performance.now()
      this.#reading = { count: 0, pieces: [], cues: [] }
      this.#send({ name: this.report.name, from: 0 })
    }, this.#readAt + readInterval - performance.now())
  }

  #collect({ name, revision, from, points, polyline, elevation, cues = [], next }) {
    const reading = this.#reading
    // Only what was asked for.
    if (name !== this.report?.name || from !== reading?.count) return
    // A line that has changed meanwhile is reported, and read again.
    if (revision !== (reading.revision ??= revision)) return
    const piece = []
    for (const place of places(polyline, elevation)) {
      const { last } = reading
      // Across the antimeridian.
      if (last) place.lng = last.lng + ((((place.lng - last.lng + 540) % 360) + 360) % 360) - 180
      const point = this.map.options.crs.project(place)
      point.place = L.latLng(place)
      point.along = last ? last.along + distance(last, place) : 0
      reading.last = { ...place, along: point.along }
      point.height = place.height
      piece.push(point)
    }
    reading.pieces.push(piece)
    reading.cues.push(...cues)
    reading.count += piece.length + cues.length
    const isPart = piece.length > 0 && reading.count < Math.min(points, maximumPoints)
    if (!isPart && !reading.isDrawn) {
      reading.isDrawn = true
      this.profile = heights(reading.pieces.flat())
      this.points = simplified(reading.pieces)
      this.#drawn = undefined
      this.#show()
      if (this.points.length) this.onLine()
    }
    // Cues follow the points.
    const hasMore = piece.length + cues.length > 0 && next === reading.count && reading.cues.length < maximumCues
    if (isPart || hasMore) return this.#send({ name, from: reading.count })
    this.#reading = undefined
    this.cues = reading.cues
  }

  /** Divides the line where the rider is. */
  #show() {
    const { state, along = 0, reverse = false } = this.report ?? {}
    const key = `${state === 'finished'} ${reverse} ${Math.round(along / drawnStep)}`
    if (this.points.length && key === this.#drawn) return
    this.#drawn = key
    const { points } = this
    const index = points.findIndex((point) => point.along > along)
    const [before, after] = [points[index - 1], points[index]]
    let [start, end] = index < 0 ? [points, []] : [points.slice(0, index), points.slice(index)]
    if (before && after) {
      const here = between(before, after, along)
      start = [...start, here]
      end = [here, ...end]
    }
    if (state === 'finished') [start, end] = [points, []]
    const [ridden, ahead] = (reverse ? [end, start] : [start, end]).map((part) => part.map(({ place }) => place))
    this.ridden.setLatLngs(ridden)
    this.casing.setLatLngs(ahead)
    this.ahead.setLatLngs(ahead)
    this.#ahead = reverse ? start : end
    this.#point()
  }

  /** Draws chevrons on the line that is ahead, in the direction of riding, as far as the map is seen. */
  #point() {
    const { map } = this
    const { crs } = map.options
    const around = map.getBounds().pad(0.4)
    const seen = L.bounds(crs.project(around.getSouthWest()), crs.project(around.getNorthEast()))
    // In the units of a projected place, which grow with the latitude.
    const pixel = (2 * Math.PI * equator) / crs.scale(map.getZoom())
    const gap = chevron.gap * pixel * Math.cos((map.getCenter().lat * Math.PI) / 180)
    // Zoomed in, those that there are stay.
    const step = 2 ** Math.ceil(Math.log2(gap))
    const chevrons = []
    this.#ahead.forEach((to, index, ahead) => {
      const from = ahead[index - 1]
      if (!from || !seen.intersects(L.bounds(from, to))) return
      const size = (pixel / Math.hypot(to.x - from.x, to.y - from.y)) * (this.report.reverse ? -1 : 1)
      const [east, north] = [size * (to.x - from.x), size * (to.y - from.y)]
      for (let number = Math.floor(from.along / step) + 1; number * step <= to.along; number++) {
        const at = between(from, to, number * step)
        const corner = (forth, aside) => crs.unproject(at.add([forth * east - aside * north, forth * north + aside * east]))
        const { length, width } = chevron
        if (seen.contains(at)) chevrons.push([corner(-length, -width), corner(length, 0), corner(-length, width)])
      }
    })
    this.chevrons.setLatLngs(chevrons)
  }
}

/** The point of the line there. */
function between(before, after, along) {
  const share = (along - before.along) / (after.along - before.along)
  const mix = (one, other) => one + share * (other - one)
  const place = L.latLng(mix(before.place.lat, after.place.lat), mix(before.place.lng, after.place.lng))
  return Object.assign(L.point(mix(before.x, after.x), mix(before.y, after.y)), { along, place })
}

/** A line of few enough points: those within 0.25 m of the line are left out, then within 0.5 m, and so on. Pieces by
    themselves, because the time grows with their square at worst. */
function simplified(pieces) {
  let count
  for (let tolerance = 0.25; tolerance < equator; tolerance *= 2) {
    // On the map, lengths grow with the latitude.
    pieces = pieces.map((piece) => L.LineUtil.simplify(piece, tolerance / Math.cos((piece[0]?.place.lat * Math.PI) / 180)))
    count = pieces.reduce((sum, { length }) => sum + length, 0)
    if (count <= maximumDrawn) break
  }
  return pieces.flat()
}

/** Signs of cues by words in their kind, the more exact first. */
const signs = [
  [/u.?turn/, 'M17 20V10a5 5 0 0 0-10 0v8M3.500 14.500L7 18l3.500-3.500'],
  [/sharp.*left/, 'M17 21V5L7 15M7 8.500V15h6.500'],
  [/sharp.*right/, 'M7 21V5l10 10M17 8.500V15h-6.500'],
  [/(slight|keep|bear).*left/, 'M14 20v-6L7 7M7 13V7h6'],
  [/(slight|keep|bear).*right/, 'M10 20v-6l7-7M17 13V7h-6'],
  [/left/, 'M18 20v-6a4 4 0 0 0-4-4H5M10 5l-5 5 5 5'],
  [/right/, 'M6 20v-6a4 4 0 0 1 4-4h9M14 5l5 5-5 5'],
  [/straight|continue/, 'M12 20V5M6 11l6-6 6 6'],
  [/summit|climb/, 'M2.500 19L10 7l4 6 2-3 5.500 9z'],
]
const note = 'M6 21V4h12l-3 4.500 3 4.500H6'
const sign = (kind = '') => signs.find(([words]) => words.test(kind.toLowerCase()))?.[1] ?? note
const way = 'M12 3l6.500 17L12 16.500 5.500 20z'
const done = 'M4 12.500l5.500 5.500L20 7'

/** What is ahead on the course: the next cue and the climb, or the way back to it; and in the dock the way that is left. */
export class Guide {
  #box = find('#guide')
  #sign = find('#guide svg')
  #climb = find('#climb')
  #progress = find('#progress')
  /** The cue that is at hand. */
  #cue
  /** The words of the cue that are wrapped, and for which width and height. */
  #shape

  /** Shows a `COURSE`, with the cue after its next one and the rider's speed in m/s; nothing without one. */
  show(report, after, speed = 0) {
    this.#progress.hidden = !report
    const words = report && this.#words(report)
    this.#climb.hidden = report?.state !== 'on' || report.climb === undefined
    find('#cue').hidden = !words
    this.#box.hidden = !words && this.#climb.hidden
    if (!report) return
    this.#box.dataset.state = report.state
    // It stays at hand while the rider slows down for it.
    const near = atHand.metres * (this.#cue === report.cue ? 2 : 1)
    const isNear = report.state === 'on' && report.cueDistance < Math.max(near, atHand.seconds * speed)
    this.#cue = isNear ? report.cue : undefined
    this.#box.toggleAttribute('data-near', isNear)
    const then = find('#then')
    then.hidden = !isNear || !(after?.gap <= atHand.after)
    if (!then.hidden) {
      trace(then.querySelector('path'), sign(after.kind))
      then.firstElementChild.ariaLabel = `then ${after.kind ?? ''}`
      put(then.lastElementChild, metres(after.gap))
    }
    if (words) this.#say(words)
    if (!this.#climb.hidden) {
      const { climb, climbAscent = 0, grade } = report
      const slope = grade === undefined ? '' : ` · ${Math.round(grade)} %`
      put(this.#climb.querySelector('span'), `${metres(climb)} · ↑ ${height(climbAscent)}${slope}`)
    }
    const { remaining, time, eta, ascent, reverse } = report
    put(this.#progress.querySelector('dt'), reverse ? 'To the start' : 'To go')
    this.#progress.title = report.name
    putFigures(this.#progress, [
      known(remaining, farMetres), known(ascent, height), known(eta, timeLeft),
      // Of another day, a time of day would mislead.
      timeOfDay(eta < 86_400 ? Date.parse(time) + 1000 * eta : NaN),
    ])
  }

  #words({ name, state, distance, bearing, cue, cueKind, cueDistance }) {
    const away = distance === undefined ? '' : metres(distance)
    switch (state) {
      case 'before': return { title: away, text: `To the start of ${name}`, path: way, turn: bearing }
      case 'off': return { title: away, text: 'Off course', path: way, turn: bearing }
      case 'finished': return { title: 'Finished', text: name, path: done }
      default: {
        if (cue === undefined) return undefined
        return { title: metres(cueDistance ?? 0), text: cue, path: sign(cueKind), label: cueKind }
      }
    }
  }

  #say({ title, text, path, turn, label }) {
    const [figure, unit = ''] = title.split(/(?= \D+$)/)
    put(find('#cue b span'), figure)
    put(find('#cue small'), unit)
    this.#wrap(text)
    const sign = this.#sign
    trace(sign.firstElementChild, path)
    sign.classList.toggle('way', path === way)
    // An arrow without a direction would lead astray.
    sign.toggleAttribute('hidden', path === way && turn === undefined)
    sign.style.setProperty('--bearing', `${Math.round(turn ?? 0)}deg`)
    sign.ariaLabel = turn === undefined ? (label ?? '') : compassPoint(turn)
  }

  /** Writes the words of a cue. Of too many, the last line ends at a letter: the words behind the first line are one. */
  #wrap(text) {
    const lines = find('#cue p')
    const shape = () => `${text} ${lines.clientWidth} ${lines.clientHeight}`
    if (this.#shape === shape()) return
    put(lines, text)
    if (lines.scrollHeight > lines.clientHeight + 1) {
      const words = text.split(' ')
      const least = 1.5 * parseFloat(getComputedStyle(lines).lineHeight)
      let count = words.length
      do put(lines, words.slice(0, --count).join(' ')); while (count > 1 && lines.clientHeight > least)
      put(lines, `${words.slice(0, count).join(' ')} ${words.slice(count).join('\u00a0')}`)
    }
    this.#shape = shape()
  }
}
