import Testing

@testable import LocationCore

@Suite("Instants and durations")
struct InstantTests {
  @Test func `A date and a time form an instant, which returns them`() throws {
    let date = try #require(CalendarDate(year: 2026, month: 3, day: 19))
    let time = try #require(TimeOfDay(hour: 12, minute: 35, second: 19, nanosecond: 250_000_000))
    let instant = try #require(UTCInstant(date: date, time: time))
    #expect(instant.nanosecondsSince1970 == 1_773_923_719_250_000_000)
    #expect(instant.date == date)
    #expect(instant.nanosecondsOfDay == time.nanoseconds)
    #expect(instant.secondsSince1970 == 1_773_923_719.25)
  }

  @Test func `Before 1970 a day begins at midnight too`() throws {
    let instant = UTCInstant(nanosecondsSince1970: -1)
    #expect(instant.date == CalendarDate(year: 1969, month: 12, day: 31))
    #expect(instant.nanosecondsOfDay == TimeOfDay.day - 1)
    let midnight = UTCInstant(nanosecondsSince1970: -TimeOfDay.day)
    #expect(midnight.date == CalendarDate(year: 1969, month: 12, day: 31))
    #expect(midnight.nanosecondsOfDay == 0)
    #expect(midnight < instant)
  }

  @Test func `A leap second has the same number as the next second`() throws {
    let eve = try #require(CalendarDate(year: 2016, month: 12, day: 31))
    let day = try #require(CalendarDate(year: 2017, month: 1, day: 1))
    let leap = try #require(TimeOfDay(hour: 23, minute: 59, second: 60))
    let midnight = try #require(TimeOfDay(hour: 0, minute: 0, second: 0))
    #expect(UTCInstant(date: eve, time: leap) == UTCInstant(date: day, time: midnight))
  }

  @Test(arguments: [1, 1677, 2262, 9999])
  func `Years beyond the range give no instant`(_ year: Int) throws {
    let date = try #require(CalendarDate(year: year, month: 6, day: 1))
    let noon = try #require(TimeOfDay(hour: 12, minute: 0, second: 0))
    #expect(UTCInstant(date: date, time: noon) == nil)
  }

  @Test func `The ends of the range are valid`() throws {
    let last = try #require(CalendarDate(year: 2261, month: 12, day: 31))
    let first = try #require(CalendarDate(year: 1678, month: 1, day: 1))
    let leap = try #require(TimeOfDay(hour: 23, minute: 59, second: 60))
    let midnight = try #require(TimeOfDay(hour: 0, minute: 0, second: 0))
    #expect(UTCInstant(date: last, time: leap)?.date.year == 2262)
    #expect(UTCInstant(date: first, time: midnight)?.date == first)
    _ = UTCInstant(nanosecondsSince1970: .min).date
    _ = UTCInstant(nanosecondsSince1970: .max).date
  }

  @Test func `Monotonic arithmetic does not trap`() {
    let start = MonotonicInstant(nanoseconds: 5)
    let end = start + .milliseconds(1_500)
    #expect(end - start == .milliseconds(1_500))
    #expect(start - end == .milliseconds(-1_500))
    #expect(end - .milliseconds(1_500) == start)
    #expect(end.seconds(since: start) == 1.5)
    #expect(start < end)
    // External values must not trap.
    _ = MonotonicInstant(nanoseconds: .max) + .seconds(1)
    _ = MonotonicInstant(nanoseconds: .min) - .seconds(Int64.max)
    _ = MonotonicInstant(nanoseconds: .min) - MonotonicInstant(nanoseconds: .max)
    _ = UTCInstant(nanosecondsSince1970: .max) + .seconds(1)
  }

  @Test func `Nanoseconds of a duration saturate`() {
    #expect(Duration.milliseconds(-1).nanoseconds == -1_000_000)
    #expect(Duration.seconds(3).nanoseconds == 3_000_000_000)
    #expect(Duration.seconds(Int64.max).nanoseconds == .max)
    #expect(Duration.seconds(Int64.min).nanoseconds == .min)
    #expect(
      Duration(secondsComponent: 9_223_372_036, attosecondsComponent: 999_999_999_999_999_999).nanoseconds == .max)
    #expect(Duration.seconds(1.25).inSeconds == 1.25)
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity, 1e10, -1e300])
  func `Invalid seconds give no duration`(_ seconds: Double) {
    #expect(Duration(finiteSeconds: seconds) == nil)
  }

  @Test func `Seconds become a duration with nanosecond precision`() {
    #expect(Duration(finiteSeconds: 0.25) == .milliseconds(250))
    #expect(Duration(finiteSeconds: -2) == .seconds(-2))
    #expect(Duration(finiteSeconds: 1e-10) == .zero)
  }
}

extension UTCInstant {
  var secondsSince1970: Double { Double(nanosecondsSince1970) * 1e-9 }
}
