import Testing

@testable import LocationCore

@Suite("Times of day")
struct TimeOfDayTests {
  @Test("what a clock shows")
  func legal() throws {
    #expect(TimeOfDay(hour: 0, minute: 0, second: 0)?.nanoseconds == 0)
    #expect(
      TimeOfDay(hour: 23, minute: 59, second: 59, nanosecond: 999_999_999)?.nanoseconds == TimeOfDay.day - 1)
    #expect(TimeOfDay(hour: 23, minute: 59, second: 60)?.nanoseconds == TimeOfDay.day)
    let early = try #require(TimeOfDay(hour: 7, minute: 8, second: 9))
    let late = try #require(TimeOfDay(hour: 7, minute: 8, second: 9, nanosecond: 1))
    #expect(early < late)
  }

  @Test(
    "what no clock shows",
    arguments: [
      (24, 0, 0, 0), (-1, 0, 0, 0), (0, 60, 0, 0), (0, 0, 60, 0), (22, 59, 60, 0), (23, 58, 60, 0), (23, 59, 61, 0),
      (0, 0, 0, 1_000_000_000), (0, 0, 0, -1), (0, -1, 0, 0), (0, 0, -1, 0), (Int.max, Int.max, Int.max, Int.max),
    ])
  func illegal(_ hour: Int, _ minute: Int, _ second: Int, _ nanosecond: Int) {
    #expect(TimeOfDay(hour: hour, minute: minute, second: second, nanosecond: nanosecond) == nil)
  }

  @Test("nanoseconds of a day with a leap second, and no more")
  func nanoseconds() {
    #expect(TimeOfDay(nanoseconds: -1) == nil)
    #expect(TimeOfDay(nanoseconds: 0) != nil)
    #expect(TimeOfDay(nanoseconds: 86_400_999_999_999) != nil)
    #expect(TimeOfDay(nanoseconds: 86_401_000_000_000) == nil)
    #expect(TimeOfDay(nanoseconds: .min) == nil)
  }
}
