/// Finds how long a recording takes at speed 1, a little at a time: it is read once, beside the replay.
package struct RecordingLength: ~Copyable, Sendable {
  private var timeline: RecordingTimeline
  private var position: Duration = .zero

  /// Opens the files; at least one.
  package init(files: [String]) throws(RecordingError) {
    timeline = try RecordingTimeline(files: files)
  }

  /// Reads on by so many items; returns the length when the end is reached.
  package mutating func measure(atMost count: Int) throws(RecordingError) -> Duration? {
    for _ in 0..<count {
      guard let item = try timeline.next() else { return position }
      position = item.position
    }
    return nil
  }
}
