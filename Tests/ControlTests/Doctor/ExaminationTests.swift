import GPSDProtocol
import LocationCore
import Testing

@testable import Control

@Suite("Findings of the doctor")
struct ExaminationTests {
  static let now = UTCInstant(nanosecondsSince1970: 1_790_000_000 * 1_000_000_000)

  /// A daemon that reads one serial source.
  static func status(
    _ state: StateReport.Phase, error: ErrorCode? = nil, age: Duration? = .milliseconds(500),
    _ change: (inout StatusReport) -> Void = { _ in }
  ) -> StatusReport {
    var source = SourceReport(source: "serial", phase: state)
    source.device = "/dev/gps0"
    source.error = error
    source.message = error.map { "in words: \($0)" }
    source.remedy = error.map { "remedy of \($0)" }
    var status = StatusReport(release: "1", uptime: .seconds(9), phase: state, clients: 2, sources: [source])
    status.source = "serial"
    status.mode = state == .tracking ? 3 : nil
    status.age = age
    change(&status)
    return status
  }

  static let receiver = SystemView.Device(
    path: "/dev/gps0", target: "/dev/ttyACM0", group: "dialout", mode: 0o660)

  /// A system without faults, and a test's changes to it.
  static func view(
    _ daemon: SystemView.Daemon = .answers(status(.tracking), satellites: [], time: now),
    _ change: (inout SystemView) -> Void = { _ in }
  ) -> SystemView {
    var view = SystemView(daemon: daemon, now: now)
    view.configuration = .right
    view.devices = [receiver]
    view.disk = SystemView.Disk(path: "/var/lib/handlebar", freeBytes: 1 << 30, totalBytes: 4 << 30)
    change(&view)
    return view
  }

  /// A source with a fix on a serial line of this kind.
  static func line(_ change: (inout SourceReport) -> Void) -> SystemView {
    view(.answers(status(.tracking) { change(&$0.sources[0]) }, satellites: [], time: now))
  }

  static func setup(_ state: String, _ family: String?, _ outcome: String? = nil) -> ReceiverReport {
    var report = ReceiverReport(source: "serial", state: state)
    (report.family, report.model) = (family, family.map { _ in "X1" })
    if let outcome {
      var setting = ReceiverReport.Setting()
      (setting.name, setting.outcome) = ("period", outcome)
      report.settings = [setting]
    }
    return report
  }

  /// A sensor that the daemon reads, beside a source with a fix.
  static func sensor(_ phase: StateReport.Phase, error: ErrorCode? = nil) -> SystemView {
    var sensor = SourceReport(source: "iio", phase: phase)
    sensor.device = "iio:pressure"
    sensor.error = error
    sensor.message = error.map { "in words: \($0)" }
    sensor.remedy = error.map { "remedy of \($0)" }
    return view(.answers(status(.tracking) { [sensor] in $0.sensors = [sensor] }, satellites: [], time: now))
  }

  static func holder(_ name: String) -> SystemView {
    view(.answers(status(.failed, error: .init("busy")), satellites: [], time: nil)) {
      $0.devices[0].holders = [SystemView.Process(pid: 41, name: name)]
    }
  }

  static func program(_ name: String, _ arguments: String...) -> SystemView {
    view { $0.programs = [SystemView.Process(pid: 42, name: name, arguments: arguments)] }
  }

  @Test func `A system without faults has none`() {
    let findings = Examination(view: Self.view()).findings
    #expect(findings.allSatisfy { $0.state == .ok && $0.remedy == nil })
    #expect(Set(findings.map(\.check)) == [.configuration, .socket, .receiver, .sky, .clock, .disk])
  }

  @Test(
    arguments: [
      (
        FirstFix(duration: .seconds(4.2), start: .aided, aids: [.time, .database]),
        "after 4.2 s, helped by time, database", nil
      ),
      (FirstFix(duration: .seconds(0.3), start: .warm), "after 0.3 s: the receiver had a fix", nil),
      (FirstFix(duration: .seconds(12), start: .cold), "after 12.0 s, without help", nil),
      (FirstFix(duration: .seconds(45), start: .cold), "after 45.0 s, without help", "the next start is quicker"),
      (FirstFix(duration: .seconds(45)), "after 45.0 s", "handlebard.toml(5)"),
    ] as [(FirstFix, String, String?)])
  func `The first fix is reported with what helped, and what would help`(
    fix: FirstFix, text: String, remedy: String?
  ) throws {
    let status = Self.status(.tracking) { $0.firstFix = fix }
    let findings = Examination(view: Self.view(.answers(status, satellites: [], time: Self.now))).findings
    let finding = try #require(findings.first { $0.message.hasPrefix("the first fix came \(text)") })
    #expect(finding.state == (remedy == nil ? .ok : .note))
    #expect(remedy.map { finding.remedy?.contains($0) == true } ?? (finding.remedy == nil))
  }

  @Test(arguments: wrong.indices)
  func `Each fault is found, with the command that helps`(index: Int) throws {
    let (view, check, message, remedy) = Self.wrong[index]
    let findings = Examination(view: view).findings.filter { $0.state == .wrong && $0.check == check }
    let finding = try #require(findings.first { $0.message.contains(message) }, "\(findings)")
    #expect(finding.remedy?.contains(remedy) == true, "\(finding)")
  }

  @Test(arguments: harmless.indices)
  func `Harmless states are no faults`(index: Int) {
    let wrong = Examination(view: Self.harmless[index]).findings.filter { $0.state == .wrong }
    #expect(wrong.isEmpty)
  }

  /// A source with this receiver, and what the doctor proposes for it, if anything.
  typealias Proposal = (bps: Int?, load: Double?, cycle: Duration, receiver: String?, message: String?)

  static let proposals: [Proposal] = [
    (
      9600, 0.78, .seconds(1), nil,
      "1 Hz at 9600 bit/s, 78 % of the line used: receiver = { rate = 5, speed = 38400 }"
    ),
    (
      115_200, 0.05, .seconds(1), nil, "1 Hz at 115200 bit/s, 5 % of the line used: receiver = { rate = 5 }"
    ),
    // On USB.
    (nil, nil, .milliseconds(500), nil, "2 Hz: receiver = { rate = 5 }"),
    (38_400, 0.5, .milliseconds(200), nil, nil), (9600, 0.78, .seconds(1), "done", nil),
  ]

  @Test(arguments: proposals.indices)
  func `A slow receiver that no source sets up is named with its set-up`(index: Int) {
    let proposal = Self.proposals[index]
    let status = Self.status(.tracking) {
      $0.sources[0].bitRate = proposal.bps
      $0.sources[0].load = proposal.load
      $0.sources[0].cycle = proposal.cycle
      $0.sources[0].receiver = proposal.receiver
    }
    let findings = Examination(view: Self.view(.answers(status, satellites: [], time: Self.now))).findings
    #expect(findings.filter { $0.state == .note }.map(\.message) == (proposal.message.map { [$0] } ?? []))
  }

  /// What a receiver states, and the note about it, if any.
  static let statements:
    [(change: @Sendable (inout StatusReport) -> Void, phase: StateReport.Phase, message: String?)] = [
      (
        { ($0.sources[0].antenna, $0.reason) = (.open, .antenna) }, .acquiring,
        "states that the circuit of its antenna is open (TXT)"
      ),
      // A passive antenna, which works, and one of a source that does not lead.
      ({ ($0.sources[0].antenna, $0.reason) = (.open, .searching) }, .acquiring, nil),
      ({ ($0.sources[0].antenna, $0.reason, $0.source) = (.open, .antenna, "other") }, .acquiring, nil),
      ({ $0.sources[0].antenna = .open }, .tracking, nil), ({ $0.sources[0].antenna = .ok }, .acquiring, nil),
      ({ $0.counts = ["overflows": 12] }, .tracking, "the line did not take all that the receiver sends, 12 times"),
      ({ $0.counts = ["receiverStarts": 3] }, .tracking, "the receiver has started 3 times"),
      (
        { ($0.counts, $0.sources[0].resetReason) = (["receiverStarts": 3], "watchdog") }, .tracking,
        "the receiver has started 3 times, and states as the last reason: watchdog"
      ),
      ({ $0.counts = ["receiverStarts": 2, "overflows": 0] }, .tracking, nil),
    ]

  @Test(
    arguments: [
      (nil, "its supply breaks down"), ("coldStart", "its supply breaks down"), ("watchdog", "its firmware hung"),
      ("hardwareReset", "its reset pin"), ("softwareReset", "which other program"), ("other", "its supply breaks down"),
    ] as [(String?, String)])
  func `What to do about starts of a receiver follows from the reason that it states`(reason: String?, remedy: String) {
    let status = Self.status(.tracking) { ($0.counts, $0.sources[0].resetReason) = (["receiverStarts": 5], reason) }
    let findings = Examination(view: Self.view(.answers(status, satellites: [40], time: Self.now))).findings
    #expect(findings.contains { $0.remedy?.contains(remedy) == true && $0.message.contains("started 5 times") })
  }

  @Test(arguments: statements.indices)
  func `What a receiver states about itself is a note with its remedy`(index: Int) {
    let (change, phase, message) = Self.statements[index]
    let status = Self.status(phase) {
      $0.sources[0].phase = phase
      change(&$0)
    }
    let view = Self.view(.answers(status, satellites: [40], time: Self.now))
    let notes = Examination(view: view).findings.filter { $0.state == .note && !$0.message.hasPrefix("no fix yet") }
    #expect(notes.allSatisfy { $0.remedy != nil } && notes.count == (message == nil ? 0 : 1), "\(notes)")
    #expect(message.map { notes.first?.message.contains($0) == true } ?? true)
  }

  @Test(arguments: [(9600, "its speed is looked for"), (nil, "what it sends is examined")] as [(Int?, String)])
  func `Only of a line with a speed the speed is looked for`(bps: Int?, remedy: String) {
    let status = Self.status(.acquiring) { ($0.reason, $0.sources[0].bitRate) = (.noNMEA, bps) }
    let findings = Examination(view: Self.view(.answers(status, satellites: nil, time: nil))).findings
    #expect(findings.contains { $0.check == .speed && $0.remedy == "\(remedy): run this again in 20 s" })
  }

  @Test func `A line that is disturbed is told from one that is too slow and from a right one`() {
    func notes(_ change: (inout SourceReport) -> Void) -> [String] {
      Examination(view: Self.line(change)).findings.filter { $0.check == .speed }.map { "\($0.state): \($0.message)" }
    }
    #expect(notes { ($0.load, $0.bitRate, $0.badChecksums, $0.noise) = (0.9, 9600, 2, 500) } == [])
    #expect(notes { ($0.overruns, $0.badChecksums, $0.noise) = (0, 0, 0) } == [])
    #expect(
      notes { ($0.badChecksums, $0.noise) = (7, 81) } == [
        "note: serial: the line is disturbed: 7 damaged sentences in the last minute, and 81 bytes outside of sentences; its speed is right"
      ])
  }

  @Test(
    arguments: [
      ("done", "CASIC", "set", .ok, "a receiver of CASIC, X1, set up as configured", nil),
      (
        "done", "CASIC", "refused", .note, "is not set up as configured: period refused",
        "leave out what it does not support, or"
      ),
      (
        "done", "CASIC", "unanswered", .note, "not set up as configured: period unanswered",
        "check the wire to its RX, or"
      ),
      (
        "unsupported", "Unicore", nil, .note, "a receiver of Unicore, X1 is left as it is; it can do 20 epochs",
        "CONFIG COM1"
      ),
      ("unsupported", "SiRF", nil, .note, "it can do one epoch a second", "$PSRF100"),
      ("unsupported", nil, nil, .note, "answers no known query", "maker's program"),
    ] as [(String, String?, String?, Finding.State, String, String?)])
  func `The receiver that a source asks to set up is named, with what it can do and the words for it`(
    state: String, family: String?, outcome: String?, result: Finding.State, message: String, remedy: String?
  ) throws {
    let view = Self.view { $0.setups = [Self.setup(state, family, outcome)] }
    let finding = try #require(Examination(view: view).findings.first { $0.message.contains(message) })
    #expect(finding.state == result && finding.check == .receiver)
    #expect(remedy.map { finding.remedy?.contains($0) == true } ?? (finding.remedy == nil))
    #expect(finding.remedy?.contains("RX") != true || outcome == "unanswered")
    for state in ["waiting", "running", "busy"] {
      let view = Self.view { $0.setups = [Self.setup(state, family)] }
      #expect(Examination(view: view).findings.filter { $0.check == .receiver }.count == 1)
    }
  }

  @Test func `A finding as text and as JSON`() {
    let finding = Finding.wrong(.holder, "held \u{1B}[1m", do: "stop it")
    #expect(
      finding.lines(Style(isColoured: false)) == [
        "wrong  holder         held ?[1m", "                      do: stop it",
      ])
    #expect(
      String(decoding: finding.json, as: UTF8.self)
        == #"{"check":"holder","state":"wrong","message":"held \u001b[1m","remedy":"stop it"}"# + "\n")
    #expect(
      String(decoding: Finding.ok(.sky, "a fix").json, as: UTF8.self)
        == #"{"check":"sky","state":"ok","message":"a fix"}"# + "\n")
  }
}
