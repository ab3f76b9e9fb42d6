import Testing

@testable import LocationCore

@Suite("Fix judge")
struct FixJudgeTests {
  /// A judge with the fixes it released.
  private struct Fixture {
    var judge = FixJudge()
    var released: [Fix] = []
    var jumps: [FixJump?] = []
    let start = MonotonicInstant(nanoseconds: 5_000_000_000)

    /// A fix at a distance north of 48° N, metres, with its times of measurement and arrival, seconds.
    func made(_ metres: Double, measured: Double?, received: Double, timeOfDay: Double? = nil) -> Fix? {
      guard let position = Coordinate(latitude: 48 + metres / 111_194, longitude: 11) else { return nil }
      var fix = Fix(position: position, mode: .threeD, received: start + .milliseconds(Int64(received * 1000)))
      fix.measured = measured.map { UTCInstant(nanosecondsSince1970: 1_773_878_400_000_000_000 + Int64($0 * 1e9)) }
      fix.timeOfDay = (timeOfDay ?? measured).flatMap { TimeOfDay(nanoseconds: Int64($0 * 1e9)) }
      return fix
    }

    mutating func judge(
      _ metres: Double, at measured: Double?, received: Double? = nil, timeOfDay: Double? = nil
    ) throws -> FixVerdict {
      let fix = try #require(
        made(metres, measured: measured, received: received ?? measured ?? timeOfDay ?? 0, timeOfDay: timeOfDay))
      var new: [Fix] = []
      var jumps: [FixJump?] = []
      let verdict = judge.judge(fix) { fix, jump in
        new.append(copy fix)
        jumps.append(jump)
      }
      released += new
      self.jumps += jumps
      return verdict
    }

    mutating func expire(at received: Double) {
      var new: [Fix] = []
      var jumps: [FixJump?] = []
      judge.expire(at: start + .milliseconds(Int64(received * 1000))) { fix, jump in
        new.append(copy fix)
        jumps.append(jump)
      }
      released += new
      self.jumps += jumps
    }
  }

  private let accepted = FixVerdict.accepted(nil)

  @Test func `Fixes in order are accepted`() throws {
    var fixture = Fixture()
    for second in 0..<5 { #expect(try fixture.judge(Double(second) * 30, at: Double(second)) == accepted) }
    #expect(fixture.judge.counters.accepted == 5)
    #expect(fixture.judge.counters.dropped == 0)
  }

  @Test func `Fixes with an older time are held and dropped, fixes with an equal time are dropped`() throws {
    var fixture = Fixture()
    #expect(try fixture.judge(0, at: 10) == accepted)
    #expect(try fixture.judge(0, at: 10, received: 10.1) == .dropped(.duplicate))
    #expect(try fixture.judge(0, at: 9, received: 10.2) == .held(.timeBack))
    #expect(fixture.judge.counters.outOfOrder == 0)
    #expect(try fixture.judge(0, at: 11) == accepted)
    #expect(fixture.judge.counters.outOfOrder == 1)
    #expect(fixture.judge.counters.duplicate == 1)
  }

  @Test func `Times of day are ordered across midnight`() throws {
    var fixture = Fixture()
    #expect(try fixture.judge(0, at: nil, received: 0, timeOfDay: 86_399) == accepted)
    #expect(try fixture.judge(0, at: nil, received: 1, timeOfDay: 0) == accepted)
    #expect(try fixture.judge(0, at: nil, received: 1.5, timeOfDay: 86_399.5) == .held(.timeBack))
    // 13 hours later, the time of day looks like 11 hours earlier.
    #expect(try fixture.judge(0, at: nil, received: 46_801, timeOfDay: 46_800) == accepted)
  }

  @Test func `A step back of the clock is accepted with the third fix and counted once`() throws {
    var fixture = Fixture()
    #expect(try fixture.judge(0, at: 1000) == accepted)
    #expect(try fixture.judge(0, at: 1, received: 1001) == .held(.timeBack))
    #expect(try fixture.judge(0, at: 2, received: 1002) == .held(.timeBack))
    #expect(try fixture.judge(0, at: 3, received: 1003) == accepted)
    #expect(fixture.jumps == [.timeBack, nil])
    #expect(try fixture.judge(0, at: 4, received: 1004) == accepted)
    #expect(fixture.judge.counters.clockSteps == 1)
    #expect(fixture.judge.counters.accepted == 5 && fixture.judge.counters.dropped == 0)
  }

  @Test(arguments: [1.0, 2, 3, 7]) func `No fix is lost to a step back of the clock`(_ step: Double) throws {
    var fixture = Fixture()
    for second in 0..<20 {
      let measured = Double(second) - (second > 9 ? step : 0)
      _ = try fixture.judge(Double(second) * 10, at: measured, received: Double(second))
    }
    let counters = fixture.judge.counters
    #expect(counters.accepted == 20 && counters.dropped == 0 && counters.clockSteps == 1)
    #expect(fixture.jumps.first == .timeBack)
  }

  @Test func `Fixes of a second receiver that come later are not taken for a step back`() throws {
    var fixture = Fixture()
    for second in 0..<20 {
      #expect(try fixture.judge(Double(second) * 10, at: Double(second)) == accepted)
      _ = try fixture.judge(Double(second) * 10 - 7, at: Double(second) - 1, received: Double(second) + 0.4)
    }
    #expect(fixture.judge.counters.clockSteps == 0 && fixture.released.isEmpty)
  }

  @Test func `A clock that stands still gives no fix`() throws {
    var fixture = Fixture()
    for second in 0..<20 { _ = try fixture.judge(Double(second) * 10, at: 5, received: Double(second)) }
    #expect(fixture.judge.counters.accepted == 1 && fixture.released.isEmpty)
  }

  @Test func `The time of an epoch without a fix runs neither backwards nor ahead`() throws {
    var fixture = Fixture()
    func plausible(_ measured: Double, _ received: Double) -> Bool {
      let time = UTCInstant(nanosecondsSince1970: 1_773_878_400_000_000_000 + Int64(measured * 1e9))
      return fixture.judge.plausible(time, at: fixture.start + .milliseconds(Int64(received * 1000))) != nil
    }
    // Nothing contradicts the first.
    #expect(plausible(-1e6, 0))
    // Three that agree with each other are believed.
    #expect([1, 2, 3, 4].map { plausible($0, $0) } == [false, false, true, true])
    #expect(!plausible(-1e6, 5) && plausible(6, 6))
    #expect(try fixture.judge(0, at: 7) == accepted)
    #expect(!plausible(6, 8) && !plausible(500, 9) && plausible(10, 10))
    #expect(fixture.judge.plausible(nil, at: fixture.start) == nil)
  }

  @Test func `A step ahead is accepted with the third fix`() throws {
    var fixture = Fixture()
    #expect(try fixture.judge(0, at: 1) == accepted)
    #expect(try fixture.judge(0, at: 12.1, received: 2) == .held(.timeAhead))
    #expect(try fixture.judge(0, at: 13.1, received: 3) == .held(.timeAhead))
    #expect(try fixture.judge(0, at: 14.1, received: 4) == accepted)
    #expect(fixture.jumps == [.timeAhead, nil])
    // Up to 10 s ahead is no jump.
    #expect(try fixture.judge(0, at: 25, received: 5) == accepted)
    #expect(fixture.judge.counters.clockSteps == 0)
  }

  @Test func `Fixes that continue the accepted ones drop a jump of time`() throws {
    var fixture = Fixture()
    #expect(try fixture.judge(0, at: 1000) == accepted)
    for (wrong, jump) in [(1.0, FixJump.timeBack), (90_000, .timeAhead)] {
      let second = wrong == 1 ? 1001.0 : 1003
      #expect(try fixture.judge(0, at: wrong, received: second) == .held(jump))
      #expect(try fixture.judge(0, at: wrong + 1, received: second + 0.5) == .held(jump))
      #expect(try fixture.judge(0, at: second + 1) == accepted)
    }
    #expect(fixture.judge.counters.outOfOrder == 2 && fixture.judge.counters.jump == 2)
    #expect(fixture.released.isEmpty && fixture.judge.deadline == nil)
  }

  @Test func `A single jump of time is dropped after five seconds, and the next fix is accepted`() throws {
    for (wrong, next, jump) in [(90_000.0, 1006.0, nil), (90_000, 50, .timeBack), (1, 7, .timeBack)]
      as [(Double, Double, FixJump?)]
    {
      var fixture = Fixture()
      #expect(try fixture.judge(0, at: 1000) == accepted)
      _ = try fixture.judge(0, at: wrong, received: 1001)
      fixture.expire(at: 1006)
      #expect(fixture.released.isEmpty && fixture.judge.counters.dropped == 1)
      #expect(try fixture.judge(0, at: 1000, received: 1006) == .dropped(.duplicate))
      #expect(try fixture.judge(0, at: next, received: 1006) == .accepted(jump))
      #expect(try fixture.judge(0, at: next + 86_400, received: 1007) == .held(.timeAhead))
    }
  }

  @Test func `Two fixes that agree after a jump of time are released after five seconds`() throws {
    var fixture = Fixture()
    #expect(try fixture.judge(0, at: 1000) == accepted)
    _ = try fixture.judge(0, at: 1, received: 1004)
    _ = try fixture.judge(0, at: 5, received: 1008)
    fixture.expire(at: 1008.9)
    #expect(fixture.released.isEmpty)
    fixture.expire(at: 1009)
    #expect(fixture.jumps == [.timeBack, nil] && fixture.judge.counters.clockSteps == 1)
  }

  @Test func `A time is compared with the newest known one, however long ago`() throws {
    var fixture = Fixture()
    #expect(try fixture.judge(0, at: 0) == accepted)
    for second in 1..<30 { #expect(try fixture.judge(0, at: nil, received: Double(second)) == accepted) }
    #expect(try fixture.judge(0, at: 30) == accepted)
  }

  @Test func `A fix at 0, 0 is accepted only with an accuracy`() throws {
    var fixture = Fixture()
    let origin = try #require(Coordinate(latitude: 0, longitude: 0))
    var fix = Fix(position: origin, mode: .twoD, received: fixture.start)
    #expect(fixture.judge.judge(fix) { _, _ in } == .dropped(.nullIsland))
    fix.horizontalAccuracy = 4
    #expect(fixture.judge.judge(fix) { _, _ in } == accepted)
  }

  @Test func `An implausible jump is held and accepted with the third consistent fix`() throws {
    var fixture = Fixture()
    #expect(try fixture.judge(0, at: 0) == accepted)
    #expect(try fixture.judge(5000, at: 1) == .held(.position))
    #expect(try fixture.judge(5020, at: 2) == .held(.position))
    #expect(fixture.released.isEmpty)
    #expect(try fixture.judge(5040, at: 3) == .accepted(.position))
    #expect(fixture.released.map { $0.measured?.secondsSince1970 } == [1_773_878_401, 1_773_878_402])
    #expect(try fixture.judge(5060, at: 4) == accepted)
    #expect(fixture.judge.deadline == nil)
  }

  @Test func `The highest plausible speed is 150 m/s`() throws {
    for (metres, verdict) in [(149.0, accepted), (152, FixVerdict.held(.position))] {
      var fixture = Fixture()
      _ = try fixture.judge(0, at: 0)
      #expect(try fixture.judge(metres, at: 1) == verdict)
      // Ten seconds without a fix, as in a tunnel, allow ten times the distance.
      fixture = Fixture()
      _ = try fixture.judge(0, at: 0)
      #expect(try fixture.judge(metres * 10, at: 10) == verdict)
    }
  }

  @Test func `A single outlier is dropped`() throws {
    var fixture = Fixture()
    _ = try fixture.judge(0, at: 0)
    #expect(try fixture.judge(9000, at: 1) == .held(.position))
    #expect(try fixture.judge(20, at: 2) == accepted)
    #expect(fixture.released.isEmpty)
    #expect(fixture.judge.deadline == nil)
    #expect(fixture.judge.counters.jump == 1)
  }

  @Test func `A held fix is released after five seconds`() throws {
    var fixture = Fixture()
    _ = try fixture.judge(0, at: 0)
    #expect(try fixture.judge(5000, at: 1) == .held(.position))
    #expect(fixture.judge.deadline == fixture.start + .seconds(6))
    fixture.expire(at: 5.9)
    #expect(fixture.released.isEmpty)
    fixture.expire(at: 6)
    #expect(fixture.released.count == 1)
    #expect(try fixture.judge(5010, at: 7) == accepted)
  }

  @Test func `Fixes that never agree are released after five seconds`() throws {
    var fixture = Fixture()
    _ = try fixture.judge(0, at: 0)
    for second in 1...5 {
      #expect(try fixture.judge(Double(second * second) * 9000, at: Double(second)) == .held(.position))
    }
    #expect(try fixture.judge(900_000, at: 6) == .held(.position))
    // The fix held after five seconds is released; the earlier ones did not agree with it.
    #expect(fixture.released.map { $0.measured?.secondsSince1970 } == [1_773_878_405])
    #expect(fixture.judge.counters.jump == 4)
  }

  @Test
  func `A fix older than the accepted one does not confirm a held fix without a time, nor one older than a held one`()
    throws
  {
    var fixture = Fixture()
    #expect(try fixture.judge(5000, at: 100) == accepted)
    #expect(try fixture.judge(0, at: nil, received: 100.3) == .held(.position))
    #expect(try fixture.judge(0, at: 50, received: 100.5) == .held(.timeBack))
    #expect(try fixture.judge(0, at: 102, received: 100.7) == .held(.position))
    #expect(try fixture.judge(0, at: nil, received: 100.9) == .held(.position))
    #expect(try fixture.judge(0, at: 101, received: 101) == .held(.position))
    #expect(try fixture.judge(0, at: 102, received: 102) == .held(.position))
    #expect(try fixture.judge(0, at: 103, received: 103) == .accepted(.position))
    #expect(fixture.released.map { $0.measured?.secondsSince1970 } == [1_773_878_501, 1_773_878_502])
    #expect(fixture.judge.counters.jump == 3 && fixture.judge.counters.outOfOrder == 1)
  }

  @Test func `Held fixes are released at the end of the input`() throws {
    var fixture = Fixture()
    _ = try fixture.judge(0, at: 0)
    _ = try fixture.judge(5000, at: 1)
    _ = try fixture.judge(5010, at: 2)
    var new: [Fix] = []
    fixture.judge.endOfInput { fix, _ in new.append(copy fix) }
    #expect(new.count == 2)
  }

  @Test func `A fast replay causes no jumps`() throws {
    var fixture = Fixture()
    for second in 0..<20 {
      #expect(try fixture.judge(Double(second) * 30, at: Double(second), received: Double(second) / 50) == accepted)
    }
  }
}

@Suite("Fixes without a time")
struct UntimedFixTests {
  private func fix(second: Int64?, received: Int64) throws -> Fix {
    let position = try #require(Coordinate(latitude: 48, longitude: 11))
    let measured = second.map { UTCInstant(nanosecondsSince1970: (1_774_000_000 + $0) * 1_000_000_000) }
    return Fix(
      position: position, mode: .threeD, measured: measured,
      timeOfDay: measured.flatMap { TimeOfDay(nanoseconds: $0.nanosecondsOfDay) },
      received: MonotonicInstant(nanoseconds: received * 1_000_000_000))
  }

  @Test func `A fix without a time keeps the time of the previous fix`() throws {
    var judge = FixJudge()
    let cases: [(Int64?, FixVerdict)] = [
      (19, .accepted(nil)), (20, .accepted(nil)), (nil, .accepted(nil)),
      (10, .held(.timeBack)), (11, .held(.timeBack)), (24, .accepted(nil)),
    ]
    for (index, (second, verdict)) in cases.enumerated() {
      #expect(judge.judge(try fix(second: second, received: Int64(index)), released: { _, _ in }) == verdict)
    }
  }
}
