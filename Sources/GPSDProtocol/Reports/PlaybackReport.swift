import LocationCore

/// The position of a recording that plays in place of a receiver (class `PLAYBACK`).
public struct PlaybackReport: Hashable, Sendable {
  /// Name of the source.
  public var source: String?
  /// Time from the recording's start.
  public var position: Duration
  /// Length of the recording, when known.
  public var duration: Duration?
  /// Multiple of real time; `nil` for as fast as possible.
  public var speed: Double?
  /// Whether it is paused.
  public var paused: Bool
  /// Whether its end has been reached.
  public var ended: Bool
  /// The file that plays, when the source has several.
  public var file: String?

  /// The state of a recording.
  public init(
    source: String? = nil, position: Duration, duration: Duration? = nil, speed: Double?, paused: Bool = false,
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

  init(_ object: inout JSONObject) {
    source = object.string("source")
    position = object.required("position", object.duration("position"), or: .zero)
    duration = object.duration("duration")
    speed = object.double("speed")
    paused = object.required("paused", object.bool("paused"), or: false)
    ended = object.required("ended", object.bool("ended"), or: false)
    file = object.string("file")
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

/// The state of recording (class `RECORD`), sent when it changes and on request.
///
/// | field | unit |
/// |---|---|
/// | `state` | `starting` (the disk has not answered yet), `recording`, `stopped`, `failed` (retried automatically), `off` (no directory is configured) |
/// | `directory` `ride` `file` | where rides go; name of the ride; file in progress |
/// | `bytes` | written since the daemon started |
/// | `error` | why it failed |
/// | `start` | UTC of the ride's first fix |
/// | `duration` `movingTime` | seconds |
/// | `distance` `ascent` | metres |
/// | `maxSpeed` `averageSpeed` | m/s |
/// | `fixes` `gaps` | counts |
public struct RecordReport: Hashable, Sendable {
  /// State of recording.
  public enum State: OpenName {
    /// The disk has not answered yet.
    case starting
    /// A ride is being written.
    case recording
    /// Stopped by a request.
    case stopped
    /// Failed, and retried automatically.
    case failed
    /// No directory is configured.
    case off
    /// A name unknown to this release.
    case unknown(String)

    private static let known: [Self] = [
      .starting, .recording, .stopped, .failed, .off,
    ]

    /// The case of a name on the wire.
    public init(rawValue name: String) {
      self = Self.known.first { $0.rawValue == name } ?? .unknown(name)
    }

    /// The name on the wire.
    public var rawValue: String {
      switch self {
      case .starting: "starting"
      case .recording: "recording"
      case .stopped: "stopped"
      case .failed: "failed"
      case .off: "off"
      case .unknown(let name): name
      }
    }
  }

  /// State of recording.
  public var state: State
  /// Directory of the recorded rides.
  public var directory: String?
  /// Name of the ride.
  public var ride: String?
  /// The file in progress.
  public var file: String?
  /// Bytes written since the daemon started.
  public var bytes: Int?
  /// Why the recording failed.
  public var error: String?
  /// UTC of the ride's first fix.
  public var start: UTCInstant?
  /// Time from the ride's first fix to its last.
  public var duration: Duration?
  /// Time of moving.
  public var movingTime: Duration?
  /// Distance travelled, metres.
  public var distance: Double?
  /// Height gained, metres.
  public var ascent: Double?
  /// Highest speed, m/s.
  public var maxSpeed: Double?
  /// Average speed while moving, m/s.
  public var averageSpeed: Double?
  /// Number of fixes of the ride.
  public var fixes: Int?
  /// Number of gaps between the fixes.
  public var gaps: Int?

  /// A report of a state.
  public init(state: State) {
    self.state = state
  }

  init(_ object: inout JSONObject) {
    state = object.required("state", object.name("state"), or: "")
    directory = object.string("directory")
    ride = object.string("ride")
    file = object.string("file")
    bytes = object.integer("bytes")
    error = object.string("error")
    start = object.time("start")
    duration = object.duration("duration")
    movingTime = object.duration("movingTime")
    distance = object.double("distance")
    ascent = object.double("ascent")
    maxSpeed = object.double("maxSpeed")
    averageSpeed = object.double("averageSpeed")
    fixes = object.integer("fixes")
    gaps = object.integer("gaps")
  }

  /// Writes the whole line.
  package func write(into line: inout JSONLine) {
    line.begin("RECORD")
    line.field("state", state.rawValue)
    line.field("directory", directory)
    line.field("ride", ride)
    line.field("file", file)
    line.field("bytes", bytes)
    line.field("error", error)
    line.field("start", start)
    line.field("duration", duration, decimals: 1)
    line.field("movingTime", movingTime, decimals: 1)
    line.field("distance", distance, decimals: 1)
    line.field("ascent", ascent, decimals: 1)
    line.field("maxSpeed", maxSpeed, decimals: 3)
    line.field("averageSpeed", averageSpeed, decimals: 3)
    line.field("fixes", fixes)
    line.field("gaps", gaps)
    line.end()
  }
}
