/// A change to a recording that plays, `?PLAYBACK={…}`, with at least one of its members.
package struct PlaybackRequest: CodedFields {
  package var pause: Bool?
  package var speed: PlaybackSpeed?
  /// Seconds from the recording's start to go to, 0 to 10,000,000.
  package var seek: Double?

  package init(pause: Bool? = nil, speed: PlaybackSpeed? = nil, seek: Double? = nil) {
    self.pause = pause
    self.speed = speed
    self.seek = seek
  }

  package init() {}

  package mutating func fields(_ coder: inout some FieldCoder) {
    coder.field("pause", &pause)
    if coder.isText("speed") || speed == .max {
      var text: String? = "max"
      coder.field("speed", &text)
      coder.check("speed", text == "max", #"from 0.1 to 1000, or "max""#)
      speed = .max
    } else {
      var multiple: Double? = if case .times(let multiple)? = speed { multiple } else { nil }
      coder.field("speed", &multiple, decimals: 3)
      coder.check(
        "speed", multiple.map(PlaybackSpeed.range.contains) ?? true,
        #"from 0.1 to 1000, or "max"; to pause send "pause":true"#)
      speed = multiple.map { .times($0) }
    }
    coder.field("seek", &seek, decimals: 3, in: 0...10_000_000)
    if self == PlaybackRequest() { coder.noteMissing("pause") }
  }
}

/// The speed at which a recording plays.
public enum PlaybackSpeed: Hashable, Sendable {
  /// A multiple of real time, 0.1 to 1000.
  case times(Double)
  /// As fast as possible on virtual time: every fix reaches every client, and the recording waits for slow ones.
  case max

  package static let range = 0.1...1000.0

  /// A speed in a source's URI: `max`, or a decimal number of the ``range``; `nil` for anything else.
  package init?(text: String) {
    if text == "max" {
      self = .max
      return
    }
    let isPlain =
      text.utf8.count <= 12 && text.utf8.allSatisfy { $0 == Byte.dot || (Byte.zero...Byte.nine).contains($0) }
    guard isPlain, let multiple = Double(number: text.utf8), Self.range.contains(multiple) else { return nil }
    self = .times(multiple)
  }
}

extension PlaybackSpeed: ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral {
  /// A multiple of real time.
  public init(floatLiteral multiple: Double) { self = .times(multiple) }
  /// A multiple of real time.
  public init(integerLiteral multiple: Int) { self = .times(Double(multiple)) }
}

/// The start or stop of recording, `?RECORD={…}`.
package struct RecordRequest: CodedFields {
  package var enable: Bool
  /// Where to; only the directory of the daemon's configuration is accepted.
  package var directory: String?

  package init(enable: Bool, directory: String? = nil) {
    self.enable = enable
    self.directory = directory
  }

  package init() { enable = false }

  package mutating func fields(_ coder: inout some FieldCoder) {
    coder.field("enable", &enable)
    coder.field("directory", &directory, bytes: 1...1024)
  }
}

/// A question about a receiver's set-up, or its start, `?RECEIVER={…}`.
package struct ReceiverRequest: CodedFields {
  package enum Action: String, Hashable, Sendable {
    /// Read the settings and report what would be sent.
    case plan
    /// Read the settings and send what differs.
    case apply
  }

  /// Name of the source; `nil` for the first one that asks for a set-up.
  package var source: String?
  /// What to start; `nil` reports the last set-up.
  package var action: Action?

  package init(source: String? = nil, action: Action? = nil) {
    self.source = source
    self.action = action
  }

  package init() {}

  package mutating func fields(_ coder: inout some FieldCoder) {
    coder.field("source", &source, bytes: 1...64)
    coder.field("action", &action, bytes: 1...16, #""plan" or "apply""#)
  }
}
