/// Health and counters of the daemon (class `STATUS`), the answer to `?STATUS;`.
public struct StatusReport: Hashable, Codable, Sendable, CodedReport {
  package static let reportClass: StaticString = "STATUS"
  /// The daemon's release.
  public var release = ""
  /// Time since the daemon started.
  public var uptime: Duration = .zero
  /// What the leading source is doing.
  public var phase: StateReport.Phase = .init("")
  /// 2 or 3 with a valid fix.
  public var mode: Int?
  /// Name of the leading source.
  public var source: String?
  /// Number of the newest fix.
  public var seq: UInt64?
  /// Time since the newest fix was received.
  public var age: Duration?
  /// Number of connections.
  public var clients = 0
  /// Maximum number of connections.
  public var clientLimit: Int?
  /// File in progress.
  public var recording: String?
  /// Why recording failed.
  public var recordingError: String?
  /// The last known position, unless it is tracking.
  public var lastKnown: LastKnown?
  /// Every source in the order of the configuration.
  public var sources: [SourceReport] = []
  /// Counters of the daemon.
  public var counts: [String: Int]?

  /// A report of a daemon without sources.
  public init(
    release: String, uptime: Duration, phase: StateReport.Phase, clients: Int,
    sources: [SourceReport] = []
  ) {
    self.release = release
    self.uptime = uptime
    self.phase = phase
    self.clients = clients
    self.sources = sources
  }

  package init() {}

  package mutating func code(_ coder: inout some FieldCoder) {
    coder.field("release", &release)
    coder.field("uptime", &uptime, decimals: 3)
    coder.field("state", &phase)
    coder.field("mode", &mode)
    coder.field("source", &source)
    coder.field("seq", &seq)
    coder.field("age", &age, decimals: 3)
    coder.field("clients", &clients)
    coder.field("clientLimit", &clientLimit)
    coder.field("recording", &recording)
    coder.field("recordingError", &recordingError)
  }

  init(_ object: inout JSONObject) {
    code(&object)
    lastKnown = object.object("lastKnown") { LastKnown(&$0) }
    counts = object.counts("counts")
    sources = object.required("sources", object.objects("sources") { SourceReport(&$0) }, or: [])
  }

  /// Writes the line with `counters`, in their order, in place of `counts`; sources that do not fit are left out.
  package func write(counters: [Counter], into line: inout JSONLine) {
    let limit = line.count + JSONLine.maximumLength - 4
    begin(&line)
    lastKnown.write(into: &line)
    line.field("counts", counters)
    line.array("sources", sources, limit: limit) { $0.writeObject(into: &$1) }
    line.end()
  }
}

/// One source within a `STATUS`.
public struct SourceReport: Hashable, Codable, Sendable, CodedFields {
  /// Name of the source.
  public var source = ""
  /// Path of its device.
  public var device: String?
  /// What it is doing.
  public var phase: StateReport.Phase = .init("")
  /// 2 or 3 while tracking.
  public var mode: Int?
  /// Bits per second of a serial line, once found.
  public var bitRate: Int?
  /// Share of a serial line's speed that is used, 0 to 1.
  public var load: Double?
  /// Time from epoch to epoch.
  public var cycle: Duration?
  /// State of its receiver's set-up, as in ``ReceiverReport``; `nil` if the source asks for none.
  public var receiver: String?
  /// Jamming as its receiver states it; `nil` if it states nothing.
  public var jamming: StateReport.Interference?
  /// The UBX message that states it, `MON-RF`.
  public var jammingSource: String?
  /// Spoofing as its receiver states it; `nil` if it states nothing.
  public var spoofing: StateReport.Interference?
  /// The UBX message that states it, `NAV-STATUS`.
  public var spoofingSource: String?
  /// Kind of error.
  public var error: ErrorCode?
  /// The error in words.
  public var message: String?
  /// The remedy.
  public var remedy: String?

  /// A source in a phase.
  public init(source: String, phase: StateReport.Phase) {
    self.source = source
    self.phase = phase
  }

  package init() {}

  package mutating func code(_ coder: inout some FieldCoder) {
    coder.field("source", &source)
    coder.field("device", &device)
    coder.field("state", &phase)
    coder.field("mode", &mode)
    coder.field("bps", &bitRate)
    coder.field("load", &load, decimals: 2)
    coder.field("cycle", &cycle, decimals: 2)
    coder.field("receiver", &receiver)
    coder.field("jamming", &jamming)
    coder.field("jammingSource", &jammingSource)
    coder.field("spoofing", &spoofing)
    coder.field("spoofingSource", &spoofingSource)
    coder.field("error", &error)
    coder.field("message", &message)
    coder.field("remedy", &remedy)
  }
}
