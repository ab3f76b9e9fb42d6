/// A change to how a recording plays, `?PLAYBACK={…}`; at least one of the three is there.
package struct PlaybackRequest: Hashable, Sendable {
  /// Stand still, or go on.
  package var pause: Bool?
  /// Times real time, 0.1 to 1000, or `"max"`.
  package var speed: PlaybackSpeed?
  /// Seconds from the recording's start, 0 to 10,000,000.
  package var seek: Double?

  package init(pause: Bool? = nil, speed: PlaybackSpeed? = nil, seek: Double? = nil) {
    self.pause = pause
    self.speed = speed
    self.seek = seek
  }
}

extension PlaybackRequest {
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
        throw fields.outOfRange("speed", #"from 0.1 to 1000, or "max"; to stand still send "pause":true"#)
      }
      speed = .times(multiple)
    }
    if fields.isEmpty { _ = try fields.required("pause", pause) }
  }
}
