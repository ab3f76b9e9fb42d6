import LocationCore

/// A ride along a route, seen by a receiver, epoch after epoch.
///
/// The same ride gives the same bytes on every machine: numbers come from ``SeededRandom``, and all arithmetic is
/// of the kinds that IEEE 754 fixes to the last bit (`ExactMath`).
package struct RideSimulator: Sendable {
  /// The receiver that sees the ride.
  package let receiver: ReceiverProfile
  private let clock: SimulatedClock
  private let conditions: RideConditions
  private let period: Duration
  private var motion: Motion
  private var noise: PositionNoise
  private var sky: SimulatedSky
  private var epoch = 0
  /// When the satellites were last lost, and found again, in seconds from the start.
  private var skyLost: Double?
  private var skyFound = 0.0
  /// When the receiver last found itself, in seconds from the start; `nil` while it has no fix.
  private var fixSince: Double?

  private static let secondsIn2D = 1.0
  /// A receiver believes in no smaller error, metres.
  private static let smallestSigma = 0.1

  /// A ride from its first epoch on.
  package init(_ ride: SimulatedRide) {
    receiver = ride.receiver
    clock = ride.clock
    conditions = ride.conditions
    motion = ride.motion
    let rate = max(1, receiver.rate)
    period = .nanoseconds(1_000_000_000 / Int64(rate))
    noise = PositionNoise(seed: ride.seed, period: 1 / Double(rate))
    sky = SimulatedSky(seed: ride.seed, constellations: receiver.constellations)
  }

  /// The next epoch; `nil` when the ride is over.
  package mutating func next() -> SimulatedEpoch? {
    let seconds = Double(epoch) / Double(max(1, receiver.rate))
    guard seconds <= motion.duration else { return nil }
    let elapsed = period * epoch
    let (measured, isLeapSecond) = clock.time(after: elapsed)
    let truth = motion.state(at: seconds)
    let solution = solution(at: seconds, in: truth.place.surroundings)
    let hasFix = if case .fix = solution { true } else { false }
    let error = noise.next(in: truth.place.surroundings)
    let scale = LocalScale(latitude: truth.place.latitude)
    let latitude = truth.place.latitude + error.north * conditions.noise / scale.metresPerDegreeNorth
    var longitude = truth.place.longitude + error.east * conditions.noise / scale.metresPerDegreeEast
    longitude -= (longitude / 360).rounded() * 360
    let speed = abs(truth.speed + error.speed * conditions.noise)
    var course =
      truth.place.course + ExactMath.course(east: error.drift * conditions.noise, north: max(speed, 0.01))
    course -= (course / 360).rounded(.down) * 360
    let sigma = max(error.sigma * conditions.noise, Self.smallestSigma)
    let output = ReceiverOutput(
      measured: conditions.hasRolledOver ? measured + SimulatedClock.rollover : measured, isLeapSecond: isLeapSecond,
      uptime: elapsed.nanoseconds, solution: solution, position: hasFix ? (latitude, longitude) : nil,
      altitude: truth.place.altitude + error.up * conditions.noise, speed: speed, course: course, sigma: sigma,
      satellites: sky.satellites(at: seconds, in: truth.place.surroundings, hasFix: hasFix),
      hasSky: epoch % max(1, receiver.skyEvery) == 0)
    epoch += 1
    var text = SentenceText()
    output.write(as: receiver, into: &text)
    return SimulatedEpoch(
      elapsed: elapsed, measured: measured, isLeapSecond: isLeapSecond, truth: truth, solution: solution,
      reported: hasFix ? Coordinate(latitude: latitude, longitude: longitude) : nil, course: course, sigma: sigma,
      sentences: text.bytes)
  }

  private mutating func solution(at seconds: Double, in surroundings: Route.Surroundings) -> SimulatedEpoch.Solution {
    if seconds < receiver.coldStart {
      return seconds < receiver.coldStart * 0.4 ? .nothing : .time
    }
    if surroundings == .tunnel {
      if skyLost == nil { skyLost = seconds }
      fixSince = nil
      return .time
    }
    if let lost = skyLost {
      // After a short loss the receiver still knows nearly everything.
      skyFound = seconds + min(receiver.reacquisition, (seconds - lost) / 4)
      skyLost = nil
    }
    guard seconds >= skyFound else { return .time }
    if let fixSince { return .fix(seconds - fixSince < Self.secondsIn2D ? .twoD : .threeD) }
    let isFirst = seconds == 0
    fixSince = isFirst ? -Self.secondsIn2D : seconds
    if isFirst { return .fix(.threeD) }
    noise.disturb()
    return .fix(.twoD)
  }
}

/// One epoch of a simulated ride: what is true, and what the receiver makes of it.
package struct SimulatedEpoch: Sendable {
  /// What the receiver knows.
  package enum Solution: Hashable, Sendable {
    /// Nothing, not even the time.
    case nothing
    /// The time.
    case time
    /// The time and a fix of that mode.
    case fix(FixMode)
  }

  /// Since the start of the ride.
  package let elapsed: Duration
  /// The epoch's instant.
  package let measured: UTCInstant
  /// Whether that is the second 23:59:60, which shares its number with the one that follows it.
  package let isLeapSecond: Bool
  /// Where the rider is.
  package let truth: Motion.State
  /// What the receiver knows.
  package let solution: Solution
  /// Where the receiver says that the rider is, degrees, in full precision. `nil` without a fix.
  package let reported: Coordinate?
  /// Where the receiver says that the rider is going, degrees from true north.
  package let course: Double
  /// The standard deviation that the receiver believes in along each axis, metres.
  package let sigma: Double
  /// The sentences.
  package let sentences: [UInt8]

  /// Whether it has a fix.
  package var hasFix: Bool { reported != nil }

  /// Where the rider is.
  package var position: Coordinate? {
    Coordinate(latitude: truth.place.latitude, longitude: truth.place.longitude)
  }
}
