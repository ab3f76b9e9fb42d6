import Glibc
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
    // By hand: a long ride has a stamp for each of its epochs.
    let text = UnsafeBufferPointer(rebasing: line)
    var time: Int64?
    var place = 0
    while place < text.count {
      if text[place] == UInt8(ascii: " ") {
        place += 1
        continue
      }
      let key = place
      while place < text.count, text[place] != UInt8(ascii: "="), text[place] != UInt8(ascii: " ") { place += 1 }
      guard place < text.count, text[place] == UInt8(ascii: "=") else { return nil }
      let name = UnsafeBufferPointer(rebasing: text[key..<place])
      place += 1
      if Self.isKey(name, "t") {
        guard let number = Self.number(in: text, from: &place, most: Self.latestMillisecond) else { return nil }
        time = number
      } else if Self.isKey(name, "u") {
        guard let number = Self.number(in: text, from: &place, most: Self.latestMillisecond) else { return nil }
        utc = UTCInstant(nanosecondsSince1970: number * Self.nanosecondsPerMillisecond)
      } else if Self.isKey(name, "src") {
        guard let number = Self.number(in: text, from: &place, most: 0xFFFF) else { return nil }
        source = Int(number)
      } else {
        while place < text.count, text[place] != UInt8(ascii: " ") { place += 1 }
      }
    }
    guard let time else { return nil }
    instant = MonotonicInstant(nanoseconds: time * Self.nanosecondsPerMillisecond)
  }

  @inline(always)
  private static func isKey(_ name: UnsafeBufferPointer<UInt8>, _ key: StaticString) -> Bool {
    guard let base = name.baseAddress, name.count == key.utf8CodeUnitCount else { return false }
    return memcmp(base, key.utf8Start, name.count) == 0
  }

  /// The number that reaches from a place to the next blank, and the place behind it; `nil` for anything but digits,
  /// and for more than the most.
  @inline(always)
  private static func number(in text: UnsafeBufferPointer<UInt8>, from place: inout Int, most: Int64) -> Int64? {
    let start = place
    var number: Int64 = 0
    while place < text.count, text[place] != UInt8(ascii: " ") {
      let digit = text[place] &- UInt8(ascii: "0")
      // No bound is near the type's own.
      guard digit < 10, number <= most else { return nil }
      number = number * 10 + Int64(digit)
      place += 1
    }
    return place > start && number <= most ? number : nil
  }
}
