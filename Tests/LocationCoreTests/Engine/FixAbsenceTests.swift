import Testing

@testable import LocationCore

/// What clients are told of the leading source.
private struct Told: Equatable {
  var phase: SourcePhase
  var reason: AbsenceReason?
}

extension EngineRig {
  fileprivate mutating func told() -> [Told] {
    take().compactMap {
      if case .lead(let status) = $0.event {
        Told(phase: status.state.phase, reason: status.absence?.reason)
      } else {
        nil
      }
    }
  }
}

@Suite("Why there is no fix")
struct FixAbsenceTests {
  private static func send(_ sentences: [String], to rig: inout EngineRig) {
    Array(sentences.map(ReceiverRig.line).joined().utf8).withUnsafeBytes { rig.send(.bytes($0)) }
  }

  /// An epoch without a fix, and the satellites of these signals, dBHz.
  private static func search(_ second: Double, _ signals: [Int] = [], _ more: String..., in rig: inout EngineRig) {
    let satellites = signals.enumerated().map { ",\($0 + 1),40,100,\($1)" }.joined()
    let sky = signals.isEmpty ? [] : ["GPGSV,1,1,\(signals.count)\(satellites)"]
    send([Sentences.rmc(second, status: "V", mode: "N")] + sky + more, to: &rig)
    rig.wait(.milliseconds(500))
  }

  private static func opened() -> EngineRig {
    var rig = EngineRig(.sentences, isLive: true)
    rig.send(.opening)
    rig.send(.opened)
    _ = rig.told()
    return rig
  }

  @Test func `A fix has none, and neither has what leads to it at once`() {
    var rig = EngineRig(.sentences)
    for second in 0..<20 {
      rig.epoch(Double(second))
      rig.wait(.milliseconds(500))
    }
    #expect(
      rig.told() == [.init(phase: .opening), .init(phase: .acquiring), .init(phase: .tracking)])
    #expect(rig.engine.leadStatus(at: rig.now).absence == nil)
  }

  @Test func `A receiver that sends nothing is silent after 5 s, and searches with its first epoch without a fix`() {
    var rig = Self.opened()
    rig.wait(.milliseconds(4900))
    #expect(rig.told() == [])
    rig.wait(.milliseconds(200))
    #expect(rig.told() == [.init(phase: .acquiring, reason: .silent)])
    rig.wait(.seconds(600))
    #expect(rig.told() == [], "reported once")
    #expect(rig.engine.leadStatus(at: rig.now).absence.map { rig.now - $0.since > .seconds(600) } == true)
    Self.search(0, in: &rig)
    #expect(rig.told().last == .init(phase: .acquiring, reason: .searching))
  }

  @Test func `Silence behind a fix is the reason of the loss`() {
    var rig = Self.opened()
    for second in 0..<5 { rig.epoch(Double(second)) }
    _ = rig.told()
    rig.wait(.seconds(20))
    #expect(rig.told() == [.init(phase: .lost, reason: .silent)])
    rig.epoch(30)
    #expect(rig.told() == [.init(phase: .tracking)])
  }

  @Test func `Bytes without a sentence are no NMEA, and at the only speed that is allowed the wrong one`() {
    var rig = Self.opened()
    for _ in 0..<60 {
      Array(repeating: UInt8(0x86), count: 50).withUnsafeBytes { rig.send(.bytes($0)) }
      rig.wait(.milliseconds(100))
    }
    #expect(rig.told() == [.init(phase: .acquiring, reason: .noNMEA)])
    let reasons: [(SourceError, AbsenceReason)] = [
      (.noNMEA(device: "/dev/gps0", bytes: 300, speeds: [9600]), .wrongSpeed),
      (.noNMEA(device: "/dev/gps0", bytes: 300, speeds: [9600], binary: .sirf), .noNMEA),
      (.noNMEA(device: "/dev/gps0", bytes: 300, speeds: [9600, 4800]), .noNMEA),
      (.noNMEA(device: "tcp://a:1", bytes: 300, speeds: []), .noNMEA),
      (.denied(device: "/dev/gps0", group: nil, user: nil), .denied),
      (.notFound(device: "/dev/gps0", present: []), .noDevice), (.busy(device: "/dev/gps0", holder: nil), .busy),
      (.disabled(source: "a", by: .rfkill(name: "gps")), .disabled),
      (.unavailable(source: "a", reason: "b"), .unavailable),
      (.misconfigured(source: "a", reason: "b"), .misconfigured),
    ]
    for (error, reason) in reasons {
      rig.send(.failed(error))
      #expect(rig.told().last == .init(phase: .failed, reason: reason), "\(error)")
    }
  }

  @Test func `A receiver that was unplugged is no device`() {
    var rig = Self.opened()
    rig.epoch(0)
    _ = rig.told()
    rig.send(.unplugged(.unavailable(source: "/dev/gps0", reason: "the receiver was unplugged")))
    #expect(rig.told() == [.init(phase: .lost, reason: .noDevice)])
  }

  @Test func `Numbers of signals are reported with a change of the reason, and alone every 10 s at most`() throws {
    var rig = Self.opened()
    var (numbers, instants): ([[Int?]], [MonotonicInstant]) = ([], [])
    for second in 0..<60 {
      Self.search(Double(second), [20, 25 + second, 40], in: &rig)
      rig.wait(.milliseconds(500))
      for entry in rig.take() {
        guard case .lead(let status) = entry.event else { continue }
        let absence = try #require(status.absence)
        #expect(absence.reason == .searching)
        numbers.append([absence.signals, absence.strongSignals])
        instants.append(entry.instant)
      }
    }
    // The second satellite becomes a strong one after 5 s, and nothing changes any more.
    #expect(numbers.last == [3, 2] && (2...3).contains(numbers.count), "\(numbers)")
    if numbers.count == 3 { #expect(instants[2] - instants[1] >= .seconds(10)) }
  }

  @Test func `An open antenna is the reason without a strong signal, a short one in any case`() {
    let (open, short, ok) = (
      "GPTXT,01,01,01,ANTENNA OPEN", "GPTXT,01,01,01,ANTENNA SHORT", "GPTXT,01,01,01,ANTENNA OK"
    )
    for (statement, signals, reason) in [
      (open, [], .antenna), (open, [12, 20], .antenna), (open, [12, 31], .searching), (short, [41, 42], .antenna),
      (ok, [], .searching),
    ] as [(String, [Int], AbsenceReason)] {
      var rig = Self.opened()
      for second in 0..<4 {
        Self.search(Double(second), signals, statement, in: &rig)
        rig.wait(.milliseconds(500))
      }
      #expect(rig.engine.leadStatus(at: rig.now).absence?.reason == reason, "\(statement) \(signals)")
    }
  }

  @Test func `Critical jamming, impossible positions and a time alone are reasons`() {
    let rest = [UInt8](repeating: 0, count: 18)
    func reason(_ bytes: (Int) -> [UInt8]) -> AbsenceReason? {
      var rig = Self.opened()
      for second in 0..<3 {
        bytes(second * 1000).withUnsafeBytes { rig.send(.bytes($0)) }
        rig.wait(.seconds(1))
      }
      return rig.engine.leadStatus(at: rig.now).absence?.reason
    }
    func void(_ time: Int, fixType: UInt8) -> [UInt8] { UBX.pvt(time, fixType: fixType, flags: 0) + UBX.eoe(time) }
    #expect(reason { void($0, fixType: 0) } == .searching)
    #expect(reason { void($0, fixType: 5) } == .timeOnly)
    #expect(reason { UBX.frame(0x0A38, [0, 1, 0, 0, 0, 3] + rest) + void($0, fixType: 0) } == .jammed)
    #expect(reason { UBX.frame(0x0A38, [0, 1, 0, 0, 0, 2] + rest) + void($0, fixType: 0) } == .searching)
    // With an antenna's short circuit, which comes first, and an open one, which comes last.
    #expect(reason { UBX.frame(0x0A38, [0, 1, 0, 0, 0, 3, 3] + rest.dropLast()) + void($0, fixType: 0) } == .antenna)
    #expect(reason { UBX.frame(0x0A38, [0, 1, 0, 0, 0, 3, 4] + rest.dropLast()) + void($0, fixType: 0) } == .jammed)
    #expect(reason { UBX.frame(0x0A38, [0, 1, 0, 0, 0, 2, 4] + rest.dropLast()) + void($0, fixType: 5) } == .timeOnly)
    #expect(reason { UBX.frame(0x0A38, [0, 1, 0, 0, 0, 2, 4] + rest.dropLast()) + void($0, fixType: 0) } == .antenna)
    #expect(
      reason { time in
        let text = "GNRMC,\(Sentences.time(Double(time / 1000))),A,0000.0000000,N,00000.0000000,E,0.0,,190326,,,A,V"
        return Array(ReceiverRig.line(text).utf8)
      } == .implausible)
  }

  @Test func `Sentences without positions are named after 10 s, and a fix may follow`() {
    var rig = Self.opened()
    for _ in 0..<25 {
      Self.send(["GPZDA,123519.00,19,03,2026,00,00"], to: &rig)
      rig.wait(.milliseconds(500))
    }
    #expect(rig.told() == [.init(phase: .acquiring, reason: .noPosition)])
    rig.epoch(1)
    #expect(rig.told() == [.init(phase: .tracking)])
  }

  @Test func `Lines of a gpsd are messages of any class, of which none has a position after 10 s`() {
    var rig = EngineRig(.reports, isLive: true)
    rig.send(.opened)
    _ = rig.told()
    for _ in 0..<25 {
      rig.send(.report(nil))
      rig.wait(.milliseconds(500))
    }
    #expect(rig.told() == [.init(phase: .acquiring, reason: .noPosition)])
    rig.wait(.seconds(20))
    #expect(rig.told() == [.init(phase: .acquiring, reason: .silent)])
  }

  @Test func `The reason is that of the source that leads`() {
    var rig = EngineRig(.sentences, .sentences, isLive: true)
    rig.send(.opened)
    for second in 0..<3 {
      Self.search(Double(second), in: &rig)
      rig.epoch(Double(second), to: 1)
    }
    for second in 3..<8 {
      Self.search(Double(second), in: &rig)
      rig.epoch(Double(second), to: 1)
    }
    #expect(rig.engine.supervisor.lead == 1 && rig.engine.leadStatus(at: rig.now).absence == nil)
    rig.wait(.seconds(20))
    #expect(rig.engine.leadStatus(at: rig.now).absence?.reason == .silent)
  }
}
