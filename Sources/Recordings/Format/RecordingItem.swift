/// One thing that a recording tells, in the order of the file.
package enum RecordingItem: Hashable, Sendable {
  /// The header; comes again where files were joined.
  case header(RecordingHeader)
  /// Bytes that a source sent.
  case burst(RecordedBurst)
  /// What happened besides bytes.
  case event(RecordedEvent)
  /// A part that cannot be read and was skipped.
  case damage(RecordingDamage)
}

/// The bytes of one read, exactly as received.
package struct RecordedBurst: Hashable, Sendable {
  /// When and from which source; `nil` in a log that has no `# t=` lines.
  package var stamp: RecordingStamp?
  /// The bytes. At most ``RecordingDecoder/maximumBurst``: a longer read comes in parts of one stamp.
  package var bytes: [UInt8]

  /// A burst.
  package init(stamp: RecordingStamp?, bytes: [UInt8]) {
    self.stamp = stamp
    self.bytes = bytes
  }
}

/// What a replay must repeat besides bytes: the line `# e {json}`.
///
/// The vocabulary: a client's request in its wire form with its name as `request` (`VIEW`,
/// `FOLLOW`, `TARGET`), as in
/// `{"request":"VIEW","view":"main","lat":48.1,"lon":11.5,"seq":17,"cause":"user"}`, where `seq`
/// counts the fixes that a replay of the file publishes, from 1; or ``sourceLost`` and ``sourceFound``,
/// which speak of the stamp's source.
package struct RecordedEvent: Hashable, Sendable {
  /// When, and about which source; `nil` when the file had no `# t=` line before it.
  package var stamp: RecordingStamp?
  /// One JSON object on one line. Only its braces are checked here.
  package var json: [UInt8]

  /// An event.
  package init(stamp: RecordingStamp?, json: [UInt8]) {
    self.stamp = stamp
    self.json = json
  }

  /// The source went away: unplugged, closed or failed.
  package static let sourceLost = Array(#"{"source":"lost"}"#.utf8)
  /// The source is back and open.
  package static let sourceFound = Array(#"{"source":"found"}"#.utf8)
}

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
