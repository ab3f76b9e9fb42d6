import LocationCore

package enum RecordingItem: Hashable, Sendable {
  /// The header; repeated where files were joined.
  case header(RecordingHeader)
  case burst(RecordedBurst)
  case event(RecordedEvent)
  case point(RecordedPoint)
  case damage(RecordingDamage)
}

/// The bytes of one read, exactly as received.
package struct RecordedBurst: Hashable, Sendable {
  /// Time and source; `nil` in a log without `# t=` lines.
  package var stamp: RecordingStamp?
  /// At most ``RecordingDecoder/maximumBurst`` bytes: a longer read comes in parts with the same stamp.
  package var bytes: [UInt8]
}

package struct RecordedPoint: Hashable, Sendable {
  package let stamp: RecordingStamp
  package let point: TrackPoint
  let format: TrackFormat

  /// The point as a line of gpsd. Unlike sentences it keeps every digit of the file, and needs no time.
  package var line: [UInt8] { point.report(of: format) }
}

/// An event that a replay repeats besides bytes: the line `# e {json}`. It is a client's request as on the wire with
/// its name as `request` (`VIEW`, `FOLLOW`, `TARGET`), for example
/// `{"request":"VIEW","view":"main","lat":48.1,"lon":11.5,"seq":17,"cause":"user"}`, where `seq` counts the fixes that
/// a replay of the file publishes, from 1; or ``sourceLost`` or ``sourceFound`` of the stamp's source; or, for readers
/// of the file, ``interference(_:)``, which a replay reads from the bytes again.
package struct RecordedEvent: Hashable, Sendable {
  /// Time and source; `nil` without a `# t=` line before it.
  package var stamp: RecordingStamp?
  /// One JSON object on one line; only its braces are checked.
  package var json: [UInt8]

  package init(stamp: RecordingStamp?, json: [UInt8]) {
    self.stamp = stamp
    self.json = json
  }

  package static let sourceLost = Array(#"{"source":"lost"}"#.utf8)
  package static let sourceFound = Array(#"{"source":"found"}"#.utf8)

  /// A change of what the receiver states: `{"source":"interference","jamming":"critical","antenna":"open"}`.
  package static func interference(_ interference: Interference) -> [UInt8] {
    let states = interference.states.map { name, word in word.map { #","\#(name)":"\#($0)""# } ?? "" }
    return Array((interferenceBegin + states.joined() + "}").utf8)
  }

  static let interferenceBegin = #"{"source":"interference""#
}

/// A skipped part of a recording. Sizes are bytes in the file. A sentence with a wrong checksum is not damage of the
/// file: its bytes are passed on as received, and the NMEA framer rejects and counts them.
package enum RecordingDamage: Hashable, Sendable {
  /// The last line has no end: a power cut, or the recorder was killed while writing.
  case tornTail(bytes: Int)
  /// A line is interrupted by a run of NULs.
  case tornLine(bytes: Int)
  /// A run of NULs, which a file system leaves after a power cut where data had not reached the disk.
  case nulRun(bytes: Int)
  /// A line longer than any that the writer produces.
  case overlongLine(bytes: Int)
  /// Bytes that are not text; the writer writes them as `# x`.
  case notText(bytes: Int)
  /// A header of an unsupported version; what can be read of the rest is read.
  case unknownVersion
  /// An unreadable `# t=` line. What follows keeps the time of the previous stamp.
  case badStamp
  /// A `# x` line without pairs of hexadecimal digits.
  case badBytes
  /// A `# e` line without a JSON object.
  case badEvent
  /// A point of a GPX, TCX or FIT file without valid coordinates, or without a time where others have one.
  case badPoint
  /// A point of such a file with the time and the place of an earlier one.
  case repeatedPoint
  /// The rest of a FIT file after a message that cannot be read.
  case badMessage(bytes: Int)
  /// A FIT file whose checksum is not that of its content, which was read nevertheless.
  case badChecksum
}

package struct RecordingDamageCounts: Hashable, Sendable, CustomStringConvertible {
  /// Truncated tails: at most one per file.
  package var tornTails = 0
  package var tornLines = 0
  package var nulRuns = 0
  /// Lines of any other damage.
  package var badLines = 0
  package var repeatedPoints = 0
  /// Skipped bytes, if their number is known.
  package var bytes = 0

  package init() {}
  package var total: Int { tornTails + tornLines + nulRuns + badLines + repeatedPoints }

  package var description: String {
    let kinds = [
      ("truncated tail", "truncated tails", tornTails), ("truncated line", "truncated lines", tornLines),
      ("run of NUL bytes", "runs of NUL bytes", nulRuns), ("malformed line", "malformed lines", badLines),
      ("repeated point", "repeated points", repeatedPoints),
    ]
    let counts = kinds.filter { $0.2 > 0 }.map { "\($0.2) \($0.2 == 1 ? $0.0 : $0.1)" }.joined(separator: ", ")
    return "\(counts); \(bytes) bytes skipped"
  }

  package mutating func count(_ damage: RecordingDamage) {
    switch damage {
    case .tornTail(let size): tornTails += 1; bytes += size
    case .tornLine(let size): tornLines += 1; bytes += size
    case .nulRun(let size): nulRuns += 1; bytes += size
    case .overlongLine(let size), .notText(let size), .badMessage(let size): badLines += 1; bytes += size
    case .unknownVersion, .badStamp, .badBytes, .badEvent, .badPoint, .badChecksum: badLines += 1
    case .repeatedPoint: repeatedPoints += 1
    }
  }
}
