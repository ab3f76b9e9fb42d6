import LocationCore
import Testing

/// The satellites of an epoch.
@Suite("Satellites of epochs")
struct EpochSkyTests {
  private func skies(_ rig: ReceiverRig) -> [Int?] { rig.epochs.map { $0.sky?.satellites.count } }

  @Test func `A complete sky is delivered with its epoch`() throws {
    var rig = ReceiverRig()
    for second in 0..<4 {
      rig.send(
        Sentences.rmc(Double(second)), Sentences.gsa(3), Sentences.gsv[0], Sentences.gsv[1],
        Sentences.gga(Double(second)))
      rig.wait(.seconds(1))
    }
    #expect(skies(rig) == [5, 5, 5, 5])
    let sky = try #require(rig.epochs.last?.sky)
    #expect(sky.measured == rig.fixes.last?.measured)
    #expect(sky.used == 5)
    #expect(sky.hdop == 0.8)
    #expect(sky.satellites.first?.signal == 46)
  }

  @Test func `Late sets are delivered with the next epoch and keep their time`() throws {
    var rig = ReceiverRig()
    for second in 0..<12 {
      rig.send(Sentences.gga(Double(second)), Sentences.rmc(Double(second)), Sentences.gsa(3))
      if second % 5 == 4 { rig.send(Sentences.gsv[0], Sentences.gsv[1]) }
      rig.wait(.seconds(1))
    }
    #expect(skies(rig) == [0, 0, 0, 0, 0, 5, nil, nil, nil, nil, 5, nil])
    #expect(rig.epochs[5].sky?.measured == rig.fixes[4].measured)
    #expect(rig.epochs[5].sky?.used == 5)
  }

  @Test func `Late sets and errors are not those of an epoch of another connection`() {
    var rig = ReceiverRig()
    for second in [0, 1, 2, 3, 4, 100, 101] {
      rig.send(Sentences.gga(Double(second)), Sentences.rmc(Double(second)), Sentences.gsa(3))
      if second == 4 { rig.send(Sentences.gsv[0], Sentences.gsv[1], Sentences.gst(4)) }
      rig.wait(.seconds(second == 4 ? 95 : 1))
      if second == 4 { rig.end() }
    }
    #expect(rig.fixes.count == 7 && rig.epochs.allSatisfy { $0.sky?.satellites.isEmpty ?? true && $0.noise == nil })
  }

  @Test func `A receiver that lists no satellites has their number and dilutions`() throws {
    // A NEO-M8 with GSA of each system and without GSV.
    var rig = ReceiverRig()
    for epoch in 0..<20 {
      let second = Double(epoch) / 5
      rig.send(
        Sentences.rmc(second), Sentences.gga(second), "GNGSA,A,3,07,03,23,26,16,22,09,06,19,,,,1.11,0.68,0.87,1",
        "GNGSA,A,3,76,65,66,82,67,75,81,77,,,,,1.11,0.68,0.87,2", "GNGSA,A,3,05,03,08,24,25,31,,,,,,,1.11,0.68,0.87,3")
      rig.wait(.milliseconds(200))
    }
    #expect(rig.epochs.indices.filter { rig.epochs[$0].sky != nil } == [0, 5, 10, 15])
    let sky = try #require(rig.epochs[15].sky)
    #expect(sky.used == 23 && sky.satellites.isEmpty)
    #expect(sky.hdop == 0.68 && sky.pdop == 1.11 && sky.vdop == 0.87 && sky.measured == rig.epochs[15].measured)
  }

  @Test func `A receiver whose lists have ended has their number and dilutions, too`() {
    var rig = ReceiverRig()
    for second in 0..<60 {
      rig.send(Sentences.rmc(Double(second)), Sentences.gga(Double(second)), Sentences.gsa(3))
      if second < 5 { rig.send(Sentences.gsv[0], Sentences.gsv[1]) }
      rig.wait(.seconds(1))
    }
    #expect(skies(rig)[10..<30].allSatisfy { $0 == nil })
    #expect(skies(rig)[40...].allSatisfy { $0 == 0 })
    #expect(rig.epochs.last?.sky?.hdop == 0.8 && rig.epochs.last?.sky?.used == 5)
  }

  @Test func `Without a date they come once a second, too`() {
    var rig = ReceiverRig()
    for epoch in 0..<20 {
      rig.send(Sentences.gga(Double(epoch) / 5), Sentences.gsa(3))
      rig.wait(.milliseconds(200))
    }
    let skies = rig.epochs.enumerated().filter { $1.sky != nil }
    #expect(skies.map(\.offset) == [0, 5, 10, 15])
    #expect(skies.allSatisfy { $1.sky?.measured == nil && $1.sky?.hdop == 0.8 && $1.sky?.used == 5 })
  }

  @Test func `The fix may use satellites that are not in view, and without GSA the sky has what GGA states`() {
    for gsa in [[], ["GNGSA,A,3,01,02,40,,,,,,,,,,1.7,0.9,1.5,1", "GNGSA,A,3,70,71,,,,,,,,,,,1.7,0.9,1.5,2"]] {
      var rig = ReceiverRig()
      for second in 0..<5 {
        rig.send(
          text: ([Sentences.rmc(Double(second)), Sentences.gga(Double(second))] + gsa + Sentences.gsv).map(
            ReceiverRig.line
          ).joined())
        rig.wait(.seconds(1))
      }
      #expect(rig.epochs.last?.sky?.used == (gsa.isEmpty ? 12 : 5))
      #expect(rig.epochs.last?.sky?.hdop == (gsa.isEmpty ? 0.84 : 0.9))
    }
  }

  @Test func `Of GSA in every fifth epoch the sky keeps all dilutions`() {
    var rig = ReceiverRig()
    for second in 0..<21 {
      let gsa = second % 5 == 0 ? [Sentences.gsa(3)] : []
      for sentence in [Sentences.rmc(Double(second)), Sentences.gga(Double(second))] + gsa { rig.send(sentence) }
      rig.wait(.seconds(1))
    }
    let skies = rig.epochs.compactMap(\.sky)
    #expect((4...5).contains(skies.count) && skies.allSatisfy { $0.pdop != nil && $0.vdop != nil })
  }

  @Test func `GGA alone gives the number of satellites and the dilution`() {
    var rig = ReceiverRig()
    for second in 0..<3 {
      rig.send(Sentences.rmc(Double(second)), Sentences.gga(Double(second)))
      rig.wait(.seconds(1))
    }
    #expect(skies(rig) == [0, 0, 0])
    #expect(rig.epochs.allSatisfy { $0.sky?.used == 12 && $0.sky?.hdop == 0.84 })
  }

  @Test func `Sets before an epoch belong to it`() {
    var rig = ReceiverRig()
    for second in 0..<4 {
      rig.send(
        Sentences.gsa(3), Sentences.gsv[0], Sentences.gsv[1], Sentences.rmc(Double(second)),
        Sentences.gga(Double(second)))
      rig.wait(.seconds(1))
    }
    #expect(skies(rig) == [5, 5, 5, 5])
    #expect(rig.epochs.allSatisfy { $0.sky?.measured == $0.measured })
  }

  @Test func `Ten epochs per second yield one sky`() throws {
    var rig = ReceiverRig()
    for epoch in 0..<30 {
      rig.send(
        Sentences.rmc(Double(epoch) / 10), Sentences.gsa(3), Sentences.gsv[0], Sentences.gsv[1],
        Sentences.gga(Double(epoch) / 10))
      rig.wait(.milliseconds(100))
    }
    #expect(rig.fixes.count == 30)
    #expect(rig.epochs.indices.filter { rig.epochs[$0].sky != nil } == [0, 10, 20])
    #expect(rig.epochs.allSatisfy { $0.sky == nil || $0.sky?.measured == $0.measured })
    #expect(rig.epochs[20].sky?.used == 5)
  }

  @Test func `Late sets complete the sky of their epoch`() {
    var rig = ReceiverRig()
    for epoch in 0..<12 {
      let time = Double(epoch) / 10
      rig.send(Sentences.rmc(time), Sentences.gsv[0], Sentences.gsv[1], Sentences.gga(time))
      if epoch >= 10 { rig.send("GLGSV,1,1,02,65,10,020,30,66,20,030,31") }
      rig.wait(.milliseconds(100))
    }
    rig.end()
    #expect(skies(rig).enumerated().filter { $1 != nil }.map(\.offset) == [0, 10, 11])
    #expect(skies(rig).compactMap { $0 } == [5, 5, 7])
    #expect(rig.epochs.last?.sky?.measured == rig.fixes[10].measured)
  }

  @Test func `With a stopped receiver clock every sky is delivered`() {
    var rig = ReceiverRig()
    for _ in 0..<9 {
      rig.send(Sentences.rmc(0), Sentences.gsv[0], Sentences.gsv[1])
      rig.wait(.seconds(1))
    }
    // Late by one epoch: RMC alone closes an epoch by then, and the sets follow it.
    #expect(skies(rig).compactMap { $0 } == [Int](repeating: 5, count: 8))
  }

  @Test func `An incomplete set is not a sky`() {
    var rig = ReceiverRig()
    rig.send(Sentences.rmc(0), Sentences.gsv[0], Sentences.rmc(1), Sentences.gsv[0], Sentences.rmc(2))
    rig.end()
    #expect(skies(rig) == [nil, nil, nil])
  }
}

@Suite("Sky clock")
struct SkyClockTests {
  private func at(_ seconds: Double) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: Int64(seconds * 1e9))
  }

  private func utc(_ second: Double?) -> UTCInstant? {
    second.map { UTCInstant(nanosecondsSince1970: 1_773_921_600_000_000_000 + Int64($0 * 1e9)) }
  }

  @Test func `At ten epochs per second the first of each second is due, however early it arrives`() {
    var clock = SkyClock()
    var out: [Int] = []
    for epoch in 0..<30 {
      // Less than a second lies between the first two that are due, and more between the next two.
      let late = epoch.isMultiple(of: 20) ? 0.06 : 0
      if clock.isDue(utc(Double(epoch) / 10), at: at(Double(epoch) / 10 + late)) { out.append(epoch) }
    }
    #expect(out == [0, 10, 20])
  }

  @Test func `Without a time the monotonic clock decides`() {
    var clock = SkyClock()
    let skies: [(measured: Double?, received: Double, isDue: Bool)] = [
      (nil, 0, true), (nil, 0.949, false), (nil, 0.95, true), (5, 1.5, false), (5, 2, true), (5.9, 2.9, false),
      (6, 2.9, true), (nil, 3.84, false), (nil, 3.85, true),
    ]
    let due = skies.map { clock.isDue(utc($0.measured), at: at($0.received)) }
    #expect(due == skies.map(\.isDue))
  }
}
