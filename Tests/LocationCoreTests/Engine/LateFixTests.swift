import Testing

@testable import LocationCore

@Suite("Fixes that arrive late")
struct LateFixTests {
  @Test(arguments: [1.0, 2, 10])
  func `Of fixes that a stopped process reads at once, the newest is published with its age`(_ rate: Double) throws {
    var rig = EngineRig(.sentences, isLive: true)
    func line(_ number: Int) -> [UInt8] { Array(ReceiverRig.line(Sentences.rmc(Double(number) / rate)).utf8) }
    let period = Duration.nanoseconds(Int64(1e9 / rate))
    let stop = Int(10 * rate)
    for number in 0..<stop {
      line(number).withUnsafeBytes { rig.send(.bytes($0)) }
      rig.wait(period)
    }
    #expect(rig.take().fixes.map(\.age) == Array(repeating: nil, count: stop))
    // 10 s later the line holds what was measured since, but for the newest 3 s.
    rig.now = rig.now + .seconds(10)
    for number in stop..<(stop + Int(7 * rate)) { line(number).withUnsafeBytes { rig.send(.bytes($0)) } }
    rig.wait(.milliseconds(50))
    #expect(rig.take().fixes.isEmpty)
    rig.wait(.milliseconds(60))
    let late = rig.take().fixes
    let fix = try #require(late.first)
    #expect(late.count == 1)
    let age = try #require(fix.age).inSeconds
    #expect(abs(age - (3.1 + 1 / rate)) < 0.1)
    #expect(abs((rig.now - fix.fix.received).inSeconds - age) < 0.1)
    let newest = (Double(stop) + 7 * rate - 1) / rate
    #expect(abs((fix.fix.measured?.secondsSince1970 ?? .nan) - (1_773_923_700 + newest)) < 0.001)
    // The daemon reads in time again.
    for number in (stop * 2)..<(stop * 2 + 5) {
      line(number).withUnsafeBytes { rig.send(.bytes($0)) }
      rig.wait(period)
    }
    #expect(rig.take().fixes.map(\.age) == Array(repeating: nil, count: 5))
    #expect(rig.engine.lead.counters.superseded == UInt64(7 * rate) - 1)
  }

  @Test(arguments: [true, false])
  func `A late fix comes before the loss that was read with it`(isUnplugged: Bool) {
    var rig = EngineRig(.sentences, isLive: true)
    for second in 0..<5 { rig.epoch(Double(second)); rig.wait(.milliseconds(500)) }
    rig.wait(.seconds(1))
    _ = rig.take()
    rig.now = rig.now + .seconds(10)
    let lost = isUnplugged ? [] : (8..<12).map { Sentences.rmc(Double($0), status: "V", mode: "N") }
    let text = ((5..<8).map { Sentences.rmc(Double($0)) } + lost).map(ReceiverRig.line).joined()
    Array(text.utf8).withUnsafeBytes { rig.send(.bytes($0)) }
    if isUnplugged { rig.send(.unplugged(.unavailable(source: "", reason: ""))) }
    rig.wait(.seconds(1))
    let events = rig.take()
    #expect(events.fixes.map(\.fix.timeOfDay) == [TimeOfDay(hour: 12, minute: 35, second: 7)])
    // The first loss is that by silence.
    #expect(
      events.names.filter { ["fix", "noFix", "fixLost"].contains($0) }
        == ["fixLost", "fix"] + (isUnplugged ? ["fixLost"] : ["noFix", "fixLost", "noFix", "noFix", "noFix"]))
    let hasFix = rig.engine.hasFix
    #expect(!hasFix)
  }

  @Test func `In a recording, and behind a new connection, every fix that arrives late is published`() {
    for isLive in [false, true] {
      var rig = EngineRig(.sentences, isLive: isLive)
      for second in 0..<5 { rig.epoch(Double(second)); rig.wait(.milliseconds(500)) }
      _ = rig.take()
      rig.wait(.seconds(10))
      if isLive { rig.send(.unplugged(.unavailable(source: "", reason: ""))) }
      let text = (5..<15).map { ReceiverRig.line(Sentences.rmc(Double($0))) }.joined()
      Array(text.utf8).withUnsafeBytes { rig.send(.bytes($0)) }
      rig.wait(.seconds(1))
      #expect(rig.take().fixes.map(\.age) == Array(repeating: nil, count: 10))
    }
  }
}
