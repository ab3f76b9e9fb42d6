import LocationCore

/// The state of recording (class `RECORD`), sent when it changes and on request.
public struct RecordReport: Hashable, Codable, Sendable, CodedReport {
  package static let reportClass: StaticString = "RECORD"
  /// State of recording.
  public typealias State = OpenName<RecordReport>
  /// State of recording.
  public var state: State = .init("")
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
  public init(state: State) { self.state = state }
  package init() {}

  package mutating func fields(_ coder: inout some FieldCoder) {
    coder.field("state", &state)
    coder.field("directory", &directory)
    coder.field("ride", &ride)
    coder.field("file", &file)
    coder.field("bytes", &bytes)
    coder.field("error", &error)
    coder.field("start", &start)
    coder.field("duration", &duration, decimals: 1)
    coder.field("movingTime", &movingTime, decimals: 1)
    coder.field("distance", &distance, decimals: 1)
    coder.field("ascent", &ascent, decimals: 1)
    coder.field("maxSpeed", &maxSpeed, decimals: 3)
    coder.field("averageSpeed", &averageSpeed, decimals: 3)
    coder.field("fixes", &fixes)
    coder.field("gaps", &gaps)
  }
}

extension OpenName<RecordReport> {
  /// The disk has not answered yet.
  public static var starting: Self { Self("starting") }
  /// A ride is being written.
  public static var recording: Self { Self("recording") }
  /// Stopped by a request.
  public static var stopped: Self { Self("stopped") }
  /// Failed, and retried automatically.
  public static var failed: Self { Self("failed") }
  /// No directory is configured.
  public static var off: Self { Self("off") }
}
