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
