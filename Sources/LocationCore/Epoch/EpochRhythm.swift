/// The learned period of epochs and the pauses within them, on the monotonic clock.
struct EpochRhythm: Sendable {
  /// Silence that ends an epoch while the period is unknown, nanoseconds.
  static let unlearnedSilence: Int64 = 200_000_000
  /// Bounds of the silence that ends an epoch, nanoseconds.
  static let silenceRange: ClosedRange<Int64> = 20_000_000...1_000_000_000
  /// Plausible periods, nanoseconds: epochs closer together come from a buffer, and a day is a pause.
  private static let periodRange: ClosedRange<Int64> = 5_000_000...86_400_000_000_000

  private var intervals = [5 of Int64](repeating: 0)
  private var intervalCount = 0
  private var pauses = [8 of Int64](repeating: 0)
  private var pauseCount = 0
  private var lastOpening: MonotonicInstant?

  /// The time from one epoch to the next, nanoseconds: the median of the last five; `nil` until two are known.
  private(set) var period: Int64?
  /// The silence that ends an epoch, nanoseconds: a third of the period, longer for a receiver that pauses
  /// between the sentences of an epoch.
  private(set) var silence = Self.unlearnedSilence

  /// Records the start of an epoch.
  mutating func opened(at instant: MonotonicInstant) {
    defer { lastOpening = instant }
    guard let lastOpening else { return }
    let interval = instant.nanoseconds &- lastOpening.nanoseconds
    guard Self.periodRange.contains(interval) else { return }
    intervals[intervalCount % intervals.count] = interval
    intervalCount &+= 1
    let known = min(intervalCount, intervals.count)
    guard known >= 2 else { return }
    period = Self.element((known - 1) / 2, of: intervals, known)
    update()
  }

  /// Records the end of an epoch and the longest pause between two of its sentences, nanoseconds.
  mutating func ended(longestPause: Int64) {
    pauses[pauseCount % pauses.count] = longestPause
    pauseCount &+= 1
    update()
  }

  /// Corrects the longest pause of the epoch that ended last, nanoseconds.
  mutating func paused(_ pause: Int64) {
    guard pauseCount > 0 else { return }
    let index = (pauseCount - 1) % pauses.count
    pauses[index] = max(pauses[index], pause)
    update()
  }

  private mutating func update() {
    guard let period else { return }
    var silence = period / 3
    // The second longest of the last eight pauses, so that a single delay has no effect.
    let known = min(pauseCount, pauses.count)
    if known >= 2 {
      let pause = min(Self.element(known - 2, of: pauses, known), period)
      silence = max(silence, min(pause + pause / 4, period / 5 * 4))
    }
    self.silence = min(max(silence, Self.silenceRange.lowerBound), Self.silenceRange.upperBound)
  }

  /// The element at a rank of the first `count` values, smallest first.
  private static func element<let size: Int>(_ rank: Int, of values: [size of Int64], _ count: Int) -> Int64 {
    for index in 0..<count {
      var smaller = 0
      var equal = 0
      for other in 0..<count {
        if values[other] < values[index] { smaller += 1 } else if values[other] == values[index] { equal += 1 }
      }
      if smaller <= rank, rank < smaller + equal { return values[index] }
    }
    return values[0]
  }
}
