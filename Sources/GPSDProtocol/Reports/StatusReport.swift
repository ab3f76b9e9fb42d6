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
  /// Why there is no fix; `nil` with one, and until it is known.
  public var reason: StateReport.AbsenceReason?
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
  /// The first fix of the leading source; `nil` before it.
  public var firstFix: FirstFix?
  /// Every source in the order of the configuration.
  public var sources: [SourceReport] = []
  /// Every sensor that the daemon reads itself, in the order of the configuration: `opening` or `acquiring` before its
  /// first reading, then `tracking`, or `failed`.
  public var sensors: [SourceReport] = []
  /// Counters of the leading source and of the daemon.
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

  package mutating func fields(_ coder: inout some FieldCoder) {
    coder.field("release", &release)
    coder.field("uptime", &uptime, decimals: 3)
    coder.field("state", &phase)
    coder.field("mode", &mode)
    coder.field("source", &source)
    coder.field("reason", &reason)
    coder.field("seq", &seq)
    coder.field("age", &age, decimals: 3)
    coder.field("clients", &clients)
    coder.field("clientLimit", &clientLimit)
    coder.field("recording", &recording)
    coder.field("recordingError", &recordingError)
  }

  init(_ object: inout JSONObject) {
    fields(&object)
    lastKnown = object.object("lastKnown") { LastKnown(&$0) }
    firstFix = object.object("firstFix") { FirstFix(&$0) }
    counts = object.counts("counts")
    sources = object.required("sources", object.objects("sources") { SourceReport(&$0) }, or: [])
    sensors = object.objects("sensors") { SourceReport(&$0) } ?? []
  }

  /// Writes the line with `ordered` in place of `counts`; sources and sensors that do not fit are left out.
  package func write(counts ordered: [Count], into line: inout JSONLine) {
    // With room for the end of the line, and of a list of sensors.
    let limit = line.count + JSONLine.maximumLength - 20
    begin(&line)
    line.object("lastKnown", lastKnown) { $0.writeFields(into: &$1) }
    line.object("firstFix", firstFix) { $0.writeFields(into: &$1) }
    line.field("counts", ordered)
    line.array("sources", sources, limit: limit) { $0.writeObject(into: &$1) }
    if !sensors.isEmpty { line.array("sensors", sensors, limit: limit) { $0.writeObject(into: &$1) } }
    line.end()
  }
}

/// The first fix since a source was opened or, if that is known, since its receiver was switched on.
public struct FirstFix: Hashable, Codable, Sendable, CodedFields {
  /// What a receiver started with.
  public typealias Start = OpenName<FirstFix>
  /// What helped a receiver.
  public typealias Aid = OpenName<FirstFix.AidNames>
  /// Marks a name as one of ``Aid``.
  public enum AidNames {}

  /// Time from the start to the fix.
  public var duration: Duration = .zero
  /// What the receiver started with; `nil` if that is not known.
  public var start: Start?
  /// What the receiver was given and has accepted.
  public var aids: [Aid] = []

  /// A first fix after a time.
  public init(duration: Duration, start: Start? = nil, aids: [Aid] = []) {
    self.duration = duration
    self.start = start
    self.aids = aids
  }

  package init() {}

  package mutating func fields(_ coder: inout some FieldCoder) {
    var names = aids.isEmpty ? nil : aids.map(\.rawValue).joined(separator: ",")
    coder.field("duration", &duration, decimals: 3)
    coder.field("start", &start)
    coder.field("aids", &names)
    aids = names?.split(separator: ",").map { Aid(String($0)) } ?? []
  }
}

extension OpenName<FirstFix> {
  /// Without help from the daemon. A receiver with a battery may have known much by itself.
  public static var cold: Self { Self("cold") }
  /// With a fix: it was already running when its line was opened.
  public static var warm: Self { Self("warm") }
  /// With what the daemon has sent it.
  public static var aided: Self { Self("aided") }
}

extension OpenName<FirstFix.AidNames> {
  /// The time of the system's clock.
  public static var time: Self { Self("time") }
  /// The last known position.
  public static var position: Self { Self("position") }
  /// The receiver's own database of an earlier run.
  public static var database: Self { Self("database") }
  /// Assistance files.
  public static var assistance: Self { Self("assistance") }
}

/// One source within a `STATUS`.
public struct SourceReport: Hashable, Codable, Sendable, CodedFields, InterferenceReport {
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
  /// Bytes outside of sentences and messages in the last minute; `nil` of a gpsd, and of a source that is not read.
  public var noise: Int?
  /// Sentences with a wrong checksum in the last minute.
  public var badChecksums: Int?
  /// Bytes that the driver of a serial line has lost in the last minute; `nil` if it does not count them.
  public var overruns: Int?
  /// State of its receiver's set-up, as in ``ReceiverReport``; `nil` if the source asks for none.
  public var receiver: String?
  /// Jamming as its receiver states it; `nil` if it states nothing.
  public var jamming: StateReport.Interference?
  /// The message or sentence that states it, `MON-RF`, `PAIRSPF`.
  public var jammingSource: String?
  /// Spoofing as its receiver states it; `nil` if it states nothing.
  public var spoofing: StateReport.Interference?
  /// The message that states it, `NAV-STATUS`.
  public var spoofingSource: String?
  /// The antenna as its receiver states it; `nil` if it states nothing.
  public var antenna: StateReport.Antenna?
  /// The message or sentence that states it, `MON-RF`, `TXT`.
  public var antennaSource: String?
  /// The datum of its positions as its receiver states it (DTM), `P90`; `nil` for WGS 84.
  public var datum: String?
  /// Why its receiver has started, as a u-blox receiver states it (MON-SYS), `watchdog`; `nil` if it states nothing.
  public var resetReason: String?
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

  package mutating func fields(_ coder: inout some FieldCoder) {
    coder.field("source", &source)
    coder.field("device", &device)
    coder.field("state", &phase)
    coder.field("mode", &mode)
    coder.field("bps", &bitRate)
    coder.field("load", &load, decimals: 2)
    coder.field("cycle", &cycle, decimals: 2)
    coder.field("noise", &noise)
    coder.field("badChecksum", &badChecksums)
    coder.field("overruns", &overruns)
    coder.field("receiver", &receiver)
    interferenceFields(&coder)
    coder.field("datum", &datum)
    coder.field("resetReason", &resetReason)
    coder.field("error", &error)
    coder.field("message", &message)
    coder.field("remedy", &remedy)
  }
}
