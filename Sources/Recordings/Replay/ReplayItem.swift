/// What a replay hands out, and when.
package struct ReplayItem: Hashable, Sendable {
  /// What it is.
  package enum Content: Hashable, Sendable {
    /// Bytes of a source.
    case burst(RecordedBurst)
    /// A request, or a source lost or found.
    case event(RecordedEvent)
  }

  /// When, on replay time: since the replay's start at speed 1. Never steps back, not even when the replay
  /// starts again or is sought back; virtual time is the start plus this.
  package var offset: Duration
  /// Where in the recording: since its first stamp.
  package var position: Duration
  /// How often the recording was begun before.
  package var pass: Int
  /// Which of the files it is of, from 0.
  package var file: Int
  /// Counts the places where what comes does not go on with what came: a new pass, a place that was sought, another
  /// ride in the next file. A new number is a new measurement.
  package var measurement: Int
  /// What is to be added to each measured time that comes from this item, so that measured times never
  /// step back: whole seconds, 0 in the first pass.
  package var timeShift: Duration
  /// What it is.
  package var content: Content
}
