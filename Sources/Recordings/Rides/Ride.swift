import GPSDProtocol
import LocationCore

/// A recorded ride: its files, of one or several runs of the recorder.
package struct Ride: Hashable, Sendable {
  package let name: RideName
  /// The numbers of the files, ascending.
  package var parts: [Int]
  /// The total size of the files, or the largest number if it is more.
  package var bytes: Int
  /// The last modification of the newest file, by the system clock.
  package var modified: UTCInstant

  mutating func add(part: Int, bytes size: Int, modified time: UTCInstant) {
    parts.append(part)
    let (sum, overflow) = bytes.addingReportingOverflow(size)
    bytes = overflow ? .max : sum
    modified = max(modified, time)
  }

  /// Whether its start is in the future and none of its fixes has a date: a wrong clock named it.
  package var isMisdated = false

  /// The time for sorting: the start in the name, else the last modification. A misdated ride is older than all others.
  package var age: UTCInstant { isMisdated ? UTCInstant(nanosecondsSince1970: .min) : name.start ?? modified }
}

/// The name of a ride: its UTC start, `20260319T123519Z`, or while the clock was not set the boot and the monotonic
/// milliseconds, `boot-1f0c9a7e-41250`. A second ride of the same name has the suffix `_2`. A ride's files are
/// `NAME.nmea` and, after rotations, `NAME-002.nmea`, `NAME-003.nmea` …
package struct RideName: Hashable, Sendable {
  /// The name without part number and extension.
  package let stem: String
  /// The start in the name; `nil` if the clock was not set.
  package let start: UTCInstant?

  /// The name of a ride that starts now. `duplicate` counts rides of the same name from 1.
  package init(utc: UTCInstant?, boot: String, instant: MonotonicInstant, duplicate: Int = 1) {
    let name: String
    if let utc, utc >= ReceiverConfiguration.floor {
      let start = UTCInstant(nanosecondsSince1970: utc.nanosecondsSince1970 / 1_000_000_000 * 1_000_000_000)
      self.start = start
      var text: [UInt8] = []
      start.write(into: &text)
      name = String(decoding: text.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: ":") }, as: UTF8.self)
    } else {
      start = nil
      let id = String(decoding: boot.utf8.filter { Hexadecimal.value($0) != nil }.prefix(8), as: UTF8.self)
      let zeros = String(repeating: "0", count: 8 - id.utf8.count)
      name = "boot-\(zeros)\(id)-\(max(0, instant.nanoseconds / 1_000_000))"
    }
    stem = duplicate > 1 ? "\(name)_\(duplicate)" : name
  }

  /// The file name of a part, counted from 1.
  package func file(part: Int) -> String {
    let number = String(part)
    let suffix = part > 1 ? "-" + String(repeating: "0", count: max(0, 3 - number.utf8.count)) + number : ""
    return stem + suffix + Self.fileExtension
  }

  private static let fileExtension = ".nmea"
  /// A file with a higher number is no part of a ride: no recorder gets that far.
  package static let maximumPart = 1_000_000_000

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
      guard fields.count == 2, Hexadecimal.bytes(fields[0])?.count == 4, Int64(digits: fields[1]) != nil else {
        return nil
      }
      start = nil
    } else {
      guard let utc = Self.utc(base) else { return nil }
      start = utc
    }
    self.stem = String(decoding: stem, as: UTF8.self)
  }

  private static func utc(_ text: ArraySlice<UInt8>) -> UTCInstant? {
    guard text.count == 16, text.last == UInt8(ascii: "Z") else { return nil }
    var iso8601 = Array(text)
    for (place, mark) in [(13, ":"), (11, ":"), (6, "-"), (4, "-")] { iso8601.insert(contentsOf: mark.utf8, at: place) }
    return UTCInstant(iso8601: iso8601)
  }
}
