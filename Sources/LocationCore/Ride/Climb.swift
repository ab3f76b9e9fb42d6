import Libc

/// Ascent and descent of a ride from noisy altitudes.
///
/// A Kalman filter separates the rider's height, which changes with the distance by the grade, from the receiver's
/// error, which changes with time. The heights of the last turns stay in its state: later altitudes correct them too. A
/// climb or descent counts in full when it is ``smallestClimb`` high and certain, otherwise not; without distance
/// nothing counts. Metres, seconds.
struct Climb: Sendable {
  /// Smallest height of a climb or descent that counts.
  private static let smallestClimb = 3.0
  /// Height of a climb or descent that counts, in standard deviations of what is known of it.
  private static let certainty = 3.5
  /// Standard deviation of the grade, and the distance over which it is correlated.
  private static let grade = (deviation: 0.04, length: 200.0)
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
  private static let usual = (unknown: 2.5, slow: 3.0)
  /// Time for which an accuracy holds.
  private static let accuracyAge = 10.0
  /// Ratio of a receiver's error to the one that a dilution of precision suggests with gpsd's conservative range error.
  private static let dilution = 0.4

  /// The lanes of ``state``: height, grade, slow error, and the height at the last highest and lowest point.
  private static let (height, steepness, slow, high, low) = (0, 1, 2, 3, 4)

  private var up = 0.0
  private var down = 0.0
  /// 1 in a climb, −1 in a descent, 0 before either.
  private var direction = 0
  private var hasBegun = false
  private var state = SIMD8<Double>.zero
  /// Covariance of ``state``, by rows.
  private var covariance: [5 of SIMD8<Double>] = .init(repeating: .zero)
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

  /// All climbs including the current one; `nil` before the first altitude.
  var ascent: Double? { hasBegun ? up + (direction > 0 ? reach : 0) : nil }

  /// All descents including the current one; `nil` before the first altitude.
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
    // A stop that is confirmed later takes distance back.
    let way = max(0, distance - self.distance)
    (self.time, self.distance) = (time, distance)
    predict(seconds, way, deviation)
    correct(altitude, seconds, deviation)
    count()
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

  private mutating func predict(_ seconds: Double, _ way: Double, _ deviation: Double) {
    slowDeviation =
      deviation < slowDeviation
      ? deviation : slowDeviation + (deviation - slowDeviation) * (1 - exp(-seconds / Self.trendTime))
    let (steady, kept) = (exp(-way / Self.grade.length), exp(-seconds / Self.memory.slow))
    let rise = Self.grade.length * (1 - steady)
    let factors = SIMD8(1, steady, kept, 1, 1, 0, 0, 0)
    func moved(_ row: SIMD8<Double>) -> SIMD8<Double> {
      var moved = row * factors
      moved[Self.height] += rise * row[Self.steepness]
      return moved
    }
    state = moved(state)
    covariance[Self.height] += rise * covariance[Self.steepness]
    for lane in covariance.indices { covariance[lane] = moved(covariance[lane] * factors[lane]) }
    let fresh = Self.grade.deviation * Self.grade.deviation * (1 - steady * steady)
    covariance[Self.height] += SIMD8(fresh * way * way / 3, fresh * way / 2, 0, 0, 0, 0, 0, 0)
    covariance[Self.steepness] += SIMD8(fresh * way / 2, fresh, 0, 0, 0, 0, 0, 0)
    covariance[Self.slow][Self.slow] += slowDeviation * slowDeviation * (1 - kept * kept)
    guard way == 0 else { return }
    let heights = SIMD8(1.0, 0, 0, 1, 1, 0, 0, 0)
    for lane in covariance.indices { covariance[lane] += heights[lane] * Self.drift * Self.drift * seconds * heights }
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
    for lane in covariance.indices { covariance[lane] -= gain[lane] * sum }
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
    return max(Self.smallestClimb, Self.certainty * max(0, variance).squareRoot())
  }

  /// Takes the height as that of a turn.
  private mutating func mark(_ turn: Int) {
    state[turn] = state[Self.height]
    covariance[turn] = covariance[Self.height]
    for lane in covariance.indices { covariance[lane][turn] = covariance[lane][Self.height] }
  }

  mutating func code(_ words: inout StateWords) {
    for value in [\Climb.up, \.down, \.slowDeviation, \.settlingSince, \.statedTime, \.time, \.distance] {
      words.code(&self[keyPath: value])
    }
    words.code(&direction)
    words.code(&hasBegun)
    words.code(&stated)
    for lane in covariance.indices {
      words.code(&state[lane])
      for other in covariance.indices { words.code(&covariance[lane][other]) }
    }
  }
}
