import Testing

@testable import LocationCore

/// Sentences that a receiver sends in some epochs only.
@Suite("Learned pattern of rare sentences")
struct EpochPatternTests {
  /// Sends one epoch in sentences of their own; returns whether its fix came with the last of those that count.
  private func publishedWithLast(_ rig: inout ReceiverRig, _ sentences: [String], every period: Duration) -> Bool {
    let before = rig.epochs.count
    for sentence in sentences.dropLast() { rig.send(sentence) }
    let isEarly = rig.epochs.count > before
    if let last = sentences.last { rig.send(last) }
    let isInTime = !isEarly && rig.epochs.count == before + 1
    rig.wait(period)
    return isInTime
  }

  @Test(arguments: [2, 3, 4, 5, 7, 10, 25, 30], ["GGA", "GST", "GGA GSA"])
  func `Each n-th epoch waits for what is due in it, and no other`(_ ratio: Int, _ rare: String) {
    var rig = ReceiverRig()
    let period = Duration.milliseconds(ratio > 5 ? 40 : 1000)
    for number in 0..<(6 * ratio + 8) {
      let time = Double(number) * (ratio > 5 ? 0.04 : 1)
      var sentences = [Sentences.rmc(time)]
      let isDue = number % ratio == ratio - 1
      if isDue, rare.contains("GGA") { sentences.append(Sentences.gga(time)) }
      if isDue, rare.contains("GSA") { sentences.append(Sentences.gsa(3)) }
      if isDue, rare.contains("GST") { sentences.append(Sentences.gst(time)) }
      let isInTime = publishedWithLast(&rig, sentences, every: period)
      guard number >= max(2 * ratio, ratio + 4) else { continue }
      #expect(isInTime, "epoch \(number)")
      if rare.contains("GGA") {
        #expect((rig.fixes.last?.altitudeMSL != nil) == isDue, "epoch \(number)")
      } else {
        // A late one follows with its own time.
        let noise = rig.epochs.last?.noise
        #expect((noise != nil && noise?.measured == nil) == isDue, "epoch \(number)")
      }
    }
    #expect(rig.fixes.count == 6 * ratio + 8)
    #expect(rig.fixes.allSatisfy { $0.mode == .twoD || $0.altitudeMSL != nil })
  }

  @Test func `An epoch has a bit and a talker for each kind of sentence`() {
    #expect(EpochContent.Kind.allCases.count <= 32)
  }

  @Test func `After the first surprise no altitude is lost`() {
    // RMC each second and GGA each fourth, from the first second on.
    for phase in 0..<4 {
      var rig = ReceiverRig()
      for number in 0..<24 {
        let time = Double(number)
        let isDue = number % 4 == phase
        _ = publishedWithLast(
          &rig, [Sentences.rmc(time)] + (isDue ? [Sentences.gga(time)] : []), every: .seconds(1))
      }
      #expect(rig.outcomes == Array(repeating: "fix", count: 24))
      #expect(rig.fixes.count { $0.altitudeMSL != nil } >= 5, "phase \(phase)")
      #expect(rig.receiver.counters.late <= 1)
    }
  }

  @Test func `A sentence without a pattern delays few epochs`() {
    var rig = ReceiverRig()
    var delayed = 0
    for number in 0..<200 {
      let time = Double(number)
      let comes = [7, 31, 38, 90, 91, 120, 155, 161, 162, 190].contains(number)
      let isInTime = publishedWithLast(
        &rig, [Sentences.rmc(time), Sentences.gga(time)] + (comes ? [Sentences.gst(time)] : []), every: .seconds(1))
      if !comes, !isInTime { delayed += 1 }
    }
    #expect(rig.fixes.count == 200)
    #expect(delayed <= 2 + 2 * 12)
  }

  @Test func `An epoch in which the last sentence is not due does not wait for it`() {
    var rig = ReceiverRig()
    for number in 0..<40 {
      let time = Double(number)
      let sentences = [Sentences.rmc(time), Sentences.gga(time)] + (number % 4 == 3 ? [] : [Sentences.gst(time)])
      let isInTime = publishedWithLast(&rig, sentences, every: .seconds(1))
      if number >= 8 { #expect(isInTime, "epoch \(number)") }
    }
    #expect(rig.epochs.count { $0.noise != nil } == 30)
  }

  @Test func `After a lost sentence the pattern is learned again`() {
    var rig = ReceiverRig()
    for number in 0..<40 {
      let time = Double(number)
      // The phase changes in epoch 18; that of 15 is lost.
      let isDue = number % 4 == (number < 18 ? 3 : 1) && number != 15
      _ = publishedWithLast(&rig, [Sentences.rmc(time)] + (isDue ? [Sentences.gga(time)] : []), every: .seconds(1))
      if isDue, (12..<15).contains(number) || number >= 28 { #expect(rig.fixes.last?.altitudeMSL != nil) }
    }
    #expect(rig.outcomes == Array(repeating: "fix", count: 40))
  }

  @Test(arguments: [1, 2, 3], ["HDT", "THS"])
  func `A heading is that of its own epoch`(_ ratio: Int, _ kind: String) {
    var rig = ReceiverRig()
    for number in 0..<30 {
      let time = Double(number)
      let isDue = number % ratio == ratio - 1
      let heading = kind == "HDT" ? "GNHDT,\(100 + number).0,T" : "GNTHS,\(100 + number).0,A"
      let isVoid = kind == "THS" && number == 20
      _ = publishedWithLast(
        &rig, [Sentences.rmc(time), Sentences.gga(time)] + (isDue ? [isVoid ? "GNTHS,,V" : heading] : []),
        every: .seconds(1))
      guard number >= 8 else { continue }
      #expect(rig.fixes.last?.heading == (isDue && !isVoid ? 100 + Double(number) : nil), "epoch \(number)")
    }
    #expect(rig.prompt >= 22)
  }

  @Test func `A compass with a pace of its own delays no fix, and its newest heading counts`() {
    var rig = ReceiverRig()
    for number in 0..<30 {
      let time = Double(number)
      let isInTime = publishedWithLast(&rig, [Sentences.rmc(time), Sentences.gga(time)], every: .milliseconds(70))
      if number >= 3 { #expect(isInTime, "epoch \(number)") }
      for part in 0..<9 {
        rig.send("HEHDT,\(10 * number % 300 + part).0,T")
        rig.wait(.milliseconds(part == 8 ? 130 : 100))
      }
      if number >= 3 { #expect(rig.fixes.last?.heading == Double(10 * (number - 1) % 300 + 8)) }
    }
  }

  @Test(arguments: [(1, FixMode.twoD), (3, .twoD), (4, .threeD), (0, .threeD), (12, .threeD)])
  func `Three satellites measure no altitude`(_ count: Int, _ mode: FixMode) {
    var rig = ReceiverRig()
    let number = count < 10 ? "0\(count)" : "\(count)"
    rig.send("GPGGA,155838.00,5700.54078,N,03922.22691,E,1,\(number),5.62,187.5,M,12.5,M,,")
    rig.wait(.seconds(1))
    #expect(rig.fixes.map(\.mode) == [mode])
    #expect(rig.fixes.first?.altitudeMSL == (mode == .threeD ? 187.5 : nil))
  }

  @Test func `A fix without an altitude has two dimensions`() {
    var rig = ReceiverRig()
    for number in 0..<4 {
      _ = publishedWithLast(&rig, [Sentences.rmc(Double(number)), Sentences.gsa(3)], every: .seconds(1))
    }
    #expect(rig.fixes.map(\.mode) == Array(repeating: .twoD, count: 4))
  }
}
