import Testing

@testable import LocationCore

@Suite("Calendar dates")
struct CalendarDateTests {
  @Test(
    "known days",
    arguments: [
      (1970, 1, 1, 0), (1969, 12, 31, -1), (2000, 2, 29, 11_016), (2026, 3, 19, 20_531), (1, 1, 1, -719_162),
      (9999, 12, 31, 2_932_896), (1980, 1, 6, 3_657), (2024, 12, 31, 20_088),
    ])
  func known(_ year: Int, _ month: Int, _ day: Int, _ days: Int) throws {
    let date = try #require(CalendarDate(year: year, month: month, day: day))
    #expect(date.daysSince1970 == days)
    #expect(CalendarDate(daysSince1970: days) == date)
  }

  @Test(
    "days that no calendar has",
    arguments: [
      (2023, 2, 29), (1900, 2, 29), (2100, 2, 29), (2026, 4, 31), (2026, 13, 1), (2026, 0, 1), (2026, 1, 0),
      (2026, 1, 32), (0, 1, 1), (10_000, 1, 1), (-1, 5, 5), (Int.max, 1, 1), (2026, Int.min, 1), (2026, 1, Int.max),
    ])
  func impossible(_ year: Int, _ month: Int, _ day: Int) {
    #expect(CalendarDate(year: year, month: month, day: day) == nil)
  }

  @Test("leap days of the century rule")
  func leap() {
    #expect(CalendarDate(year: 2000, month: 2, day: 29) != nil)
    #expect(CalendarDate(year: 2400, month: 2, day: 29) != nil)
    #expect(CalendarDate(year: 2028, month: 2, day: 29) != nil)
  }

  @Test("every day from 1583 to 2400 follows the one before")
  func everyDay() throws {
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

  @Test("numbers outside the calendar are clamped, not trapped")
  func clamped() {
    #expect(CalendarDate(daysSince1970: .max) == CalendarDate(year: 9999, month: 12, day: 31))
    #expect(CalendarDate(daysSince1970: .min) == CalendarDate(year: 1, month: 1, day: 1))
  }
}
