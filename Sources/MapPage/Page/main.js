// The map page: a renderer of handlebar-protocol(7), as any other could be.

import { Guide } from './course.js'
import { Daemon } from './daemon.js'
import { Daylight } from './daylight.js'
import { flag } from './layers.js'
import { Freshness, Motion, beside, isApart } from './motion.js'
import { Dock, find, Legend, Player, put, RideRow, StateChip, TargetChip } from './panels.js'
import { Profile } from './profile.js'
import { RidePanel } from './ride.js'
import { units } from './units.js'
import { MapView } from './view.js'

/** How often targets and the recorded ride are asked for, milliseconds. */
const askInterval = 5000
/** How often the way so far is drawn, milliseconds. */
const profileInterval = 2000

// The daemon keeps a view's state for a page that is loaded again.
const viewName = sessionStorage.getItem('name') ?? `map-${crypto.getRandomValues(new Uint32Array(2)).join('-')}`
sessionStorage.setItem('name', viewName)
/** The target of this page, which is no other program's. */
const targetName = viewName

const motion = new Motion()
const freshness = new Freshness()
const dock = new Dock()
const chip = new StateChip()
const ride = new RideRow(() => panel.open())
const guide = new Guide()
const profile = new Profile()
const daylight = new Daylight(find('#night'))
const player = new Player((change) => daemon.send('PLAYBACK', change))
const targets = new Map()
/** Where this page's target is, which ends with the connection. */
let ownPlace
const targetChip = new TargetChip(() => daemon.send('TARGET', { name: targetName, enable: false }))
let fix
/** The newest position by the wheel since that fix; undefined without one. */
let estimate
let isTracking = false
/** The last known position of the daemon, and whether it has reported all that there is: a course comes first. */
let lastKnown
let isReported = false

/** Longest time between the fixes of two pages whose trail and target go on, milliseconds. */
const keptFor = 4 * 3_600_000
/** How often they are kept: a browser may crash, milliseconds. */
const keepInterval = 10_000
let isRestored = false
/** Whether the trail is the recorded ride's, and whether that is still to be taken. */
let isRecorded = false
let takesRide = true

const view = new MapView({
  report(lat, lon, cause) {
    daemon.send('VIEW', { view: viewName, lat: round(lat), lon: round(lon), ...(fix && { seq: fix.seq }), cause })
  },
  onFree(isRequested) {
    if (isRequested) daemon.send('FOLLOW', { view: viewName, enable: false })
    showControls()
  },
  isConnected: () => daemon.isOpen,
  onSuspend: () => showControls(),
  read: (fields) => daemon.send('COURSE', fields),
})
const panel = new RidePanel((name, fields) => daemon.send(name, fields), ride, view.course, targets)
const legend = new Legend(view.map)

const daemon = new Daemon(['FOLLOW', { view: viewName }], {
  onOpen() {
    // The daemon may be another one.
    chip.take({ loss: '', isSilent: false, state: undefined })
    freshness.reset()
    motion.reset()
    // What still holds is reported again.
    for (const name of targets.keys()) dropTarget(name)
    showTarget()
    ride.clear()
    view.course.clear()
    panel.courses.clear()
    isReported = false
    showGuide()
    // A restarted daemon starts with a view that follows.
    if (!view.isFollowing) daemon.send('FOLLOW', { view: viewName, following: false, restore: true })
    daemon.send('FOLLOW', { view: viewName })
    daemon.send('PLAYBACK')
    sendTarget()
    daemon.send('TARGET')
    daemon.send('COURSE')
    daemon.send('TRIP')
    daemon.send('RECORD')
  },
  onLine: (line) => handlers[line.class]?.(line),
  onHeartbeat: ({ mayControl }) => ride.show({ mayControl: mayControl === true }),
  onSilence: (isSilent) => chip.take({ isSilent }),
  onLost(reason) {
    chip.take({ loss: reason || 'the map server is not running, or not in reach' })
    if (takesRide && !isRecorded) takeRide()
    isTracking = false
    tick()
  },
})

const handlers = {
  TPV(line) {
    if (!(line.mode >= 2) || !isOnEarth(line)) return
    line.lon = beside(line.lon)
    estimate = line.reason === 'estimated' ? line : undefined
    if (estimate) return
    if (!isRestored) restore(Date.parse(line.time))
    if (!fix || line.seq !== fix.seq) freshness.take(line, performance.now(), motion.pace)
    fix = line
    chip.fixAt = performance.now() - 1000 * (line.age ?? 0)
    // The poses are of another place.
    if (isApart(line)) motion.reset()
    view.take(line, isApart(line))
    dock.take(line)
    daylight.take(line)
  },
  POSE(line) {
    if (isOnEarth(line)) motion.take({ ...line, lon: beside(line.lon) }, performance.now())
  },
  SKY: (line) => dock.sky(line),
  STATE(line) {
    chip.take({ state: line })
    isTracking = line.state === 'tracking'
    if (!isTracking) dock.clear()
    lastKnown = line.lastKnown
    openLast()
  },
  FOLLOW(line) {
    if (line.view !== viewName) return
    view.follows(line.following)
    showControls()
  },
  ARRIVAL(line) {
    const known = targets.get(line.name)
    if (line.state === 'removed') {
      dropTarget(line.name)
      if (line.name === targetName) ownPlace = undefined
    } else if (isOnEarth(line)) {
      line.lon = beside(line.lon)
      const marker = known?.marker.setLatLng(line) ?? flag(line).addTo(view.map)
      targets.set(line.name, { ...line, marker })
    }
    showTarget()
  },
  TRIP: (line) => ride.take(line),
  SENSOR: (line) => dock.takeSensor(line),
  RECORD(line) {
    ride.show({ record: line })
    isReported = true
    openLast()
    // Before a ride that begins later there may be more of a trail.
    if (takesRide && line.state === 'recording') takeRide()
    takesRide &&= line.state === 'starting'
  },
  COURSE(line) {
    view.course.take(line)
    panel.take(line)
    openLast()
    showGuide()
    showProfile()
  },
  PLAYBACK(line) {
    motion.pace = line.speed ?? 0
    freshness.isHeld = line.paused || line.ended
    player.take(line, performance.now())
    chip.take({ hasEnded: line.ended })
  },
  ERROR(line) {
    if (line.request !== 'PLAYBACK') return panel.refuse(line)
    // What a recording has left behind that played before is not the receiver's.
    player.hide()
    motion.pace = 1
    freshness.isHeld = false
    chip.take({ hasEnded: false })
  },
}

const round = (degrees) => Math.round(degrees * 1e9) / 1e9
/** Whether a line has a place on Earth: a far greater number would keep the map busy for ever. */
const isOnEarth = ({ lat, lon }) => Number.isFinite(lat) && Number.isFinite(lon) && Math.abs(lat) <= 90 && Math.abs(lon) <= 180

/** Without a fix and a course, the map opens at the last known position. */
function openLast() {
  if (!fix && isReported && !view.course.report && lastKnown && isOnEarth(lastKnown)) view.open(lastKnown)
}

function showGuide() {
  guide.show(view.course.report, view.course.cueAfter, fix?.speed)
  find('#overview').hidden = !view.course.report
}

// Targets

function showTarget() {
  const nearest = [...targets.values()].sort((a, b) => (a.distance ?? Infinity) - (b.distance ?? Infinity))[0]
  targetChip.show(nearest, nearest?.name === targetName && ownPlace !== undefined)
}

function dropTarget(name) {
  targets.get(name)?.marker.remove()
  targets.delete(name)
}

function setTarget(place) {
  dropTarget(targetName)
  ownPlace = place
  sendTarget()
}

function sendTarget() {
  if (ownPlace) daemon.send('TARGET', { name: targetName, lat: round(ownPlace.lat), lon: round(ownPlace.lng) })
}

// Distances change, the time of arrival at a stop, and the figures of the ride.
setInterval(() => {
  daemon.send('TARGET')
  daemon.send('RECORD')
}, askInterval)

// What a page that is loaded again goes on with

/** Keeps trail and target with the time of the newest fix: a board may have no clock of its own. */
function keep() {
  if (!isRestored || !fix?.time) return
  try {
    localStorage.setItem('ride', JSON.stringify({ time: Date.parse(fix.time), target: ownPlace, trail: view.trail.text }))
  } catch {
    // The browser has no room: the ride goes on without.
  }
}

/** Restores what an earlier page has kept, at the time of the first fix, if that is not long ago. */
function restore(time) {
  if (Number.isNaN(time)) return
  isRestored = true
  try {
    const kept = JSON.parse(localStorage.getItem('ride'))
    if (!kept || Math.abs(time - kept.time) > keptFor) return
    if (!isRecorded) view.trail.text = kept.trail
    if (kept.target && ownPlace === undefined) setTarget(L.latLng(kept.target))
  } catch {
    localStorage.removeItem('ride')
  }
}

/** Takes the way of the ride that is recorded, if the map server may read it: the page may have been opened in the middle. */
async function takeRide() {
  const answer = await fetch('trail.json').catch(() => undefined)
  if (answer?.status !== 200) return
  view.trail.ride = await answer.json()
  isRecorded = true
  view.open(view.trail.last)
}

setInterval(keep, keepInterval)
addEventListener('pagehide', keep)

const menu = find('#menu')
let menuPlace
function openMenu({ latlng, containerPoint }) {
  if (!view.hasPlace) return
  menuPlace = latlng.wrap()
  menu.hidden = false
  const { left, top } = view.map.getContainer().getBoundingClientRect()
  menu.style.left = `${Math.min(left + containerPoint.x, innerWidth - menu.offsetWidth - 8)}px`
  menu.style.top = `${Math.min(top + containerPoint.y, innerHeight - menu.offsetHeight - 8)}px`
  menu.querySelector('button').focus()
}
view.onMenu = openMenu
menu.addEventListener('click', closeMenu)

function switchZoom() {
  view.switchZoom()
  showControls()
}

function showProfile() {
  profile.show(view.course.profile, view.course.report, view.trail.parts)
}
setInterval(showProfile, profileInterval)

function changeUnits() {
  units.toggle()
  showControls()
  if (fix && isTracking) dock.show(fix)
  ride.show()
  showGuide()
  showTarget()
  showProfile()
  legend.show()
}

function closeMenu() {
  if (menu.contains(document.activeElement)) find('#map').focus({ preventScroll: true })
  menu.hidden = true
}
addEventListener('pointerdown', (event) => menu.contains(event.target) || closeMenu(), true)

// Buttons and keys

function showControls() {
  put(find('#zooming'), view.zoomsBySpeed ? 'Do not zoom by speed' : 'Zoom by speed')
  put(find('#units'), units.isImperial ? 'Show kilometres' : 'Show miles')
  find('#follow').hidden = view.isFollowing && !view.isSuspended
  const up = find('#north')
  up.ariaPressed = view.isHeadingUp
  up.title = `${view.isHeadingUp ? 'Heading' : 'North'} up while following (H)`
  up.ariaLabel = 'Heading up while following'
}

function follow() {
  if (view.isFollowing) {
    view.resume()
  } else {
    view.rest()
    if (daemon.send('FOLLOW', { view: viewName, enable: true })) return
    view.follows(true)
  }
  showControls()
}

function turnUp() {
  view.turnUp()
  showControls()
}
showControls()

const buttons = {
  follow,
  north: turnUp,
  closer: () => view.zoom(1),
  farther: () => view.zoom(-1),
  overview: () => view.showCourse(),
  here: () => setTarget(menuPlace),
  zooming: switchZoom,
  units: changeUnits,
  size: () => dock.resize(),
}
for (const [id, act] of Object.entries(buttons)) find(`#${id}`).addEventListener('click', act)

const keys = {
  f: follow,
  h: turnUp,
  o: buttons.overview,
  z: switchZoom,
  n: () => daylight.next(),
  r: buttons.size,
  u: changeUnits,
  ' ': () => player.toggle(),
  '+': buttons.closer,
  '=': buttons.closer,
  '-': buttons.farther,
  ArrowLeft: () => view.pan(-120, 0),
  ArrowRight: () => view.pan(120, 0),
  ArrowUp: () => view.pan(0, -120),
  ArrowDown: () => view.pan(0, 120),
  // At the middle of the map.
  t: () => openMenu({ latlng: view.map.getCenter(), containerPoint: view.map.getSize().divideBy(2) }),
  Escape: closeMenu,
}
addEventListener('keydown', (event) => {
  if (panel.isOpen) return
  const isControl = event.target.closest('button, input')
  if (event.ctrlKey || event.altKey || event.metaKey || (isControl && (event.key === ' ' || event.key.startsWith('Arrow')))) return
  const key = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key]
  if (!key) return
  event.preventDefault()
  key()
})

// Frames

function frame(now) {
  const pose = motion.at(performance.now())
  // Before the first pose, the fix that the daemon knew already.
  const place = pose ?? fix
  if (place) {
    // The radius of the pose is about the next fix; the error of that comes on top.
    view.puck.isKnown = isTracking && !chip.isOverdue
    view.puck.isEstimated = chip.isEstimating
    view.draw(place, Math.hypot(pose?.radius ?? 0, (estimate ?? fix)?.eph ?? 0), now)
  }
  requestAnimationFrame(frame)
}
requestAnimationFrame(frame)
setInterval(() => player.isUnmeasured && daemon.send('PLAYBACK'), 1000)
function tick() {
  const now = performance.now()
  if (daemon.isOpen) player.tick(now)
  panel.show()
  dock.tick(now, freshness.isHeld ? 0 : motion.pace)
  // Numbers of a fix that is overdue are not those of now.
  const isOverdue = isTracking && freshness.isOverdue(now)
  dock.isStale = isOverdue || !daemon.isOpen
  chip.isOverdue = isOverdue
  chip.tick()
}
setInterval(tick, 250)

// Tiles

legend.show()

const { minZoom, maxZoom, attribution, error, riding } = await (await fetch('map.json')).json()
dock.begin(riding)
if (maxZoom !== undefined) {
  const tiles = L.tileLayer('tiles/{z}/{x}/{y}', {
    minZoom, maxZoom: 20, maxNativeZoom: maxZoom, className: 'tiles', zIndex: 1, updateWhenIdle: false,
    updateInterval: 150,
  }).addTo(view.map)
  tiles.once('tileload', ({ tile }) => isLight(tile) && tiles.getContainer().classList.add('light'))
}
legend.credit(attribution ?? error)

/** Whether an image is light on average: a drawn map, which can be inverted by night, and no photograph. */
function isLight(image) {
  const canvas = document.createElement('canvas')
  canvas.width = canvas.height = 1
  const context = canvas.getContext('2d')
  context.drawImage(image, 0, 0, 1, 1)
  const [red, green, blue] = context.getImageData(0, 0, 1, 1).data
  return 0.3 * red + 0.6 * green + 0.1 * blue > 150
}

// For the browser's console and the tests.
globalThis.page = { view, daemon, viewName, tick, get fix() { return fix } }
