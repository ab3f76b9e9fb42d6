import LocationCore

/// The set-up of a source's receiver (class `RECEIVER`), the answer to `?RECEIVER;`.
public struct ReceiverReport: Hashable, Codable, Sendable, CodedReport {
  package static let reportClass: StaticString = "RECEIVER"

  /// One setting.
  public struct Setting: Hashable, Codable, Sendable, CodedFields {
    /// `speed` (bit/s), `period` (milliseconds), `navigation` (measurements per epoch), `model` (the receiver's number),
    /// `accuracy` (epochs between two GST), `nmea` (1 if the port sends it), `aiding` (1 if messages of the quick start are
    /// acknowledged), `nav-pvt` and the like (epochs between two).
    public var name = ""
    /// The value that the configuration asks for.
    public var wanted: Int?
    /// The value that was read last.
    public var current: Int?
    /// `unknown`, `same`, `planned`, `set`, `acknowledged`, `sent`, `refused` or `unanswered`.
    public var outcome = ""
    /// The command, in hexadecimal digits.
    public var command: String?

    package init() {}

    package mutating func fields(_ coder: inout some FieldCoder) {
      coder.field("name", &name)
      coder.field("wanted", &wanted)
      coder.field("current", &current)
      coder.field("outcome", &outcome)
      coder.field("command", &command)
    }
  }

  /// Name of the source.
  public var source = ""
  /// Path of its device.
  public var device: String?
  /// Progress or result of the set-up.
  public var state = ""
  /// `u-blox`, `MediaTek`, `Quectel/Airoha` or `CASIC`; or of one that is left as it is, `Unicore`, `Unicore Firebird`,
  /// `Allystar`, `SkyTraq` or `SiRF`.
  public var family: String?
  /// Name of the receiver.
  public var model: String?
  /// Version of its firmware.
  public var firmware: String?
  /// Version of its protocol; u-blox only.
  public var protocolVersion: String?
  /// The protocol of its epochs, `ubx` or `nmea`; u-blox only.
  public var output: String?
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

  package mutating func apply(_ status: ReceiverStatus) {
    state = status.phase.rawValue
    family = status.identity?.family.rawValue
    model = status.identity?.model
    firmware = status.identity?.firmware
    protocolVersion = status.identity?.protocolVersion
    output = status.output?.rawValue
    settings = status.settings.map { setting in
      var report = Setting()
      report.name = setting.name.rawValue
      report.wanted = setting.wanted
      report.current = setting.current
      report.outcome = setting.outcome.rawValue
      report.command = setting.command.isEmpty ? nil : Hexadecimal.text(setting.command).uppercased()
      return report
    }
  }

  package init() {}

  package mutating func fields(_ coder: inout some FieldCoder) {
    coder.field("source", &source)
    coder.field("device", &device)
    coder.field("state", &state)
    coder.field("family", &family)
    coder.field("model", &model)
    coder.field("firmware", &firmware)
    coder.field("protocol", &protocolVersion)
    coder.field("output", &output)
    coder.field("holder", &holder)
    var list: [Setting]? = settings
    coder.objects("settings", &list)
    settings = list ?? []
  }
}
