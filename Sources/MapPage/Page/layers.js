// What the map shows besides tiles: the grid, the trail, targets and the rider.

import { places } from './course.js'
import { beside } from './motion.js'
import { roundLength } from './units.js'

/** Metres in a degree of latitude. */
const degree = 111_320
/** Most points of the trail. */
const maximumPoints = 4096
/** How far the recorded ride may end before a fix without a gap, milliseconds: the newest is not read at once. */
const recordedWithin = 10_000

/** Metres in a pixel at a zoom level and a latitude. */
export const metresInPixel = (zoom, latitude) => (40_075_017 / (256 * 2 ** zoom)) * Math.cos((latitude * Math.PI) / 180)

/** Lines a round number of metres apart, so that distances can be seen without a map. */
export const Grid = L.GridLayer.extend({
  /** Metres between two lines at a zoom level. */
  length(zoom) {
    return roundLength(90 * metresInPixel(zoom, this.latitude))
  },

  /** Adapts the distance of the meridians to the latitude of the map's centre. */
  adapt(latitude) {
    if (Math.abs(latitude - this.latitude) < 0.5) return
    this.latitude = Math.max(-80, Math.min(80, Math.round(latitude)))
    this.redraw()
  },

  createTile({ x, y, z }) {
    const size = this.getTileSize()
    const tile = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
    const crs = this._map.options.crs
    const place = (dx, dy) => crs.pointToLatLng(L.point((x + dx) * size.x, (y + dy) * size.y), z)
    const [northWest, southEast] = [place(0, 0), place(1, 1)]
    const step = this.length(z) / degree
    const across = step / Math.cos((this.latitude * Math.PI) / 180)
    let path = ''
    for (let line = Math.ceil(southEast.lat / step); line * step < northWest.lat; line++) {
      const point = crs.latLngToPoint(L.latLng(line * step, 0), z)
      path += `M0 ${(point.y - y * size.y).toFixed(2)}H${size.x}`
    }
    for (let line = Math.ceil(northWest.lng / across); line * across < southEast.lng; line++) {
      const point = crs.latLngToPoint(L.latLng(0, line * across), z)
      path += `M${(point.x - x * size.x).toFixed(2)} 0V${size.y}`
    }
    tile.innerHTML = `<path class="grid" d="${path}"/>`
    return tile
  },
})

/** The way since the page was opened, and before that of the recorded ride or the page before. Of a long one the older half
    gets coarser. */
export class Trail {
  /** Its points in parts between gaps; each has its altitude in `alt` if that is known. */
  parts = []
  #count = 0
  /** When the recorded ride ended that has been taken. */
  #end

  constructor(map) {
    // Of a canvas as large as the sheet, every pixel is drawn in every frame.
    const renderer = (this.renderer = L.svg())
    this.casing = L.polyline([], { renderer, className: 'casing', weight: 8, opacity: 0.9, interactive: false }).addTo(map)
    this.line = L.polyline([], { renderer, className: 'trail', weight: 4.5, interactive: false }).addTo(map)
  }

  get last() {
    return this.parts.at(-1)?.at(-1)
  }

  /** Adds a fix; `isNew` when none preceded it without a gap. */
  add({ lat, lon, altMSL, alt, time }, isNew) {
    const point = L.latLng(lat, lon)
    if (Math.abs(altMSL ?? alt) < 1e5) point.alt = altMSL ?? alt
    point.time = Date.parse(time)
    this.#push(point, isNew)
  }

  #push(point, isNew) {
    if (!this.parts.length || (isNew && !(point.time - this.#end < recordedWithin))) this.parts.push([])
    const part = this.parts.at(-1)
    if (part.at(-1)?.distanceTo(point) < 1) return
    part.push(point)
    if (++this.#count > maximumPoints) this.#thin()
    this.#show()
  }

  /** The recorded ride, which takes the place of all that is not newer. */
  set ride({ time, parts }) {
    this.#end = Date.parse(time)
    const newer = this.parts.map((part) => part.filter((point) => point.time > this.#end))
    this.parts = parts.map((part) => places(part.polyline, part.elevation).map(({ lat, lng, height }) => L.latLng(lat, lng, height)))
    this.#count = this.parts.flat().length
    this.#show()
    for (const part of newer) part.forEach((point, index) => this.#push(point, index === 0))
  }

  /** The points as text, and back: what a page that is loaded again draws before its own. */
  get text() {
    return JSON.stringify(this.parts.map((part) => part.map(({ lat, lng, alt }) => [
      Number(lat.toFixed(6)), Number(lng.toFixed(6)), ...(alt === undefined ? [] : [Math.round(alt)]),
    ])))
  }

  set text(text) {
    const parts = JSON.parse(text).map((part) => part.map(([lat, lng, alt]) => L.latLng(lat, beside(lng), alt)))
    this.parts.unshift(...parts)
    this.#count += parts.flat().length
    this.#show()
  }

  #thin() {
    let older = this.#count / 2
    this.#count = 0
    for (const part of this.parts) {
      const kept = part.filter((_, index) => older-- < 0 || index % 2 === 0 || index === part.length - 1)
      part.splice(0, part.length, ...kept)
      this.#count += kept.length
    }
    this.parts = this.parts.filter((part) => part.length > 1 || part === this.parts.at(-1))
  }

  #show() {
    // A single point is no way.
    const parts = this.parts.filter((part) => part.length > 1)
    this.casing.setLatLngs(parts)
    this.line.setLatLngs(parts)
  }
}

/** The rider: an arrow in the direction of travel, a dot without one, in the circle of accuracy. */
export const Puck = L.Layer.extend({
  /** Whether there is a fix; without one, the place is an old one, or estimated. */
  isKnown: false,
  isEstimated: false,

  getEvents() {
    return { viewreset: this._place, zoom: this._place, zoomanim: this._animate }
  },

  onAdd(map) {
    const pane = map.getPane('rider') ?? map.createPane('rider')
    pane.style.zIndex = 650
    this._element = L.DomUtil.create('div', 'puck leaflet-zoom-animated', pane)
    this._element.innerHTML =
      '<svg viewBox="-24 -24 48 48"><circle class="accuracy"/><line class="tail"/><g><circle class="disc" r="16.500"/>' +
      '<path class="arrow" d="M0-12L8 8.500 0 5-8 8.500z"/><circle class="dot" r="6"/></g></svg>'
    this._circle = this._element.querySelector('.accuracy')
    this._tail = this._element.querySelector('.tail')
    this._body = this._element.querySelector('g')
    this._element.hidden = true
  },

  onRemove() {
    this._element.remove()
  },

  /** Draws a place, with the radius in metres and the newest point of the trail. */
  draw(place, radius, tail) {
    this.place = place
    this._radius = radius
    this._end = tail
    this._element.hidden = false
    this._place()
  },

  /** Where the rider is, in the pixels of the map's panes. */
  point(place = this.place) {
    return this._map.project(place).subtract(this._map.getPixelOrigin())
  },

  _place() {
    if (!this.place || this._map._animatingZoom) return
    const point = this.point()
    L.DomUtil.setPosition(this._element, point)
    this._size(this._map.getZoom())
    const { track } = this.place
    this._body.style.transform = `rotate(${(track ?? 0).toFixed(1)}deg)`
    this._element.dataset.course = track === undefined ? 'unknown' : 'known'
    this._element.classList.toggle('old', !this.isKnown && !this.isEstimated)
    this._element.classList.toggle('estimated', this.isEstimated)
    if (!this._end) return this._tail.removeAttribute('x2')
    const end = this.point(this._end).subtract(point)
    this._tail.setAttribute('x2', end.x.toFixed(1))
    this._tail.setAttribute('y2', end.y.toFixed(1))
  },

  _size(zoom) {
    const radius = Math.min((this._radius ?? 0) / metresInPixel(zoom, this.place.lat), 1500)
    // A smaller one is below the arrow.
    this._circle.setAttribute('r', radius < 20 ? 0 : radius.toFixed(1))
  },

  _animate({ zoom, center }) {
    if (!this.place) return
    this._tail.removeAttribute('x2')
    L.DomUtil.setPosition(this._element, this._map._latLngToNewLayerPoint(L.latLng(this.place), zoom, center))
    this._size(zoom)
  },
})

/** A target on the map. */
export function flag(place) {
  const html = '<svg viewBox="0 0 24 32"><path d="M12 31C6 22 2.500 17 2.500 11.500a9.500 9.500 0 0 1 19 0C21.500 17 18 22 12 31z"/><circle cx="12" cy="11.500" r="3.500"/></svg>'
  return L.marker(place, {
    icon: L.divIcon({ className: 'flag', html, iconSize: [30, 40], iconAnchor: [15, 39] }),
    interactive: false,
    keyboard: false,
  })
}
