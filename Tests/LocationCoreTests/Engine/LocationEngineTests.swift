import Testing

@testable import LocationCore

@Suite("Location engine")
struct LocationEngineTests {
  @Test func `Bytes open a source; its first fix comes behind the states that lead to it`() {
    var rig = EngineRig(.sentences)
    rig.epoch(0)
    #expect(rig.take().names == ["state", "lead", "state", "lead", "state", "lead", "fix"])
    rig.epoch(1)
    let next = rig.take()
    #expect(next.names == ["fix"])
    #expect(next.fixes.map(\.seq) == [2] && next.fixes.map(\.source) == [10])
  }

  @Test func `Climb and error of the course follow from the fix before, and not across a loss`() throws {
    var rig = EngineRig(.reports)
    rig.send(.opened)
    func report(_ second: Int, altitude: Double) throws {
      let position = try #require(Coordinate(latitude: 48.117_3 + Double(second) * 2e-4, longitude: 11.5))
      let time = UTCInstant(nanosecondsSince1970: (1_773_923_700 + Int64(second)) * 1_000_000_000)
      var fix = Fix(position: position, mode: .threeD, measured: time, received: rig.now)
      (fix.altitudeMSL, fix.course, fix.horizontalAccuracy) = (altitude, 0, 4)
      rig.send(.report(.position(GPSDPosition(device: "/dev/gps0", time: time, fix: fix))))
      rig.wait(.seconds(1))
    }
    for second in 0..<3 { try report(second, altitude: 500 + 2 * Double(second)) }
    rig.wait(.seconds(5))
    try report(8, altitude: 540)
    let fixes = rig.take().fixes.map(\.fix)
    #expect(fixes.map(\.climb) == [nil, 2, 2, nil])
    #expect(fixes.map { $0.courseAccuracy != nil } == [false, true, true, false])
  }

  @Test func `A loss by silence happens at its own instant, before the input that reveals it`() throws {
    var rig = EngineRig(.sentences)
    for second in 0..<5 { rig.epoch(Double(second), north: second); rig.wait(.milliseconds(500)) }
    let last = try #require(rig.take().fixes.last)
    rig.now = rig.now + .seconds(60)
    rig.epoch(65, north: 5)
    let events = rig.take()
    #expect(events.names == ["state", "fixLost", "lead", "state", "lead", "fix"])
    let lost = try #require(events.first).instant - last.fix.received
    #expect(lost >= .seconds(3) && lost < .seconds(4))
    #expect(events.fixes.first?.changes.contains(.regained) == true)
  }

  @Test func `A clock that is set back is published with the third epoch, as regained and without a loss`() {
    for forms in [[SourceSetup.Form.sentences], [.reports]] {
      var rig = EngineRig(forms[0])
      rig.send(.opened)
      func epoch(_ second: Int) {
        if forms == [.reports] { try? rig.report(second) } else { rig.epoch(Double(second)) }
        rig.wait(.milliseconds(500))
      }
      for second in 100..<105 { epoch(second) }
      _ = rig.take()
      for second in 50..<52 { epoch(second) }
      #expect(rig.take().fixes.isEmpty)
      epoch(52)
      let events = rig.take()
      #expect(events.names == ["fix", "fix", "fix"])
      #expect(events.fixes.map(\.changes) == [.regained, [], []])
      epoch(53)
      #expect(rig.take().fixes.map(\.changes) == [[]])
    }
  }

  @Test func `An epoch without a position is an event of its own; two of them lose the fix`() {
    var rig = EngineRig(.sentences)
    for second in 0..<3 { rig.epoch(Double(second)) }
    _ = rig.take()
    rig.epoch(3, status: "V")
    #expect(rig.take().names == ["noFix"])
    rig.epoch(4, status: "V")
    #expect(rig.take().names == ["state", "fixLost", "lead", "noFix"])
  }
}
