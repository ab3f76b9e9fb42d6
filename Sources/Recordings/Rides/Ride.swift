import LocationCore

/// A recorded ride: its files, of one or several runs of the recorder.
package struct Ride: Hashable, Sendable {
  /// The name.
  package let name: RideName
  /// The numbers of the files, ascending.
  package var parts: [Int]
  /// The total size of the files, or the largest number if it is more.
  package var bytes: Int
  /// The last modification of the newest file, by the system clock.
  package var modified: UTCInstant

  /// A ride.
  package init(name: RideName, parts: [Int], bytes: Int, modified: UTCInstant) {
    self.name = name
    self.parts = parts
    self.bytes = bytes
    self.modified = modified
  }

  /// Adds a file.
  mutating func add(part: Int, bytes size: Int, modified time: UTCInstant) {
    parts.append(part)
    let (sum, overflow) = bytes.addingReportingOverflow(size)
    bytes = overflow ? .max : sum
    modified = max(modified, time)
  }

  /// Whether its start is in the future and none of its fixes has a date: a wrong clock named it.
  package var isMisdated = false

  /// The time for sorting: the start in the name, or the last modification without one. A misdated ride is older than all
  /// others.
  package var age: UTCInstant { isMisdated ? UTCInstant(nanosecondsSince1970: .min) : name.start ?? modified }
}

/// The name of a ride: its UTC start, `20260319T123519Z`, or while the clock was not set the boot and the monotonic
/// milliseconds, `boot-1f0c9a7e-41250`. A second ride of the same name has the suffix `_2`.
///
/// A ride's files are `NAME.nmea` and, after rotations, `NAME-002.nmea`, `NAME-003.nmea` …
package struct RideName: Hashable, Sendable {
  /// The name without part number and extension.
  package let stem: String
  /// The start in the name; `nil` if the clock was not set.
  package let start: UTCInstant?

  /// A system clock before this (2025-01-01) is not set.
  package static let clockFloor = UTCInstant(nanosecondsSince1970: 1_735_689_600_000_000_000)

  /// The name of a ride that starts now. `duplicate` counts rides of the same name from 1.
  package init(utc: UTCInstant?, boot: String, instant: MonotonicInstant, duplicate: Int = 1) {
    var name: [UInt8] = []
    if let utc, utc >= Self.clockFloor {
      let seconds = utc.nanosecondsSince1970 / 1_000_000_000
      start = UTCInstant(nanosecondsSince1970: seconds * 1_000_000_000)
      Self.write(utc, into: &name)
    } else {
      start = nil
      name.append(contentsOf: "boot-".utf8)
      let id = boot.utf8.filter { $0.hexValue != nil }.prefix(8)
      name.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: 8 - id.count))
      name.append(contentsOf: id)
      name.append(UInt8(ascii: "-"))
      name.append(decimal: max(0, instant.nanoseconds / 1_000_000))
    }
    if duplicate > 1 {
      name.append(UInt8(ascii: "_"))
      name.append(decimal: Int64(duplicate))
    }
    stem = String(decoding: name, as: UTF8.self)
  }

  /// The file name of a part, counted from 1.
  package func file(part: Int) -> String {
    var name = Array(stem.utf8)
    if part > 1 {
      name.append(UInt8(ascii: "-"))
      name.append(digits: UInt64(part.magnitude), width: 3)
    }
    return String(decoding: name, as: UTF8.self) + Self.fileExtension
  }

  private static let fileExtension = ".nmea"
  /// A file with a higher number is no part of a ride: no recorder gets that far.
  package static let maximumPart = 1_000_000_000

  private static func write(_ utc: UTCInstant, into name: inout [UInt8]) {
    let date = utc.date
    let second = UInt64(utc.nanosecondsOfDay / 1_000_000_000)
    name.append(digits: UInt64(date.year), width: 4)
    name.append(digits: UInt64(date.month), width: 2)
    name.append(digits: UInt64(date.day), width: 2)
    name.append(UInt8(ascii: "T"))
    name.append(digits: second / 3600, width: 2)
    name.append(digits: second / 60 % 60, width: 2)
    name.append(digits: second % 60, width: 2)
    name.append(UInt8(ascii: "Z"))
  }
}

extension RideName {
  /// The ride and part of a file name; `nil` for other files, which are neither counted nor removed.
  package static func parse(file: String) -> (name: RideName, part: Int)? {
    guard file.hasSuffix(fileExtension) else { return nil }
    let stem = Array(file.utf8.dropLast(fileExtension.utf8.count))
    if let name = RideName(stem: stem) { return (name, 1) }
    guard let dash = stem.lastIndex(of: UInt8(ascii: "-")), let number = Int64(digits: stem[(dash + 1)...]),
      let part = Int(exactly: number), (2...maximumPart).contains(part),
      let name = RideName(stem: Array(stem[..<dash])), name.file(part: part) == file
    else { return nil }
    return (name, part)
  }

  private init?(stem: [UInt8]) {
    var base = stem[...]
    if let mark = stem.lastIndex(of: UInt8(ascii: "_")) {
      guard let duplicate = Int64(digits: stem[(mark + 1)...]), duplicate > 1 else { return nil }
      base = stem[..<mark]
    }
    if base.starts(with: "boot-".utf8) {
      let fields = base.dropFirst(5).split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
      guard fields.count == 2, fields[0].count == 8, fields[0].allSatisfy({ $0.hexValue != nil }),
        Int64(digits: fields[1]) != nil
      else { return nil }
      start = nil
    } else {
      guard let utc = Self.utc(base) else { return nil }
      start = utc
    }
    self.stem = String(decoding: stem, as: UTF8.self)
  }

  private static func utc(_ text: ArraySlice<UInt8>) -> UTCInstant? {
    let text = Array(text)
    guard text.count == 16, text[8] == UInt8(ascii: "T"), text[15] == UInt8(ascii: "Z"),
      let date = Int64(digits: text[0..<8]), let time = Int64(digits: text[9..<15]),
      let day = CalendarDate(year: Int(date / 10_000), month: Int(date / 100 % 100), day: Int(date % 100)),
      let clock = TimeOfDay(hour: Int(time / 10_000), minute: Int(time / 100 % 100), second: Int(time % 100))
    else { return nil }
    return UTCInstant(date: day, time: clock)
  }
}
