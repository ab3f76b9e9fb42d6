/// A valid day of the proleptic Gregorian calendar.
package struct CalendarDate: Hashable, Comparable, Sendable {
  package let year: Int
  package let month: Int
  /// The day of the month, from 1.
  package let day: Int

  /// The date, or `nil` when the calendar does not contain it.
  package init?(year: Int, month: Int, day: Int) {
    guard (1...9999).contains(year), (1...12).contains(month), day >= 1,
      day <= Self.daysInMonth(month, of: year)
    else { return nil }
    self.year = year
    self.month = month
    self.day = day
  }

  /// Days since 1970-01-01; negative before it.
  package var daysSince1970: Int {
    // Days from civil, Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".
    let shiftedYear = month <= 2 ? year - 1 : year
    let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
    let yearOfEra = shiftedYear - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  /// The date `days` after 1970-01-01, clamped to the years 1 to 9999.
  package init(daysSince1970 days: Int) {
    let clamped = min(max(days, -719_162), 2_932_896)
    let shifted = clamped + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    year = yearOfEra + era * 400 + (shiftedMonth >= 10 ? 1 : 0)
  }

  package static func < (left: Self, right: Self) -> Bool {
    (left.year, left.month, left.day) < (right.year, right.month, right.day)
  }

  private static func daysInMonth(_ month: Int, of year: Int) -> Int {
    switch month {
    case 4, 6, 9, 11: 30
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    default: 31
    }
  }

  /// Days in 1024 weeks, the period of GPS's ten-bit week number (IS-GPS-200).
  private static var rolloverDays: Int { 1024 * 7 }
  /// Whether this is 6 January 1980, the origin of GPS time.
  var isStartOfGPSTime: Bool { year == 1980 && month == 1 && day == 6 }

  /// This date moved forward by multiples of 1024 weeks to `floor` or later.
  package func rolledForward(to floor: CalendarDate) -> CalendarDate {
    let missing = floor.daysSince1970 - daysSince1970
    guard missing > 0 else { return self }
    let times = (missing + Self.rolloverDays - 1) / Self.rolloverDays
    return CalendarDate(daysSince1970: daysSince1970 + times * Self.rolloverDays)
  }
}
