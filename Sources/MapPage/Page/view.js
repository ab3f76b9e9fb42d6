// The map view: where it looks, what moved it, and whether it follows the rider.

import { Sheet, SpeedZoom } from './camera.js'
import { CourseLine } from './course.js'
import { Grid, metresInPixel, Puck, Trail } from './layers.js'
import { beside } from './motion.js'
import { find } from './panels.js'

/** Least time between two reports of a view that moves, milliseconds. */
const reportInterval = 100
/** The camera is drawn in to the rider within about three times this, milliseconds. */
const easing = 110
/** Pixels, and with north up milliseconds, after which tiles and trail catch up with a moving camera. */
const catchUp = { pixels: 48, time: 400 }
const nowhere = { lat: 30, lng: 10, zoom: 2 }
const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches

export class MapView {
  /** Where the rider was drawn last: lat, lon, track, radius, basis. */
  drawn
  isFollowing = true
  /** A finger or button is down on the map. */
  #isHeld = false
  /** The map still moves from a drag. */
  #isDragged = false
  /** Pixels from where the camera should be, which are eased out; undefined after it was elsewhere. */
  #offset
  #panned = 0
  #caughtUp = 0
  #frame = 0
  #reported = 0
  #pending
  #speed
  /** A touch has turned north up, or the rider has zoomed; until following is taken up again. */
  #isTouched = false
  #isZoomed = false
  #speedZoom = new SpeedZoom()
  /** Opened at the course, until there is a rider or a hand moves it. */
  #isFitted = false
  /** Zooms by itself. */
  #isZooming = false
  /** Where presses lead that the map still follows. */
  #level
  /** Whether the way ahead is up, and the map zooms by speed, while it follows; kept in the browser. */
  isHeadingUp = localStorage.getItem('up') !== 'north'
  zoomsBySpeed = localStorage.getItem('zoom') !== 'fixed'

  /** Calls `report(lat, lng, cause)` whenever the map has moved, `onFree(isRequested)` when it is freed by the page, which
      the daemon must be asked for if there is one, `onSuspend()` when it no longer turns or zooms by itself,
      `read(fields)` with a `COURSE` request, and `isConnected()` for whether there is a daemon. */
  constructor(calls) {
    Object.assign(this, calls)
    const saved = JSON.parse(sessionStorage.getItem('view') ?? 'null')
    this.hasPlace = saved !== null
    document.body.classList.toggle('nowhere', !this.hasPlace)
    const { lat, lng, zoom } = saved ?? nowhere
    // Everything is drawn on this side of the world.
    if (saved) beside(lng)
    this.map = L.map('sheet', {
      center: [lat, lng], zoom, minZoom: 2, maxZoom: 20, zoomControl: false, attributionControl: false,
      keyboard: false, bounceAtZoomLimits: false, wheelPxPerZoomLevel: 90, inertiaDeceleration: 2600,
      inertia: !isStill, zoomAnimation: !isStill, fadeAnimation: !isStill,
    })
    this.grid = new Grid({ pane: 'tilePane', updateWhenZooming: false, keepBuffer: 1, zIndex: 0 })
    this.grid.latitude = Math.round(lat)
    this.grid.addTo(this.map)
    this.course = new CourseLine(this.map, this.read, () => this.#openCourse())
    this.trail = new Trail(this.map)
    this.puck = new Puck().addTo(this.map)
    this.sheet = new Sheet(this.map, [this.course, this.trail])
    this.#listen()
    this.#zoomAboutRider()
  }

  #listen() {
    const { map } = this
    const box = map.getContainer()
    // Before Leaflet reads where the finger is.
    box.addEventListener('pointerdown', () => this.#touch(), true)
    for (const name of ['pointerup', 'pointercancel']) addEventListener(name, () => this.#release(), true)
    map.on('dragstart', () => (this.#isDragged = true))
    map.on('drag', () => this.#moved('user'))
    map.on('move', () => this.#isDragged && !this.#isHeld && this.#moved('user'))
    map.on('moveend', () => {
      this.grid.adapt(map.getCenter().lat)
      if (!this.#isDragged || this.#isHeld) return
      this.#isDragged = false
      this.#settled('user')
    })
    map.on('zoomstart', () => {
      this.#offset = undefined
      if (!this.#isZooming) this.#suspend('zoom')
    })
    map.on('zoomend', () => {
      this.#isZooming = false
      this.#level = undefined
      this.#settled('zoom')
    })
    map.on('resize', () => {
      this.#offset = undefined
      this.#settled('resize')
    })
    map.on('contextmenu', (event) => this.onMenu?.(event))
    addEventListener('pagehide', () => this.#save())
    new ResizeObserver(() => this.sheet.lay(this.sheet.isSquare, !this.isFollowing)).observe(box.parentElement)
  }

  #touch() {
    this.#isHeld = true
    this.#isFitted = false
    // Leaflet would ignore a drag that begins before the end of an animation.
    if (this.#isZooming) this.map._onZoomTransitionEnd()
    if (this.sheet.isSquare) this.#suspend('heading')
  }

  #release() {
    if (!this.#isHeld) return
    this.#isHeld = false
    this.#offset = undefined
  }

  #save() {
    if (!this.hasPlace || this.#isFitted) return
    const { lat, lng } = this.map.getCenter()
    sessionStorage.setItem('view', JSON.stringify({ lat, lng, zoom: this.map.getZoom() }))
  }

  // Reports

  /** The map moves: reports at most ten times a second, the last place always. */
  #moved(cause) {
    const wait = this.#reported + reportInterval - performance.now()
    clearTimeout(this.#pending)
    if (wait > 0) this.#pending = setTimeout(() => this.#settled(cause), wait)
    else this.#settled(cause)
  }

  #settled(cause) {
    clearTimeout(this.#pending)
    this.#reported = performance.now()
    const { lat, lng } = this.map.getCenter().wrap()
    this.report(lat, lng, cause)
    if (cause !== 'user' || !this.isFollowing || !this.drawn) return
    // Without a daemon its standard rule holds here.
    const isFar = !this.isConnected() && this.map.distance(this.map.getCenter(), this.drawn) > 100
    if (isFar || this.#isRiderAside()) {
      this.follows(false)
      this.onFree(this.isConnected())
    }
  }

  /** Whether the rider is a quarter of the window or more from the map's place: zoomed in, 100 m are farther than anyone
      drags. */
  #isRiderAside() {
    const { x, y } = this.map.latLngToContainerPoint(this.drawn).subtract(this.map.getSize().divideBy(2))
    const size = this.sheet.size
    return Math.abs(x) > size.x / 4 || Math.abs(y) > size.y / 4
  }

  // Follow mode

  /** Starts or stops following. */
  follows(isFollowing) {
    if (isFollowing === this.isFollowing) return
    this.isFollowing = isFollowing
    this.#offset = undefined
    if (isFollowing) this.rest()
    this.resume()
    this.#zoomAboutRider()
  }

  /** Ends a slide, and forgets its report that waits: either would free a view that has just been told to follow. */
  rest() {
    clearTimeout(this.#pending)
    this.#isDragged = false
    this.map.stop()
  }

  /** Whether a touch has ended turning, or the rider's own zoom that by speed, though both go on when he is followed anew. */
  get isSuspended() {
    return this.#isTouched || this.#isZoomed
  }

  #suspend(what) {
    if (!this.isFollowing) return
    if (what === 'heading') {
      this.#isTouched = true
      this.sheet.level()
    } else if (this.zoomsBySpeed) this.#isZoomed = true
    this.onSuspend()
  }

  /** Turns and zooms by itself again. */
  resume() {
    this.#isTouched = this.#isZoomed = false
    this.#speedZoom = new SpeedZoom()
  }

  /** Switches whether the way ahead is up; after a touch, it is so again. */
  turnUp() {
    if (!this.#isTouched) this.isHeadingUp = !this.isHeadingUp
    this.#isTouched = false
    localStorage.setItem('up', this.isHeadingUp ? 'heading' : 'north')
  }

  /** Switches whether the map zooms by speed. */
  switchZoom() {
    this.zoomsBySpeed = !this.zoomsBySpeed
    this.#isZoomed = false
    localStorage.setItem('zoom', this.zoomsBySpeed ? 'speed' : 'fixed')
  }

  /** While it follows, the rider stays in the middle when the map is zoomed. */
  #zoomAboutRider() {
    const { options } = this.map
    options.scrollWheelZoom = options.touchZoom = options.doubleClickZoom = this.isFollowing ? 'center' : true
  }

  /** A new fix: the trail grows, and a view that follows says so. */
  take(fix, isNew) {
    this.trail.add(fix, isNew)
    this.#speed = fix.speed
    if (!this.isFollowing || this.#isMoved) return
    this.#moved('follow')
    if (this.zoomsBySpeed && !this.#isZoomed) this.#zoomBySpeed(fix)
  }

  /** Whether a hand moves the map, or it still zooms. */
  get #isMoved() {
    return this.#isHeld || this.#isDragged || Boolean(this.map._animatingZoom)
  }

  #zoomBySpeed({ lat, speed }) {
    const level = this.map.getZoom()
    const next = this.#speedZoom.next(level, metresInPixel(level, lat), this.sheet.ahead, speed, performance.now())
    if (next === level) return
    this.#isZooming = true
    // A page in the background draws no frames.
    this.map.setZoom(next, { animate: !document.hidden })
  }

  /** Pans by pixels for a key, as a drag does. */
  pan(x, y) {
    if (this.sheet.isSquare) this.#suspend('heading')
    this.#isDragged = true
    this.#isFitted = false
    this.map.panBy([x, y], isStill ? { animate: false } : { duration: 0.2 })
  }

  /** By levels, from where the presses before lead: Leaflet would ignore one that comes before the end of an animation. */
  zoom(steps) {
    const { map } = this
    if (map._animatingZoom) map._onZoomTransitionEnd()
    const level = (this.#level ?? Math.round(map.getZoom())) + steps
    this.#level = Math.min(Math.max(level, map.getMinZoom()), map.getMaxZoom())
    this.#isZooming = this.#isFitted = false
    map.setZoom(this.#level)
  }

  // Where it opens, and what it draws

  /** Opens the map at a place, unless it has one. */
  open(place) {
    if (this.hasPlace && !(this.#isFitted && this.isFollowing)) return
    this.#isFitted = false
    this.#place(() => this.map.setView(place, 16, { animate: false }))
  }

  /** Moves the map, which no rider has done. */
  #place(move) {
    this.hasPlace = true
    document.body.classList.remove('nowhere')
    this.#isZooming = true
    move()
    this.#isZooming = false
  }

  /** Opens the map at the whole course, which may grow, unless it has a place. */
  #openCourse() {
    if (this.hasPlace && !this.#isFitted) return
    this.#isFitted = true
    this.#fit()
  }

  /** Shows the whole course, with north up; following ends. */
  showCourse() {
    if (!this.course.points.length) return
    this.rest()
    this.#isFitted = false
    if (this.isFollowing) {
      this.follows(false)
      this.onFree(this.isConnected())
    }
    if (this.sheet.isSquare) {
      this.sheet.level()
      this.sheet.lay(false)
    }
    this.#fit()
  }

  /** Shows the whole course beside what covers the map. */
  #fit() {
    const parts = ['#map', '#top', '#dock', '#controls .pair', '#follow']
    const [map, top, dock, zoom, follow] = parts.map((part) => find(part).getBoundingClientRect())
    const isBeside = dock.width > 0 && dock.right - map.left < 0.6 * map.width
    const left = isBeside ? Math.max(dock.right - map.left, 0) : 0
    const above = isBeside ? 0 : Math.min(top.bottom - map.top, 0.4 * map.height)
    const padding = { paddingTopLeft: [left + 24, above + 24], paddingBottomRight: [zoom.width + 36, follow.height + 36] }
    const bounds = this.course.points.map(({ place }) => place)
    this.#place(() => this.map.fitBounds(bounds, { ...padding, maxZoom: 16, animate: false }))
  }

  /** Draws the rider at a place, with the radius in metres, and moves the camera. */
  draw(place, radius, now) {
    const elapsed = Math.min(now - this.#frame, 100)
    this.#frame = now
    this.drawn = place
    this.open(place)
    if (!this.#isMoved) this.#turn(place.track, elapsed)
    this.puck.draw(place, radius, this.trail.last)
    if (this.isFollowing && !this.#isMoved) this.#aim(elapsed, now)
  }

  #turn(track, elapsed) {
    const { sheet } = this
    const isTurned = this.isFollowing && this.isHeadingUp && !this.#isTouched
    if (isTurned !== sheet.isSquare) {
      sheet.level()
      sheet.lay(isTurned)
    }
    if (isTurned) sheet.turn(track, this.#speed, isStill ? Infinity : elapsed)
  }

  /** Moves the camera to the rider. Leaflet's own panning rounds to pixels and redraws everything at each step. */
  #aim(elapsed, now) {
    const { map } = this
    const pane = map._getMapPanePos()
    const size = map.getSize()
    const aim = size.divideBy(2).subtract(this.puck.point())
    let offset = this.#offset ?? pane.subtract(aim)
    const reach = 1.5 * Math.max(size.x, size.y)
    const distance = Math.hypot(offset.x, offset.y)
    if (distance > reach) {
      // Too far to slide over.
      map.setView(this.drawn, map.getZoom(), { animate: false })
      this.#offset = L.point(0, 0)
      return
    }
    offset = isStill || distance < 0.2 ? L.point(0, 0) : offset.multiplyBy(Math.exp(-elapsed / easing))
    this.#offset = offset
    const raster = devicePixelRatio || 1
    const exact = aim.add(offset)
    // A turned map has no pixels of the screen.
    const next = this.sheet.isSquare ? exact : exact.multiplyBy(raster).round().divideBy(raster)
    const step = next.subtract(pane)
    if (!step.x && !step.y) return
    L.DomUtil.setPosition(map.getPane('mapPane'), next)
    // The arrow stays exactly in the middle: the rounding is left to the map.
    if (!offset.x && !offset.y) L.DomUtil.setPosition(this.puck._element, size.divideBy(2).subtract(next))
    this.#panned += Math.hypot(step.x, step.y)
    if (this.#panned < catchUp.pixels && (this.sheet.isSquare || now - this.#caughtUp < catchUp.time)) return
    this.#panned = 0
    this.#caughtUp = now
    map.fire('move').fire('moveend')
  }
}
