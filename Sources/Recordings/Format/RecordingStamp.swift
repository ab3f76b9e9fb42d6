import LocationCore

/// When a read burst or an event happened: the comment line `# t=<ms> u=<ms> src=<id>`.
///
/// Both clocks are written in whole milliseconds; what is finer is cut off.
package struct RecordingStamp: Hashable, Sendable {
  /// Monotonic instant of the read, on the clock of the boot that the header names.
  package var instant: MonotonicInstant
  /// UTC by the system clock; `nil` while nobody had set that clock.
  package var utc: UTCInstant?
  /// The source that the bytes came from: its place in the header's `device` lines, from 0.
  /// `nil` for an event that no source caused.
  package var source: Int?

  /// A stamp of these clocks and this source.
  package init(instant: MonotonicInstant, utc: UTCInstant? = nil, source: Int? = nil) {
    self.instant = instant
    self.utc = utc
    self.source = source
  }
}

extension RecordingStamp {
  private static let nanosecondsPerMillisecond: Int64 = 1_000_000
  private static let latestMillisecond = Int64.max / nanosecondsPerMillisecond

  /// Appends the whole line, `# ` and line end included. An instant before the clock's start is
  /// written as its start: the form has no sign.
  package func write(into bytes: inout [UInt8]) {
    bytes.append(contentsOf: "# t=".utf8)
    bytes.append(decimal: max(0, instant.nanoseconds / Self.nanosecondsPerMillisecond))
    if let utc, utc.nanosecondsSince1970 >= 0 {
      bytes.append(contentsOf: " u=".utf8)
      bytes.append(decimal: utc.nanosecondsSince1970 / Self.nanosecondsPerMillisecond)
    }
    if let source {
      bytes.append(contentsOf: " src=".utf8)
      bytes.append(decimal: Int64(source))
    }
    bytes.append(UInt8(ascii: "\n"))
  }

  /// Reads the part of the line behind `# `. `nil` unless `t` is there and every known key holds
  /// digits in range; keys of later versions are passed by.
  package init?(line: UnsafeBufferPointer<UInt8>.SubSequence) {
    var time: Int64?
    for field in line.split(separator: UInt8(ascii: " ")) {
      guard let equals = field.firstIndex(of: UInt8(ascii: "=")) else { return nil }
      let value = field[(equals + 1)...]
      if field[..<equals].elementsEqual("t".utf8) {
        guard let number = Int64(digits: value), number <= Self.latestMillisecond else { return nil }
        time = number
      } else if field[..<equals].elementsEqual("u".utf8) {
        guard let number = Int64(digits: value), number <= Self.latestMillisecond else { return nil }
        utc = UTCInstant(nanosecondsSince1970: number * Self.nanosecondsPerMillisecond)
      } else if field[..<equals].elementsEqual("src".utf8) {
        guard let number = Int64(digits: value), let place = Int(exactly: number), place <= 0xFFFF else { return nil }
        source = place
      }
    }
    guard let time else { return nil }
    instant = MonotonicInstant(nanoseconds: time * Self.nanosecondsPerMillisecond)
  }
}
