/// A point in UTC as in POSIX: a day has 86 400 seconds, and a leap second the number of the second after it.
public struct UTCInstant: Hashable, Comparable, Codable, Sendable {
  /// Nanoseconds since 1970-01-01T00:00:00Z; the range is 1677 to 2262.
  public var nanosecondsSince1970: Int64

  /// The instant at a number of nanoseconds since 1970-01-01T00:00:00Z.
  public init(nanosecondsSince1970: Int64) { self.nanosecondsSince1970 = nanosecondsSince1970 }
  /// The instant at a time of day on a date; `nil` outside 1678 to 2261.
  package init?(date: CalendarDate, time: TimeOfDay) { self.init(daysSince1970: date.daysSince1970, time: time) }

  /// The instant at a time of day on a day counted from 1970-01-01; `nil` outside 1678 to 2261.
  package init?(daysSince1970 days: Int, time: TimeOfDay) {
    guard (-106_650...106_650).contains(days) else { return nil }
    nanosecondsSince1970 = Int64(days) * TimeOfDay.day + time.nanoseconds
  }

  package var date: CalendarDate { CalendarDate(daysSince1970: Int(dayAndRest.day)) }
  /// Nanoseconds since midnight, below 86 400 s.
  package var nanosecondsOfDay: Int64 { dayAndRest.rest }
  /// Orders by time.
  public static func < (left: Self, right: Self) -> Bool { left.nanosecondsSince1970 < right.nanosecondsSince1970 }

  /// The instant `duration` later, in whole nanoseconds; the end of the range when it is beyond.
  public static func + (instant: Self, duration: Duration) -> Self {
    let nanoseconds = duration.nanoseconds
    let (sum, overflow) = instant.nanosecondsSince1970.addingReportingOverflow(nanoseconds)
    return UTCInstant(nanosecondsSince1970: overflow ? (nanoseconds < 0 ? .min : .max) : sum)
  }

  /// The instant `duration` earlier, in whole nanoseconds; the end of the range when it is beyond.
  public static func - (instant: Self, duration: Duration) -> Self { instant + (.zero - duration) }

  /// The time from `start` to `end`; negative when `end` is earlier.
  public static func - (end: Self, start: Self) -> Duration {
    let (end, start) = (end.nanosecondsSince1970, start.nanosecondsSince1970)
    let (difference, overflow) = end.subtractingReportingOverflow(start)
    return overflow ? .nanoseconds(end) - .nanoseconds(start) : .nanoseconds(difference)
  }

  private var dayAndRest: (day: Int64, rest: Int64) {
    let (quotient, remainder) = nanosecondsSince1970.quotientAndRemainder(dividingBy: TimeOfDay.day)
    return remainder < 0 ? (quotient - 1, remainder + TimeOfDay.day) : (quotient, remainder)
  }
}

/// A UTC time of day in nanoseconds, including the leap second.
package struct TimeOfDay: Hashable, Comparable, Sendable {
  /// Nanoseconds since midnight, below 86 401 s (23:59:60 is valid).
  package let nanoseconds: Int64

  /// Nanoseconds in a day without a leap second.
  package static let day: Int64 = 86_400_000_000_000

  /// The time of day, or `nil` when a component is out of range. Second 60 is valid at 23:59 only.
  package init?(hour: Int, minute: Int, second: Int, nanosecond: Int = 0) {
    guard (0..<24).contains(hour), (0..<60).contains(minute), (0..<1_000_000_000).contains(nanosecond),
      (0..<60).contains(second) || (second == 60 && hour == 23 && minute == 59)
    else { return nil }
    nanoseconds = Int64((hour * 60 + minute) * 60 + second) * 1_000_000_000 + Int64(nanosecond)
  }

  /// The time of day at a number of nanoseconds since midnight, or `nil` when that is 86 401 s or more.
  package init?(nanoseconds: Int64) {
    guard (0..<Self.day + 1_000_000_000).contains(nanoseconds) else { return nil }
    self.nanoseconds = nanoseconds
  }

  package static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }

  /// A difference of times of day, moved by whole days to above −12 h and up to 12 h.
  package static func nearestDay(_ difference: Int64) -> Int64 {
    let rest = difference % day
    if rest > day / 2 { return rest - day }
    return rest <= -day / 2 ? rest + day : rest
  }

  /// Whether a time is another without decimals: some receivers send whole seconds in one sentence. Nanoseconds.
  package static func isCoarser(_ time: Int64, than other: Int64) -> Bool {
    let rest = other - time
    return rest > 0
      && (rest < 100_000_000 && time % 100_000_000 == 0 || rest < 1_000_000_000 && time % 1_000_000_000 == 0)
  }

  var isLeapSecond: Bool { nanoseconds >= Self.day }
  /// The absolute difference of two times of day across midnight, nanoseconds.
  func distance(to other: TimeOfDay) -> Int64 { abs(Self.nearestDay(nanoseconds - other.nanoseconds)) }
}
