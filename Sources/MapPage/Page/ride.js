// What a rider changes on the way: recording, trips, the followed course and targets. For pages that may.

import { find, put } from './panels.js'
import { duration, farMetres } from './units.js'

/** The trip that a page starts. */
const ownTrip = 'Trip'

/** Calls `act` once the button has been held, by a pointer or a key, until it is filled: what a glove only touches stays. */
function hold(button, act) {
  const press = () => button.classList.add('held')
  const release = () => button.classList.remove('held')
  button.addEventListener('pointerdown', (event) => event.button === 0 && press())
  button.addEventListener('keydown', ({ key, repeat }) => (key === ' ' || key === 'Enter') && !repeat && press())
  for (const end of ['pointerup', 'pointerleave', 'pointercancel', 'keyup', 'blur']) button.addEventListener(end, release)
  button.addEventListener('transitionend', () => {
    release()
    act()
  })
}

export class RidePanel {
  /** The newest `COURSE` of each. */
  courses = new Map()
  #box = find('#panel')
  #list = find('#panel ul')
  #status = find('#panel header p')
  #shown

  /** Calls `send(name, fields)` with a request, which is false without a connection. */
  constructor(send, ride, course, targets) {
    Object.assign(this, { send, ride, course, targets })
    find('#panel button').addEventListener('click', () => this.#box.close())
    this.#box.addEventListener('click', ({ target }) => target === this.#box && this.#box.close())
    // Of a long press.
    this.#box.addEventListener('contextmenu', (event) => event.preventDefault())
  }

  get isOpen() {
    return this.#box.open
  }

  open() {
    put(this.#status, '')
    this.send('COURSE')
    this.#box.showModal()
    this.show()
  }

  /** Takes a `COURSE`. */
  take(course) {
    if (course.state === 'ended') this.courses.delete(course.name)
    else if (course.from === undefined) this.courses.set(course.name, course)
  }

  /** Shows why the daemon refuses a request; that there is nothing of a kind is no refusal. */
  refuse({ code, message }) {
    if (!['noTrip', 'noCourse', 'noTarget'].includes(code)) put(this.#status, message)
  }

  show() {
    if (!this.isOpen) return
    const things = this.#things()
    // A button that is held stays.
    const key = JSON.stringify(things.map(({ title, actions }) => [title, actions]))
    if (key !== this.#shown) this.#list.replaceChildren(...things.map((thing) => this.#row(thing)))
    this.#shown = key
    things.forEach(({ text }, index) => put(this.#list.children[index].querySelector('p'), text))
  }

  /** What there is: title, text, and actions: label, request, fields, and whether the button is held. */
  #things() {
    const { record, isRecording, trips } = this.ride
    const things = []
    const add = (title, text, ...actions) => things.push({ title, text, actions })
    const length = (far, words = '') => (far === undefined ? '' : ` · ${farMetres(far)}${words}`)
    if (isRecording) add('Recording', `Ride${length(record.distance)}`, ['Stop', 'RECORD', { enable: false }, true])
    else if (record && record.state !== 'off') add('Not recorded', record.error ?? 'Ride', ['Record', 'RECORD', { enable: true }])
    if (!trips.has(ownTrip)) add(ownTrip, 'Not started', ['Start', 'TRIP', { name: ownTrip }])
    for (const { name, distance, movingTime, lap } of trips.values()) {
      add(name, `${farMetres(distance)} · ${duration(movingTime)} · lap ${lap}`, ['Lap', 'TRIP', { name, lap: true }],
        ['Reset', 'TRIP', { name, reset: true }, true], ['End', 'TRIP', { name, enable: false }, true])
    }
    for (const { name, remaining } of this.courses.values()) {
      if (name !== this.course.report?.name) add(name, 'Course', ['Follow', 'COURSE', { name }])
      else add(name, `Course, followed${length(remaining, ' to go')}`, ['End', 'COURSE', { name, enable: false }, true])
    }
    for (const { name, distance } of this.targets.values()) {
      const title = name.startsWith('map-') ? 'Target' : name
      add(title, `Target${length(distance)}`, ['Remove', 'TARGET', { name, enable: false }, true])
    }
    return things
  }

  #row({ title, actions }) {
    const row = document.createElement('li')
    row.innerHTML = '<div><b></b><p></p></div><span></span>'
    put(row.querySelector('b'), title)
    for (const [label, request, fields, isHeld] of actions) {
      const button = document.createElement('button')
      const act = () => put(this.#status, this.send(request, fields) ? '' : 'No connection')
      button.type = 'button'
      button.textContent = label
      button.ariaLabel = `${label}${isHeld ? ', hold' : ''}: ${title}`
      button.classList.toggle('hold', isHeld === true)
      if (isHeld) hold(button, act)
      else button.addEventListener('click', act)
      row.lastElementChild.append(button)
    }
    return row
  }
}
