/// Exponential back-off between attempts to open a source: 0.25 s to 5 s, with jitter.
package struct Backoff: Hashable, Sendable {
  static let first = Duration.milliseconds(500)
  static let longest = Duration.seconds(5)

  private var bound = Backoff.first

  package init() {}

  /// The next delay, between half the bound and the bound, which doubles each time.
  ///
  /// - Parameter random: A uniform random number from 0 to 1; other values are clamped, NaN counts as 0.
  package mutating func next(random: Double) -> Duration {
    let part = random > 0 ? min(random, 1) : 0
    let wait = bound / 2 + .nanoseconds(Int64(Double((bound / 2).nanoseconds) * part))
    bound = min(bound * 2, Self.longest)
    return wait
  }

  /// Restarts from the shortest delay, after a success.
  package mutating func reset() { bound = Self.first }
}
