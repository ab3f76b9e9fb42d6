/// Health and counters of the daemon (class `STATUS`), the answer to `?STATUS;`.
///
/// | field | unit |
/// |---|---|
/// | `release` | of the daemon |
/// | `uptime` | seconds since it started |
/// | `state` `mode` `source` | as in `STATE`, of the leading source |
/// | `seq` `age` | number of the newest fix; seconds since it was received |
/// | `clients` `clientLimit` | connections now; most admitted |
/// | `recording` | file that is being written |
/// | `recordingError` | why recording failed |
/// | `sources` | every source in the order of the configuration |
/// | `counts` | object of numbers |
public struct StatusReport: Hashable, Sendable {
  /// The daemon's release.
  public var release: String
  /// Time since the daemon started.
  public var uptime: Duration
  /// State of the leading source.
  public var state: StateReport.State
  /// 2 or 3 with a valid fix.
  public var mode: Int?
  /// Name of the leading source.
  public var source: String?
  /// Number of the newest fix.
  public var seq: UInt64?
  /// Time since the newest fix was received.
  public var age: Duration?
  /// Number of connections.
  public var clients: Int
  /// Maximum number of connections.
  public var clientLimit: Int?
  /// File in progress.
  public var recording: String?
  /// Why recording failed.
  public var recordingError: String?
  /// Every source in the order of the configuration.
  public var sources: [SourceReport]
  /// Counters of the daemon.
  public var counts: [String: Int]?

  /// A report of a daemon without sources.
  public init(
    release: String, uptime: Duration, state: StateReport.State, clients: Int, sources: [SourceReport] = []
  ) {
    self.release = release
    self.uptime = uptime
    self.state = state
    self.clients = clients
    self.sources = sources
  }

  init(_ object: inout JSONObject) {
    release = object.required("release", object.string("release"), or: "")
    uptime = object.required("uptime", object.duration("uptime"), or: .zero)
    state = object.required("state", object.name("state"), or: "")
    mode = object.integer("mode")
    source = object.string("source")
    seq = object.integer("seq")
    age = object.duration("age")
    clients = object.required("clients", object.integer("clients"), or: 0)
    clientLimit = object.integer("clientLimit")
    recording = object.string("recording")
    recordingError = object.string("recordingError")
    sources = object.required("sources", object.objects("sources") { SourceReport(&$0) }, or: [])
    counts = object.counts("counts")
  }

  /// Writes the whole line; `counters` take the place of `counts` and keep their order. Sources that do not fit are
  /// left out.
  package func write(counters: [Counter], into line: inout JSONLine) {
    let start = line.count
    line.begin("STATUS")
    line.field("release", release)
    line.field("uptime", uptime, decimals: 3)
    line.field("state", state.rawValue)
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

/// One source within a `STATUS`.
public struct SourceReport: Hashable, Sendable {
  /// Name of the source.
  public var source: String
  /// Path of its device.
  public var device: String?
  /// Its state, as in `STATE`.
  public var state: StateReport.State
  /// 2 or 3 while tracking.
  public var mode: Int?
  /// Bits per second of a serial line, once found.
  public var bps: Int?
  /// Share of a serial line's speed that is used, 0 to 1.
  public var load: Double?
  /// Time from epoch to epoch.
  public var cycle: Duration?
  /// State of its receiver's set-up, as in `RECEIVER`; `nil` if the source asks for none.
  public var receiver: String?
  /// Kind of error, as in `STATE`.
  public var error: ErrorCode?
  /// The error in words.
  public var message: String?
  /// The remedy.
  public var remedy: String?

  /// A source in a state.
  public init(source: String, state: StateReport.State) {
    self.source = source
    self.state = state
  }

  init(_ object: inout JSONObject) {
    source = object.required("source", object.string("source"), or: "")
    device = object.string("device")
    state = object.required("state", object.name("state"), or: "")
    mode = object.integer("mode")
    bps = object.integer("bps")
    load = object.double("load")
    cycle = object.duration("cycle")
    receiver = object.string("receiver")
    error = object.name("error")
    message = object.string("message")
    remedy = object.string("remedy")
  }

  func object(into line: inout JSONLine) {
    line.beginObject()
    line.field("source", source)
    line.field("device", device)
    line.field("state", state.rawValue)
    line.field("mode", mode)
    line.field("bps", bps)
    line.field("load", load, decimals: 2)
    line.field("cycle", cycle, decimals: 2)
    line.field("receiver", receiver)
    line.field("error", error?.rawValue)
    line.field("message", message)
    line.field("remedy", remedy)
    line.endObject()
  }
}
