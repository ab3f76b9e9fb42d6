import LocationCore
import Testing

/// Epochs whose time jumps, from the sentences to the published fixes.
@Suite("Jumps of time")
struct TimeJumpTests {
  /// What a receiver's epochs came to.
  private struct Run {
    var rig = ReceiverRig()
    /// The longest time between two published fixes.
    var longestPause = Duration.zero
    private var lastFix: MonotonicInstant?

    /// Plays epochs at a rate. The rate is 0 when all of them arrive at once.
    init(_ epochs: [(second: Double, date: String)], every period: Duration) {
      for (second, date) in epochs {
        rig.send(Sentences.rmc(second, date: date), Sentences.gga(second))
        note()
        for _ in 0..<20 {
          rig.wait(period / 20)
          note()
        }
      }
    }

    private mutating func note() {
      guard rig.fixes.count > count else { return }
      count = rig.fixes.count
      if let lastFix { longestPause = max(longestPause, rig.now - lastFix) }
      lastFix = rig.now
    }

    private var count = 0

    /// UTC of the published fixes, seconds after 2026-03-19T12:35:00Z.
    var seconds: [Double?] { rig.fixes.map { $0.measured.map { $0.secondsSince1970 - 1_773_923_700 } } }
  }

  /// Periods of 10, 1 and 0.5 Hz, the longest that lets a second epoch come within 5 s, and a clock that stands still.
  static let periods: [Duration] = [.milliseconds(100), .seconds(1), .seconds(2), .milliseconds(4900), .zero]

  /// Twenty epochs of a receiver, some of them on another date or at another time.
  private func ride(
    every period: Duration, _ change: (Int, inout (second: Double, date: String)) -> Void = { _, _ in }
  ) -> Run {
    let step = period == .zero ? 1 : period.inSeconds
    return Run(
      (0..<20).map { index in
        var epoch = (second: Double(index) * step, date: "190326")
        change(index, &epoch)
        return epoch
      }, every: period)
  }

  private func seconds(every period: Duration, _ indices: [Int]) -> [Double] {
    indices.map { Double($0) * (period == .zero ? 1 : period.inSeconds) }
  }

  private func isClose(_ seconds: [Double?], _ expected: [Double]) -> Bool {
    guard seconds.count == expected.count else { return false }
    return zip(seconds, expected).allSatisfy { second, expected in abs((second ?? .nan) - expected) < 0.001 }
  }

  @Test(arguments: periods, ["200326", "180326", "190426", "040806"])
  func `One epoch with a wrong date is dropped alone`(_ period: Duration, _ date: String) {
    let run = ride(every: period) { if $0 == 10 { $1.date = date } }
    #expect(isClose(run.seconds, seconds(every: period, Array(0..<10) + Array(11..<20))))
    #expect(run.longestPause <= period * 2 + .milliseconds(500))
  }

  @Test(
    arguments: periods,
    [3600.0, -3600, 20, -20, 40_000, -40_000]
  )
  func `One epoch with a wrong time of day is dropped alone`(_ period: Duration, _ shift: Double) {
    let run = ride(every: period) { if $0 == 10 { $1.second += shift } }
    #expect(isClose(run.seconds, seconds(every: period, Array(0..<10) + Array(11..<20))))
  }

  @Test(arguments: periods.dropLast(2), ["200326", "180326"])
  func `Two wrong epochs are dropped`(_ period: Duration, _ date: String) {
    let run = ride(every: period) { if $0 == 10 || $0 == 11 { $1.date = date } }
    #expect(isClose(run.seconds, seconds(every: period, Array(0..<10) + Array(12..<20))))
    #expect(run.longestPause <= period * 3 + .milliseconds(500))
  }

  @Test(arguments: periods)
  func `Of epochs that alternate between two dates, those that continue the fixes are published`(_ period: Duration) {
    for date in ["200326", "180326"] {
      let run = ride(every: period) { if $0 % 2 == 1 { $1.date = date } }
      #expect(isClose(run.seconds, seconds(every: period, Array(stride(from: 0, to: 20, by: 2)))))
    }
  }

  @Test(arguments: periods, [3600.0, -3600, 20, -20])
  func `A lasting step is believed with the third epoch`(_ period: Duration, _ shift: Double) {
    let run = ride(every: period) { if $0 >= 10 { $1.second += shift } }
    let expected = seconds(every: period, Array(0..<20))
    #expect(isClose(run.seconds, expected.prefix(10) + expected.suffix(10).map { $0 + shift }))
    #expect(run.longestPause <= min(period + .seconds(5), period * 3) + .milliseconds(500))
    #expect(run.rig.receiver.counters.judge.clockSteps == (shift < 0 ? 1 : 0))
    #expect(!run.rig.outcomes.contains("suspect"))
  }

  @Test(arguments: periods, ["200326", "180326"])
  func `A lasting change of the date is believed with the third epoch`(_ period: Duration, _ date: String) {
    let run = ride(every: period) { if $0 >= 10 { $1.date = date } }
    let shift = date == "200326" ? 86_400.0 : -86_400
    let expected = seconds(every: period, Array(0..<20))
    #expect(isClose(run.seconds, expected.prefix(10) + expected.suffix(10).map { $0 + shift }))
  }

  @Test(arguments: [3600.0, -3600])
  func `At less than 0.2 Hz a lasting step is believed with the second epoch`(_ shift: Double) {
    let run = ride(every: .milliseconds(5100)) { if $0 >= 10 { $1.second += shift } }
    #expect(run.rig.fixes.count == 19)
    #expect(run.longestPause <= .milliseconds(10_700))
  }

  @Test(arguments: ["200326", "180326"])
  func `At less than 0.2 Hz one wrong epoch is dropped alone`(_ date: String) {
    let run = ride(every: .milliseconds(5100)) { if $0 == 10 { $1.date = date } }
    #expect(isClose(run.seconds, seconds(every: .milliseconds(5100), Array(0..<10) + Array(11..<20))))
    #expect(run.longestPause <= .milliseconds(10_700))
  }

  @Test(arguments: periods.dropLast())
  func `Epochs that never agree do not silence the receiver for more than five seconds`(_ period: Duration) {
    let run = ride(every: period) { index, epoch in
      guard index >= 3 else { return }
      epoch.date = index % 2 == 0 ? "\(10 + index)0426" : "\(10 + index)0226"
    }
    #expect(run.longestPause <= max(.seconds(5), period) + period * 2)
  }

  @Test func `A late epoch is not published when nothing follows it`() {
    var run = ride(every: .seconds(1)) { if $0 == 19 { $1.second = 10.5 } }
    run.rig.wait(.seconds(20))
    run.rig.end()
    #expect(run.rig.fixes.count == 19)
    #expect(run.rig.receiver.counters.judge.outOfOrder == 1)
    // What comes then is compared with nothing older than that.
    run.rig.send(Sentences.rmc(39))
    run.rig.end()
    #expect(run.rig.fixes.count == 20)
  }

  @Test(arguments: ["200326", "180326"])
  func `A wrong date at the beginning is corrected with the third epoch`(_ date: String) {
    let run = ride(every: .seconds(1)) { if $0 == 0 { $1.date = date } }
    #expect(run.rig.fixes.count == 20)
    #expect(isClose(Array(run.seconds.dropFirst()), seconds(every: .seconds(1), Array(1..<20))))
    #expect(run.longestPause <= .milliseconds(3500))
  }

  @Test func `A pause is no jump, and neither is midnight or a rollover from the beginning`() {
    for date in ["190326", "030806"] {
      var rig = ReceiverRig()
      for second in [0.0, 1, 2, 3600, 3601, 41_098, 41_099] {
        rig.send(Sentences.rmc(second, date: date))
        rig.wait(.seconds(second < 3000 ? 1 : second == 3601 ? 41_098 - 3601 : 1))
        if second == 2 { rig.wait(.seconds(3600 - 3)) }
      }
      // 23:59:59 was the last; without a date at midnight, and with the next one behind it.
      for time in ["000000.000", "000001.000"] {
        rig.send("GNGGA,\(time),\(Sentences.place()),1,08,1.0,545.4,M,46.9,M,,")
        rig.wait(.seconds(1))
      }
      rig.send("GNRMC,000002.000,A,\(Sentences.place()),0.0,84.4,\(date == "190326" ? "200326" : "040806"),,,A")
      rig.end()
      #expect(rig.outcomes == Array(repeating: "fix", count: 10))
      #expect(rig.epochs.allSatisfy { $0.rolloverSuspect == (date == "030806") })
    }
  }

  @Test(arguments: [1, 10])
  func `A leap second is no jump, and published times do not step back behind it`(_ rate: Int) {
    var rig = ReceiverRig()
    for (second, date) in [("235959", "311216"), ("235960", "311216"), ("000000", "010117"), ("000001", "010117")] {
      for tenth in stride(from: 0, to: 10, by: 10 / rate) {
        rig.send("GPRMC,\(second).\(tenth),A,\(Sentences.place()),0.0,84.4,\(date),,,A")
        rig.wait(.milliseconds(1000 / rate))
      }
    }
    rig.end()
    #expect(rig.outcomes.count { $0 == "fix" } == 4 * rate - (rate - 1))
    #expect(rig.outcomes.count { $0 == "duplicate" } == rate - 1)
    let times = rig.fixes.compactMap(\.measured)
    #expect(times == times.sorted())
  }

  @Test func `Behind a gap in a recording, a later time is no jump, an earlier one is`() {
    var rig = ReceiverRig()
    for second in [0.0, 150, 1335, 1336] {
      rig.receiver.gap(at: rig.now)
      rig.send(Sentences.rmc(second), Sentences.gga(second))
      rig.wait(.seconds(1))
    }
    #expect(rig.outcomes == Array(repeating: "fix", count: 4))
    rig.receiver.gap(at: rig.now)
    for second in [1000.0, 1338] {
      rig.send(Sentences.rmc(second), Sentences.gga(second))
      rig.wait(.seconds(1))
    }
    rig.send(Sentences.rmc(1339, date: "200326"), Sentences.gga(1339))
    rig.wait(.seconds(1))
    rig.send(Sentences.rmc(1340), Sentences.gga(1340))
    rig.end()
    #expect(rig.outcomes.suffix(4) == ["held", "fix", "held", "fix"])
  }

  @Test func `Gaps before and behind an epoch that is still open both count`() {
    var rig = ReceiverRig()
    rig.send(Sentences.rmc(0), Sentences.gga(0))
    rig.wait(.milliseconds(100))
    for second in [150.0, 300] {
      rig.receiver.gap(at: rig.now)
      rig.send(Sentences.rmc(second), Sentences.gga(second))
      rig.wait(.milliseconds(100))
    }
    rig.end()
    #expect(rig.outcomes == Array(repeating: "fix", count: 3))
  }

  @Test func `Bytes that waited for the process make no jump of those behind them`() {
    var rig = ReceiverRig()
    for second in 0..<5 {
      rig.send(Sentences.rmc(Double(second)), Sentences.gga(Double(second)))
      rig.wait(.seconds(1))
    }
    // The process stands still for a minute; the line keeps the first three epochs.
    rig.wait(.seconds(60))
    for second in [5.0, 6, 7, 65, 66] {
      rig.send(Sentences.rmc(second), Sentences.gga(second))
      rig.wait(second < 60 ? .zero : .seconds(1))
    }
    rig.end()
    #expect(rig.outcomes == Array(repeating: "fix", count: 10))
  }

  @Test func `The satellites of an epoch whose date is wrong come without a time`() {
    var rig = ReceiverRig()
    for second in 0..<6 {
      rig.send(
        Sentences.rmc(Double(second), date: second == 3 ? "200326" : "190326"), Sentences.gga(Double(second)),
        Sentences.gsa(3))
      rig.send(Sentences.gsv[0], Sentences.gsv[1])
      rig.wait(.seconds(1))
    }
    rig.end()
    let skies = rig.epochs.compactMap(\.sky)
    #expect(skies.count >= 5)
    #expect(skies.count { $0.measured == nil } == 1)
    #expect(Set(skies.compactMap { $0.measured?.date }).count == 1)
  }
}
