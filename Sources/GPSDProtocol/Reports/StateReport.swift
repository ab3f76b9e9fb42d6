import LocationCore

/// Which source leads, in which state it is, and what is wrong with it (class `STATE`): sent on every transition.
///
/// | field | unit |
/// |---|---|
/// | `time` | UTC of the report |
/// | `state` | `idle`, `opening`, `acquiring`, `tracking`, `lost`, `failed` |
/// | `mode` | 2 or 3 while tracking |
/// | `source` `device` | name and path of the leading source |
/// | `leads` | why this source leads, when the lead changed |
/// | `since` | seconds in this state |
/// | `error` | `denied`, `notFound`, `busy`, `disabled`, `unavailable`, `misconfigured`, `noNMEA` |
/// | `message` `remedy` | the error in words; what a person can do |
/// | `previous` | the state before the failure |
/// | `seq` | number of the newest fix |
/// | `recordingError` | why the ride is not recorded that should be |
/// | `counts` | object of numbers |
public struct StateReport: Hashable, Sendable, Decodable {
  /// When this was said, UTC.
  public var time: UTCInstant?
  /// The leading source's state.
  public var state: String
  /// 2 or 3 while tracking.
  public var mode: Int?
  /// Name of the leading source.
  public var source: String?
  /// Path of its device.
  public var device: String?
  /// Why it leads, when the lead has just changed.
  public var leads: String?
  /// Seconds in this state.
  public var since: Double?
  /// Kind of error.
  public var error: String?
  /// The error in words.
  public var message: String?
  /// What a person can do about it.
  public var remedy: String?
  /// The state before the failure.
  public var previous: String?
  /// Number of the newest fix.
  public var seq: UInt64?
  /// Why the ride is not recorded that should be.
  public var recordingError: String?
  /// What happened how often on this source.
  public var counts: [String: Int]?

  /// A report of a state.
  package init(state: String) {
    self.state = state
  }

  /// Writes the whole line; `counters` take the place of `counts` and keep their order.
  package func write(counters: [Counter], into line: inout JSONLine) {
    line.begin("STATE")
    line.field("time", time)
    line.field("state", state)
    line.field("mode", mode)
    line.field("source", source)
    line.field("device", device)
    line.field("leads", leads)
    line.field("since", since, decimals: 3)
    line.field("error", error)
    line.field("message", message)
    line.field("remedy", remedy)
    line.field("previous", previous)
    line.field("seq", seq)
    line.field("recordingError", recordingError)
    line.field("counts", counters)
    line.end()
  }
}
