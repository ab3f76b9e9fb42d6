import Testing

@testable import LocationCore

@Suite("Sources of the engine")
struct EngineSourceTests {
  @Test func `If only sources that cannot have a fix are left, a pending request is answered`() throws {
    var rig = EngineRig(.sentences, .sentences)
    let error = SourceError.misconfigured(source: "/dev/gps0", reason: "it is a directory")
    for source: Int32 in 0...1 { rig.send(.opening, to: source) }
    rig.send(.failed(error))
    rig.send(.opened, to: 1)
    try rig.engine.handle(.locate(timeout: 60, maxAge: nil), from: rig.client, at: rig.now, into: &rig.events)
    _ = rig.take()
    let failed = rig.engine.sources[0].setup
    rig.engine.rearrange([failed], at: rig.now, into: &rig.events)
    let answers = rig.take().compactMap { if case .located(let answer) = $0.event { answer } else { nil } }
    #expect(answers.map(\.outcome) == [.failed(error)])
  }

  @Test func `Of sentences and reports about the same epochs the first usable ones are published, once`() throws {
    var rig = EngineRig(.either)
    for second in 0..<3 {
      rig.epoch(Double(second))
      try rig.report(second)
    }
    #expect(rig.take().fixes.count == 3)
    var reports = EngineRig(.either)
    for second in 0..<3 {
      reports.send(.opened)
      try reports.report(second)
      reports.epoch(Double(second))
    }
    #expect(reports.take().fixes.count == 3)
    #expect(reports.engine.lead.counters.nmea.sentences == 0)
  }

  @Test func `Another source leads when the first falls silent, and announces itself with its first fix`() {
    var rig = EngineRig(.sentences, .sentences)
    for second in 0..<5 {
      rig.epoch(Double(second))
      rig.epoch(Double(second), to: 1)
    }
    #expect(rig.take().fixes.allSatisfy { $0.source == 10 })
    for second in 5..<12 { rig.epoch(Double(second), to: 1); rig.wait(.milliseconds(500)) }
    let events = rig.take()
    let reasons = events.compactMap { if case .lead(let status) = $0.event { status.reason } else { nil } }
    #expect(reasons == [.silent])
    #expect(events.fixes.first?.source == 11)
    #expect(events.fixes.first?.changes.contains(.source) == true)
  }

  @Test func `The estimate of an outage ends when another source with a fix takes the lead`() throws {
    var rig = EngineRig(.reports, .reports)
    try rig.rideByWheel(on: 2)
    let events = rig.take()
    let lead = try #require(
      events.firstIndex { if case .lead(let status) = $0.event { status.reason == .noFix } else { false } })
    let (before, after) = (Array(events[..<lead]), Array(events[lead...]))
    #expect(before.names.contains("estimate") && !after.names.contains("estimate"))
    let (fix, taken) = (try #require(after.fixes.first), try #require(after.first).instant)
    #expect(fix.source == 11 && fix.fix.received - taken < .seconds(1))
  }

  @Test func `Behind the end of a source nothing is estimated`() throws {
    var rig = EngineRig(.reports)
    try rig.rideByWheel(on: 1)
    #expect(rig.take().names.contains("estimate"))
    rig.send(.ended)
    rig.wait(.seconds(5))
    let isEstimating = rig.engine.isEstimating
    #expect(!isEstimating && !rig.take().names.contains("estimate"))
  }

  @Test func `Input of an unknown source is ignored`() {
    var rig = EngineRig(.sentences)
    rig.epoch(0, to: 3)
    #expect(rig.take().isEmpty)
  }

  @Test func `Input before a position that is sought prepares the next receiver and is not published`() {
    var rig = EngineRig(.either)
    for second in 0..<4 { rig.epoch(Double(second)) }
    _ = rig.take()
    var receiver = rig.engine.sources[0].successor(rig.engine.sources[0].setup)
    Array(ReceiverRig.line(Sentences.rmc(100)).utf8).withUnsafeBytes { receiver.prime(.bytes($0), at: rig.now) }
    rig.now = rig.now + .seconds(1)
    receiver.start(at: rig.now)
    rig.send(.replaced(receiver))
    #expect(rig.events.isEmpty)
    rig.epoch(101)
    let fixes = rig.take().fixes
    #expect(fixes.count == 1 && fixes.first?.seq == 5)
    #expect(rig.engine.sources[0].counters.nmea.sentences == 6)
  }

  @Test func `In a later pass of a recording, the times of all events are later`() throws {
    var rig = EngineRig(.reports)
    func time(_ second: Int64) -> UTCInstant {
      UTCInstant(nanosecondsSince1970: (1_773_923_700 + second) * 1_000_000_000)
    }
    rig.send(.opened)
    rig.engine.sources[0].setup.timeShift = .seconds(100)
    var noise = PseudorangeNoise()
    (noise.measured, noise.rms) = (time(0), 2)
    rig.send(.report(.noise(device: "/dev/gps0", noise)))
    try rig.report(0)
    rig.send(.report(.position(GPSDPosition(device: "/dev/gps0", time: time(1), fix: nil))))
    rig.wait(.seconds(1))
    var times: [UTCInstant?] = []
    for entry in rig.take() {
      switch entry.event {
      case .fix(let fix, _, let noise): times += [fix.fix.measured, noise?.measured]
      case .noFix(let time, _): times.append(time)
      default: break
      }
    }
    #expect(times == [time(100), time(100), time(101)])
  }
}
