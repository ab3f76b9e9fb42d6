/// The learned period of epochs and the pauses within them, on the monotonic clock.
struct EpochRhythm: Sendable {
  /// Silence that ends an epoch while the period is unknown, nanoseconds.
  static let unlearnedSilence: Int64 = 200_000_000
  /// Bounds of the silence that ends an epoch, nanoseconds.
  static let silenceRange: ClosedRange<Int64> = 20_000_000...1_000_000_000
  /// Plausible periods, nanoseconds: epochs closer together come from a buffer, and a day is a pause.
  private static let periodRange: ClosedRange<Int64> = 5_000_000...86_400_000_000_000

  private var intervals = RecentValues<5>()
  private var pauses = RecentValues<8>()
  private var lastOpening: MonotonicInstant?
  /// The time from one epoch to the next, nanoseconds: the median of the last five; `nil` until two are known.
  private(set) var period: Int64?
  /// The silence that ends an epoch, nanoseconds: a third of the period, longer for a receiver that pauses within one.
  private(set) var silence = Self.unlearnedSilence

  mutating func opened(at instant: MonotonicInstant) {
    defer { lastOpening = instant }
    guard let lastOpening else { return }
    let interval = instant.nanoseconds &- lastOpening.nanoseconds
    guard Self.periodRange.contains(interval) else { return }
    intervals.append(interval)
    guard intervals.count >= 2 else { return }
    period = intervals.median
    update()
  }

  /// Records the end of an epoch and the longest pause between two of its sentences, nanoseconds.
  mutating func ended(longestPause: Int64) {
    pauses.append(longestPause)
    update()
  }

  /// Corrects the longest pause of the epoch that ended last, nanoseconds.
  mutating func paused(_ pause: Int64) {
    pauses.raiseNewest(to: pause)
    update()
  }

  private mutating func update() {
    guard let period else { return }
    var silence = period / 3
    // The second longest of the last eight pauses, so that a single delay has no effect.
    if pauses.count >= 2 {
      let pause = min(pauses.element(pauses.count - 2), period)
      silence = max(silence, min(pause + pause / 4, period / 5 * 4))
    }
    self.silence = min(max(silence, Self.silenceRange.lowerBound), Self.silenceRange.upperBound)
  }
}
