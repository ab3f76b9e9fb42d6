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
  /// UTC of the report.
  public var time: UTCInstant?
  /// State of the leading source.
  public var state: String
  /// 2 or 3 while tracking.
  public var mode: Int?
  /// Name of the leading source.
  public var source: String?
  /// Path of its device.
  public var device: String?
  /// Why it leads, after a change of the lead.
  public var leads: String?
  /// Seconds in this state.
  public var since: Double?
  /// Kind of error.
  public var error: String?
  /// The error in words.
  public var message: String?
  /// What a person can do about the error.
  public var remedy: String?
  /// The state before the failure.
  public var previous: String?
  /// Number of the newest fix.
  public var seq: UInt64?
  /// Why the ride is not recorded although it should be.
  public var recordingError: String?
  /// Counters of this source.
  public var counts: [String: Int]?

  /// A report of a state.
  package init(state: String) {
    self.state = state
  }

  init(_ object: inout JSONObject) {
    time = object.time("time")
    state = object.required("state", object.string("state"), or: "")
    mode = object.integer("mode")
    source = object.string("source")
    device = object.string("device")
    leads = object.string("leads")
    since = object.double("since")
    error = object.string("error")
    message = object.string("message")
    remedy = object.string("remedy")
    previous = object.string("previous")
    seq = object.integer("seq")
    recordingError = object.string("recordingError")
    counts = object.counts("counts")
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
