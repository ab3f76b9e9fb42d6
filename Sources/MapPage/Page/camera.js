// The camera: which direction of the map is up, and how much of the way ahead is shown.

import { turn } from './motion.js'
import { find } from './panels.js'

/** Where the rider is while the way ahead is up: in the middle, this share of the window's height from its top. */
const homeShare = 0.68
/** Speed in m/s below which the direction of a receiver is noise. */
const walking = 1.5
/** The direction is turned to that of the rider within about three times this, milliseconds. */
const turning = 220
/** What of the drawn lines is kept ready beyond the sheet: a square has most of it already. */
const padding = { window: 0.4, square: 0.06 }

/** What the map is drawn on: as large as the map's window with north up, or a square that covers the window in every
    direction, turned about the rider. The middle of the sheet is the place that the map looks at. */
export class Sheet {
  /** Whether it is the square. */
  isSquare = false
  /** The direction that is up, degrees from true north. */
  up = 0
  #window = find('#map')
  #box = find('#sheet')
  #needle = find('#north g')
  #arrows = document.querySelectorAll('#cue svg, #target > svg')
  #origin = [0, 0]
  #shown = 0

  /** `lines` are layers with a renderer that has the sheet's size. */
  constructor(map, lines) {
    this.map = map
    this.lines = lines
  }

  /** Width and height of the window. */
  get size() {
    return L.point(this.#window.clientWidth, this.#window.clientHeight)
  }

  /** Pixels from the rider to the edge of the window that is ahead. */
  get ahead() {
    const { x, y } = this.size
    return this.isSquare ? homeShare * y : Math.min(x, y) / 2
  }

  /** Adapts it to the window. What is seen stays where it is, unless the map keeps its middle. */
  lay(isSquare, keepsMiddle = false) {
    const { map } = this
    const { x: width, y: height } = this.size
    let [left, top, right, bottom] = [0, 0, width, height]
    if (isSquare) {
      const [x, y] = [Math.round(width / 2), Math.round(homeShare * height)]
      const reach = Math.ceil(Math.hypot(Math.max(x, width - x), Math.max(y, height - y)));
      [left, top, right, bottom] = [x - reach, y - reach, x + reach, y + reach]
    }
    this.isSquare = isSquare
    Object.assign(this.#box.style, { left: `${left}px`, top: `${top}px`, width: `${right - left}px`, height: `${bottom - top}px` })
    this.#box.classList.toggle('square', isSquare)
    for (const { renderer } of this.lines) renderer.options.padding = isSquare ? padding.square : padding.window
    map._rawPanBy(L.point(left, top).subtract(this.#origin))
    this.#origin = [left, top]
    map.invalidateSize({ pan: keepsMiddle })
  }

  /** Turns towards the rider's direction, which is kept while he is too slow to have one. */
  turn(track, speed, elapsed) {
    if (!Number.isFinite(track) || speed < walking) return
    const rest = turn(this.up, ((track % 360) + 360) % 360)
    this.#show(this.up + (Math.abs(rest) < 0.1 ? rest : rest * (1 - Math.exp(-elapsed / turning))))
  }

  /** North is up, at once. */
  level() {
    this.#show(0)
  }

  #show(up) {
    this.up = (up + 360) % 360
    const shown = Math.round(this.up * 10) / 10
    if (shown === this.#shown) return
    this.#shown = shown
    this.#box.style.transform = shown ? `rotate(${-shown}deg)` : ''
    this.#needle.style.transform = `rotate(${-shown}deg)`
    for (const arrow of this.#arrows) arrow.style.setProperty('--up', `${shown}deg`)
    // Signs stay upright.
    this.map.getPane('markerPane').style.setProperty('--turn', `${shown}deg`)
  }
}

/** Seconds of the way ahead: what a new level is chosen for, and what may be shown without another one. */
const seconds = { best: 20, least: 14, most: 40 }
/** How long the rider is slower before the map zooms in: a red light does not count. Milliseconds, as is the next. */
const patience = 10_000
const smoothing = 4000
/** Speed in m/s below which the level stays: whoever stands goes on as before. */
const slow = 2.5
const levels = { least: 10, most: 18 }

/** The zoom level at the rider's speed. */
export class SpeedZoom {
  #speed = NaN
  #at = -Infinity
  #slowerSince
  /** Whether no level has been chosen for the ride so far. */
  #isNew = true

  /** The level to take after `level`, at which a pixel has `metres` and the way ahead `pixels`, with a fix of a speed in m/s
      received at `now`, milliseconds. */
  next(level, metres, pixels, speed, now) {
    if (!Number.isFinite(speed)) return level
    const elapsed = now - this.#at
    this.#at = now
    if (!(elapsed < 10_000)) this.#isNew = true
    this.#speed = this.#isNew ? speed : speed + (this.#speed - speed) * Math.exp(-elapsed / smoothing)
    const shown = (pixels * metres) / this.#speed
    const isMoving = speed >= slow && this.#speed >= slow
    if (!isMoving || shown <= seconds.most) this.#slowerSince = undefined
    else this.#slowerSince ??= now
    if (!isMoving) return level
    const isSlower = shown > seconds.most && (this.#isNew || now - this.#slowerSince >= patience)
    this.#isNew = false
    if (shown >= seconds.least && !isSlower) return level
    this.#slowerSince = undefined
    return Math.max(levels.least, Math.min(level + Math.round(Math.log2(shown / seconds.best)), levels.most))
  }
}
