// Day and night at the rider's place.

const radians = Math.PI / 180

/** Elevation of the sun in degrees, to within 0.1°, at a time in milliseconds since 1970 and a place in degrees. */
export function sunElevation(time, lat, lon) {
  // Days since 2000-01-01T12:00Z; the formulas are those of the Astronomical Almanac for low precision.
  const days = time / 86_400_000 - 10_957.5
  const anomaly = (357.529 + 0.98560028 * days) * radians
  const longitude =
    (280.459 + 0.98564736 * days + 1.915 * Math.sin(anomaly) + 0.02 * Math.sin(2 * anomaly)) * radians
  const obliquity = (23.439 - 3.6e-7 * days) * radians
  const ascension = Math.atan2(Math.cos(obliquity) * Math.sin(longitude), Math.cos(longitude))
  const declination = Math.asin(Math.sin(obliquity) * Math.sin(longitude))
  const siderealDegrees = 280.46061837 + 360.98564736629 * days
  const hourAngle = (siderealDegrees + lon) * radians - ascension
  const height =
    Math.sin(lat * radians) * Math.sin(declination) +
    Math.cos(lat * radians) * Math.cos(declination) * Math.cos(hourAngle)
  return Math.asin(height) / radians
}

const icons = {
  auto: 'M12 3a9 9 0 1 0 0 18zM12 3a9 9 0 0 1 0 18',
  day: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8M12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.500 1.500M17.500 17.500L19 19M19 5l-1.500 1.500M6.500 17.500L5 19',
  night: 'M19.500 14.500A8 8 0 0 1 9.500 4.500a8 8 0 1 0 10 10z',
}
const choices = Object.keys(icons)
const words = { auto: 'by the sun', day: 'day', night: 'night' }

/** The theme of the page: chosen with the button, else night while the sun is down where the rider is. */
export class Daylight {
  #choice = 'auto'
  #isDark = matchMedia('(prefers-color-scheme: dark)').matches

  constructor(button) {
    const saved = localStorage.getItem('theme')
    if (choices.includes(saved)) this.#choice = saved
    this.button = button
    button.addEventListener('click', () => this.next())
    this.#show()
  }

  next() {
    this.#choice = choices[(choices.indexOf(this.#choice) + 1) % choices.length]
    localStorage.setItem('theme', this.#choice)
    this.#show()
  }

  /** Takes a fix with a time. */
  take(fix) {
    if (!fix.time) return
    const elevation = sunElevation(Date.parse(fix.time), fix.lat, fix.lon)
    // One degree apart, so that the theme does not flicker.
    const isDark = this.#isDark ? elevation < -1 : elevation < -2
    if (isDark === this.#isDark && this.known) return
    this.known = true
    this.#isDark = isDark
    this.#show()
  }

  #show() {
    const isNight = this.#choice === 'auto' ? this.#isDark : this.#choice === 'night'
    document.documentElement.dataset.theme = isNight ? 'night' : 'day'
    document.querySelector('meta[name=theme-color]').content = isNight ? '#14171a' : '#f3f1ec'
    const label = `Theme: ${words[this.#choice]} (N)`
    this.button.title = label
    this.button.setAttribute('aria-label', label)
    this.button.dataset.choice = this.#choice
    this.button.innerHTML = `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${icons[this.#choice]}"/></svg>`
  }
}
