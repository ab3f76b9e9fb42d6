import LocationCore

/// A ride along a route, seen by a receiver, epoch after epoch.
///
/// The same route, receiver, start and seed give the same bytes on every machine: numbers come from
/// ``SeededRandom``, and all arithmetic is of the kinds that IEEE 754 fixes to the last bit (`ExactMath`).
package struct RideSimulator: Sendable {
  /// The receiver that sees the ride.
  package let receiver: ReceiverProfile
  private let start: UTCInstant
  private let period: Double
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

  /// A ride that starts at an instant, which is to be a whole period of the receiver.
  package init(along route: Route, receiver: ReceiverProfile, start: UTCInstant, seed: UInt64) {
    self.receiver = receiver
    self.start = start
    period = 1 / Double(max(1, receiver.rate))
    motion = Motion(along: route)
    noise = PositionNoise(seed: seed, period: period)
    sky = SimulatedSky(seed: seed, constellations: receiver.constellations)
  }

  /// The next epoch; `nil` when the ride is over.
  package mutating func next() -> SimulatedEpoch? {
    let seconds = Double(epoch) / Double(max(1, receiver.rate))
    guard seconds <= motion.duration else { return nil }
    let measured = start + .nanoseconds(Int64(epoch) * (1_000_000_000 / Int64(max(1, receiver.rate))))
    let truth = motion.state(at: seconds)
    let solution = solution(at: seconds, in: truth.place.surroundings)
    let hasFix = if case .fix = solution { true } else { false }
    let error = noise.next(in: truth.place.surroundings)
    let scale = LocalScale(latitude: truth.place.latitude)
    let latitude = truth.place.latitude + error.north / scale.metresPerDegreeNorth
    var longitude = truth.place.longitude + error.east / scale.metresPerDegreeEast
    longitude -= (longitude / 360).rounded() * 360
    let speed = abs(truth.speed + error.speed)
    var course = truth.place.course + ExactMath.course(east: error.drift, north: max(speed, 0.01))
    course -= (course / 360).rounded(.down) * 360
    let output = ReceiverOutput(
      measured: measured, solution: solution, position: hasFix ? (latitude, longitude) : nil,
      altitude: truth.place.altitude + error.up, speed: speed, course: course, sigma: error.sigma,
      satellites: sky.satellites(at: seconds, in: truth.place.surroundings, hasFix: hasFix),
      hasSky: epoch % max(1, receiver.skyEvery) == 0)
    epoch += 1
    return SimulatedEpoch(
      measured: measured, truth: truth, solution: solution,
      reported: hasFix ? Coordinate(latitude: latitude, longitude: longitude) : nil, course: course,
      sentences: output.sentences(of: receiver))
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
