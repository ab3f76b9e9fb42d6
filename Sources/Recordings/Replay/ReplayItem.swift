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

  /// An item of one file, without a time shift.
  package init(offset: Duration, position: Duration, pass: Int, measurement: Int, content: Content) {
    self.init(
      offset: offset, position: position, pass: pass, file: 0, measurement: measurement, timeShift: .zero,
      content: content)
  }

  init(
    offset: Duration, position: Duration, pass: Int, file: Int, measurement: Int, timeShift: Duration, content: Content
  ) {
    self.offset = offset
    self.position = position
    self.pass = pass
    self.file = file
    self.measurement = measurement
    self.timeShift = timeShift
    self.content = content
  }
}

/// How fast a recording is replayed.
package enum ReplaySpeed: Hashable, Sendable {
  /// So many times as fast as it was recorded; finite and positive.
  case times(Double)
  /// Without waiting: time is virtual, and runs as fast as everything behind the door can follow.
  case max

  /// The speed as written in a source's URI: `max`, or a decimal number from 0.01 to 1000. `nil` for anything else.
  package init?(text: String) {
    if text == "max" {
      self = .max
      return
    }
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), text.utf8.count <= 12, let whole = Int64(digits: parts[0]) else { return nil }
    var value = Double(whole)
    if parts.count == 2 {
      guard let fraction = Int64(digits: parts[1]) else { return nil }
      var unit = 1.0
      for _ in parts[1] { unit *= 10 }
      value += Double(fraction) / unit
    }
    self.init(value)
  }

  /// A multiple from 0.01 to 1000; `nil` outside, and for NaN.
  package init?(_ multiple: Double) {
    guard (0.01...1000).contains(multiple) else { return nil }
    self = .times(multiple)
  }
}
