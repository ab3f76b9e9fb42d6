/// Lets one sky a second through, by the sky's own second where it has one: epochs that come a little early
/// because of the line's jitter are not dropped for it.
package struct SkyClock: Sendable {
  /// A second of the monotonic clock, but for what a line's jitter takes from it.
  private static let second = Duration.milliseconds(950)
  private var lastSecond: Int64?
  private var lastInstant: MonotonicInstant?

  package init() {}

  /// Whether a sky measured then goes out; if so it is the last one for its second.
  package mutating func isDue(_ measured: UTCInstant?, at instant: MonotonicInstant) -> Bool {
    let second = measured.map { $0.nanosecondsSince1970 / 1_000_000_000 }
    if let second, let lastSecond {
      guard second != lastSecond else { return false }
    } else if let lastInstant, instant - lastInstant < Self.second {
      return false
    }
    lastSecond = second
    lastInstant = instant
    return true
  }
}
