import Testing

@testable import LocationCore

@Suite("Faults of a line in the last minute")
struct LineFaultTests {
  @Test func `A total's growth is that of the last 60 to 65 seconds, however long it is counted`() {
    var count = MinuteCount()
    var (now, total) = (MonotonicInstant(nanoseconds: 7), UInt64(1000))
    #expect(count.growth(to: total, at: now) == 0)
    for second in 0..<1000 {
      count.note(total, at: now)
      // One a second, from the beginning of the counting on.
      total += 1
      now = now + .seconds(1)
      let growth = Int(count.growth(to: total, at: now))
      #expect(second < 60 ? growth == second + 1 : (60...65).contains(growth), "\(second): \(growth)")
    }
    // Silence, in which nothing is noted.
    now = now + .seconds(59)
    #expect(count.growth(to: total, at: now) > 0)
    now = now + .seconds(10)
    #expect(count.growth(to: total, at: now) == 0)
    count.note(total, at: now)
    #expect(count.growth(to: total + 3, at: now) == 3)
  }

  @Test func `Bytes outside of sentences and wrong checksums are those of the last minute`() throws {
    var rig = EngineRig(.sentences)
    func send(_ text: String) { Array(text.utf8).withUnsafeBytes { rig.send(.bytes($0)) } }
    func faults() throws -> [UInt64] {
      let faults = try #require(rig.engine.sources[0].faults(inLastMinuteAt: rig.now))
      return [faults.noise, faults.badChecksum]
    }
    rig.epoch(0)
    #expect(try faults() == [0, 0])
    send("noise" + String(ReceiverRig.line(Sentences.rmc(1)).dropLast(3)) + "00\r\n")
    #expect(try faults() == [5, 1])
    for second in 2..<50 {
      rig.epoch(Double(second))
      rig.wait(.milliseconds(500))
    }
    #expect(try faults() == [5, 1])
    for second in 50..<70 {
      rig.epoch(Double(second))
      rig.wait(.milliseconds(500))
    }
    #expect(try faults() == [0, 0])
    #expect(rig.engine.sources[0].counters.nmea.checksum == 1, "the total stays")
    let reports = EngineRig(.reports)
    #expect(reports.engine.sources[0].faults(inLastMinuteAt: rig.now) == nil)
  }
}
