/// How much a running total has grown in the last minute, or up to 5 s more, from samples of it.
package struct MinuteCount: Sendable {
  private static let span = Duration.seconds(60)
  private static let step: Int64 = 5_000_000_000

  /// In the order of time, each a step behind the one before; the first one is the newest from before the minute.
  private var samples: [(at: MonotonicInstant, total: UInt64)] = []

  package init() {}

  @inline(__always)
  package func isDue(at instant: MonotonicInstant) -> Bool {
    samples.last.map { instant >= $0.at.later(by: Self.step) } ?? true
  }

  /// Registers the total before what arrives at an instant, if that is due.
  package mutating func note(_ total: UInt64, at instant: MonotonicInstant) {
    guard isDue(at: instant) else { return }
    // What came behind the newest sample came within a step of it.
    if let last = samples.last, instant > last.at.later(by: Self.step) {
      samples.append((last.at.later(by: Self.step), total))
    }
    while samples.count > 1, samples[1].at + Self.span <= instant { samples.removeFirst() }
    samples.append((instant, total))
  }

  package func growth(to total: UInt64, at instant: MonotonicInstant) -> UInt64 {
    guard let last = samples.last, instant < last.at.later(by: Self.step) + Self.span else { return 0 }
    let base = samples.last { $0.at + Self.span <= instant } ?? samples.first
    return base.map { total &- $0.total } ?? 0
  }
}
