/// An item of a replay and its times.
package struct ReplayItem: Hashable, Sendable {
  /// A burst or an event.
  package enum Content: Hashable, Sendable {
    /// Bytes of a source.
    case burst(RecordedBurst)
    /// A request, or a source lost or found.
    case event(RecordedEvent)
  }

  /// Time since the replay's start at speed 1. Never steps back, not even when the replay loops or seeks back; virtual time
  /// is the start plus this.
  package var offset: Duration
  /// Time since the recording's first stamp.
  package var position: Duration
  /// Number of completed passes.
  package var pass: Int
  /// Index of its file.
  package var file: Int
  /// Number of its measurement. A new pass, a seek and another ride in the next file begin a new measurement: it does not
  /// continue the previous one.
  package var measurement: Int
  /// Whole seconds to be added to each measured time of this item, so that measured times never step back; 0 in the first
  /// pass.
  package var timeShift: Duration
  /// Whether the time since the previous item is unknown, or longer than the step between their positions.
  package var isAfterGap: Bool
  /// The burst or event.
  package var content: Content

  /// An item of one file, without a time shift.
  package init(offset: Duration, position: Duration, pass: Int, measurement: Int, content: Content) {
    self.init(
      offset: offset, position: position, pass: pass, file: 0, measurement: measurement, timeShift: .zero,
      isAfterGap: false, content: content)
  }

  init(
    offset: Duration, position: Duration, pass: Int, file: Int, measurement: Int, timeShift: Duration,
    isAfterGap: Bool, content: Content
  ) {
    self.offset = offset
    self.position = position
    self.pass = pass
    self.file = file
    self.measurement = measurement
    self.timeShift = timeShift
    self.isAfterGap = isAfterGap
    self.content = content
  }
}

/// The speed of a replay.
package enum ReplaySpeed: Hashable, Sendable {
  /// A multiple of the recorded speed; finite and positive.
  case times(Double)
  /// Without waiting: time is virtual and runs as fast as its consumers.
  case max

  /// A speed in a source's URI: `max`, or a decimal number from 0.01 to 1000; `nil` for anything else.
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

  /// A multiple from 0.01 to 1000; `nil` for anything else.
  package init?(_ multiple: Double) {
    guard (0.01...1000).contains(multiple) else { return nil }
    self = .times(multiple)
  }
}
