/// The waits between attempts to open a source: 0.25 s at first, 5 s at most, spread so that several do not march in
/// step.
package struct Backoff: Hashable, Sendable {
  static let first = Duration.milliseconds(500)
  static let longest = Duration.seconds(5)

  private var bound = Backoff.first

  package init() {}

  /// The next wait: between half the bound and the bound, which doubles each time.
  ///
  /// - Parameter random: evenly spread over 0 to 1; what lies outside is taken as the nearer end, NaN as 0.
  package mutating func next(random: Double) -> Duration {
    let part = random > 0 ? min(random, 1) : 0
    let wait = bound / 2 + .nanoseconds(Int64(Double((bound / 2).nanoseconds) * part))
    bound = min(bound * 2, Self.longest)
    return wait
  }

  /// Starts over after a success.
  package mutating func reset() { bound = Self.first }
}
