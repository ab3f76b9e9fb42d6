import Libc

/// Altitude, vertical speed and grade: by pressure for seconds and minutes, by GNSS for hours.
package struct PressureAltitude: Sendable {
  /// Longest time from a fix to a pressure of the same way, and after which the way is another one, seconds.
  private static let longestStep = 3.0
  /// Slower than that, the way is too short for a grade, m/s.
  private static let leastSpeed = 1.0
  /// Standard deviations of the mean pressure altitude of a fix: assumed, and the least and greatest that are learned.
  private static let noise = (assumed: 0.15, least: 0.03, most: 1.0)
  /// Number of fixes over which the noise is learned.
  private static let memory = 30.0
  /// Largest number of pressures between two fixes: more of them change nothing.
  private static let most = 64
  /// Usual time from an epoch to the arrival of its fix, seconds.
  private static let latency = 0.15

  private var filter = Climb()
  private var window = GradeWindow()
  /// Of the fixes since the first pressure, metres and seconds.
  private var way = 0.0
  private var time = 0.0
  private var newest: (received: MonotonicInstant, speed: Double)?
  private var pressures: [(received: MonotonicInstant, altitude: Double)] = []
  /// The means of the two fixes before, and the variance that their second differences show.
  private var means: (Double?, Double?) = (nil, nil)
  private var variance = Self.noise.assumed * Self.noise.assumed

  /// The altitude of a pressure in the international standard atmosphere, metres; `nil` for one of no place on Earth.
  package static func altitude(ofPressure pascals: Double) -> Double? {
    guard SensorKind.pressure.plausible ~= pascals else { return nil }
    return 44_330.77 * (1 - pow(pascals / 101_325, 0.190_263))
  }

  package mutating func receive(pressure pascals: Double, at instant: MonotonicInstant) {
    guard let altitude = Self.altitude(ofPressure: pascals) else { return }
    if pressures.count == Self.most { pressures.removeFirst() }
    pressures.append((instant, altitude))
  }

  /// Adds to a fix what the pressures until it say.
  package mutating func complete(_ fix: inout Fix, _ fused: inout FusedMotion) {
    let speed = fused.ridingSpeed(of: fix) ?? 0
    let seconds = newest.map { max(0, fix.received.seconds(since: $0.received)) } ?? 0
    let before = newest?.speed ?? speed
    // Slow speeds are noise, and without a way nothing climbs.
    let step =
      max(speed, before) < Standstill.startedFrom
      ? 0 : fused.wheelWay.map(Double.init) ?? (speed + before) / 2 * seconds
    time += seconds
    if seconds > Self.longestStep {
      window = GradeWindow()
      filter.unsettle(at: time)
      means = (nil, nil)
    } else if min(speed, before) < Self.leastSpeed {
      window = GradeWindow()
    } else if let newest, seconds > 0 {
      for pressure in pressures {
        let age = pressure.received.seconds(since: newest.received) + Self.latency
        guard age <= seconds else { break }
        // At constant acceleration from one fix to the next.
        let part = age * (before + (speed - before) / 2 * age / seconds) / ((before + speed) / 2 * seconds)
        window.add(pressure.altitude, at: way + step * part)
      }
    }
    way += step
    newest = (fix.received, speed)
    if fix.mode == .threeD, let altitude = fix.altitudeMSL {
      filter.add(
        altitude, error: fix.verticalAccuracy, isDilution: fix.verticalBasis == .dilution, at: time, distance: way)
    }
    takePressures(until: fix.received, into: &fused)
    if let altitude = filter.fused {
      fused.altitude = Float(altitude.height)
      fused.altitudeError = Float(altitude.error)
    }
    guard speed >= Self.leastSpeed, let slope = window.slope else { return }
    fused.grade = Float(100 * slope.value)
    fused.gradeError = Float(100 * slope.error)
    fix.climb = slope.value * speed
  }

  /// Takes the mean of the pressures until the epoch.
  private mutating func takePressures(until instant: MonotonicInstant, into fused: inout FusedMotion) {
    let end = pressures.firstIndex { instant.seconds(since: $0.received) < Self.latency } ?? pressures.count
    guard end > 0 else { return }
    let altitude = pressures[..<end].reduce(0) { $0 + $1.altitude } / Double(end)
    pressures.removeFirst(end)
    if case (let first?, let second?) = means {
      let bend = altitude - 2 * second + first
      let limit = 6 * Self.noise.most * Self.noise.most
      // Of independent errors, a second difference has six times the variance.
      variance += (min(bend * bend, limit) / 6 - variance) / Self.memory
    }
    means = (means.1, altitude)
    let deviation = min(max(variance.squareRoot(), Self.noise.least), Self.noise.most)
    fused.pressureAltitude = Float(altitude)
    fused.pressureDeviation = Float(deviation)
    filter.add(pressure: altitude, deviation: deviation, at: time, distance: way)
  }
}
