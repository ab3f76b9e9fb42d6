// What the page shows in words and numbers.

import { age, clock, duration, farMetres, height, known, metres, radius, scale, speed, timeLeft, timeOfDay, units } from './units.js'

const compass = ['N', 'NE', 'E', 'SE', 'S', 'SW', 'W', 'NW']
export const compassPoint = (degrees) => compass[Math.round(degrees / 45) % 8]
export const find = (selector) => document.querySelector(selector)

/** Sets a text, if it is another one: most lines change nothing that is seen. */
export function put(element, text) {
  if (element.textContent !== text) element.textContent = text
}

/** Sets the line of a sign, if it is another one. */
export function trace(path, line) {
  if (path.getAttribute('d') !== line) path.setAttribute('d', line)
}

/** Sets the figures of a list in their order. */
export const putFigures = (list, texts) => list.querySelectorAll('dd').forEach((figure, index) => put(figure, texts[index]))

/** What stands in place of a figure of the receiver while a sensor measures it: that figure, the name and the unit. */
const sensorCells = {
  heartRate: ['heading', 'Heart rate', ''], power: ['accuracy', 'Power', ' W'], crank: ['satellites', 'Cadence', ''],
}
/** Longest age of a sensor's value, milliseconds. */
const sensorLife = 5000

/** Speed, time of day, altitude, heading, accuracy, satellites; or what sensors measure. */
export class Dock {
  /** What the receiver says, by figure, and when that of a sensor in its place is too old. */
  #texts = {}
  #sensors = new Map()
  #numbers = Object.fromEntries(['altitude', 'heading', 'accuracy', 'satellites'].map((id) => [id, find(`#${id}`)]))
  #clock = find('#clock')
  #speed = find('#speed b')
  #button = find('#speed')
  #time = NaN
  #receivedAt = 0
  #fix

  constructor() {
    this.#button.addEventListener('click', () => this.resize())
    // In place of the altitude, the grade by a barometer, as the rider chooses.
    this.#numbers.altitude.parentElement.addEventListener('click', () => {
      localStorage.setItem('altitude', localStorage.getItem('altitude') === 'grade' ? 'height' : 'grade')
      if (this.#fix) this.show(this.#fix)
    })
    this.begin(false)
  }

  /** Begins in the size for riding or reading, unless the rider has chosen one in this browser. */
  begin(isRiding) {
    const chosen = localStorage.getItem('size')
    this.#size(chosen ? chosen === 'riding' : isRiding)
  }

  /** Changes between the size for reading and the one for riding. */
  resize() {
    this.#size(document.body.dataset.size !== 'riding')
    localStorage.setItem('size', document.body.dataset.size)
  }

  #size(isRiding) {
    put(find('#size'), isRiding ? 'Size for reading' : 'Size for riding')
    document.body.dataset.size = isRiding ? 'riding' : 'reading'
    this.#button.title = `${isRiding ? 'Smaller' : 'Larger'} figures and buttons (R)`
    this.#button.ariaPressed = isRiding
  }

  take(fix) {
    this.#time = Date.parse(fix.time)
    this.#receivedAt = performance.now() - 1000 * (fix.age ?? 0)
    this.show(fix)
  }

  /** Shows the figures of a fix that was taken, in the units at hand. */
  show(fix) {
    const { track, altFused, altMSL, alt, eph, grade } = fix
    const showsGrade = localStorage.getItem('altitude') === 'grade'
    this.#fix = fix
    // At a standstill it is the receiver's noise.
    put(this.#speed, known(fix.speed, (now) => String(Math.round(now < 0.5 ? 0 : speed(now)))))
    put(find('#speed span'), units.speed)
    put(this.#numbers.altitude.previousElementSibling, showsGrade ? 'Grade' : 'Altitude')
    this.#put('altitude', showsGrade ? known(grade, (now) => `${Math.round(now)} %`) : known(altFused ?? altMSL ?? alt, height))
    this.#put('accuracy', known(eph, (length) => `± ${radius(length)}`))
    if (track === undefined || fix.speed < 0.5) return
    this.#put('heading', `${compassPoint(track)} ${Math.round(track) % 360}°`)
  }

  #put(id, text) {
    this.#texts[id] = text
    if (!this.#sensors.has(id)) put(this.#numbers[id], text)
  }

  /** Takes a `SENSOR`. */
  takeSensor({ sensor, source, value, age, implausible }) {
    const [id, name, unit] = sensorCells[sensor] ?? []
    const end = performance.now() + sensorLife - 1000 * (age ?? 0)
    if (!id || value === undefined || implausible || end < performance.now()) return
    const shown = this.#sensors.get(id)
    // Of several units of a kind, the first until it is silent.
    if (shown && shown.source !== source) return
    const label = this.#numbers[id].previousElementSibling
    this.#sensors.set(id, { end, source, label: shown?.label ?? label.textContent })
    put(label, name)
    put(this.#numbers[id], `${Math.round(value)}${unit}`)
  }

  /** Shows the receiver's time, which goes on without a fix; `pace` is the speed of a recording, 0 while it stands still.
      A board may have no clock of its own. */
  tick(now, pace) {
    put(this.#clock, timeOfDay(this.#time + (now - this.#receivedAt) * pace))
    for (const [id, { end, label }] of this.#sensors) {
      if (now < end) continue
      this.#sensors.delete(id)
      put(this.#numbers[id].previousElementSibling, label)
      put(this.#numbers[id], this.#texts[id] ?? '–')
    }
  }

  sky(sky) {
    this.#put('satellites', sky.uSat && !sky.nSat ? `${sky.uSat}` : `${sky.uSat ?? 0} of ${sky.nSat ?? 0}`)
  }

  /** Without a fix, numbers would be a lie. */
  clear() {
    put(this.#speed, '–')
    this.#fix = undefined
    for (const id of Object.keys(this.#numbers)) this.#put(id, '–')
  }

  set isStale(isStale) {
    find('#dock').classList.toggle('stale', isStale)
  }
}

/** The figures of a trip, of several of the one that was started or reset last; without one, those of the recorded ride. And
    whether the ride is recorded, by a button for what a page may change. */
export class RideRow {
  /** The trips by name, and the newest `RECORD`. */
  trips = new Map()
  record
  /** Whether this page may change what is recorded, counted and followed. */
  mayControl = false
  #box = find('#ride')
  #figures = find('#trip')
  #button = find('#record')

  /** Calls `onOpen()` when the button is pressed. */
  constructor(onOpen) {
    this.#button.addEventListener('click', onOpen)
  }

  get isRecording() {
    return this.record?.state === 'recording' || this.record?.state === 'starting'
  }

  take(trip) {
    if (trip.state === 'ended') this.trips.delete(trip.name)
    else this.trips.set(trip.name, trip)
    this.show()
  }

  clear() {
    this.trips.clear()
    this.show({ record: undefined })
  }

  /** Shows it, with what has changed of the above. */
  show(changes) {
    Object.assign(this, changes)
    const state = this.record?.state ?? 'off'
    const trip = [...this.trips.values()].reduce((newest, one) => (newest?.duration < one.duration ? newest : one), undefined)
    const figures = trip ?? (this.record?.distance === undefined ? undefined : this.record)
    const words = { recording: 'Recording', starting: 'Recording starts', failed: 'Recording failed' }[state] ?? 'Not recorded'
    this.#button.hidden = !this.mayControl && (state === 'off' || state === 'stopped')
    this.#button.disabled = !this.mayControl
    this.#button.dataset.state = state
    this.#button.ariaLabel = this.mayControl ? `${words}: recording, trips, courses, targets` : words
    this.#button.title = this.#button.ariaLabel
    document.body.classList.toggle('recording', this.isRecording)
    this.#figures.hidden = !figures && this.#button.hidden
    this.#box.hidden = this.#figures.hidden
    this.#figures.title = trip?.name ?? this.record?.ride ?? ''
    put(this.#figures.querySelector('dt'), !trip ? 'Ride' : trip.state === 'paused' ? 'Paused' : 'Trip')
    put(find('#average'), `Avg ${units.speed}`)
    const { distance, movingTime, averageSpeed, ascent } = figures ?? {}
    putFigures(this.#figures, [
      known(distance, farMetres), known(movingTime, duration), known(averageSpeed, (mean) => speed(mean).toFixed(1)),
      known(ascent, height),
    ])
  }
}

const errorWords = {
  denied: 'Permission denied', notFound: 'Receiver not found', busy: 'Receiver in use', disabled: 'Receiver disabled',
  unavailable: 'Receiver unavailable', misconfigured: 'Invalid configuration', noNMEA: 'No NMEA from the receiver',
}
/** Why there is no position, where more than a view of the sky is missing. */
const reasonWords = {
  ...errorWords,
  noDevice: 'The receiver is unplugged',
  silent: 'Nothing arrives from the receiver: check its cable and its supply',
  wrongSpeed: 'No sentence arrives at the speed of the configuration',
  noNMEA: 'No sentence arrives, only bytes: the speed or the protocol may be wrong',
  antenna: 'No antenna that works: check its plug and its cable',
  jammed: 'Jamming prevents a fix',
  implausible: 'The receiver states impossible positions',
  timeOnly: 'The receiver knows the time only: it needs a better view of the sky',
  noPosition: 'Nothing that the receiver sends has a position',
}

/** The source's state with the remedy, or the loss of the connection. */
export class StateChip {
  #box = find('#state')
  /** The newest `STATE`, and whether the recording that plays has ended. */
  state
  hasEnded = false
  /** Why there is no connection, and whether the daemon does not answer, though the map server does. */
  loss = ''
  isSilent = false
  /** When the newest fix was received, milliseconds. */
  fixAt
  /** Whether the next fix should have come by now. */
  isOverdue = false

  /** Takes what has changed of the above. */
  take(changes) {
    Object.assign(this, changes)
    this.#show()
  }

  /** Whether a wheel continues the position without a fix, as far as that is known now. */
  get isEstimating() {
    return !this.loss && !this.isSilent && this.state?.estimating === true
  }

  /** The age of the last position grows. */
  tick() {
    if (this.state?.state === 'lost' || this.state?.state === 'tracking') this.#show()
  }

  #show() {
    const { kind, title, detail, words: said, remedy } = this.#words()
    const words = [this.isEstimating && 'Position estimated by the wheel', said].filter(Boolean).join(' · ')
    this.#box.dataset.kind = kind
    put(this.#box.querySelector('b'), title)
    put(this.#box.querySelector('span'), detail ?? '')
    const [text, advice] = this.#box.querySelectorAll('p')
    // A growing age is not read aloud every second.
    text.ariaLive = kind === 'poor' ? 'off' : 'polite'
    for (const [element, line] of [[text, words], [advice, remedy]]) {
      put(element, line ?? '')
      element.hidden = !line
    }
  }

  /** `remedy` as the daemon sends it: it may begin with a command or a path. */
  #words() {
    if (this.loss) {
      const words = this.loss[0].toUpperCase() + this.loss.slice(1)
      return { kind: 'lost', title: 'Connection lost', detail: 'reconnecting', words }
    }
    const ago = this.fixAt && `Last position ${age((performance.now() - this.fixAt) / 1000)} ago`
    if (this.isSilent) {
      return { kind: 'lost', title: 'The daemon does not answer', words: ago, remedy: 'systemctl restart handlebard' }
    }
    const { state } = this
    if (!state) return { kind: 'wait', title: 'Waiting for the receiver' }
    // The source's name alone would read as a ride that is being recorded.
    const detail = state.source?.replace(/^recording/, 'replay')
    switch (state.state) {
      case 'idle': return { kind: 'wait', title: this.hasEnded ? 'End of the recording' : 'Waiting' }
      case 'tracking':
        if (this.isOverdue) return { kind: 'poor', title: 'No new position', detail, words: ago }
        return {
          kind: 'good', title: state.mode === 2 ? '2D fix' : 'Tracking', detail,
          words: statements(state) ?? state.recordingError,
        }
      case 'acquiring':
        return {
          kind: 'wait', title: 'Acquiring', detail,
          words: statements(state) ?? 'No position yet: the receiver needs a view of the sky'
            + (state.signals === undefined ? '' : ` · signals: ${state.signals}, strong: ${state.strongSignals}`),
        }
      case 'lost': return { kind: 'poor', title: 'No fix', detail, words: [ago, statements(state)].filter(Boolean).join(' · ') }
      case 'failed':
        return { kind: 'bad', title: errorWords[state.error] ?? 'No receiver', words: state.message, remedy: state.remedy }
      default: return { kind: 'wait', title: 'Opening the receiver' }
    }
  }
}

/** Why there is no position, and what the receiver states, if that is a warning. Whether an open antenna is one, the daemon decides. */
function statements({ reason, jamming, spoofing, antenna }) {
  const words = reason in reasonWords ? [reasonWords[reason]] : []
  if (jamming === 'warning' || jamming === 'critical') words.push(`The receiver reports jamming: ${jamming}`)
  if (spoofing === 'indicated' || spoofing === 'multiple') words.push('The receiver reports spoofed signals')
  if (antenna === 'short') words.push('The receiver reports a short circuit of its antenna')
  return words.length ? words.join(' · ') : undefined
}

/** The nearest target: distance, direction, time of arrival. */
export class TargetChip {
  #box = find('#target')
  #remove = this.#box.querySelector('button')

  constructor(onRemove) {
    this.#remove.addEventListener('click', onRemove)
  }

  /** Shows an `ARRIVAL`; nothing without one. Only the page's own target can be removed. */
  show(arrival, isOwn) {
    this.#box.hidden = !arrival
    if (!arrival) return
    const { state, distance, bearing, eta } = arrival
    // Pages name theirs after themselves.
    const name = arrival.name.startsWith('map-') ? 'Target' : arrival.name
    this.#remove.hidden = !isOwn
    this.#box.dataset.state = state
    this.#box.title = name
    put(this.#box.querySelector('b'), state === 'arriving' ? `Arriving: ${name}` : name)
    const words = distance === undefined ? [] : [metres(distance)]
    if (eta !== undefined && state !== 'arriving') words.push(timeLeft(eta))
    put(this.#box.querySelector('p'), words.join(' · '))
    const arrow = this.#box.querySelector('svg')
    arrow.toggleAttribute('hidden', bearing === undefined)
    arrow.style.setProperty('--bearing', `${Math.round(bearing ?? 0)}deg`)
    arrow.ariaLabel = compassPoint(bearing ?? 0)
  }
}

/** Play, pause, speed and place of a recording. */
export class Player {
  static paces = [0.5, 1, 2, 4, 10, 25]
  #box = find('#playback')
  #play = find('#play')
  #seek = find('#seek')
  #pace = find('#pace')
  #report
  #receivedAt = 0
  #isSeeking = false

  /** Calls `change(fields)` with the fields of a `PLAYBACK` request. */
  constructor(change) {
    this.change = change
    this.#play.addEventListener('click', () => this.toggle())
    this.#pace.addEventListener('click', () => this.nextPace())
    this.#seek.addEventListener('input', () => {
      this.#isSeeking = true
      put(find('#place'), clock(this.#seek.valueAsNumber))
    })
    this.#seek.addEventListener('change', () => {
      this.#isSeeking = false
      const last = this.#report?.duration - 1
      if (last >= 0) this.change({ seek: Math.min(this.#seek.valueAsNumber, last) })
    })
  }

  /** Whether a recording plays whose length is not known yet. */
  get isUnmeasured() {
    return this.#report?.duration === undefined && this.#report !== undefined
  }

  take(report, now) {
    // Without a speed it is as fast as possible.
    this.#report = { ...report, speed: report.speed ?? 0 }
    this.#receivedAt = now
    this.#box.hidden = false
    const { duration, paused, ended, speed } = this.#report
    this.#seek.disabled = duration === undefined
    this.#seek.max = duration ?? 1
    put(find('#length'), duration === undefined ? '' : clock(duration))
    put(this.#pace, speed ? `${speed}×` : 'max')
    this.#pace.ariaLabel = `Speed of the recording: ${speed ? `${speed} times` : 'maximum'}`
    this.#play.classList.toggle('paused', Boolean(paused || ended))
    const label = ended ? 'Play again' : paused ? 'Play' : 'Pause'
    this.#play.setAttribute('aria-label', label)
    this.#play.title = `${label} (space)`
    this.tick(now)
  }

  hide() {
    this.#report = undefined
    this.#box.hidden = true
  }

  tick(now) {
    if (!this.#report || this.#isSeeking) return
    const { position, paused, ended, speed, duration } = this.#report
    // Seconds from the start of the recording.
    const place = Math.min(position + (paused || ended ? 0 : ((now - this.#receivedAt) / 1000) * speed), duration ?? Infinity)
    put(find('#place'), clock(place))
    this.#seek.value = place
    this.#seek.ariaValueText = clock(place)
    const share = duration ? place / duration : 0
    this.#seek.style.setProperty('--share', `${(100 * share).toFixed(1)}%`)
  }

  toggle() {
    if (!this.#report) return
    if (this.#report.ended) this.change({ pause: false, seek: 0 })
    else this.change({ pause: !this.#report.paused })
  }

  nextPace() {
    const { speed } = this.#report
    const next = Player.paces.find((pace) => pace > speed) ?? Player.paces[0]
    this.change({ speed: speed ? next : 1 })
  }
}

/** The length of the scale bar, and whose map it is. */
export class Legend {
  constructor(map) {
    this.map = map
    map.on('zoomend moveend', () => this.show())
  }

  credit(html) {
    // What is only text of an HTML attribution.
    const parsed = new DOMParser().parseFromString(html ?? '', 'text/html')
    put(find('#attribution'), parsed.body.textContent.trim())
  }

  show() {
    const { map } = this
    const middle = map.getSize().divideBy(2)
    const pixel = map.containerPointToLatLng(middle).distanceTo(map.containerPointToLatLng(middle.add([100, 0]))) / 100
    const { length, words } = scale(60 * pixel)
    const bar = find('#scale')
    put(bar, words)
    bar.style.width = `${Math.round(length / pixel)}px`
  }
}
