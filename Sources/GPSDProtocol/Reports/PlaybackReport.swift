/// Where a recording stands that plays in the place of a receiver (class `PLAYBACK`).
public struct PlaybackReport: Hashable, Sendable, Decodable {
  /// Name of the source.
  public var source: String?
  /// Seconds from the recording's start.
  public var position: Double
  /// Length of the recording in seconds, when known.
  public var duration: Double?
  /// Times real time; `nil` when it plays as fast as it can.
  public var speed: Double?
  /// Whether it stands still.
  public var paused: Bool
  /// Whether its end has been reached.
  public var ended: Bool
  /// The file that plays, of several; as the daemon's source names it.
  public var file: String?

  /// The state of a recording.
  package init(
    source: String? = nil, position: Double, duration: Double? = nil, speed: Double?, paused: Bool = false,
    ended: Bool = false, file: String? = nil
  ) {
    self.source = source
    self.position = position
    self.duration = duration
    self.speed = speed
    self.paused = paused
    self.ended = ended
    self.file = file
  }

  /// Writes the whole line.
  package func write(into line: inout JSONLine) {
    line.begin("PLAYBACK")
    line.field("source", source)
    line.field("position", position, decimals: 3)
    line.field("duration", duration, decimals: 3)
    line.field("speed", speed, decimals: 3)
    line.field("paused", paused)
    line.field("ended", ended)
    line.field("file", file)
    line.end()
  }
}
