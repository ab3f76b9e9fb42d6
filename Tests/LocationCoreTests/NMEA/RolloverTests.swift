import LocationCore
import Testing

@Suite struct RolloverTests {
  private static func day(_ year: Int, _ month: Int, _ day: Int) throws -> CalendarDate {
    try #require(CalendarDate(year: year, month: month, day: day))
  }

  /// 2019-04-07 was announced as 1999-08-22 by receivers that lost count.
  @Test func aDateBehindTheFloorIsSuspect() throws {
    let floor = try Self.day(2019, 4, 7)
    let lost = try Self.day(1999, 8, 22)
    #expect(lost.isRolloverSuspect(floor: floor))
    #expect(!floor.isRolloverSuspect(floor: floor))
    #expect(lost.rolledForward(to: floor) == floor)
  }

  @Test func rollingForwardTakesAsManyRoundsAsNeeded() throws {
    let lost = try Self.day(1980, 1, 7)
    #expect(lost.rolledForward(to: try Self.day(2019, 4, 8)) == (try Self.day(2019, 4, 8)))
    #expect(lost.rolledForward(to: try Self.day(2019, 4, 9)) == (try Self.day(2038, 11, 22)))
    let fine = try Self.day(2026, 3, 19)
    #expect(fine.rolledForward(to: try Self.day(2025, 1, 1)) == fine)
  }
}
