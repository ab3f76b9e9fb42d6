import Testing

@testable import LocationCore

@Suite("Follow mode: judging reports (F3, F4, F6, F8)")
struct FollowReportTests {
  @Test func `F3: A report is compared with the fix that the view showed, not with the newest`() throws {
    var fixture = try FollowFixture.settled()
    for second in 1...5 { fixture.publish(here.moved(36 * Double(second)), Double(second)) }
    #expect(try fixture.report(here, seq: 1, 5) == [], "180 m behind the newest fix, on the fix shown")
    #expect(try fixture.report(here, seq: 6, 5.1).count == 1)
    #expect(fixture.state().seq == 6)
  }

  @Test(arguments: [1.0, 10, 30])
  func `F3: At least 60 s of fixes are kept, at up to 30 Hz`(_ rate: Double) throws {
    var fixture = FollowFixture()
    let count = Int(rate * 200)
    for step in 0...count { fixture.publish(here.moved(0.5 * Double(step)), Double(step) / rate) }
    let old = UInt64(count + 1) - UInt64(60 * rate)
    _ = try fixture.report(here, seq: nil, cause: .follow, 201)
    #expect(try fixture.report(here.moved(0.5 * Double(old - 1)).moved(99), seq: old, 210) == [])
    #expect(fixture.registry.counters.unknownSeq == 0)
    #expect(try fixture.report(here.moved(0.5 * Double(old - 1)).moved(101), seq: old, 211).count == 1)
  }

  @Test func `F3: A report without seq is compared with the path of the last 3 s`() throws {
    var fixture = try FollowFixture.settled()
    for second in 1...10 { fixture.publish(here.moved(200 * Double(second)), Double(second)) }
    // At 200 m/s the path extends from 1 400 m to 2 000 m, with a fix every 200 m.
    for second in [10.0, 10.1, 10.5, 10.9] {
      #expect(try fixture.report(here.moved(1_500).moved(99, towards: 0), second) == [])
      #expect(try fixture.report(here.moved(1_310), second) == [])
    }
    #expect(try fixture.report(here.moved(1_290), 10.9) == [])
    #expect(try fixture.report(here.moved(1_290), 10.95) == [])
    #expect(try fixture.report(here.moved(1_290), 11.1).count == 1)
  }

  @Test func `F3: Without seq, two reports at least 200 ms apart must lie outside`() throws {
    var fixture = try FollowFixture.settled()
    #expect(try fixture.report(here.moved(500), 5) == [])
    #expect(try fixture.report(here.moved(500), 5.199) == [])
    #expect(try fixture.report(here, 5.2) == [], "back inside: it restarts")
    #expect(try fixture.report(here.moved(500), 6) == [])
    #expect(try fixture.report(here, cause: .follow, 6.1) == [], "the camera tracks again: it restarts")
    #expect(try fixture.report(here.moved(500), 7) == [])
    #expect(try fixture.report(here.moved(500), 7.2).count == 1)
    #expect(fixture.state().seq == 1)
  }

  @Test(arguments: [0, 2, 99, UInt64.max])
  func `F3: An unpublished seq counts as none`(_ seq: UInt64) throws {
    var fixture = try FollowFixture.settled()
    #expect(try fixture.report(here.moved(500), seq: seq, 5) == [])
    #expect(try fixture.report(here.moved(500), seq: seq, 5.5).count == 1)
    #expect(fixture.registry.counters.unknownSeq == 2)
  }

  @Test(arguments: ViewCause.allCases + [nil])
  func `F4: Only the user and an unstated cause can disengage`(_ cause: ViewCause?) throws {
    var fixture = try FollowFixture.settled()
    let actions = try fixture.report(here.moved(5_000), seq: 1, cause: cause, 5)
    #expect(actions.count == (cause == nil || cause == .user ? 1 : 0))
  }

  @Test func `F4: A map that rotates and zooms continuously never disengages`() throws {
    var fixture = try FollowFixture.settled()
    var random = SeededNoise(seed: 31)
    for step in 1..<3_000 {
      let second = Double(step) * 0.1
      let position = here.moved(2 * Double(step))
      if step % 10 == 0 { fixture.publish(position, second, speed: 20) }
      let cause: ViewCause = [.zoom, .rotate, .resize, .follow][Int.random(in: 0...3, using: &random)]
      let report = position.moved(random.uniform(0...3_000), towards: random.uniform(0...360))
      let seq = random.uniform(0...1) < 0.5 ? UInt64(step / 10) : nil
      #expect(try fixture.report(report, seq: seq, cause: cause, second) == [])
    }
    #expect(fixture.state().following)
  }

  @Test(arguments: [true, false])
  func `A view that lags 1.5 s at 130 km/h and 1 Hz without a cause never disengages`(_ hasSeq: Bool) throws {
    var fixture = FollowFixture()
    let speed = 130 / 3.6
    var published = 0
    for frame in 0..<9_000 {
      let second = Double(frame) / 30
      if Double(published) <= second {
        fixture.publish(here.moved(speed * Double(published), towards: 70), Double(published), speed: speed)
        published += 1
      }
      // The camera moves smoothly from fix to fix, 1.5 s late.
      let shown = max(second - 1.5, 0)
      let seq = hasSeq ? UInt64(shown) + 1 : nil
      let actions = try fixture.report(
        here.moved(speed * shown, towards: 70), seq: seq, cause: nil, second)
      #expect(actions == [])
    }
    #expect(fixture.state() == FollowState(view: "main", following: true, reason: .initial))
    // The same view after the user has moved it.
    #expect(try fixture.report(here.moved(speed * 298, towards: 70).moved(150, towards: 160), seq: 299, 301).count == 1)
  }

  @Test func `F6: After a re-engage, reports count with the newest fix's seq or after 3 s`() throws {
    var fixture = try FollowFixture.settled()
    fixture.publish(here, 1)
    try fixture.set(false, 2)
    try fixture.set(true, 10)
    #expect(try fixture.report(here.moved(500), seq: 1, 11) == [], "an older fix: the view has not arrived yet")
    #expect(try fixture.report(here.moved(500), 12.999) == [])
    #expect(try fixture.report(here.moved(500), seq: 2, 12.999).count == 1)
    try fixture.set(true, 20)
    #expect(try fixture.report(here.moved(500), seq: 1, 22.999) == [])
    #expect(try fixture.report(here.moved(500), seq: 1, 23).count == 1)
  }

  @Test func `F6: Behind a filter, reports count from the newest fix that the client was sent`() throws {
    var fixture = FollowFixture()
    for second in 0..<5 { fixture.publish(here.moved(Double(second)), Double(second)) }
    #expect(try fixture.report(here.moved(500), seq: 1, sent: 2, 5) == [], "it has been sent a newer one")
    #expect(try fixture.report(here.moved(500), seq: 2, sent: 2, 5.1).count == 1)

    var regained = try FollowFixture.settled()
    regained.publish(here, 10, changes: .regained)
    regained.publish(here, 11)
    #expect(try regained.report(here.moved(500), seq: 1, sent: 2, 11.5) == [])
    #expect(try regained.report(here.moved(500), seq: 2, sent: 3, 11.6).count == 1, "the awaited one is enough")

    var source = try FollowFixture.settled()
    source.registry.sourceChanged(at: at(10))
    #expect(try source.report(here.moved(500), seq: 1, sent: 1, 11) == [], "the other source has no fix yet")
  }

  @Test func `F6: A report with the awaited fix ends the grace period, whatever its cause`() throws {
    var fixture = try FollowFixture.settled()
    fixture.publish(here, 1)
    try fixture.set(true, 10)
    try fixture.report(here, seq: 2, cause: .follow, 10.1)
    #expect(try fixture.report(here.moved(500), seq: 1, 10.2).count == 1)
  }

  @Test func `F6: A first fix, a regained fix, a change of source and a connect start the same grace period`() throws {
    var first = FollowFixture()
    try first.report(here, 0)
    first.publish(here, 100)
    #expect(try first.report(here.moved(500), seq: nil, 102.9) == [])

    for changes in [FixChanges.regained, .source] {
      var fixture = try FollowFixture.settled()
      fixture.publish(here.moved(2_000), 10, changes: changes)
      #expect(try fixture.report(here.moved(500), seq: 1, 12.9) == [])
      #expect(try fixture.report(here.moved(500), seq: 1, 13).count == 1)
    }

    var source = try FollowFixture.settled()
    source.registry.sourceChanged(at: at(10))
    #expect(try source.report(here.moved(500), seq: 1, 11) == [], "the other source has no fix yet")
    source.publish(here.moved(2_000), 12, changes: .source)
    #expect(try source.report(here.moved(500), seq: 1, 14.9) == [])
    #expect(try source.report(here.moved(500), seq: 2, 14.9).count == 1)

    var connect = try FollowFixture.settled()
    #expect(try connect.report(here.moved(500), seq: nil, view: "second", 5) == [])
    #expect(try connect.report(here.moved(500), seq: nil, view: "second", 7.9) == [])
  }

  @Test func `F8: A loss, a jump and a change of source never disengage`() throws {
    var fixture = try FollowFixture.settled()
    fixture.registry.lost()
    fixture.registry.sourceChanged(at: at(6))
    #expect(fixture.publish(place(-40, 100), 60, changes: [.source, .suspect]) == [.sendNewest])
    #expect(fixture.publish(place(70, -100), 61) == [])
    #expect(fixture.state().following)
  }

  @Test func `F8: When the fix returns, a following view recentres once and a free one does not`() throws {
    var fixture = try FollowFixture.settled()
    try fixture.report(here, seq: 1, view: "free", 1)
    try fixture.set(false, view: "free", 1)
    fixture.registry.lost()
    #expect(fixture.publish(here.moved(900), 60, changes: .regained) == [.sendNewest])
    #expect(fixture.publish(here.moved(910), 61) == [])
  }

  @Test func `F8: A loss before the first fix has no effect`() throws {
    var fixture = FollowFixture()
    try fixture.report(here, 0)
    fixture.registry.lost()
    #expect(fixture.publish(here, 2) == [])
  }
}
