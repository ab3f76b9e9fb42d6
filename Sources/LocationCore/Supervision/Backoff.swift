/// Exponential back-off between attempts to open a source or a connection: 0.25 s to 5 s or another limit, with jitter.
package struct Backoff: Hashable, Sendable {
  static let first = Duration.milliseconds(500)

  private let longest: Duration
  private var bound = Backoff.first

  package init(longest: Duration = .seconds(5)) { self.longest = longest }

  /// The next delay, between half the bound and the bound, which doubles each time.
  /// - Parameter random: A uniform random number from 0 to 1; other values are clamped, NaN counts as 0.
  package mutating func next(random: Double) -> Duration {
    let part = random > 0 ? min(random, 1) : 0
    let wait = bound / 2 + .nanoseconds(Int64(Double((bound / 2).nanoseconds) * part))
    bound = min(bound * 2, longest)
    return wait
  }

  package mutating func reset() { bound = Self.first }
}
