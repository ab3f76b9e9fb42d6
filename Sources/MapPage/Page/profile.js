// The profile: heights along the followed course with the rider's place and the climb at hand, or along the way so far.

import { find, put, trace } from './panels.js'
import { height } from './units.js'

/** Columns of the picture, and its rows. */
const columns = 160
const rows = 40
/** Least metres from the bottom to the top: flat land is to look flat. */
const leastRange = 40
/** Least metres of a way so far. */
const leastWay = 200

/** Mean heights in columns of the same length, from places with `along`, metres from the start, and `height`; undefined when
    no height is known. A column without any lies between its neighbours. */
export function heights(places) {
  const length = places.at(-1)?.along
  if (!(length > 0)) return undefined
  const sums = new Float64Array(columns)
  const counts = new Uint32Array(columns)
  for (const { along, height } of places) {
    if (height === undefined) continue
    const column = Math.min(Math.floor((along / length) * columns), columns - 1)
    sums[column] += height
    counts[column] += 1
  }
  const known = [...counts.keys()].filter((column) => counts[column])
  if (known.length < 2) return undefined
  const means = Array.from(sums, (sum, column) => sum / counts[column])
  let next = 0
  for (let column = 0; column < columns; column++) {
    while (next < known.length - 1 && known[next] < column) next++
    if (counts[column]) continue
    const [from, to] = [known[Math.max(next - 1, 0)], known[next]]
    const share = to > from ? Math.max(0, Math.min((column - from) / (to - from), 1)) : 0
    means[column] = means[from] + share * (means[to] - means[from])
  }
  return { length, means, low: Math.min(...means), high: Math.max(...means) }
}

export class Profile {
  #box = find('#profile')
  #drawn
  #way

  /** Shows the profile of a course, made by `heights`, with its `COURSE`; else that of the parts of the trail. */
  show(course, report, parts) {
    const isCourse = course !== undefined && report !== undefined
    if (!isCourse) this.#take(parts)
    const profile = isCourse ? course : this.#way
    this.#box.hidden = profile === undefined
    if (!profile) return
    if (profile !== this.#drawn) this.#draw(profile)
    this.#box.dataset.of = isCourse ? 'course' : 'trail'
    put(find('#profile span'), height(profile.high))
    put(find('#profile span + span'), height(profile.low))
    const { along = 0, state, climb, reverse } = isCourse ? report : { along: profile.length }
    const x = (metres) => Math.max(0, Math.min((metres / profile.length) * columns, columns)).toFixed(1)
    const [left, right] = reverse ? [x(along), columns] : [0, x(along)]
    trace(find('#profile .ridden'), `M${left} 0H${right}V${rows}H${left}z`)
    const isClimbing = state === 'on' && climb > 0
    trace(find('#profile .climb'), isClimbing ? `M${x(along)} 0H${x(along + climb)}V${rows}H${x(along)}z` : '')
    trace(find('#profile .here'), state === 'before' ? '' : `M${x(along)} 0V${rows}`)
    const words = `Heights from ${height(profile.low)} to ${height(profile.high)}`
    this.#box.firstElementChild.ariaLabel = isCourse ? `${words}, ridden to ${Math.round((100 * along) / profile.length)} %` : words
  }

  #draw(profile) {
    this.#drawn = profile
    const { means, low, high } = profile
    const range = Math.max(high - low, leastRange)
    const bottom = (high + low - range) / 2
    const line = means.map((mean, column) => `${column + 0.5} ${(rows - 3 - ((mean - bottom) / range) * (rows - 8)).toFixed(1)}`).join('L')
    trace(find('#profile .line'), `M${line}`)
    trace(find('#land path'), `M0 ${rows}L${line}L${columns} ${rows}z`)
  }

  /** The way so far, from points with an altitude; a gap has no length. */
  #take(parts) {
    let along = 0
    const places = []
    for (const part of parts) {
      part.forEach((point, index) => {
        if (index) along += point.distanceTo(part[index - 1])
        places.push({ along, height: point.alt })
      })
    }
    this.#way = along < leastWay ? undefined : heights(places)
  }
}
