import Libc

/// Altitude, vertical speed and grade by a barometer and GNSS: pressure for seconds and minutes, GNSS for hours. It
/// begins with the first pressure.
package struct PressureAltitude: Sendable {
  /// Longest time from a fix to a pressure of the same way, and after which the way is another one, seconds.
  private static let longestStep = 3.0
  /// Slower than that, the way is too short for a grade, m/s.
  private static let leastSpeed = 1.0
  /// Standard deviations of the mean pressure altitude of a fix: assumed, and the least and greatest that are learned.
  private static let noise = (assumed: 0.15, least: 0.03, most: 1.0)
  /// Number of fixes over which the noise is learned.
  private static let memory = 30.0

  private var filter = Climb()
  private var window = GradeWindow()
  /// Of the fixes since the first pressure, metres and seconds.
  private var way = 0.0
  private var time = 0.0
  private var newest: (received: MonotonicInstant, speed: Double)?
  /// Of the pressures since the newest fix.
  private var sum = 0.0
  private var count = 0.0
  /// The means of the two fixes before, and the variance that their second differences show.
  private var means: (Double?, Double?) = (nil, nil)
  private var variance = Self.noise.assumed * Self.noise.assumed

  package init() {}

  /// The altitude of a pressure in the international standard atmosphere, metres; `nil` for one of no place on Earth.
  package static func altitude(ofPressure pascals: Double) -> Double? {
    guard 20_000...120_000 ~= pascals else { return nil }
    return 44_330.77 * (1 - pow(pascals / 101_325, 0.190_263))
  }

  /// Takes a pressure; `speed` is that of the moment, if known better than from the newest fix.
  package mutating func receive(pressure pascals: Double, speed: Double?, at instant: MonotonicInstant) {
    guard let altitude = Self.altitude(ofPressure: pascals) else { return }
    sum += altitude
    count += 1
    guard let newest else { return }
    let (age, speed) = (instant.seconds(since: newest.received), speed ?? newest.speed)
    guard age <= Self.longestStep, speed >= Self.leastSpeed else { return window.removeAll() }
    window.add(altitude, at: way + speed * max(0, age))
  }

  /// Adds to a fix what the pressures until it say.
  package mutating func complete(_ fix: inout Fix) {
    let speed = fix.ridingSpeed ?? 0
    let seconds = newest.map { max(0, fix.received.seconds(since: $0.received)) } ?? 0
    let mean = (speed + (newest?.speed ?? speed)) / 2
    // Slow speeds are noise, and without a way nothing climbs.
    if max(speed, newest?.speed ?? 0) >= Standstill.startedFrom {
      way += fix.fused.wheelWay.map(Double.init) ?? mean * seconds
    }
    time += seconds
    newest = (fix.received, speed)
    if seconds > Self.longestStep {
      window.removeAll()
      filter.unsettle(at: time)
      means = (nil, nil)
    }
    if fix.mode == .threeD, let altitude = fix.altitudeMSL {
      filter.add(
        altitude, error: fix.verticalAccuracy, isDilution: fix.verticalBasis == .dilution, at: time, distance: way)
    }
    if count > 0 { take(meanOf: sum / count, in: &fix) }
    (sum, count) = (0, 0)
    if let fused = filter.fused {
      fix.fused.altitude = Float(fused.height)
      fix.fused.altitudeError = Float(fused.error)
    }
    guard speed >= Self.leastSpeed, let slope = window.slope else { return }
    fix.fused.grade = Float(100 * slope.value)
    fix.fused.gradeError = Float(100 * slope.error)
    fix.climb = slope.value * speed
  }

  private mutating func take(meanOf altitude: Double, in fix: inout Fix) {
    if case (let first?, let second?) = means {
      let bend = altitude - 2 * second + first
      let limit = 6 * Self.noise.most * Self.noise.most
      // Of independent errors, a second difference has six times the variance.
      variance += (min(bend * bend, limit) / 6 - variance) / Self.memory
    }
    means = (means.1, altitude)
    let deviation = min(max(variance.squareRoot(), Self.noise.least), Self.noise.most)
    fix.fused.pressureAltitude = Float(altitude)
    fix.fused.pressureDeviation = Float(deviation)
    filter.add(pressure: altitude, deviation: deviation, at: time, distance: way)
  }
}
