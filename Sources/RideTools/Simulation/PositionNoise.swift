/// The errors of a simulated receiver: a slow one from orbits and ionosphere, a fast one from multipath between buildings,
/// a large decaying one after a loss, and a little white noise.
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
  }

  private var random: SeededRandom
  private var slow: [GaussMarkov]
  private var multipath: [GaussMarkov]
  private var settling: [GaussMarkov]
  private var canyon = 0.0
  /// Standard deviation of `settling`, metres.
  private var unsettled = 0.0
  private let period: Double

  private static let secondsIntoCanyon = 3.0
  private static let settlingSeconds = 4.0

  init(seed: UInt64, period: Double) {
    var random = SeededRandom(seed: seed, stream: 1)
    slow = [1.0, 1.0, 1.8].map { GaussMarkov(sigma: $0, memory: 120, period: period, random: &random) }
    multipath = [5.5, 5.5, 8.0].map { GaussMarkov(sigma: $0, memory: 7, period: period, random: &random) }
    settling = (0..<3).map { _ in GaussMarkov(sigma: 0, memory: Self.settlingSeconds, period: period, random: &random) }
    self.random = random
    self.period = period
  }

  mutating func disturb() {
    for axis in settling.indices { settling[axis].disturb(by: 9 * random.normal()) }
    unsettled = 9
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
    var errors: [Double] = []
    for axis in 0..<3 {
      errors.append(slow[axis].value + canyon * multipath[axis].value + settling[axis].value + 0.04 * random.normal())
    }
    let echo = canyon * 5.5
    let variance = 1 + echo * echo + unsettled * unsettled
    return Sample(
      east: errors[0], north: errors[1], up: errors[2], sigma: variance.squareRoot() * random.uniform(0.85...1.15),
      speed: (0.05 + 0.25 * canyon) * random.normal(), drift: (0.04 + 0.2 * canyon) * random.normal())
  }
}

/// A correlated error: a first-order Gauss–Markov process.
struct GaussMarkov: Sendable {
  let sigma: Double
  /// Seconds after which the correlation is 1/e.
  let memory: Double
  /// The current error, in the unit of `sigma`.
  private(set) var value: Double
  private let kept: Double
  private let fresh: Double

  /// A process with a step every `period` seconds.
  init(sigma: Double, memory: Double, period: Double, random: inout SeededRandom) {
    self.sigma = sigma
    self.memory = memory
    kept = ExactMath.exponential(-period / memory)
    fresh = sigma * (1 - kept * kept).squareRoot()
    value = sigma * random.normal()
  }

  mutating func step(_ random: inout SeededRandom) { value = value * kept + fresh * random.normal() }
  /// Adds a disturbance, which decays like the error itself.
  mutating func disturb(by amount: Double) { value += amount }
}
