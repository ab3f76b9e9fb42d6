import Libc

/// Ascent and descent of a ride from noisy altitudes. A Kalman filter separates the rider's height, which changes with
/// the distance by the grade, from the receiver's error, which changes with time. The heights of the last turns stay in
/// its state: later altitudes correct them too. A climb or descent counts in full when it is ``smallestClimb`` high and
/// certain, otherwise not; without distance nothing counts. Metres, seconds. With a barometer the state has the offset
/// of the pressure's altitude, which changes with the weather, and its scale, which is that of the air's temperature:
/// pressure gives the height of seconds and minutes, GNSS that of hours.
struct Climb: Sendable {
  /// Smallest height of a climb or descent that counts, without pressure and with it.
  private static let smallestClimb = (alone: 3.0, pressure: 1.0)
  /// Height of a climb or descent that counts, in standard deviations of what is known of it.
  private static let certainty = 3.5
  /// Standard deviation of the grade, and the distance over which it is correlated: with pressure, its changes show.
  private static let grade = (deviation: 0.04, length: 200.0, lengthByPressure: 60.0)
  /// Times over which the error of orbits and ionosphere, and that of reflections, are correlated.
  private static let memory = (slow: 90.0, fast: 4.0)
  /// Time in which the slow error follows a growing accuracy.
  private static let trendTime = 200.0
  /// Standard deviation right after a gap, and the time constant of its decay.
  private static let unsettled = (deviation: 10.0, time: 5.0)
  /// Standard deviation that all heights gain together in a second at a stop.
  private static let drift = 0.6
  /// Standard deviation of the noise in a second.
  private static let noise = 0.3
  /// Standard deviation without an accuracy, and the largest one assumed of a slow error at the beginning.
  private static let usual = (unknown: 2.5, slow: 6.0)
  /// Time for which an accuracy holds.
  private static let accuracyAge = 10.0
  /// Ratio of a receiver's error to the one that a dilution of precision suggests with gpsd's conservative range error.
  private static let dilution = 0.4

  /// Standard deviation that weather adds to the pressure's offset in a second: in motion, and at a stop, of no height.
  private static let weather = (moving: 0.06, standing: 0.4)
  /// Standard deviation of the scale of the pressure: 7 °C more or less than in the standard atmosphere.
  private static let scale = 0.025
  /// Time for which a pressure holds.
  private static let pressureAge = 10.0
  /// Misfits, each of so many standard deviations, after which the offset begins again: in a cabin, pressure jumps.
  private static let misfits = (count: 5, deviations: 5.0)
  /// Part of the slow error that may last for hours.
  private static let lasting = 0.7

  /// The lanes of ``state``: height, grade, slow error, height at the last high and low, offset and scale of pressure.
  private static let (height, steepness, slow, high, low, offset, factor) = (0, 1, 2, 3, 4, 5, 6)
  private static let gnss = 0..<5

  private var up = 0.0
  private var down = 0.0
  /// 1 in a climb, −1 in a descent, 0 before either.
  private var direction = 0
  private var hasBegun = false
  private var state = SIMD8<Double>.zero
  /// Covariance of ``state``, by rows.
  private var covariance: [7 of SIMD8<Double>] = .init(repeating: .zero)
  /// Standard deviation of the slow error.
  private var slowDeviation = 0.0
  /// Time of the newest fix after a gap or a jump.
  private var settlingSince = 0.0
  /// Standard deviation of the newest accuracy, and its time.
  private var stated: Double?
  private var statedTime = 0.0
  /// Time and distance of the newest altitude.
  private var time = 0.0
  private var distance = 0.0
  /// Time of the newest pressure, and the height at which its scale has no effect.
  private var pressed: Double?
  private var reference = 0.0
  private var misfits = 0

  var isFused: Bool { pressed != nil }
  private var lanes: Range<Int> { pressed == nil ? Self.gnss : 0..<covariance.count }
  private var hasPressure: Bool { pressed.map { time - $0 < Self.pressureAge } ?? false }

  /// The height and its 95 % error, while there are pressures.
  var fused: (height: Double, error: Double)? {
    guard hasBegun, hasPressure else { return nil }
    let lasting = Self.lasting * slowDeviation
    let variance = max(0, covariance[Self.height][Self.height]) + lasting * lasting
    return (state[Self.height], Confidence.line * variance.squareRoot())
  }

  /// All climbs and descents including the current one; `nil` before the first altitude.
  var ascent: Double? { hasBegun ? up + (direction > 0 ? reach : 0) : nil }
  var descent: Double? { hasBegun ? down + (direction < 0 ? reach : 0) : nil }
  /// Height between the last turns. Corrections may reverse small ones.
  private var reach: Double { max(0, state[Self.high] - state[Self.low]) }
  /// Expects the errors after a gap or a jump.
  mutating func unsettle(at time: Double) { settlingSince = time }

  /// Adds an altitude with its 95 % error, at a time and a distance of the ride.
  mutating func add(_ altitude: Double, error: Double?, isDilution: Bool, at time: Double, distance: Double) {
    if let error {
      (stated, statedTime) = (error / Confidence.line * (isDilution ? Self.dilution : 1), time)
    } else if time - statedTime > Self.accuracyAge {
      stated = nil
    }
    let deviation = stated ?? Self.usual.unknown
    guard hasBegun else { return begin(altitude, deviation, time, distance) }
    let seconds = max(0, time - self.time)
    advance(to: time, distance, deviation)
    correct(altitude, seconds, deviation)
    count()
  }

  /// Adds an altitude in the standard atmosphere with its standard deviation, after a first altitude.
  mutating func add(pressure altitude: Double, deviation: Double, at time: Double, distance: Double) {
    guard hasBegun else { return }
    advance(to: time, distance, stated ?? Self.usual.unknown)
    let isFirst = pressed == nil
    pressed = time
    if isFirst {
      reference = state[Self.height]
      covariance[Self.factor][Self.factor] = Self.scale * Self.scale
      state[Self.offset] = altitude - reference
      return beginOffset(deviation)
    }
    let span = state[Self.height] - reference
    let innovation = altitude - (state[Self.height] + state[Self.offset] + state[Self.factor] * span)
    let sum = pressureCovariance + covariance[Self.offset]
    let variance = project(sum) + sum[Self.offset] + deviation * deviation
    let limit = Self.misfits.deviations
    guard innovation * innovation <= limit * limit * variance else {
      misfits += 1
      guard misfits == Self.misfits.count else { return }
      state[Self.offset] += innovation
      return beginOffset(deviation)
    }
    misfits = 0
    var gain = sum / variance
    // The scale follows from GNSS alone: what is assumed of grades would bias it.
    gain[Self.factor] = 0
    state += gain * innovation
    let rest = sum - gain * variance
    for lane in lanes { covariance[lane] -= gain[lane] * sum + rest[lane] * gain }
    count()
  }

  /// Covariance of the state with the pressure's altitude but for its offset.
  private var pressureCovariance: SIMD8<Double> {
    covariance[Self.height] * (1 + state[Self.factor])
      + covariance[Self.factor] * (state[Self.height] - reference)
  }

  private func project(_ row: SIMD8<Double>) -> Double {
    row[Self.height] * (1 + state[Self.factor]) + row[Self.factor] * (state[Self.height] - reference)
  }

  /// Takes the offset as what a pressure's altitude lacks.
  private mutating func beginOffset(_ deviation: Double) {
    misfits = 0
    let row = -pressureCovariance
    for lane in lanes where lane != Self.offset { covariance[lane][Self.offset] = row[lane] }
    covariance[Self.offset] = row
    covariance[Self.offset][Self.offset] = deviation * deviation - project(row)
  }

  private mutating func begin(_ altitude: Double, _ deviation: Double, _ time: Double, _ distance: Double) {
    (self.time, self.distance, settlingSince, hasBegun) = (time, distance, time, true)
    slowDeviation = min(deviation, Self.usual.slow)
    let variance = slowDeviation * slowDeviation
    state[Self.height] = altitude
    covariance[Self.height] = SIMD8(deviation * deviation + Self.noise * Self.noise, 0, -variance, 0, 0, 0, 0, 0)
    covariance[Self.steepness][Self.steepness] = Self.grade.deviation * Self.grade.deviation
    covariance[Self.slow] = SIMD8(-variance, 0, variance, 0, 0, 0, 0, 0)
    mark(Self.high)
    mark(Self.low)
  }

  private mutating func advance(to time: Double, _ distance: Double, _ deviation: Double) {
    let seconds = max(0, time - self.time)
    // A stop that is confirmed later takes distance back.
    let way = max(0, distance - self.distance)
    (self.time, self.distance) = (time, distance)
    slowDeviation =
      deviation < slowDeviation
      ? deviation : slowDeviation + (deviation - slowDeviation) * (1 - exp(-seconds / Self.trendTime))
    let length = hasPressure ? Self.grade.lengthByPressure : Self.grade.length
    let (steady, kept) = (exp(-way / length), exp(-seconds / Self.memory.slow))
    let rise = length * (1 - steady)
    let factors = SIMD8(1, steady, kept, 1, 1, 1, 1, 0)
    func moved(_ row: SIMD8<Double>) -> SIMD8<Double> {
      var moved = row * factors
      moved[Self.height] += rise * row[Self.steepness]
      return moved
    }
    state = moved(state)
    covariance[Self.height] += rise * covariance[Self.steepness]
    for lane in lanes { covariance[lane] = moved(covariance[lane] * factors[lane]) }
    let fresh = Self.grade.deviation * Self.grade.deviation * (1 - steady * steady)
    covariance[Self.height] += SIMD8(fresh * way * way / 3, fresh * way / 2, 0, 0, 0, 0, 0, 0)
    covariance[Self.steepness] += SIMD8(fresh * way / 2, fresh, 0, 0, 0, 0, 0, 0)
    covariance[Self.slow][Self.slow] += slowDeviation * slowDeviation * (1 - kept * kept)
    let weather = way == 0 ? Self.weather.standing : Self.weather.moving
    covariance[Self.offset][Self.offset] += pressed == nil ? 0 : weather * weather * seconds
    guard way == 0, !hasPressure else { return }
    let heights = SIMD8(1.0, 0, 0, 1, 1, 0, 0, 0)
    for lane in lanes { covariance[lane] += heights[lane] * Self.drift * Self.drift * seconds * heights }
  }

  private mutating func correct(_ altitude: Double, _ seconds: Double, _ deviation: Double) {
    let period = max(seconds, 0.05)
    let remainder = Self.unsettled.deviation * exp((settlingSince - time) / Self.unsettled.time)
    // Correlated errors weigh as much as a single one of their time.
    let fast = max(0, deviation * deviation - slowDeviation * slowDeviation) + remainder * remainder
    let variance = fast * max(1, 2 * Self.memory.fast / period) + Self.noise * Self.noise * max(1, 1 / period)
    let sum = covariance[Self.height] + covariance[Self.slow]
    let gain = sum / (sum[Self.height] + sum[Self.slow] + variance)
    state += gain * (altitude - state[Self.height] - state[Self.slow])
    for lane in lanes { covariance[lane] -= gain[lane] * sum }
  }

  private mutating func count() {
    let height = state[Self.height]
    if direction >= 0, height >= state[Self.high] { mark(Self.high) }
    if direction <= 0, height <= state[Self.low] { mark(Self.low) }
    if direction <= 0, height - state[Self.low] >= threshold(since: Self.low) {
      if direction < 0 { down += reach }
      direction = 1
      mark(Self.high)
    } else if direction >= 0, state[Self.high] - height >= threshold(since: Self.high) {
      if direction > 0 { up += reach }
      direction = -1
      mark(Self.low)
    }
  }

  /// Smallest difference to a turn's height that counts.
  private func threshold(since turn: Int) -> Double {
    let now = covariance[Self.height]
    let variance = now[Self.height] + covariance[turn][turn] - 2 * now[turn]
    let smallest = hasPressure ? Self.smallestClimb.pressure : Self.smallestClimb.alone
    return max(smallest, Self.certainty * max(0, variance).squareRoot())
  }

  /// Takes the height as that of a turn.
  private mutating func mark(_ turn: Int) {
    state[turn] = state[Self.height]
    covariance[turn] = covariance[Self.height]
    for lane in lanes { covariance[lane][turn] = covariance[lane][Self.height] }
  }

  mutating func code(_ words: inout StateWords) {
    for value in [\Climb.up, \.down, \.slowDeviation, \.settlingSince, \.statedTime, \.time, \.distance] {
      words.code(&self[keyPath: value])
    }
    words.code(&direction)
    words.code(&hasBegun)
    words.code(&stated)
    for lane in Self.gnss {
      words.code(&state[lane])
      for other in Self.gnss { words.code(&covariance[lane][other]) }
    }
  }

  /// The values that there are only with pressures.
  mutating func codePressure(_ words: inout StateWords) {
    words.code(&pressed)
    guard pressed != nil else { return }
    words.code(&reference)
    for lane in [Self.offset, Self.factor] {
      words.code(&state[lane])
      for other in covariance.indices {
        words.code(&covariance[lane][other])
        words.code(&covariance[other][lane])
      }
    }
  }
}
