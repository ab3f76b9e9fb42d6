import Testing

@testable import LocationCore

@Suite("Sentences of the leading source")
struct EngineSentenceTests {
  @Test func `A source without sentences has them made from its fixes, one burst an epoch, and none of a gpsd`() throws
  {
    for (isLive, bursts) in [(false, 3), (true, 0)] {
      var rig = EngineRig(.reports, isLive: isLive)
      rig.events.collectsSentences = true
      rig.send(.opened)
      for second in 0..<3 { try rig.report(second) }
      let events = rig.take()
      #expect(events.fixes.count == 3)
      #expect(events.sentences.count == bursts)
      for (second, burst) in events.sentences.enumerated() {
        #expect(burst.hasPrefix("$GNRMC,12350\(second).000,A,4807.0380000,N,01130.0000000,E,"))
        #expect(burst.split(separator: "\r\n").map { $0.prefix(6) } == ["$GNRMC", "$GNGGA", "$GNGSA"])
      }
    }
  }

  @Test func `A receiver's own sentences pass through, and none are made beside them or without a reader`() {
    var rig = EngineRig(.sentences)
    for second in 0..<3 { rig.epoch(Double(second)) }
    #expect(rig.take().sentences.isEmpty)
    rig.events.collectsSentences = true
    for second in 3..<6 { rig.epoch(Double(second)) }
    let sentences = rig.take().sentences
    #expect(sentences.count == 3 && sentences.allSatisfy { $0.split(separator: "\r\n").count == 1 })
  }

  @Test func `The time of a made sentence goes on in each pass of a loop, with a fix and without`() throws {
    var rig = EngineRig(.reports)
    rig.events.collectsSentences = true
    rig.engine.sources[0].setup.timeShift = .seconds(100)
    rig.send(.opened)
    try rig.report(0)
    let time = UTCInstant(nanosecondsSince1970: 1_773_923_701_000_000_000)
    rig.send(.report(.position(GPSDPosition(device: "/dev/gps0", time: time, fix: nil))))
    rig.wait(.milliseconds(500))
    let sentences = rig.take().sentences
    #expect(sentences.map { $0.prefix(13) } == ["$GNRMC,123640", "$GNRMC,123641"])
  }
}
