// The course that is followed: its line on the map, and what is ahead on it.

import { compassPoint, find, put } from './panels.js'
import { heights } from './profile.js'
import { duration, height, metres } from './units.js'

/** Least time between two readings of a line that grows, milliseconds. */
const readInterval = 1000
/** Most points of a course, and of its drawn line. */
const maximumPoints = 100_000
const maximumDrawn = 4096
/** Tenths of a metre of a point whose elevation is not known. */
const noElevation = -327_680
/** Metres of the way that are drawn as ridden at once. */
const drawnStep = 5

// WGS84.
const equator = 6_378_137
const eccentricity = 0.00669438

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

/** The places of a text; none from the first on that is not on Earth. */
function places(text) {
  const found = []
  const all = numbers(text)
  let [lat, lng] = [0, 0]
  for (const north of all) {
    lat += north
    lng += all.next().value ?? NaN
    if (!(Math.abs(lat) <= 90e6 && Math.abs(lng) <= 180e6)) break
    found.push({ lat: lat / 1e6, lng: lng / 1e6 })
  }
  return found
}

/** Metres between two near places, on the ellipsoid as the daemon's. */
function distance(one, other) {
  const degree = Math.PI / 180
  const latitude = ((one.lat + other.lat) / 2) * degree
  const bulge = 1 - eccentricity * Math.sin(latitude) ** 2
  const north = ((other.lat - one.lat) * degree * equator * (1 - eccentricity)) / bulge ** 1.5
  const east = ((other.lng - one.lng) * degree * equator * Math.cos(latitude)) / bulge ** 0.5
  return Math.hypot(north, east)
}

/** The line of the followed course, read in pieces, under the trail. What has been ridden is paler. */
export class CourseLine {
  /** The newest report of the followed course. */
  report
  /** The drawn places; each has its metres from the start in `along`. */
  points = []
  /** Its heights, if they are known. */
  profile
  #send
  #timer
  #readAt = -Infinity
  /** What is being read: revision, number of points so far, the last one, the points of each piece. */
  #reading
  #drawn

  /** `send(fields)` sends a `COURSE` request. */
  constructor(map, send) {
    this.map = map
    this.#send = send
    map.createPane('course').style.zIndex = 390
    const renderer = (this.renderer = L.svg({ pane: 'course' }))
    const line = (weight, opacity) => L.polyline([], { renderer, weight, opacity, smoothFactor: 0.5, interactive: false }).addTo(map)
    this.ridden = line(7, 0.45)
    this.casing = line(11, 0.9)
    this.ahead = line(7, 1)
  }

  /** Colours follow the theme. */
  paint(style) {
    for (const line of [this.ridden, this.ahead]) line.setStyle({ color: style.getPropertyValue('--course').trim() })
    this.casing.setStyle({ color: style.getPropertyValue('--casing').trim() })
  }

  clear() {
    clearTimeout(this.#timer)
    this.report = this.profile = this.#timer = this.#reading = undefined
    this.points = []
    this.#show()
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
      this.#reading = { count: 0, pieces: [] }
      this.#send({ name: this.report.name, from: 0 })
    }, this.#readAt + readInterval - performance.now())
  }

  #collect({ name, revision, from, points, polyline, elevation }) {
    const reading = this.#reading
    // Only what was asked for.
    if (name !== this.report?.name || from !== reading?.count) return
    // A line that has changed meanwhile is reported, and read again.
    if (revision !== (reading.revision ??= revision)) return
    const piece = []
    const climbs = numbers(elevation ?? '')
    let tenths = 0
    for (const place of places(polyline ?? '')) {
      const { last } = reading
      // Across the antimeridian.
      if (last) place.lng = last.lng + ((((place.lng - last.lng + 540) % 360) + 360) % 360) - 180
      const point = this.map.options.crs.project(place)
      point.place = L.latLng(place)
      point.along = last ? last.along + distance(last, place) : 0
      reading.last = { ...place, along: point.along }
      tenths += climbs.next().value ?? NaN
      // Beyond what is on Earth it is missing, too.
      point.height = tenths > noElevation && tenths < 90_000 ? tenths / 10 : undefined
      piece.push(point)
    }
    reading.pieces.push(piece)
    reading.count += piece.length
    if (piece.length && reading.count < Math.min(points, maximumPoints)) return this.#send({ name, from: reading.count })
    this.#reading = undefined
    this.profile = heights(reading.pieces.flat())
    this.points = simplified(reading.pieces)
    this.#drawn = undefined
    this.#show()
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
      const here = { place: between(before, after, along) }
      start = [...start, here]
      end = [here, ...end]
    }
    if (state === 'finished') [start, end] = [points, []]
    const [ridden, ahead] = (reverse ? [end, start] : [start, end]).map((part) => part.map(({ place }) => place))
    this.ridden.setLatLngs(ridden)
    this.casing.setLatLngs(ahead)
    this.ahead.setLatLngs(ahead)
  }
}

function between(before, after, along) {
  const share = (along - before.along) / (after.along - before.along)
  const [one, other] = [before.place, after.place]
  return L.latLng(one.lat + share * (other.lat - one.lat), one.lng + share * (other.lng - one.lng))
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
const way = 'M12 3l6.500 17L12 16.500 5.500 20z'
const done = 'M4 12.500l5.500 5.500L20 7'

/** What is ahead on the course: the next cue and the climb, or the way back to it; and in the dock the way that is left. */
export class Guide {
  #box = find('#guide')
  #sign = find('#guide svg')
  #climb = find('#climb')
  #progress = find('#progress')

  /** Shows a `COURSE`; nothing without one. */
  show(report) {
    this.#progress.hidden = !report
    const words = report && this.#words(report)
    this.#climb.hidden = report?.state !== 'on' || report.climb === undefined
    find('#cue').hidden = !words
    this.#box.hidden = !words && this.#climb.hidden
    if (!report) return
    this.#box.dataset.state = report.state
    if (words) this.#say(words)
    if (!this.#climb.hidden) {
      const { climb, climbAscent = 0, grade } = report
      const slope = grade === undefined ? '' : ` · ${Math.round(grade)} %`
      put(this.#climb.querySelector('span'), `${metres(climb)} · ↑ ${height(climbAscent)}${slope}`)
    }
    const { remaining, eta, ascent, reverse } = report
    put(this.#progress.querySelector('dt'), reverse ? 'To the start' : 'To go')
    const left = [
      remaining === undefined ? '–' : metres(remaining, 99.95), eta === undefined ? '–' : duration(eta),
      ascent === undefined ? '–' : height(ascent),
    ]
    this.#progress.title = report.name
    this.#progress.querySelectorAll('dd').forEach((element, index) => put(element, left[index]))
  }

  #words({ name, state, distance, bearing, cue, cueKind, cueDistance }) {
    const away = distance === undefined ? '' : metres(distance)
    switch (state) {
      case 'before': return { title: away, text: `To the start of ${name}`, path: way, turn: bearing }
      case 'off': return { title: away, text: 'Off course', path: way, turn: bearing }
      case 'finished': return { title: 'Finished', text: name, path: done }
      default: {
        if (cue === undefined) return undefined
        const kind = cueKind?.toLowerCase() ?? ''
        const path = signs.find(([words]) => words.test(kind))?.[1] ?? note
        return { title: metres(cueDistance ?? 0), text: cue, path, label: cueKind }
      }
    }
  }

  #say({ title, text, path, turn, label }) {
    put(find('#cue b'), title)
    put(find('#cue p'), text)
    const sign = this.#sign
    const line = sign.firstElementChild
    if (line.getAttribute('d') !== path) line.setAttribute('d', path)
    sign.classList.toggle('way', path === way)
    // An arrow without a direction would lead astray.
    sign.toggleAttribute('hidden', path === way && turn === undefined)
    sign.style.setProperty('--bearing', `${Math.round(turn ?? 0)}deg`)
    sign.ariaLabel = turn === undefined ? (label ?? '') : compassPoint(turn)
  }
}
