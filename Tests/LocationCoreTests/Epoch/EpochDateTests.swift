import LocationCore
import Testing

/// Dates of epochs.
@Suite("Dates of epochs")
struct EpochDateTests {
  private func measured(_ rig: ReceiverRig) -> [Double?] { rig.fixes.map { $0.measured?.secondsSince1970 } }

  /// 2026-03-19T00:00:00Z.
  private let day = 1_773_878_400.0
  private let noon = 45_300.0

  @Test func `Without a date there is no measured time`() {
    var rig = ReceiverRig()
    rig.send(Sentences.gga(0), Sentences.gga(1))
    rig.end()
    #expect(measured(rig) == [nil, nil])
    #expect(rig.fixes.map(\.timeOfDay?.nanoseconds) == [45_300_000_000_000, 45_301_000_000_000])
  }

  @Test func `The date comes from RMC or ZDA`() {
    var rig = ReceiverRig()
    rig.send(Sentences.rmc(0))
    rig.end()
    #expect(measured(rig) == [day + noon])
    rig = ReceiverRig()
    rig.send(Sentences.gga(0), Sentences.zda(0))
    rig.end()
    #expect(measured(rig) == [day + noon])
  }

  @Test func `The date is extrapolated past midnight`() {
    var rig = ReceiverRig()
    rig.send("GPRMC,235958.000,A,\(Sentences.place()),22.4,84.4,190326,,,A")
    for time in ["235959.000", "000000.000", "000001.000"] {
      rig.send("GPGGA,\(time),\(Sentences.place()),1,08,1.0,545.4,M,46.9,M,,")
    }
    rig.end()
    #expect(measured(rig) == [day + 86_398, day + 86_399, day + 86_400, day + 86_401])
  }

  @Test func `The date is extrapolated over days by the monotonic clock`() {
    var rig = ReceiverRig()
    rig.send(Sentences.rmc(0))
    rig.wait(.seconds(3 * 86_400 + 40_000))
    rig.send("GPGGA,234140.000,\(Sentences.place()),1,08,1.0,545.4,M,46.9,M,,")
    rig.end()
    #expect(measured(rig) == [day + noon, day + noon + 3 * 86_400 + 40_000])
  }

  @Test func `The first year of GPS time is not a date`() {
    var rig = ReceiverRig()
    rig.send(
      Sentences.rmc(0, date: "060180"), Sentences.rmc(1, date: "050180"), Sentences.gga(2),
      Sentences.zda(2, date: "07,01,1980"))
    rig.end()
    #expect(measured(rig) == [nil, nil, nil])
  }

  @Test func `An old date is flagged and kept`() {
    var rig = ReceiverRig()
    // 2006-08-03 is 1024 weeks before 2026-03-19.
    rig.send(Sentences.rmc(0, date: "030806"))
    rig.end()
    #expect(measured(rig) == [day + noon - 1024 * 7 * 86_400])
    #expect(rig.epochs.map(\.rolloverSuspect) == [true])
    #expect(rig.receiver.counters.rolloverSuspects == 1)
  }

  @Test(arguments: ["030806", "181286", "190326"])
  func `An old date is snapped if configured`(_ date: String) {
    var rig = ReceiverRig(.init(snapRollover: true))
    rig.send(Sentences.rmc(0, date: date))
    rig.end()
    #expect(measured(rig) == [day + noon])
    #expect(rig.epochs.map(\.rolloverSuspect) == [false])
  }

  @Test func `A leap second is not a step back`() {
    var rig = ReceiverRig()
    for (time, date) in [("235959", "311216"), ("235960", "311216"), ("000000", "010117"), ("000001", "010117")] {
      rig.send("GPRMC,\(time),A,\(Sentences.place()),0.0,84.4,\(date),,,A")
      rig.wait(.seconds(1))
    }
    rig.end()
    #expect(rig.outcomes == ["fix", "fix", "fix", "fix"])
  }

  /// A receiver that sends its date with every fifth epoch.
  private func sparse(_ dates: [String]) -> ReceiverRig {
    var rig = ReceiverRig()
    for (index, date) in dates.enumerated() {
      for second in index * 5..<index * 5 + 5 {
        rig.send(second % 5 == 0 ? Sentences.rmc(Double(second), date: date) : Sentences.gga(Double(second)))
        rig.wait(.seconds(1))
      }
    }
    rig.end()
    return rig
  }

  @Test(arguments: ["200326", "180326", "190327"])
  func aWrongDateIsNotCarried(_ date: String) {
    let rig = sparse(["190326", date, "190326"])
    let seconds: [Int] = Array(0..<5) + Array(6..<15)
    #expect(measured(rig) == seconds.map { day + noon + Double($0) })
    // Nor is one of an epoch without a fix.
    var void = ReceiverRig()
    void.send(Sentences.rmc(0))
    void.send(Sentences.rmc(1, status: "V", date: date))
    void.send(Sentences.gga(2))
    void.end()
    #expect(measured(void) == [day + noon, day + noon + 2])
  }

  @Test(arguments: ["200326", "180326"])
  func aDateStatedThreeTimesIsCarried(_ date: String) {
    let rig = sparse(["190326", "190326", date, date, date, date])
    let days: Double = date == "200326" ? 1 : -1
    let last: Double = day + noon + 29 + days * 86_400
    #expect(measured(rig).suffix(9) == (0..<9).map { (index: Int) -> Double in last - 8 + Double(index) })
    // Those that claimed the new date before it was believed are missing.
    #expect(rig.fixes.count == 28)
  }

  @Test func theDateOfTheFirstFixReplacesThatOfEpochsWithoutOne() {
    var rig = ReceiverRig()
    for second in 0..<4 { rig.send(Sentences.rmc(Double(second), status: "V", date: "010100")) }
    rig.send(Sentences.rmc(4))
    for second in 5..<9 { rig.send(Sentences.gga(Double(second))) }
    rig.end()
    #expect(measured(rig) == (4..<9).map { day + noon + Double($0) })
  }
}
