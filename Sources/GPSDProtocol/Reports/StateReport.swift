import LocationCore

/// The leading source and its state (class `STATE`), sent on every transition.
///
/// | field | unit |
/// |---|---|
/// | `time` | UTC of the report |
/// | `state` | `idle`, `opening`, `acquiring`, `tracking`, `lost`, `failed` |
/// | `mode` | 2 or 3 while tracking |
/// | `source` `device` | name and path of the leading source |
/// | `leads` | why this source leads, when the lead changed |
/// | `since` | seconds in this state |
/// | `error` | kind of error: `denied`, `notFound`, `busy`, `disabled`, `unavailable`, `misconfigured`, `noNMEA` |
/// | `message` `remedy` | the error in words; what a person can do |
/// | `previous` | the state before the failure |
/// | `seq` | number of the newest fix |
/// | `recordingError` | why the ride is not being recorded |
/// | `counts` | object of numbers |
public struct StateReport: Hashable, Sendable {
  /// State of a source.
  public enum State: OpenName {
    /// Not in use.
    case idle
    /// First attempt to open.
    case opening
    /// Open, without a valid fix so far.
    case acquiring
    /// Delivering valid fixes.
    case tracking
    /// No valid fix any more.
    case lost
    /// Failed for a known reason.
    case failed
    /// A name unknown to this release.
    case unknown(String)

    private static let known: [Self] = [
      .idle, .opening, .acquiring, .tracking, .lost, .failed,
    ]

    /// The case of a name on the wire.
    public init(rawValue name: String) {
      self = Self.known.first { $0.rawValue == name } ?? .unknown(name)
    }

    /// The name on the wire.
    public var rawValue: String {
      switch self {
      case .idle: "idle"
      case .opening: "opening"
      case .acquiring: "acquiring"
      case .tracking: "tracking"
      case .lost: "lost"
      case .failed: "failed"
      case .unknown(let name): name
      }
    }
  }

  /// Why a source took the lead.
  public enum Lead: OpenName {
    /// The previous source sends nothing.
    case silent
    /// The previous source sends data without a valid fix.
    case noFix
    /// The previous source failed or ended.
    case failed
    /// A preferred source has been valid for long enough.
    case preferred
    /// The previous source was removed from the configuration.
    case removed
    /// A name unknown to this release.
    case unknown(String)

    private static let known: [Self] = [
      .silent, .noFix, .failed, .preferred, .removed,
    ]

    /// The case of a name on the wire.
    public init(rawValue name: String) {
      self = Self.known.first { $0.rawValue == name } ?? .unknown(name)
    }

    /// The name on the wire.
    public var rawValue: String {
      switch self {
      case .silent: "silent"
      case .noFix: "noFix"
      case .failed: "failed"
      case .preferred: "preferred"
      case .removed: "removed"
      case .unknown(let name): name
      }
    }
  }

  /// UTC of the report.
  public var time: UTCInstant?
  /// State of the leading source.
  public var state: State
  /// 2 or 3 while tracking.
  public var mode: Int?
  /// Name of the leading source.
  public var source: String?
  /// Path of its device.
  public var device: String?
  /// Why it leads, after a change of the lead.
  public var leads: Lead?
  /// Time in this state.
  public var since: Duration?
  /// Kind of error.
  public var error: ErrorCode?
  /// The error in words.
  public var message: String?
  /// What a person can do about the error.
  public var remedy: String?
  /// The state before the failure.
  public var previous: State?
  /// Number of the newest fix.
  public var seq: UInt64?
  /// Why the ride is not recorded although it should be.
  public var recordingError: String?
  /// Counters of this source.
  public var counts: [String: Int]?

  /// A report of a state.
  public init(
    state: State, mode: Int? = nil, source: String? = nil, error: ErrorCode? = nil, message: String? = nil,
    remedy: String? = nil
  ) {
    self.state = state
    self.mode = mode
    self.source = source
    self.error = error
    self.message = message
    self.remedy = remedy
  }

  init(_ object: inout JSONObject) {
    time = object.time("time")
    state = object.required("state", object.name("state"), or: "")
    mode = object.integer("mode")
    source = object.string("source")
    device = object.string("device")
    leads = object.name("leads")
    since = object.duration("since")
    error = object.name("error")
    message = object.string("message")
    remedy = object.string("remedy")
    previous = object.name("previous")
    seq = object.integer("seq")
    recordingError = object.string("recordingError")
    counts = object.counts("counts")
  }

  /// Writes the whole line; `counters` take the place of `counts` and keep their order.
  package func write(counters: [Counter], into line: inout JSONLine) {
    line.begin("STATE")
    line.field("time", time)
    line.field("state", state.rawValue)
    line.field("mode", mode)
    line.field("source", source)
    line.field("device", device)
    line.field("leads", leads?.rawValue)
    line.field("since", since, decimals: 3)
    line.field("error", error?.rawValue)
    line.field("message", message)
    line.field("remedy", remedy)
    line.field("previous", previous?.rawValue)
    line.field("seq", seq)
    line.field("recordingError", recordingError)
    line.field("counts", counters)
    line.end()
  }
}

/// A number that only grows, with its name on the wire.
package struct Counter: Sendable {
  /// The name, at most 30 characters.
  package var name: StaticString
  /// Number of events since the daemon started.
  package var value: Int

  package init(_ name: StaticString, _ value: Int) {
    self.name = name
    self.value = value
  }
}

extension JSONLine {
  mutating func field(_ name: StaticString, _ counters: [Counter]) {
    guard !counters.isEmpty else { return }
    beginObject(name)
    for counter in counters { field(counter.name, counter.value) }
    endObject()
  }
}
