/// The position of a recording that plays in place of a receiver (class `PLAYBACK`).
public struct PlaybackReport: Hashable, Codable, Sendable, CodedReport {
  package static let reportClass: StaticString = "PLAYBACK"
  /// Name of the source.
  public var source: String?
  /// Time from the recording's start.
  public var position: Duration = .zero
  /// Length of the recording, when known.
  public var duration: Duration?
  /// Multiple of real time; `nil` for as fast as possible.
  public var speed: Double?
  /// Whether it is paused.
  public var isPaused = false
  /// Whether its end has been reached.
  public var isEnded = false
  /// The file that plays, when the source has several.
  public var file: String?

  /// The state of a recording.
  public init(
    source: String? = nil, position: Duration, duration: Duration? = nil, speed: Double?, isPaused: Bool = false,
    isEnded: Bool = false, file: String? = nil
  ) {
    self.source = source
    self.position = position
    self.duration = duration
    self.speed = speed
    self.isPaused = isPaused
    self.isEnded = isEnded
    self.file = file
  }

  package init() {}

  package mutating func fields(_ coder: inout some FieldCoder) {
    coder.field("source", &source)
    coder.field("position", &position, decimals: 3)
    coder.field("duration", &duration, decimals: 3)
    coder.field("speed", &speed, decimals: 3)
    coder.field("paused", &isPaused)
    coder.field("ended", &isEnded)
    coder.field("file", &file)
  }
}
