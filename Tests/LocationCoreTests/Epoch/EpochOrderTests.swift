import LocationCore
import Testing

/// Learning the last sentence of an epoch.
@Suite("Learned sentence order")
struct EpochOrderTests {
  /// Sends one epoch and returns the number of fixes published before the following silence.
  private func publishedAtOnce(_ rig: inout ReceiverRig, _ sentences: [String]) -> Bool {
    let before = rig.epochs.count
    rig.send(text: sentences.map(ReceiverRig.line).joined())
    let atOnce = rig.epochs.count > before
    rig.wait(.seconds(1))
    return atOnce
  }

  @Test func `An order is learned from two epochs`() {
    var rig = ReceiverRig()
    let atOnce = (0..<4).map { publishedAtOnce(&rig, [Sentences.gga(Double($0)), Sentences.rmc(Double($0))]) }
    #expect(atOnce == [false, false, true, true])
  }

  @Test func `The order is learned again when the last sentence stops arriving`() {
    var rig = ReceiverRig()
    for second in 0..<10 {
      _ = publishedAtOnce(
        &rig, [Sentences.rmc(Double(second)), Sentences.gga(Double(second)), Sentences.gst(Double(second))])
    }
    let atOnce = (10..<18).map { publishedAtOnce(&rig, [Sentences.rmc(Double($0)), Sentences.gga(Double($0))]) }
    #expect(atOnce == [false, false, false, true, true, true, true, true])
    #expect(rig.fixes.count == 18)
  }

  @Test func `The order is learned again when another sentence follows`() {
    var rig = ReceiverRig()
    for second in 0..<10 {
      _ = publishedAtOnce(&rig, [Sentences.rmc(Double(second)), Sentences.gga(Double(second))])
    }
    for second in 10..<18 {
      _ = publishedAtOnce(
        &rig, [Sentences.rmc(Double(second)), Sentences.gga(Double(second)), Sentences.gst(Double(second))])
    }
    #expect(rig.fixes.count == 18)
    // GST was late once; since then its pattern was looked for, and then the epoch waits for it.
    #expect(rig.receiver.counters.late == 1)
    #expect(rig.epochs.last?.noise?.altitude == 4)
  }

  @Test func `A missing last sentence delays only its own epoch`() {
    var rig = ReceiverRig()
    let atOnce = (0..<10).map { second in
      let gst = second == 5 ? [] : [Sentences.gst(Double(second))]
      return publishedAtOnce(&rig, [Sentences.rmc(Double(second)), Sentences.gga(Double(second))] + gst)
    }
    #expect(atOnce == [false, false, true, true, true, false, true, true, true, true])
    #expect(rig.receiver.counters.late == 0)
    #expect(rig.fixes.count == 10)
  }

  @Test func `GSA in every fifth epoch delays none`() {
    var rig = ReceiverRig()
    let atOnce = (0..<30).map { second in
      let sky = second % 5 == 4 ? Sentences.gsv : []
      return publishedAtOnce(
        &rig, [Sentences.gga(Double(second)), Sentences.rmc(Double(second)), Sentences.gsa(3)] + sky)
    }
    #expect(atOnce.dropFirst(2).allSatisfy { $0 })
    #expect(rig.outcomes == Array(repeating: "fix", count: 30))
  }

  @Test(
    arguments: [
      (["RMC", "VTG", "GGA", "GSA", "GSA", "GSV", "GSV", "GLL"], 4), (["GGA", "GSA", "GSV", "GSV", "RMC", "VTG"], 4),
      (["GGA", "RMC", "VTG", "ZDA", "GLL"], 1), (["GGA", "GSA", "VTG", "GSV", "GSV"], 2), (["GLL", "GSA", "VTG"], 2),
      (["GLL", "GGA", "ZDA"], 2), (["GGA", "GLL", "GSV", "GSV"], 0), (["GNS", "RMC", "GLL", "GST"], 3),
    ]
  )
  func `An epoch closes with the last sentence that its fix needs`(sentences: [String], last: Int) {
    var rig = ReceiverRig()
    var closing: [Int?] = []
    for second in 0..<12 {
      let time = Double(second)
      var part = 0
      let before = rig.fixes.count
      var atLast: Int?
      for (index, kind) in sentences.enumerated() {
        if kind == "GSV" { part += 1 }
        let texts = [
          "RMC": Sentences.rmc(time), "VTG": Sentences.vtg, "GGA": Sentences.gga(time), "GSA": Sentences.gsa(3),
          "GLL": Sentences.gll(time),
          "ZDA": Sentences.zda(time), "GST": Sentences.gst(time), "GNS": Sentences.gns(time),
          "GSV": Sentences.gsv[max(0, part - 1)],
        ]
        rig.send(texts[kind] ?? "")
        if rig.fixes.count > before, atLast == nil { atLast = index }
      }
      closing.append(atLast)
      rig.wait(.seconds(1))
    }
    #expect(closing == [nil, nil] + Array(repeating: last, count: 10))
    #expect(rig.outcomes == Array(repeating: "fix", count: 12))
    #expect(rig.receiver.counters.late == 0)
  }

  @Test func `A repeating sentence is awaited if it completes the fix`() {
    // A receiver whose RMC has neither course nor date, and whose GGA has no position.
    var rig = ReceiverRig()
    let epochs = (0..<6).map { second in
      let time = Double(second)
      let rmc = "GNRMC,\(Sentences.time(time)),A,,,,,22.400,,,,,A,V"
      let gga = "GNGGA,\(Sentences.time(time)),,,,,1,12,0.84,545.4,M,46.9,M,,"
      return [rmc, gga, Sentences.vtg, Sentences.zda(time), Sentences.gll(time)]
    }
    let atOnce = epochs.map { publishedAtOnce(&rig, $0) }
    #expect(atOnce == [false, false, true, true, true, true])
    #expect(rig.fixes.count == 6)
    #expect(rig.fixes.allSatisfy { $0.course == 84.4 && $0.measured != nil && $0.altitudeMSL == 545.4 })
  }

  @Test func `A repetition after silence changes nothing`() {
    // GLL follows 400 ms after the sentence that it repeats, longer than the silence that ends an epoch.
    var rig = ReceiverRig()
    let atOnce = (0..<30).map { second in
      rig.send(Sentences.rmc(Double(second)))
      let before = rig.fixes.count
      rig.send(Sentences.gga(Double(second)))
      let atOnce = rig.fixes.count > before
      rig.wait(.milliseconds(400))
      rig.send(Sentences.gll(Double(second)))
      rig.wait(.milliseconds(600))
      return atOnce
    }
    #expect(atOnce.dropFirst(2).allSatisfy { $0 })
    #expect(rig.outcomes == Array(repeating: "fix", count: 30))
    #expect(rig.receiver.counters.late == 0)
  }

  @Test func `Several GSA sentences are counted`() {
    var rig = ReceiverRig()
    let epoch = { (second: Double) in
      [Sentences.rmc(second), Sentences.gga(second), Sentences.gsa(3), Sentences.gsa(3), Sentences.gsa(3)]
    }
    for second in 0..<3 { _ = publishedAtOnce(&rig, epoch(Double(second))) }
    rig.send(text: epoch(3).dropLast().map(ReceiverRig.line).joined())
    #expect(rig.fixes.count == 3)
    rig.send(Sentences.gsa(3))
    #expect(rig.fixes.count == 4)
  }

  @Test func `Two alternating orders are both learned`() {
    // Like a Garmin 48: RMC and GGA for one second, GLL for the next.
    var rig = ReceiverRig()
    let atOnce = (0..<12).map { second in
      let second = Double(second)
      return publishedAtOnce(
        &rig,
        second.truncatingRemainder(dividingBy: 2) == 0
          ? [Sentences.rmc(second), Sentences.gga(second)] : [Sentences.gll(second)])
    }
    #expect(atOnce == [false, false, false, false] + Array(repeating: true, count: 8))
    #expect(rig.fixes.count == 12)
  }

  @Test func `A flood of talkers neither grows nor stops the learning`() {
    var rig = ReceiverRig()
    for second in 0..<60 {
      let letter = String(Unicode.Scalar(UInt8(65 + second % 26)))
      let other = String(Unicode.Scalar(UInt8(65 + second / 26)))
      rig.send(Sentences.rmc(Double(second)), Sentences.gsa(3, talker: letter + other), Sentences.gga(Double(second)))
      rig.wait(.seconds(1))
    }
    #expect(rig.fixes.count == 60)
    #expect(rig.prompt == 58)
  }
}
