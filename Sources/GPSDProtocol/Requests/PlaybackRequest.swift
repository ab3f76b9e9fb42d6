/// A change to a recording that plays, `?PLAYBACK={…}`, with at least one of its members.
package struct PlaybackRequest: Hashable, Sendable {
  /// Whether to pause, or resume.
  package var pause: Bool?
  /// The new speed.
  package var speed: PlaybackSpeed?
  /// Seconds from the recording's start to go to, 0 to 10,000,000.
  package var seek: Double?

  package init(pause: Bool? = nil, speed: PlaybackSpeed? = nil, seek: Double? = nil) {
    self.pause = pause
    self.speed = speed
    self.seek = seek
  }

  init(_ fields: RequestFields) throws(RequestError) {
    try fields.allowOnly("pause", "speed", "seek")
    self.init(pause: try fields.bool("pause"), seek: try fields.number("seek", in: 0...10_000_000))
    if fields.isText("speed") {
      guard try fields.string("speed", bytes: 0...64) == "max" else {
        throw fields.outOfRange("speed", #"from 0.1 to 1000, or "max""#)
      }
      speed = .max
    } else if let multiple = try fields.number("speed") {
      guard PlaybackSpeed.range.contains(multiple) else {
        throw fields.outOfRange("speed", #"from 0.1 to 1000, or "max"; to pause send "pause":true"#)
      }
      speed = .times(multiple)
    }
    if fields.isEmpty { _ = try fields.required("pause", pause) }
  }

  func writeFields(into line: inout JSONLine) {
    line.field("pause", pause)
    switch speed {
    case nil: break
    case .times(let multiple): line.field("speed", multiple, decimals: 3)
    case .max: line.field("speed", "max")
    }
    line.field("seek", seek, decimals: 3)
  }
}

/// The speed at which a recording plays.
public enum PlaybackSpeed: Hashable, Sendable {
  /// A multiple of real time, 0.1 to 1000.
  case times(Double)
  /// As fast as possible on virtual time: every fix reaches every client, and the recording waits for slow ones.
  case max

  /// The range of multiples.
  package static let range = 0.1...1000.0
}

extension PlaybackSpeed: ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral {
  /// A multiple of real time.
  public init(floatLiteral multiple: Double) { self = .times(multiple) }

  /// A multiple of real time.
  public init(integerLiteral multiple: Int) { self = .times(Double(multiple)) }
}

/// The start or stop of recording, `?RECORD={…}`.
package struct RecordRequest: Hashable, Sendable {
  /// Whether to record.
  package var enable: Bool
  /// Where to; only the directory of the daemon's configuration is accepted.
  package var directory: String?

  package init(enable: Bool, directory: String? = nil) {
    self.enable = enable
    self.directory = directory
  }

  init(_ fields: RequestFields) throws(RequestError) {
    try fields.allowOnly("enable", "directory")
    let directory = try fields.string("directory", bytes: 1...1024)
    self.init(enable: try fields.required("enable", fields.bool("enable")), directory: directory)
  }
}
