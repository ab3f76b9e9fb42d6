/// How long to wait before the next attempt: 0.25 s, doubled each time up to 5 s.
struct Backoff: Hashable, Sendable {
  static let shortest = Duration.milliseconds(250)
  static let longest = Duration.seconds(5)

  private var upcoming = Self.shortest

  /// The wait after one more failure.
  mutating func next() -> Duration {
    defer { upcoming = min(upcoming * 2, Self.longest) }
    return upcoming
  }

  /// The attempt succeeded.
  mutating func reset() {
    upcoming = Self.shortest
  }
}
