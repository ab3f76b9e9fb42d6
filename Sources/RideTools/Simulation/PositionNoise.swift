/// The errors of a simulated receiver: a slow one from orbits and ionosphere, a fast one from multipath between
/// buildings, a large decaying one after a loss, and a little white noise.
struct PositionNoise: Sendable {
  /// The errors at one epoch, metres.
  struct Sample: Sendable {
    var east: Double
    var north: Double
    var up: Double
    /// Standard deviation as estimated by the receiver, metres.
    var sigma: Double
    /// Along the track, m/s.
    var speed: Double
    /// Across the track, m/s.
    var drift: Double
    /// Upwards, m/s.
    var climb: Double
    var deviations: Deviations
  }

  struct Deviations: Sendable {
    /// To the east, and to the north, metres.
    var horizontal: Double
    var up: Double
    /// Along the track, and upwards, m/s.
    var speed: Double
    /// Across the track, m/s.
    var drift: Double
  }

  private var random: SeededRandom
  private var climbRandom: SeededRandom
  private var slow: [GaussMarkov]
  private var multipath: [GaussMarkov]
  private var settling: [GaussMarkov]
  private var canyon = 0.0
  /// Standard deviation of `settling`, metres.
  private var unsettled = 0.0
  private let period: Double

  private static let secondsIntoCanyon = 3.0
  private static let settlingSeconds = 4.0
  private static let white = 0.04

  init(seed: UInt64, period: Double) {
    var random = SeededRandom(seed: seed, stream: 1)
    slow = [1.0, 1.0, 1.8].map { GaussMarkov(sigma: $0, memory: 120, period: period, random: &random) }
    multipath = [5.5, 5.5, 8.0].map { GaussMarkov(sigma: $0, memory: 7, period: period, random: &random) }
    settling = (0..<3).map { _ in GaussMarkov(sigma: 0, memory: Self.settlingSeconds, period: period, random: &random) }
    self.random = random
    climbRandom = SeededRandom(seed: seed, stream: 7)
    self.period = period
  }

  mutating func disturb() {
    for axis in settling.indices { settling[axis].disturb(by: 9 * random.normal()) }
    unsettled = (unsettled * unsettled + 81).squareRoot()
  }

  mutating func next(in surroundings: Route.Surroundings) -> Sample {
    for axis in 0..<3 {
      slow[axis].step(&random)
      multipath[axis].step(&random)
      settling[axis].step(&random)
    }
    unsettled *= ExactMath.exponential(-period / Self.settlingSeconds)
    let step = period / Self.secondsIntoCanyon
    canyon = min(max(canyon + (surroundings == .canyon ? step : -step), 0), 1)
    let errors = (0..<3).map { axis -> Double in
      slow[axis].value + canyon * multipath[axis].value + settling[axis].value + Self.white * random.normal()
    }
    let echo = canyon * 5.5
    let variance = 1 + echo * echo + unsettled * unsettled
    let estimate = variance.squareRoot() * random.uniform(0.85...1.15)
    let deviations = Deviations(
      horizontal: deviation(ofAxis: 0), up: deviation(ofAxis: 2), speed: 0.05 + 0.25 * canyon,
      drift: 0.04 + 0.2 * canyon)
    return Sample(
      east: errors[0], north: errors[1], up: errors[2], sigma: estimate, speed: deviations.speed * random.normal(),
      drift: deviations.drift * random.normal(), climb: deviations.speed * climbRandom.normal(), deviations: deviations)
  }

  /// The standard deviation of the sum of independent errors.
  private func deviation(ofAxis axis: Int) -> Double {
    let parts = [slow[axis].sigma, canyon * multipath[axis].sigma, unsettled, Self.white]
    return parts.reduce(0) { $0 + $1 * $1 }.squareRoot()
  }
}

/// A correlated error: a first-order Gauss–Markov process.
struct GaussMarkov: Sendable {
  let sigma: Double
  private(set) var value: Double
  private let kept: Double
  private let fresh: Double

  /// A process with a step every `period` seconds, whose correlation is 1/e after `memory` seconds.
  init(sigma: Double, memory: Double, period: Double, random: inout SeededRandom) {
    self.sigma = sigma
    kept = ExactMath.exponential(-period / memory)
    fresh = sigma * (1 - kept * kept).squareRoot()
    value = sigma * random.normal()
  }

  mutating func step(_ random: inout SeededRandom) { value = value * kept + fresh * random.normal() }
  /// Adds a disturbance, which decays like the error itself.
  mutating func disturb(by amount: Double) { value += amount }
}
