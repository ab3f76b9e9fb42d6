/// Health and counters of the daemon as one object (class `STATUS`): the answer to `?STATUS;`.
///
/// | field | unit |
/// |---|---|
/// | `release` | of the daemon |
/// | `uptime` | seconds since it started |
/// | `state` `mode` `source` | as in `STATE`, of the leading source |
/// | `seq` `age` | number of the newest fix; seconds since it was received |
/// | `clients` `clientLimit` | connections now; most that are admitted |
/// | `recording` | file that is written, absent when none is |
/// | `recordingError` | why recording stopped |
/// | `sources` | every configured source in order |
/// | `counts` | object of numbers |
public struct StatusReport: Hashable, Sendable, Decodable {
  /// The daemon's release.
  public var release: String
  /// Seconds since the daemon started.
  public var uptime: Double
  /// State of the leading source.
  public var state: String
  /// 2 or 3 with a valid fix.
  public var mode: Int?
  /// Name of the leading source.
  public var source: String?
  /// Number of the newest fix.
  public var seq: UInt64?
  /// Seconds since the newest fix was received.
  public var age: Double?
  /// Connections now.
  public var clients: Int
  /// Most connections that are admitted.
  public var clientLimit: Int?
  /// File that is being recorded.
  public var recording: String?
  /// Why the recording stopped.
  public var recordingError: String?
  /// Every configured source in order.
  public var sources: [SourceReport]
  /// What happened how often.
  public var counts: [String: Int]?

  /// A report of a daemon without sources.
  package init(release: String, uptime: Double, state: String, clients: Int, sources: [SourceReport] = []) {
    self.release = release
    self.uptime = uptime
    self.state = state
    self.clients = clients
    self.sources = sources
  }

  /// Writes the whole line; `counters` take the place of `counts` and keep their order. Sources that do not fit are left out.
  package func write(counters: [Counter], into line: inout JSONLine) {
    let start = line.count
    line.begin("STATUS")
    line.field("release", release)
    line.field("uptime", uptime, decimals: 3)
    line.field("state", state)
    line.field("mode", mode)
    line.field("source", source)
    line.field("seq", seq)
    line.field("age", age, decimals: 3)
    line.field("clients", clients)
    line.field("clientLimit", clientLimit)
    line.field("recording", recording)
    line.field("recordingError", recordingError)
    line.field("counts", counters)
    let limit = start + JSONLine.maximumLength - 4
    line.beginArray("sources")
    for source in sources {
      let mark = line.count
      source.object(into: &line)
      guard line.count <= limit else {
        line.truncate(to: mark)
        break
      }
    }
    line.endArray()
    line.end()
  }
}
