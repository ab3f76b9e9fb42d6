import LocationCore

/// Lets one sky a second through, by the sky's own second where it has one: epochs that come a little early
/// because of the line's jitter are not dropped for it.
struct SkyClock {
  private var lastSecond: Int64?
  private var lastInstant: MonotonicInstant?

  /// Whether this sky goes out; if so it is the last one for its second.
  mutating func isDue(_ sky: Sky, at instant: MonotonicInstant) -> Bool {
    let second = sky.measured.map { $0.nanosecondsSince1970 / 1_000_000_000 }
    if let second, let lastSecond {
      guard second != lastSecond else { return false }
    } else if let lastInstant, instant - lastInstant < .seconds(1) {
      return false
    }
    lastSecond = second
    lastInstant = instant
    return true
  }
}
