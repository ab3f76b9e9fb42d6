import LocationCore
import Testing

/// The judge, fix by fix.
@Suite struct FixJudgeTests {
  /// A judge, its clock, and what it let go.
  private struct Court {
    var judge: FixJudge
    var released: [Fix] = []
    let start = MonotonicInstant(nanoseconds: 5_000_000_000)

    init(maxAccuracy: Double? = nil) {
      judge = FixJudge(maxAccuracy: maxAccuracy)
    }

    /// A fix so many metres north of 48° N, measured and received at these seconds.
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
      let verdict = judge.judge(fix) { fix in new.append(copy fix) }
      released += new
      return verdict
    }

    mutating func expire(at received: Double) {
      var new: [Fix] = []
      judge.expire(at: start + .milliseconds(Int64(received * 1000))) { fix in new.append(copy fix) }
      released += new
    }
  }

  private let accepted = FixVerdict.accepted(suspect: false)

  @Test func fixesInOrderPass() throws {
    var court = Court()
    for second in 0..<5 { #expect(try court.judge(Double(second) * 30, at: Double(second)) == accepted) }
    #expect(court.judge.counters.accepted == 5)
    #expect(court.judge.counters.dropped == 0)
  }

  @Test func olderAndEqualTimesAreDropped() throws {
    var court = Court()
    #expect(try court.judge(0, at: 10) == accepted)
    #expect(try court.judge(0, at: 10, received: 10.1) == .dropped(.duplicate))
    #expect(try court.judge(0, at: 9, received: 10.2) == .dropped(.outOfOrder))
    #expect(try court.judge(0, at: 11) == accepted)
    #expect(court.judge.counters.outOfOrder == 1)
    #expect(court.judge.counters.duplicate == 1)
  }

  @Test func timesOfDayAreOrderedOverMidnight() throws {
    var court = Court()
    #expect(try court.judge(0, at: nil, received: 0, timeOfDay: 86_399) == accepted)
    #expect(try court.judge(0, at: nil, received: 1, timeOfDay: 0) == accepted)
    #expect(try court.judge(0, at: nil, received: 1.5, timeOfDay: 86_399.5) == .dropped(.outOfOrder))
    // 13 hours later the same clock reads what looks like 11 hours ago.
    #expect(try court.judge(0, at: nil, received: 46_801, timeOfDay: 46_800) == accepted)
  }

  @Test func aClockThatSteppedBackIsBelievedAfterAMinute() throws {
    var court = Court()
    #expect(try court.judge(0, at: 1000) == accepted)
    var verdicts: [FixVerdict] = []
    for second in 1...70 { verdicts.append(try court.judge(0, at: Double(second), received: 1000 + Double(second))) }
    #expect(verdicts.prefix(60).allSatisfy { $0 == .dropped(.outOfOrder) })
    #expect(verdicts.dropFirst(60).allSatisfy { $0 == accepted })
    #expect(court.judge.counters.clockSteps == 1)
  }

  @Test func aStepBackThatEndsIsForgotten() throws {
    var court = Court()
    #expect(try court.judge(0, at: 1000) == accepted)
    for second in 1...50 { _ = try court.judge(0, at: Double(second), received: 1000 + Double(second)) }
    #expect(try court.judge(0, at: 1051) == accepted)
    for second in 51...100 {
      #expect(
        try court.judge(0, at: Double(second), received: 1001 + Double(second)) == .dropped(.outOfOrder))
    }
  }

  @Test func nullIslandNeedsAnAccuracy() throws {
    var court = Court()
    let origin = try #require(Coordinate(latitude: 0, longitude: 0))
    var fix = Fix(position: origin, mode: .twoD, received: court.start)
    #expect(court.judge.judge(fix) { _ in } == .dropped(.nullIsland))
    fix.horizontalAccuracy = 4
    #expect(court.judge.judge(fix) { _ in } == accepted)
  }

  @Test func anImpossibleWayIsHeldAndAcceptedOnTheThird() throws {
    var court = Court()
    #expect(try court.judge(0, at: 0) == accepted)
    #expect(try court.judge(5000, at: 1) == .held)
    #expect(try court.judge(5020, at: 2) == .held)
    #expect(court.released.isEmpty)
    #expect(try court.judge(5040, at: 3) == .accepted(suspect: true))
    #expect(court.released.map { $0.measured?.secondsSince1970 } == [1_773_878_401, 1_773_878_402])
    #expect(try court.judge(5060, at: 4) == accepted)
    #expect(court.judge.counters.suspects == 3)
    #expect(court.judge.deadline == nil)
  }

  @Test func theBoundIsAHundredAndFiftyMetresASecond() throws {
    for (metres, verdict) in [(149.0, accepted), (152, .held)] {
      var court = Court()
      _ = try court.judge(0, at: 0)
      #expect(try court.judge(metres, at: 1) == verdict)
      // Ten seconds without a fix, as in a tunnel, allow for ten times the way.
      court = Court()
      _ = try court.judge(0, at: 0)
      #expect(try court.judge(metres * 10, at: 10) == verdict)
    }
  }

  @Test func aSingleOutlierNeverComesOut() throws {
    var court = Court()
    _ = try court.judge(0, at: 0)
    #expect(try court.judge(9000, at: 1) == .held)
    #expect(try court.judge(20, at: 2) == accepted)
    #expect(court.released.isEmpty)
    #expect(court.judge.deadline == nil)
    #expect(court.judge.counters.jump == 1)
  }

  @Test func aHeldFixIsAcceptedAfterFiveSeconds() throws {
    var court = Court()
    _ = try court.judge(0, at: 0)
    #expect(try court.judge(5000, at: 1) == .held)
    #expect(court.judge.deadline == court.start + .seconds(6))
    court.expire(at: 5.9)
    #expect(court.released.isEmpty)
    court.expire(at: 6)
    #expect(court.released.count == 1)
    #expect(try court.judge(5010, at: 7) == accepted)
  }

  @Test func fixesThatNeverAgreeAreNotRefusedForEver() throws {
    var court = Court()
    _ = try court.judge(0, at: 0)
    for second in 1...5 { #expect(try court.judge(Double(second * second) * 9000, at: Double(second)) == .held) }
    #expect(try court.judge(900_000, at: 6) == .held)
    // The one that was held for five seconds' doubt is let go; what came before it did not agree with it.
    #expect(court.released.map { $0.measured?.secondsSince1970 } == [1_773_878_405])
    #expect(court.judge.counters.jump == 4)
  }

  /// A fix without a time that is held lets nothing pass that is older than what was accepted before it.
  @Test func anUntimedFixThatIsHeldLetsNoOlderOneIn() throws {
    var court = Court()
    #expect(try court.judge(5000, at: 100) == accepted)
    #expect(try court.judge(0, at: nil, received: 100.3) == .held)
    #expect(try court.judge(0, at: 50, received: 100.5) == .dropped(.outOfOrder))
    #expect(try court.judge(0, at: 101, received: 101) == .held)
    #expect(try court.judge(0, at: 102, received: 102) == .accepted(suspect: true))
    #expect(court.released.map(\.measured).count == 2)
    #expect(court.released.compactMap(\.measured).allSatisfy { $0.nanosecondsOfDay >= 100_000_000_000 })
  }

  /// Nor one that is older than what is held in front of it.
  @Test func anUntimedFixBehindOneThatIsHeldLetsNoOlderOneIn() throws {
    var court = Court()
    #expect(try court.judge(5000, at: 100) == accepted)
    #expect(try court.judge(0, at: 102, received: 100.3) == .held)
    #expect(try court.judge(0, at: nil, received: 100.5) == .held)
    #expect(try court.judge(0, at: 101, received: 101) == .dropped(.outOfOrder))
    #expect(try court.judge(0, at: 103, received: 103) == .accepted(suspect: true))
  }

  @Test func nothingHeldIsLostAtTheEnd() throws {
    var court = Court()
    _ = try court.judge(0, at: 0)
    _ = try court.judge(5000, at: 1)
    _ = try court.judge(5010, at: 2)
    var new: [Fix] = []
    court.judge.endOfInput { fix in new.append(copy fix) }
    #expect(new.count == 2)
  }

  @Test func aFastReplayMakesNoJumps() throws {
    var court = Court()
    for second in 0..<20 {
      #expect(try court.judge(Double(second) * 30, at: Double(second), received: Double(second) / 50) == accepted)
    }
  }

  @Test func inaccurateFixesAreDroppedOnlyWhenAsked() throws {
    var court = Court(maxAccuracy: 20)
    var fix = try #require(court.made(0, measured: 0, received: 0))
    #expect(court.judge.judge(fix) { _ in } == accepted)
    fix.measured = fix.measured.map { $0 + .seconds(1) }
    fix.horizontalAccuracy = 20.1
    #expect(court.judge.judge(fix) { _ in } == .dropped(.accuracy))
    fix.horizontalAccuracy = 20
    #expect(court.judge.judge(fix) { _ in } == accepted)
  }
}
