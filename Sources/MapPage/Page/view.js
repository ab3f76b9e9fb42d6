// The map view: where it looks, what moved it, and whether it follows the rider.

import { CourseLine } from './course.js'
import { Grid, Puck, Trail } from './layers.js'

/** Least time between two reports of a view that moves, milliseconds. */
const reportInterval = 100
/** The camera is drawn in to the rider within about three times this, milliseconds. */
const easing = 110
/** Pixels and milliseconds after which tiles and trail catch up with a moving camera. */
const catchUp = { pixels: 48, time: 400 }
const overview = { lat: 30, lng: 10, zoom: 2 }
const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches

export class MapView {
  /** Where the rider was drawn last: lat, lon, track, radius, basis. */
  drawn
  #isFollowing = true
  #isConnected = false
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

  /** Calls `report(lat, lng, cause)` whenever the map has moved, `onFree(isRequested)` when it is freed by the page, which
      the daemon must be asked for if there is one, and `read(fields)` with a `COURSE` request. */
  constructor({ report, onFree, read }) {
    this.report = report
    this.onFree = onFree
    const saved = JSON.parse(sessionStorage.getItem('view') ?? 'null')
    this.hasPlace = saved !== null
    document.body.classList.toggle('nowhere', !this.hasPlace)
    const { lat, lng, zoom } = saved ?? overview
    this.map = L.map('map', {
      center: [lat, lng], zoom, minZoom: 2, maxZoom: 20, zoomControl: false, attributionControl: false,
      keyboard: false, bounceAtZoomLimits: false, wheelPxPerZoomLevel: 90, inertiaDeceleration: 2600,
      inertia: !isStill, zoomAnimation: !isStill, fadeAnimation: !isStill,
    })
    this.grid = new Grid({ pane: 'tilePane', updateWhenZooming: false, keepBuffer: 1, zIndex: 0 })
    this.grid.latitude = Math.round(lat)
    this.grid.addTo(this.map)
    this.course = new CourseLine(this.map, read)
    this.trail = new Trail(this.map)
    this.puck = new Puck().addTo(this.map)
    this.#listen()
    this.#zoomAboutRider()
  }

  #listen() {
    const { map } = this
    const box = map.getContainer()
    box.addEventListener('pointerdown', () => (this.#isHeld = true), true)
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
    map.on('zoomstart', () => (this.#offset = undefined))
    map.on('zoomend', () => this.#settled('zoom'))
    map.on('resize', () => {
      this.#offset = undefined
      this.#settled('resize')
    })
    map.on('contextmenu', (event) => this.onMenu?.(event))
    addEventListener('pagehide', () => this.#save())
    new ResizeObserver(() => map.invalidateSize({ pan: !this.#isFollowing })).observe(box)
  }

  #release() {
    if (!this.#isHeld) return
    this.#isHeld = false
    this.#offset = undefined
  }

  #save() {
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
    if (cause !== 'user' || !this.#isFollowing || !this.drawn) return
    // Without a daemon its rule holds here, too.
    const isFar = !this.#isConnected && this.map.distance(this.map.getCenter(), this.drawn) > 100
    if (isFar || this.#isRiderAside()) {
      this.follows(false)
      this.onFree(this.#isConnected)
    }
  }

  /** Whether the rider has left the middle half of the screen: zoomed in, 100 m are farther than anyone drags. */
  #isRiderAside() {
    const size = this.map.getSize()
    const { x, y } = this.map.latLngToContainerPoint(this.drawn)
    return Math.abs(x - size.x / 2) > size.x / 4 || Math.abs(y - size.y / 2) > size.y / 4
  }

  // Follow mode

  get isFollowing() {
    return this.#isFollowing
  }

  /** Starts or stops following. */
  follows(isFollowing) {
    if (isFollowing === this.#isFollowing) return
    this.#isFollowing = isFollowing
    this.#offset = undefined
    if (isFollowing) this.rest()
    this.#zoomAboutRider()
  }

  /** Ends a slide, and forgets its report that waits: either would free a view that has just been told to follow. */
  rest() {
    clearTimeout(this.#pending)
    this.#isDragged = false
    this.map.stop()
  }

  connected(isConnected) {
    this.#isConnected = isConnected
  }

  /** While it follows, the rider stays in the middle when the map is zoomed. */
  #zoomAboutRider() {
    const { options } = this.map
    options.scrollWheelZoom = options.touchZoom = options.doubleClickZoom = this.#isFollowing ? 'center' : true
  }

  /** A new fix: the trail grows, and a view that follows says so. */
  take(fix, isNew) {
    this.trail.add(fix.lat, fix.lon, isNew)
    if (this.#isFollowing && !this.#isHeld && !this.#isDragged) this.#moved('follow')
  }

  /** Pans by pixels for a key, as a drag does. */
  pan(x, y) {
    this.#isDragged = true
    this.map.panBy([x, y], isStill ? { animate: false } : { duration: 0.2 })
  }

  zoom(steps) {
    this.map.setZoom(Math.round(this.map.getZoom()) + steps)
  }

  // Frames

  /** Opens the map at a place, unless it has one. */
  open(place) {
    if (this.hasPlace) return
    this.hasPlace = true
    document.body.classList.remove('nowhere')
    this.map.setView(place, 16, { animate: false })
  }

  /** Draws the rider at a place, with the radius in metres, and moves the camera. */
  draw(place, radius, now) {
    const { map } = this
    const elapsed = Math.min(now - this.#frame, 100)
    this.#frame = now
    this.drawn = place
    this.open(place)
    this.puck.draw(place, radius, this.trail.last)
    if (!this.#isFollowing || this.#isHeld || this.#isDragged || map._animatingZoom) return
    this.#aim(elapsed, now)
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
    const next = aim.add(offset).multiplyBy(raster).round().divideBy(raster)
    const step = next.subtract(pane)
    if (!step.x && !step.y) return
    L.DomUtil.setPosition(map.getPane('mapPane'), next)
    // The arrow stays exactly in the middle: the rounding is left to the map.
    if (!offset.x && !offset.y) L.DomUtil.setPosition(this.puck._element, size.divideBy(2).subtract(next))
    this.#panned += Math.hypot(step.x, step.y)
    if (this.#panned < catchUp.pixels && now - this.#caughtUp < catchUp.time) return
    this.#panned = 0
    this.#caughtUp = now
    map.fire('move').fire('moveend')
  }
}
