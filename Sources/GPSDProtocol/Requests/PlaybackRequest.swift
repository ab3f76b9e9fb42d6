/// A change to how a recording plays, `?PLAYBACK={…}`; at least one of the three is there.
package struct PlaybackRequest: Hashable, Sendable {
  /// Stand still, or go on.
  package var pause: Bool?
  /// Times real time, above 0 to 1000.
  package var speed: Double?
  /// Seconds from the recording's start, 0 to 10,000,000.
  package var seek: Double?

  package init(pause: Bool? = nil, speed: Double? = nil, seek: Double? = nil) {
    self.pause = pause
    self.speed = speed
    self.seek = seek
  }
}
