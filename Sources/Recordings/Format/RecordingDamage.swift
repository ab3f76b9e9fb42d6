/// A part of a recording that was skipped. Sizes are bytes in the file.
///
/// A sentence with a wrong checksum is no damage of the file: its bytes are handed out as they were
/// received, and the NMEA framer rejects and counts them.
package enum RecordingDamage: Hashable, Sendable {
  /// The last line has no end: the power went, or the recorder was killed, in mid-write.
  case tornTail(bytes: Int)
  /// A line stops in its middle at a run of NULs.
  case tornLine(bytes: Int)
  /// NULs, which a file system leaves after a power cut where data had not reached the disk.
  case nulRun(bytes: Int)
  /// A line longer than any that is written.
  case overlongLine(bytes: Int)
  /// Bytes that are no text; the writer would have written them as `# x`.
  case notText(bytes: Int)
  /// A header of a version that this code does not know; what can be read is.
  case unknownVersion
  /// A `# t=` line that cannot be read. What follows keeps the time of the stamp before it.
  case badStamp
  /// A `# x` line that is not pairs of hexadecimal digits.
  case badBytes
  /// A `# e` line without a JSON object.
  case badEvent
  /// A point of a GPX file without a place, or without a time where the others have one.
  case badPoint
}

/// How often each kind of damage was met.
package struct RecordingDamageCounts: Hashable, Sendable {
  /// Torn tails: at most one per file.
  package var tornTails = 0
  /// Lines cut by NULs.
  package var tornLines = 0
  /// Runs of NULs.
  package var nulRuns = 0
  /// Lines of any other damage.
  package var badLines = 0
  /// All skipped bytes of which the size is known.
  package var bytes = 0

  /// No damage.
  package init() {}

  /// All damaged places.
  package var total: Int { tornTails + tornLines + nulRuns + badLines }

  /// Counts one more.
  package mutating func count(_ damage: RecordingDamage) {
    switch damage {
    case .tornTail(let size): tornTails += 1; bytes += size
    case .tornLine(let size): tornLines += 1; bytes += size
    case .nulRun(let size): nulRuns += 1; bytes += size
    case .overlongLine(let size), .notText(let size): badLines += 1; bytes += size
    case .unknownVersion, .badStamp, .badBytes, .badEvent, .badPoint: badLines += 1
    }
  }
}
