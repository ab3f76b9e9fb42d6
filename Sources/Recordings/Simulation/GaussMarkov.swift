/// An error that wanders: normally distributed at every instant, and like itself a moment ago (first-order
/// Gauss–Markov process).
struct GaussMarkov: Sendable {
  /// Standard deviation.
  let sigma: Double
  /// Seconds until the error has forgotten all but 1/e of itself.
  let memory: Double
  /// The error now, in the unit of `sigma`.
  private(set) var value: Double
  private let kept: Double
  private let fresh: Double

  /// A process that is stepped every `period` seconds.
  init(sigma: Double, memory: Double, period: Double, random: inout SeededRandom) {
    self.sigma = sigma
    self.memory = memory
    kept = ExactMath.exponential(-period / memory)
    fresh = sigma * (1 - kept * kept).squareRoot()
    value = sigma * random.normal()
  }

  /// Goes on by one period.
  mutating func step(_ random: inout SeededRandom) {
    value = value * kept + fresh * random.normal()
  }

  /// Adds a disturbance that is forgotten like the rest.
  mutating func disturb(by amount: Double) { value += amount }
}
