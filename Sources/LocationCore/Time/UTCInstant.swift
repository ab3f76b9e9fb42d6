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
