// Figures as words, in the units that the rider has chosen, and times of day where the browser is.

const foot = 0.3048
const mile = 1609.344
/** Kilometres or miles; kept in the browser. */
export const units = {
  isImperial: localStorage.getItem('units') === 'imperial',
  toggle() {
    this.isImperial = !this.isImperial
    localStorage.setItem('units', this.isImperial ? 'imperial' : 'metric')
  },
  get speed() {
    return this.isImperial ? 'mph' : 'km/h'
  },
}

/** A speed in m/s as a number of the units. */
export const speed = (metresPerSecond) => metresPerSecond * (units.isImperial ? 3600 / mile : 3.6)

/** A height or an ascent, in metres or feet. */
export const height = (length) => (units.isImperial ? `${Math.round(length / foot)} ft` : `${Math.round(length)} m`)

/** A radius of less than ten units with a decimal. */
export function radius(length) {
  const number = units.isImperial ? length / foot : length
  return `${number < 9.5 ? number.toFixed(1) : Math.round(number)} ${units.isImperial ? 'ft' : 'm'}`
}

/** A length, in kilometres or miles with a decimal below `coarse`, which is in either. */
export function metres(length, coarse = 9.95) {
  const [far, name] = units.isImperial ? [length / mile, 'mi'] : [length / 1000, 'km']
  // A tenth of a mile is 528 feet.
  if (units.isImperial ? far < 0.095 : length < 995) return height(length)
  return far < coarse ? `${far.toFixed(1)} ${name}` : `${Math.round(far)} ${name}`
}

/** That of a ride or a course. */
export const farMetres = (length) => metres(length, 99.95)

/** A figure in words; a dash for none. */
export const known = (figure, words) => (figure === undefined ? '–' : words(figure))

/** 1, 2 or 5 times a power of ten, at least `least`. */
export function roundLength(least) {
  const power = 10 ** Math.floor(Math.log10(least))
  return [1, 2, 5, 10].map((factor) => factor * power).find((length) => length >= least * 0.999)
}

/** A round length of at least `least` metres for a scale bar: metres and words. */
export function scale(least) {
  const [unit, name] = !units.isImperial ? (least > 500 ? [1000, 'km'] : [1, 'm']) : least > 1000 * foot ? [mile, 'mi'] : [foot, 'ft']
  const length = roundLength(least / unit)
  return { length: length * unit, words: `${Number(length.toPrecision(1))} ${name}` }
}

/** How long ago something was, in a word or two: 12 s, 5 min, 2 h. */
export function age(seconds) {
  if (seconds < 60) return `${Math.floor(seconds)} s`
  return seconds < 3600 ? `${Math.floor(seconds / 60)} min` : `${Math.floor(seconds / 3600)} h`
}

const two = (number) => String(number).padStart(2, '0')

/** 1:05, 1:02:05 */
export function clock(seconds) {
  const whole = Math.max(0, Math.floor(seconds))
  const hours = Math.floor(whole / 3600)
  const minutes = Math.floor(whole / 60) % 60
  return hours ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`
}

/** 1:05, then 1:02 h */
export function duration(seconds) {
  return seconds < 3600 ? clock(seconds) : `${clock(seconds).slice(0, -3)} h`
}

/** A time that is left, which is not to be read as a time of day: 5 min, then 1:02 h */
export function timeLeft(seconds) {
  const minutes = Math.round(seconds / 60)
  return minutes < 60 ? `${Math.max(1, minutes)} min` : duration(60 * minutes)
}

/** The time of day of milliseconds since 1970, where the browser is; a dash for none. */
export function timeOfDay(time) {
  const date = new Date(time)
  return Number.isNaN(date.getTime()) ? '–' : `${date.getHours()}:${two(date.getMinutes())}`
}
