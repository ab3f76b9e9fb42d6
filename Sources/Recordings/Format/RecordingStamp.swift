import Libc
import LocationCore

/// The time of a burst or an event: the comment line `# t=<ms> u=<ms> src=<id>`, both clocks truncated.
package struct RecordingStamp: Hashable, Sendable {
  /// Monotonic instant of the read, on the clock of the header's boot.
  package var instant: MonotonicInstant
  /// UTC by the system clock; `nil` while that was not set.
  package var utc: UTCInstant?
  /// Index of the source in the header's `device` lines, from 0; `nil` for an event without a source.
  package var source: Int?

  package init(instant: MonotonicInstant, utc: UTCInstant? = nil, source: Int? = nil) {
    self.instant = instant
    self.utc = utc
    self.source = source
  }

  private static let nanosecondsPerMillisecond: Int64 = 1_000_000
  private static let latestMillisecond = Int64.max / nanosecondsPerMillisecond

  /// Appends the whole line including `# ` and line end. A negative instant is written as 0.
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

  /// Reads the line after `# `; `nil` unless `t` is present and every known key has a number in range.
  package init?(line: UnsafeBufferPointer<UInt8>.SubSequence) {
    // Hand-written for speed: a long ride has a stamp for each epoch.
    let text = UnsafeBufferPointer(rebasing: line)
    var time: Int64?
    var index = 0
    while index < text.count {
      if text[index] == UInt8(ascii: " ") {
        index += 1
        continue
      }
      let key = index
      while index < text.count, text[index] != UInt8(ascii: "="), text[index] != UInt8(ascii: " ") { index += 1 }
      guard index < text.count, text[index] == UInt8(ascii: "=") else { return nil }
      let name = UnsafeBufferPointer(rebasing: text[key..<index])
      index += 1
      if Self.isKey(name, "t") {
        guard let number = Self.number(in: text, from: &index, most: Self.latestMillisecond) else { return nil }
        time = number
      } else if Self.isKey(name, "u") {
        guard let number = Self.number(in: text, from: &index, most: Self.latestMillisecond) else { return nil }
        utc = UTCInstant(nanosecondsSince1970: number * Self.nanosecondsPerMillisecond)
      } else if Self.isKey(name, "src") {
        guard let number = Self.number(in: text, from: &index, most: 0xFFFF) else { return nil }
        source = Int(number)
      } else {
        while index < text.count, text[index] != UInt8(ascii: " ") { index += 1 }
      }
    }
    guard let time else { return nil }
    instant = MonotonicInstant(nanoseconds: time * Self.nanosecondsPerMillisecond)
  }

  @inline(__always)
  private static func isKey(_ name: UnsafeBufferPointer<UInt8>, _ key: StaticString) -> Bool {
    guard let base = name.baseAddress, name.count == key.utf8CodeUnitCount else { return false }
    return memcmp(base, key.utf8Start, name.count) == 0
  }

  /// The number up to the next blank, advancing `index` past it; `nil` for anything but digits, and above `most`.
  @inline(__always)
  private static func number(in text: UnsafeBufferPointer<UInt8>, from index: inout Int, most: Int64) -> Int64? {
    let start = index
    var number: Int64 = 0
    while index < text.count, text[index] != UInt8(ascii: " ") {
      let digit = text[index] &- UInt8(ascii: "0")
      // All bounds are far below the type's.
      guard digit < 10, number <= most else { return nil }
      number = number * 10 + Int64(digit)
      index += 1
    }
    return index > start && number <= most ? number : nil
  }
}
