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
