/// A point in UTC, counted as POSIX does: every day has 86 400 seconds, a leap second shares its
/// number with the second that follows it.
public struct UTCInstant: Hashable, Comparable, Sendable {
  /// Nanoseconds since 1970-01-01T00:00:00Z; the range reaches from 1677 to 2262.
  public var nanosecondsSince1970: Int64

  /// The instant that many nanoseconds after 1970-01-01T00:00:00Z.
  public init(nanosecondsSince1970: Int64) {
    self.nanosecondsSince1970 = nanosecondsSince1970
  }

  /// The instant at a time of day on a date; `nil` outside 1678 to 2261.
  package init?(date: CalendarDate, time: TimeOfDay) {
    guard (1678...2261).contains(date.year) else { return nil }
    nanosecondsSince1970 = Int64(date.daysSince1970) * TimeOfDay.day + time.nanoseconds
  }

  /// The UTC date.
  package var date: CalendarDate {
    CalendarDate(daysSince1970: Int(dayAndRest.day))
  }

  /// Nanoseconds since that date's midnight, below 86 400 s.
  package var nanosecondsOfDay: Int64 { dayAndRest.rest }

  /// Seconds since 1970-01-01T00:00:00Z.
  package var secondsSince1970: Double { Double(nanosecondsSince1970) * 1e-9 }

  /// Orders by time.
  public static func < (left: Self, right: Self) -> Bool {
    left.nanosecondsSince1970 < right.nanosecondsSince1970
  }

  /// The instant `duration` later.
  package static func + (instant: Self, duration: Duration) -> Self {
    UTCInstant(nanosecondsSince1970: instant.nanosecondsSince1970 &+ duration.nanoseconds)
  }

  /// The time from `start` to `end`, negative when `end` came first.
  package static func - (end: Self, start: Self) -> Duration {
    .nanoseconds(end.nanosecondsSince1970 &- start.nanosecondsSince1970)
  }

  private var dayAndRest: (day: Int64, rest: Int64) {
    let (quotient, remainder) = nanosecondsSince1970.quotientAndRemainder(dividingBy: TimeOfDay.day)
    return remainder < 0 ? (quotient - 1, remainder + TimeOfDay.day) : (quotient, remainder)
  }
}

/// A UTC time of day with nanoseconds, leap second included.
package struct TimeOfDay: Hashable, Comparable, Sendable {
  /// Nanoseconds since midnight, below 86 401 s: the second 23:59:60 exists.
  package let nanoseconds: Int64

  /// Nanoseconds in a day without a leap second.
  package static let day: Int64 = 86_400_000_000_000

  /// The time of day, or `nil` when a clock never shows it. Second 60 is legal at 23:59 only.
  package init?(hour: Int, minute: Int, second: Int, nanosecond: Int = 0) {
    guard (0..<24).contains(hour), (0..<60).contains(minute), (0..<1_000_000_000).contains(nanosecond),
      (0..<60).contains(second) || (second == 60 && hour == 23 && minute == 59)
    else { return nil }
    nanoseconds = Int64((hour * 60 + minute) * 60 + second) * 1_000_000_000 + Int64(nanosecond)
  }

  /// The time of day that many nanoseconds after midnight, `nil` outside a day with a leap second.
  package init?(nanoseconds: Int64) {
    guard (0..<Self.day + 1_000_000_000).contains(nanoseconds) else { return nil }
    self.nanoseconds = nanoseconds
  }

  /// Orders by time since midnight.
  package static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }
}
