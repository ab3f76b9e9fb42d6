/// The start of each burst of bytes on a line, which is at a constant time after the measurement, as its end is not:
/// that of the first read after an idle time, less the time that its bytes took on the line.
struct BurstStart: Sendable {
  /// Shortest idle time between bursts, nanoseconds. Within one, adapters and FIFOs hold bytes back for up to 16 ms.
  private static let idle: Int64 = 20_000_000

  /// Nanoseconds that one byte takes on the line; 0 if it is not known.
  private var byteTime: Int64 = 0
  private var lastRead: MonotonicInstant?
  /// The start of the current burst, until an epoch takes it.
  private var start: MonotonicInstant?

  /// Sets the speed of the line, bit/s: 8 data bits, a start bit and a stop bit.
  mutating func setSpeed(_ speed: Int?) { byteTime = speed.map { $0 > 0 ? 10_000_000_000 / Int64($0) : 0 } ?? 0 }

  /// Records a read. The first one may lie within a burst.
  mutating func read(_ count: Int, at instant: MonotonicInstant) {
    let first = instant.later(by: -Int64(truncatingIfNeeded: count) &* byteTime)
    if let lastRead, first.nanoseconds &- lastRead.nanoseconds >= Self.idle { start = first }
    lastRead = instant
  }

  /// Returns the start of the current burst, once: a second epoch in the same burst has none.
  mutating func take() -> MonotonicInstant? {
    defer { start = nil }
    return start
  }
}
