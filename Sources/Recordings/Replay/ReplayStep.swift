/// One thing that a replay does, and when.
package struct ReplayStep: Hashable, Sendable {
  /// What happens.
  package enum Content: Hashable, Sendable {
    /// A receiver sends these bytes in one read.
    case bytes([UInt8])
    /// What happened besides bytes, one JSON object.
    case event([UInt8])
  }

  /// Recorded time from the start of the replay; it never goes back, over files and rounds.
  package var offset: Duration
  /// What happens.
  package var content: Content
  /// How many times the whole recording has been played before.
  package var round: Int
  /// What is to be added to measured times so that they do not step back from one round to the next.
  package var timeShift: Duration
}
