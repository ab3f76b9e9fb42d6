import LocationCore

/// How the recording stands (class `RECORD`): the answer to `?RECORD;`, and sent whenever that changes.
///
/// | field | unit |
/// |---|---|
/// | `state` | `starting` (the disk has not answered yet), `recording`, `stopped`, `failed` (tried again by itself), `off` (no directory is configured) |
/// | `directory` `ride` `file` | where rides go; name of the ride; file in progress |
/// | `bytes` | written since the start of the daemon |
/// | `error` | why it failed |
/// | `start` | UTC of the ride's first fix |
/// | `duration` `movingTime` | seconds |
/// | `distance` `ascent` | metres |
/// | `maxSpeed` `averageSpeed` | m/s |
/// | `fixes` `gaps` | counts |
public struct RecordReport: Hashable, Sendable, Decodable {
  /// `starting`, `recording`, `stopped`, `failed` or `off`.
  public var state: String
  /// Where rides are recorded.
  public var directory: String?
  /// The ride's name.
  public var ride: String?
  /// The file in progress.
  public var file: String?
  /// Bytes written since the start of the daemon.
  public var bytes: Int?
  /// Why the recording failed.
  public var error: String?
  /// UTC of the ride's first fix.
  public var start: UTCInstant?
  /// Seconds from the ride's first fix to its last.
  public var duration: Double?
  /// Seconds in which it moved.
  public var movingTime: Double?
  /// Metres.
  public var distance: Double?
  /// Metres.
  public var ascent: Double?
  /// m/s
  public var maxSpeed: Double?
  /// m/s
  public var averageSpeed: Double?
  /// Fixes of the ride.
  public var fixes: Int?
  /// Times without a fix.
  public var gaps: Int?

  /// A report of a state.
  package init(state: String) {
    self.state = state
  }

  /// Writes the whole line.
  package func write(into line: inout JSONLine) {
    line.begin("RECORD")
    line.field("state", state)
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
