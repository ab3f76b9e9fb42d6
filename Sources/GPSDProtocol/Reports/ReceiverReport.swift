import LocationCore

/// The set-up of a source's receiver (class `RECEIVER`), the answer to `?RECEIVER;`.
///
/// | field | meaning |
/// |---|---|
/// | `source` `device` | name of the source, path of its device |
/// | `state` | `off`, `waiting`, `identifying`, `running`, `done`, `unsupported`, `lost` or `busy` |
/// | `family` `model` `firmware` `protocol` | what the receiver is, as far as it says |
/// | `holder` | the process that keeps the receiver from being set up |
/// | `settings` | each setting with `name`, `wanted`, `current`, `outcome`, and `command` in hexadecimal digits |
public struct ReceiverReport: Hashable, Sendable {
  /// One setting.
  public struct Setting: Hashable, Sendable {
    /// `speed` (bit/s), `period` (milliseconds), `model` (the receiver's number), `accuracy` (epochs between two GST).
    public var name: String
    /// The value that the configuration asks for.
    public var wanted: Int?
    /// The value that was read last.
    public var current: Int?
    /// `unknown`, `same`, `planned`, `set`, `acknowledged`, `refused` or `unanswered`.
    public var outcome: String
    /// The command, in hexadecimal digits.
    public var command: String?
  }

  /// Name of the source.
  public var source: String
  /// Path of its device.
  public var device: String?
  /// Progress or result of the set-up.
  public var state: String
  /// `u-blox`, `MediaTek` or `Quectel/Airoha`.
  public var family: String?
  /// Name of the receiver.
  public var model: String?
  /// Version of its firmware.
  public var firmware: String?
  /// Version of its protocol; u-blox only.
  public var protocolVersion: String?
  /// The process that holds the line.
  public var holder: String?
  /// Each setting that the configuration asks for.
  public var settings: [Setting] = []

  /// A source's receiver of which nothing else is known.
  public init(source: String, device: String? = nil, state: String) {
    self.source = source
    self.device = device
    self.state = state
  }

  /// Whether the set-up is under way.
  public var isRunning: Bool { ["waiting", "identifying", "running"].contains(state) }

  /// Takes the progress or result of a set-up.
  package mutating func apply(_ status: ReceiverStatus) {
    state = status.phase.rawValue
    family = status.identity?.family.rawValue
    model = status.identity?.model
    firmware = status.identity?.firmware
    protocolVersion = status.identity?.protocolVersion
    settings = status.settings.map { setting in
      let digits = setting.command.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }
      return Setting(
        name: setting.name.rawValue, wanted: setting.wanted, current: setting.current,
        outcome: setting.outcome.rawValue, command: digits.isEmpty ? nil : digits.joined())
    }
  }

  init(_ object: inout JSONObject) {
    source = object.required("source", object.string("source"), or: "")
    device = object.string("device")
    state = object.required("state", object.string("state"), or: "")
    family = object.string("family")
    model = object.string("model")
    firmware = object.string("firmware")
    protocolVersion = object.string("protocol")
    holder = object.string("holder")
    settings =
      object.objects("settings") { object in
        Setting(
          name: object.required("name", object.string("name"), or: ""), wanted: object.integer("wanted"),
          current: object.integer("current"), outcome: object.required("outcome", object.string("outcome"), or: ""),
          command: object.string("command"))
      } ?? []
  }

  /// Writes the whole line.
  package func write(into line: inout JSONLine) {
    line.begin("RECEIVER")
    line.field("source", source)
    line.field("device", device)
    line.field("state", state)
    line.field("family", family)
    line.field("model", model)
    line.field("firmware", firmware)
    line.field("protocol", protocolVersion)
    line.field("holder", holder)
    line.beginArray("settings")
    for setting in settings {
      line.beginObject()
      line.field("name", setting.name)
      line.field("wanted", setting.wanted)
      line.field("current", setting.current)
      line.field("outcome", setting.outcome)
      line.field("command", setting.command)
      line.endObject()
    }
    line.endArray()
    line.end()
  }
}

/// A question about a receiver's set-up, or its start, `?RECEIVER={…}`.
package struct ReceiverRequest: Hashable, Sendable {
  package enum Action: String, Hashable, Sendable {
    /// Read the settings and say what would be sent.
    case plan
    /// Read the settings and send what differs.
    case apply
  }

  /// Name of the source; `nil` for the first one that asks for a set-up.
  package var source: String?
  /// What to start; `nil` reports the last set-up.
  package var action: Action?

  package init(source: String? = nil, action: Action? = nil) {
    self.source = source
    self.action = action
  }

  init(_ fields: RequestFields) throws(RequestError) {
    try fields.allowOnly("source", "action")
    source = try fields.string("source", bytes: 1...64)
    guard let name = try fields.string("action", bytes: 1...16) else { return }
    guard let action = Action(rawValue: name) else { throw fields.outOfRange("action", #""plan" or "apply""#) }
    self.action = action
  }

  func writeFields(into line: inout JSONLine) {
    line.field("source", source)
    line.field("action", action?.rawValue)
  }
}
