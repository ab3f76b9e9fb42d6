import LocationCore

/// A ride as observed by a receiver, epoch by epoch: the same on every machine (``SeededRandom``, `ExactMath`).
package struct RideSimulator: Sendable {
  private let ride: SimulatedRide
  private let period: Duration
  private var motion: Motion
  private var noise: PositionNoise
  private var sky: SimulatedSky
  private var epoch = 0
  /// When the satellites were last lost and found again, seconds from the start.
  private var skyLost: Double?
  private var skyFound = 0.0
  /// When the current fix began, seconds from the start; `nil` without a fix.
  private var fixSince: Double?
  private var altitude: Double?

  /// Error of a receiver's date after a rollover of its week number.
  private static let rollover = Duration.seconds(-1024 * 7 * 86_400)
  private static let secondsIn2D = 1.0
  private static let smallestSigma = 0.1
  /// UTC of the first GPS week's begin, and the leap seconds since, nanoseconds.
  private static let gpsBegin: Int64 = (315_964_800 - 18) * 1_000_000_000
  private static let week: Int64 = 7 * TimeOfDay.day

  package init(_ ride: SimulatedRide) {
    self.ride = ride
    motion = ride.motion
    let rate = max(1, ride.receiver.rate)
    period = .nanoseconds(1_000_000_000 / Int64(rate))
    noise = PositionNoise(seed: ride.seed, period: 1 / Double(rate))
    sky = SimulatedSky(seed: ride.seed, constellations: ride.receiver.constellations)
  }

  package var receiver: ReceiverProfile { ride.receiver }

  package mutating func next() -> SimulatedEpoch? {
    let conditions = ride.conditions
    let seconds = Double(epoch) / Double(max(1, receiver.rate))
    guard seconds <= motion.duration else { return nil }
    let elapsed = period * epoch
    let (measured, isLeapSecond) = ride.time(after: elapsed)
    let truth = motion.state(at: seconds)
    let solution = solution(at: seconds, in: truth.place.surroundings)
    let hasFix = if case .fix = solution { true } else { false }
    let error = noise.next(in: truth.place.surroundings)
    let scale = LocalScale(latitude: truth.place.latitude)
    let latitude = truth.place.latitude + error.north * conditions.noise / scale.metresPerDegreeNorth
    let longitude = ExactMath.halfTurn(
      truth.place.longitude + error.east * conditions.noise / scale.metresPerDegreeEast)
    let speed = abs(truth.speed + error.speed * conditions.noise)
    let course = ExactMath.fullTurn(
      truth.place.course + ExactMath.course(east: error.drift * conditions.noise, north: max(speed, 0.01)))
    let sigma = max(error.sigma * conditions.noise, Self.smallestSigma)
    let climb = (truth.place.altitude - (altitude ?? truth.place.altitude)) / period.inSeconds
    altitude = truth.place.altitude
    let output = ReceiverOutput(
      receiver: receiver, measured: conditions.hasRolledOver ? measured + Self.rollover : measured,
      isLeapSecond: isLeapSecond,
      uptime: elapsed.nanoseconds,
      timeOfWeek: Int(((ride.start + elapsed).nanosecondsSince1970 - Self.gpsBegin) % Self.week / 1_000_000),
      solution: solution, position: hasFix ? (latitude, longitude) : nil,
      altitude: truth.place.altitude + error.up * conditions.noise, speed: speed, course: course,
      climb: climb + error.climb * conditions.noise, sigma: sigma, deviations: error.deviations,
      noise: conditions.noise,
      satellites: sky.satellites(at: seconds, in: truth.place.surroundings, hasFix: hasFix),
      hasSky: epoch % max(1, receiver.skyEvery) == 0)
    epoch += 1
    return SimulatedEpoch(
      elapsed: elapsed, measured: measured, isLeapSecond: isLeapSecond, truth: truth, solution: solution,
      reported: hasFix ? Coordinate(latitude: latitude, longitude: longitude) : nil, course: course, sigma: sigma,
      bytes: output.bytes)
  }

  private mutating func solution(at seconds: Double, in surroundings: Route.Surroundings) -> SimulatedEpoch.Solution {
    if seconds < receiver.coldStart { return seconds < receiver.coldStart * 0.4 ? .nothing : .time }
    if surroundings == .tunnel {
      if skyLost == nil { skyLost = seconds }
      fixSince = nil
      return .time
    }
    if let lost = skyLost {
      // Reacquisition is fast after a short loss.
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

/// One epoch of a simulated ride: the truth, and the receiver's solution.
package struct SimulatedEpoch: Sendable {
  package enum Solution: Hashable, Sendable {
    case nothing
    case time
    case fix(FixMode)
  }

  package let elapsed: Duration
  package let measured: UTCInstant
  /// Whether this is the second 23:59:60, which has the same instant as its successor.
  package let isLeapSecond: Bool
  package let truth: Motion.State
  package let solution: Solution
  /// Position of the receiver's fix in full precision; `nil` without a fix.
  package let reported: Coordinate?
  /// Course of the receiver's fix, degrees from true north.
  package let course: Double
  /// Standard deviation along each axis as estimated by the receiver, metres.
  package let sigma: Double
  package let bytes: [UInt8]

  package var hasFix: Bool { reported != nil }
  package var position: Coordinate? { Coordinate(latitude: truth.place.latitude, longitude: truth.place.longitude) }
}
