import LocationCore

/// The leading source and its state (class `STATE`), sent on every change.
public struct StateReport: Hashable, Codable, Sendable, CodedReport, InterferenceReport {
  package static let reportClass: StaticString = "STATE"
  /// What a source is doing.
  public typealias Phase = OpenName<StateReport>
  /// Why a source took the lead.
  public typealias LeadReason = OpenName<StateReport.LeadReasonNames>
  /// Marks a name as one of ``LeadReason``.
  public enum LeadReasonNames {}

  /// Why there is no fix.
  public typealias AbsenceReason = OpenName<StateReport.AbsenceReasonNames>
  /// Marks a name as one of ``AbsenceReason``.
  public enum AbsenceReasonNames {}

  /// What a receiver states about jamming or spoofing.
  public typealias Interference = OpenName<StateReport.InterferenceNames>
  /// Marks a name as one of ``Interference``.
  public enum InterferenceNames {}

  /// What a receiver states about its antenna.
  public typealias Antenna = OpenName<StateReport.AntennaNames>
  /// Marks a name as one of ``Antenna``.
  public enum AntennaNames {}

  /// UTC of the report.
  public var time: UTCInstant?
  /// What the leading source is doing.
  public var phase: Phase = .init("")
  /// 2 or 3 while tracking.
  public var mode: Int?
  /// Name of the leading source.
  public var source: String?
  /// Path of its device.
  public var device: String?
  /// Why it leads, after a change of the lead.
  public var leadReason: LeadReason?
  /// Time in this phase, or since the source took the lead.
  public var elapsed: Duration?
  /// Kind of error.
  public var error: ErrorCode?
  /// The error in words.
  public var message: String?
  /// What a person can do about the error.
  public var remedy: String?
  /// The phase before the failure.
  public var previousPhase: Phase?
  /// Jamming as the leading receiver states it; `nil` if it states nothing.
  public var jamming: Interference?
  /// The message or sentence that states it, `MON-RF`, `PAIRSPF`.
  public var jammingSource: String?
  /// Spoofing as the leading receiver states it; `nil` if it states nothing.
  public var spoofing: Interference?
  /// The message that states it, `NAV-STATUS`.
  public var spoofingSource: String?
  /// The antenna as the leading receiver states it; `nil` if it states nothing.
  public var antenna: Antenna?
  /// The message or sentence that states it, `MON-RF`, `TXT`.
  public var antennaSource: String?
  /// Number of the newest fix.
  public var seq: UInt64?
  /// Why there is no fix; `nil` with one, and until it is known.
  public var reason: AbsenceReason?
  /// Time for which that has been the reason.
  public var reasonElapsed: Duration?
  /// Number of satellites with a signal; `nil` unless it searches and the receiver lists them.
  public var signals: Int?
  /// Those of them of at least 30 dBHz, of which four make a fix.
  public var strongSignals: Int?
  /// Whether a wheel continues the position while there is no fix.
  public var isEstimating = false
  /// Why the ride is not recorded although it should be.
  public var recordingError: String?
  /// The last known position, unless it is tracking.
  public var lastKnown: LastKnown?
  /// Counters of this source.
  public var counts: [String: Int]?

  /// A report of a state.
  public init(
    phase: Phase, mode: Int? = nil, source: String? = nil, error: ErrorCode? = nil,
    message: String? = nil,
    remedy: String? = nil
  ) {
    self.phase = phase
    self.mode = mode
    self.source = source
    self.error = error
    self.message = message
    self.remedy = remedy
  }

  package init() {}

  package init(_ status: LeadStatus, at instant: MonotonicInstant) {
    self.init(phase: .init(rawValue: status.state.phase.rawValue))
    time = status.time
    leadReason = status.reason.map { .init(rawValue: $0.rawValue) }
    elapsed = instant - status.since
    seq = status.seq
    apply(status.interference)
    reason = status.absence.map { .init(rawValue: $0.reason.rawValue) }
    reasonElapsed = status.absence.map { instant - $0.since }
    isEstimating = status.isEstimating
    (signals, strongSignals) = (status.absence?.signals, status.absence?.strongSignals)
    switch status.state {
    case .tracking(let mode): self.mode = mode.rawValue
    case .failed(let error, let previous):
      self.error = .init(rawValue: error.code)
      message = "\(error)"
      remedy = error.remedy
      previousPhase = .init(rawValue: previous.rawValue)
    default: break
    }
  }

  package mutating func fields(_ coder: inout some FieldCoder) {
    coder.field("time", &time)
    coder.field("state", &phase)
    coder.field("mode", &mode)
    coder.field("source", &source)
    coder.field("device", &device)
    coder.field("leads", &leadReason)
    coder.field("since", &elapsed, decimals: 3)
    coder.field("error", &error)
    coder.field("message", &message)
    coder.field("remedy", &remedy)
    coder.field("previous", &previousPhase)
    coder.field("seq", &seq)
    interferenceFields(&coder)
    coder.field("reason", &reason)
    coder.field("reasonSince", &reasonElapsed, decimals: 3)
    coder.field("signals", &signals)
    coder.field("strongSignals", &strongSignals)
    coder.flag("estimating", &isEstimating)
    coder.field("recordingError", &recordingError)
  }

  init(_ object: inout JSONObject) {
    fields(&object)
    lastKnown = object.object("lastKnown") { LastKnown(&$0) }
    counts = object.counts("counts")
  }

  /// Writes the whole line; `ordered` takes the place of `counts`.
  package func write(counts ordered: [Count], into line: inout JSONLine) {
    begin(&line)
    line.object("lastKnown", lastKnown) { $0.writeFields(into: &$1) }
    line.field("counts", ordered)
    line.end()
  }
}

extension OpenName<StateReport> {
  /// Not in use.
  public static var idle: Self { Self("idle") }
  /// First attempt to open.
  public static var opening: Self { Self("opening") }
  /// Open, without a valid fix so far.
  public static var acquiring: Self { Self("acquiring") }
  /// Delivering valid fixes.
  public static var tracking: Self { Self("tracking") }
  /// No valid fix any more.
  public static var lost: Self { Self("lost") }
  /// Failed for a known reason.
  public static var failed: Self { Self("failed") }
}

/// A report with what a receiver states about its signals and its antenna.
package protocol InterferenceReport {
  var jamming: StateReport.Interference? { get set }
  var jammingSource: String? { get set }
  var spoofing: StateReport.Interference? { get set }
  var spoofingSource: String? { get set }
  var antenna: StateReport.Antenna? { get set }
  var antennaSource: String? { get set }
}

extension InterferenceReport {
  package mutating func apply(_ stated: Interference) {
    jamming = stated.jamming.map { .init(rawValue: "\($0.state)") }
    spoofing = stated.spoofing.map { .init(rawValue: "\($0.state)") }
    antenna = stated.antenna.map { .init(rawValue: "\($0.state)") }
    (jammingSource, spoofingSource, antennaSource) =
      (stated.jamming?.source, stated.spoofing?.source, stated.antenna?.source)
  }

  mutating func interferenceFields(_ coder: inout some FieldCoder) {
    coder.field("jamming", &jamming)
    coder.field("jammingSource", &jammingSource)
    coder.field("spoofing", &spoofing)
    coder.field("spoofingSource", &spoofingSource)
    coder.field("antenna", &antenna)
    coder.field("antennaSource", &antennaSource)
  }
}

extension OpenName<StateReport.InterferenceNames> {
  /// Not monitored, or not known.
  public static var unknown: Self { Self("unknown") }
  /// No significant jamming.
  public static var ok: Self { Self("ok") }
  /// Jamming is visible, the fix is good.
  public static var warning: Self { Self("warning") }
  /// Jamming is visible and prevents or degrades the fix.
  public static var critical: Self { Self("critical") }
  /// No spoofing.
  public static var none: Self { Self("none") }
  /// Spoofing is indicated.
  public static var indicated: Self { Self("indicated") }
  /// Several signs of spoofing.
  public static var multiple: Self { Self("multiple") }
}

extension OpenName<StateReport.AntennaNames> {
  /// Not supervised, or not known.
  public static var unknown: Self { Self("unknown") }
  /// In order.
  public static var ok: Self { Self("ok") }
  /// It takes no current: none is plugged in, or it is a passive one.
  public static var open: Self { Self("open") }
  /// A short circuit.
  public static var short: Self { Self("short") }
}

extension OpenName<StateReport.AbsenceReasonNames> {
  /// There is no such device, or it was unplugged.
  public static var noDevice: Self { Self("noDevice") }
  /// The daemon has no permission.
  public static var denied: Self { Self("denied") }
  /// Another process holds the device.
  public static var busy: Self { Self("busy") }
  /// Switched off, by the configuration or a kill switch.
  public static var disabled: Self { Self("disabled") }
  /// Temporarily unavailable.
  public static var unavailable: Self { Self("unavailable") }
  /// Configured wrongly.
  public static var misconfigured: Self { Self("misconfigured") }
  /// Nothing arrives.
  public static var silent: Self { Self("silent") }
  /// Bytes arrive without a sentence at the only speed that the configuration allows.
  public static var wrongSpeed: Self { Self("wrongSpeed") }
  /// Bytes arrive without a sentence or message.
  public static var noNMEA: Self { Self("noNMEA") }
  /// The receiver states a short circuit of its antenna, or an open one and receives no strong signal.
  public static var antenna: Self { Self("antenna") }
  /// The receiver states critical jamming.
  public static var jammed: Self { Self("jammed") }
  /// The receiver states positions that are not published.
  public static var implausible: Self { Self("implausible") }
  /// The receiver has the time only.
  public static var timeOnly: Self { Self("timeOnly") }
  /// Nothing that arrives has a position.
  public static var noPosition: Self { Self("noPosition") }
  /// The receiver searches for satellites.
  public static var searching: Self { Self("searching") }
}

extension OpenName<StateReport.LeadReasonNames> {
  /// The previous source sends nothing.
  public static var silent: Self { Self("silent") }
  /// The previous source sends data without a valid fix.
  public static var noFix: Self { Self("noFix") }
  /// The previous source failed or ended.
  public static var failed: Self { Self("failed") }
  /// A preferred source has been valid for long enough.
  public static var preferred: Self { Self("preferred") }
  /// The previous source was removed from the configuration.
  public static var removed: Self { Self("removed") }
}

/// A counter, with its name on the wire.
package struct Count: Sendable {
  /// The name, at most 30 characters.
  package var name: StaticString
  /// Number of events since the daemon started; many are the leading source's.
  package var value: Int

  package init(_ name: StaticString, _ value: some BinaryInteger) {
    self.name = name
    self.value = Int(clamping: value)
  }
}

extension JSONLine {
  mutating func field(_ name: StaticString, _ counts: [Count]) {
    object(name, counts.isEmpty ? nil : counts) { for count in $0 { $1.field(count.name, count.value) } }
  }
}
