import Libc

/// Ascent and descent of a ride from noisy altitudes.
///
/// A Kalman filter separates the rider's height, which changes with the distance by the grade, from the receiver's error,
/// which changes with time. A climb or descent of that height counts in full from ``threshold`` on, otherwise not. Without
/// distance the height is corrected, but nothing counts. Metres, seconds.
struct Climb: Hashable, Sendable {
  /// Smallest height of a climb or descent that counts.
  private static let smallestClimb = 5.0
  /// Height of a climb or descent that counts, in standard deviations of the error.
  private static let deviations = 5.0
  /// Standard deviation of the grade, and the distance over which it is correlated.
  private static let grade = (deviation: 0.015, length: 300.0)
  /// Times over which the error of orbits and ionosphere, and that of reflections, are correlated.
  private static let memory = (slow: 120.0, fast: 8.0)
  /// Time in which the slow error follows a growing accuracy.
  private static let trendTime = 600.0
  /// Standard deviation right after a gap, and the time constant of its decay.
  private static let unsettled = (deviation: 10.0, time: 5.0)
  /// Uncertainty that the height gains at a stop in a second.
  private static let drift = 0.6
  /// Standard deviation of the noise in a second.
  private static let noise = 0.3
  /// Standard deviation without an accuracy, and the largest one assumed of a slow error at the beginning.
  private static let usual = (unknown: 2.5, slow: 3.0)
  /// Time for which an accuracy holds.
  private static let accuracyAge = 10.0
  /// Ratio of a receiver's error to the one that a dilution of precision suggests with gpsd's conservative range error.
  private static let dilution = 0.4

  private var up = 0.0
  private var down = 0.0
  /// 1 in a climb, −1 in a descent, 0 before either.
  private var direction = 0
  /// The highest height since the last turn; `nil` before the first altitude.
  private var high: Double?
  private var low = 0.0
  /// Height, grade, slow error.
  private var state = SIMD3(0.0, 0, 0)
  /// Covariance of ``state``, by columns.
  private var covariance = Columns(SIMD3(0.0, 0, 0), SIMD3(0.0, 0, 0), SIMD3(0.0, 0, 0))
  /// Standard deviation of the slow error.
  private var slow = 0.0
  /// Time of the newest fix after a gap or a jump.
  private var settlingSince = 0.0
  /// Standard deviation of the newest accuracy, and its time.
  private var stated: Double?
  private var statedTime = 0.0
  /// Time and distance of the newest altitude.
  private var time = 0.0
  private var distance = 0.0

  private struct Columns: Hashable, Sendable {
    var height, grade, slow: SIMD3<Double>
    init(_ height: SIMD3<Double>, _ grade: SIMD3<Double>, _ slow: SIMD3<Double>) {
      (self.height, self.grade, self.slow) = (height, grade, slow)
    }
  }

  /// All climbs including the current one; `nil` before the first altitude.
  var ascent: Double? { high.map { direction > 0 ? up + $0 - low : up } }

  /// All descents including the current one; `nil` before the first altitude.
  var descent: Double? { high.map { direction < 0 ? down + $0 - low : down } }

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
    guard high != nil else { return begin(altitude, deviation, time, distance) }
    let seconds = max(0, time - self.time)
    // A stop that is confirmed later takes distance back.
    let way = max(0, distance - self.distance)
    (self.time, self.distance) = (time, distance)
    predict(seconds, way, deviation)
    let correction = correct(altitude, seconds, deviation)
    count(correction: way == 0 ? correction : 0)
  }

  private mutating func begin(_ altitude: Double, _ deviation: Double, _ time: Double, _ distance: Double) {
    (self.time, self.distance, settlingSince) = (time, distance, time)
    (high, low) = (altitude, altitude)
    slow = min(deviation, Self.usual.slow)
    let variance = slow * slow
    state = SIMD3(altitude, 0, 0)
    covariance = Columns(
      SIMD3(deviation * deviation + Self.noise * Self.noise, 0, -variance),
      SIMD3(0, Self.grade.deviation * Self.grade.deviation, 0), SIMD3(-variance, 0, variance))
  }

  private mutating func predict(_ seconds: Double, _ way: Double, _ deviation: Double) {
    slow = deviation < slow ? deviation : slow + (deviation - slow) * (1 - exp(-seconds / Self.trendTime))
    let (steady, kept) = (exp(-way / Self.grade.length), exp(-seconds / Self.memory.slow))
    let reach = Self.grade.length * (1 - steady)
    let fresh = Self.grade.deviation * Self.grade.deviation * (1 - steady * steady)
    state = SIMD3(state.x + reach * state.y, steady * state.y, kept * state.z)
    let old = covariance
    let heightGrade = steady * (old.height.y + reach * old.grade.y) + fresh * way / 2
    let heightSlow = kept * (old.height.z + reach * old.grade.z)
    let gradeSlow = steady * kept * old.grade.z
    covariance.height = SIMD3(
      old.height.x + 2 * reach * old.height.y + reach * reach * old.grade.y + fresh * way * way / 3
        + (way == 0 ? Self.drift * Self.drift * seconds : 0), heightGrade, heightSlow)
    covariance.grade = SIMD3(heightGrade, steady * steady * old.grade.y + fresh, gradeSlow)
    covariance.slow = SIMD3(heightSlow, gradeSlow, kept * kept * old.slow.z + slow * slow * (1 - kept * kept))
  }

  /// Returns the correction of the height.
  private mutating func correct(_ altitude: Double, _ seconds: Double, _ deviation: Double) -> Double {
    let period = max(seconds, 0.05)
    let remainder = Self.unsettled.deviation * exp((settlingSince - time) / Self.unsettled.time)
    // Correlated errors weigh as much as a single one of their time.
    let variance =
      (max(0, deviation * deviation - slow * slow) + remainder * remainder) * max(1, 2 * Self.memory.fast / period)
      + Self.noise * Self.noise * max(1, 1 / period)
    let sum = covariance.height + covariance.slow
    let gain = sum / (sum.x + sum.z + variance)
    let correction = gain * (altitude - state.x - state.z)
    state += correction
    covariance.height -= gain * sum.x
    covariance.grade -= gain * sum.y
    covariance.slow -= gain * sum.z
    return correction.x
  }

  private mutating func count(correction: Double) {
    guard let top = high.map({ $0 + correction }) else { return }
    let (bottom, height) = (low + correction, state.x)
    let threshold = max(Self.smallestClimb, Self.deviations * slow)
    (high, low) = (direction < 0 ? top : max(top, height), direction > 0 ? bottom : min(bottom, height))
    switch direction {
    case 1 where height <= top - threshold:
      up += top - bottom
      (direction, low) = (-1, height)
    case -1 where height >= bottom + threshold:
      down += top - bottom
      (direction, high) = (1, height)
    case 0 where height >= bottom + threshold: direction = 1
    case 0 where height <= top - threshold: direction = -1
    default: break
    }
  }

  mutating func code(_ words: inout StateWords) {
    for value in [\Climb.up, \.down, \.low, \.slow, \.settlingSince, \.statedTime, \.time, \.distance] {
      words.code(&self[keyPath: value])
    }
    words.code(&direction)
    words.code(&high)
    words.code(&stated)
    for column in [\Climb.state, \.covariance.height, \.covariance.grade, \.covariance.slow] {
      for axis in 0..<3 { words.code(&self[keyPath: column][axis]) }
    }
  }
}
