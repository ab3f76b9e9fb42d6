import Testing

@testable import LocationCore

@Suite("First fix of a source")
struct FirstFixTests {
  @Test
  func `It is timed from the opening, again after a loss of the line, and from when the receiver was switched on`() {
    var rig = EngineRig(.sentences, isLive: true)
    #expect(rig.engine.sources[0].firstFix == nil)
    rig.send(.opening)
    rig.send(.opened)
    rig.epoch(1, status: "V")
    rig.wait(.seconds(9))
    #expect(rig.engine.sources[0].firstFix?.duration == nil)
    rig.epoch(11)
    let first = rig.engine.sources[0].firstFix?.duration
    #expect(first.map { $0 >= .seconds(9.5) && $0 <= .seconds(10.5) } == true)
    rig.epoch(12)
    #expect(rig.engine.sources[0].firstFix?.duration == first, "not the next one")
    // Before the fix: it says nothing new.
    rig.send(.poweredOn(rig.now - .seconds(60)))
    #expect(rig.engine.sources[0].firstFix?.duration == first)
    rig.send(.unplugged(.unavailable(source: "/dev/gps0", reason: "unplugged")))
    rig.send(.opened)
    #expect(rig.engine.sources[0].firstFix?.duration == nil)
    // It has had power for 20 s.
    rig.send(.poweredOn(rig.now - .seconds(20)))
    rig.epoch(14)
    #expect(rig.engine.sources[0].firstFix?.duration.map { $0 >= .seconds(20) } == true)
    // Power was lost without a hang-up.
    rig.wait(.seconds(5))
    rig.send(.poweredOn(rig.now - .seconds(1)))
    #expect(rig.engine.sources[0].firstFix?.duration == nil)
    rig.epoch(20)
    #expect(rig.engine.sources[0].firstFix?.duration.map { $0 < .seconds(3) } == true)
    rig.send(.poweredOn(rig.now), to: 89)
  }
}
