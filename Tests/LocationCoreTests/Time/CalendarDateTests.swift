import Testing

@testable import LocationCore

@Suite("Calendar dates")
struct CalendarDateTests {
  @Test(
    arguments: [
      (1970, 1, 1, 0), (1969, 12, 31, -1), (2000, 2, 29, 11_016), (2026, 3, 19, 20_531), (1, 1, 1, -719_162),
      (9999, 12, 31, 2_932_896), (1980, 1, 6, 3_657), (2024, 12, 31, 20_088),
    ]
  )
  func `Known dates have the known number of days`(_ year: Int, _ month: Int, _ day: Int, _ days: Int) throws {
    let date = try #require(CalendarDate(year: year, month: month, day: day))
    #expect(date.daysSince1970 == days)
    #expect(CalendarDate(daysSince1970: days) == date)
  }

  @Test(
    arguments: [
      (2023, 2, 29), (1900, 2, 29), (2100, 2, 29), (2026, 4, 31), (2026, 13, 1), (2026, 0, 1), (2026, 1, 0),
      (2026, 1, 32), (0, 1, 1), (10_000, 1, 1), (-1, 5, 5), (Int.max, 1, 1), (2026, Int.min, 1), (2026, 1, Int.max),
    ]
  )
  func `Invalid dates are nil`(_ year: Int, _ month: Int, _ day: Int) {
    #expect(CalendarDate(year: year, month: month, day: day) == nil)
  }

  @Test func `Leap days follow the century rule`() {
    #expect(CalendarDate(year: 2000, month: 2, day: 29) != nil)
    #expect(CalendarDate(year: 2400, month: 2, day: 29) != nil)
    #expect(CalendarDate(year: 2028, month: 2, day: 29) != nil)
  }

  @Test func `Every day from 1583 to 2400 follows the previous one`() throws {
    var before = CalendarDate(daysSince1970: -141_429)
    for days in -141_428...157_000 {
      let date = CalendarDate(daysSince1970: days)
      guard before < date, date.daysSince1970 == days,
        CalendarDate(year: date.year, month: date.month, day: date.day) == date
      else {
        Issue.record("day \(days): \(date) after \(before)")
        return
      }
      before = date
    }
    #expect(before.year == 2399)
  }

  @Test func `Numbers outside the calendar are clamped`() {
    #expect(CalendarDate(daysSince1970: .max) == CalendarDate(year: 9999, month: 12, day: 31))
    #expect(CalendarDate(daysSince1970: .min) == CalendarDate(year: 1, month: 1, day: 1))
  }
}

@Suite("Week number rollover")
struct RolloverTests {
  private static func day(_ year: Int, _ month: Int, _ day: Int) throws -> CalendarDate {
    try #require(CalendarDate(year: year, month: month, day: day))
  }

  /// Affected receivers sent 2019-04-07 as 1999-08-22.
  @Test func `A date before the floor rolls forward to it`() throws {
    let floor = try Self.day(2019, 4, 7)
    let lost = try Self.day(1999, 8, 22)
    #expect(lost.rolledForward(to: floor) == floor)
    #expect(floor.rolledForward(to: floor) == floor)
  }

  @Test func `Rolling forward adds as many periods as needed`() throws {
    let lost = try Self.day(1980, 1, 7)
    #expect(lost.rolledForward(to: try Self.day(2019, 4, 8)) == (try Self.day(2019, 4, 8)))
    #expect(lost.rolledForward(to: try Self.day(2019, 4, 9)) == (try Self.day(2038, 11, 22)))
    let fine = try Self.day(2026, 3, 19)
    #expect(fine.rolledForward(to: try Self.day(2025, 1, 1)) == fine)
  }
}

@Suite("Times of day")
struct TimeOfDayTests {
  @Test func `Valid times are accepted`() throws {
    #expect(TimeOfDay(hour: 0, minute: 0, second: 0)?.nanoseconds == 0)
    #expect(
      TimeOfDay(hour: 23, minute: 59, second: 59, nanosecond: 999_999_999)?.nanoseconds == TimeOfDay.day - 1)
    #expect(TimeOfDay(hour: 23, minute: 59, second: 60)?.nanoseconds == TimeOfDay.day)
    let early = try #require(TimeOfDay(hour: 7, minute: 8, second: 9))
    let late = try #require(TimeOfDay(hour: 7, minute: 8, second: 9, nanosecond: 1))
    #expect(early < late)
  }

  @Test(
    arguments: [
      (24, 0, 0, 0), (-1, 0, 0, 0), (0, 60, 0, 0), (0, 0, 60, 0), (22, 59, 60, 0), (23, 58, 60, 0), (23, 59, 61, 0),
      (0, 0, 0, 1_000_000_000), (0, 0, 0, -1), (0, -1, 0, 0), (0, 0, -1, 0), (Int.max, Int.max, Int.max, Int.max),
    ]
  )
  func `Invalid times are nil`(_ hour: Int, _ minute: Int, _ second: Int, _ nanosecond: Int) {
    #expect(TimeOfDay(hour: hour, minute: minute, second: second, nanosecond: nanosecond) == nil)
  }

  @Test func `Nanoseconds are valid up to the end of a leap second`() {
    #expect(TimeOfDay(nanoseconds: -1) == nil)
    #expect(TimeOfDay(nanoseconds: 0) != nil)
    #expect(TimeOfDay(nanoseconds: 86_400_999_999_999) != nil)
    #expect(TimeOfDay(nanoseconds: 86_401_000_000_000) == nil)
    #expect(TimeOfDay(nanoseconds: .min) == nil)
  }
}
