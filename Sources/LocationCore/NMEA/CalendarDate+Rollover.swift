extension CalendarDate {
  /// Days in the 1024 weeks after which GPS's ten-bit week number starts again (IS-GPS-200).
  private static var rolloverDays: Int { 1024 * 7 }

  /// Whether this is 6 January 1980, where GPS time starts.
  var isStartOfGPSTime: Bool { year == 1980 && month == 1 && day == 6 }

  /// Whether a receiver that gives this date has probably lost count of the weeks: the date lies before
  /// `floor`, a day that has certainly passed.
  package func isRolloverSuspect(floor: CalendarDate) -> Bool {
    self < floor
  }

  /// This date moved forward by as many times 1024 weeks as bring it to `floor` or later.
  package func rolledForward(to floor: CalendarDate) -> CalendarDate {
    let missing = floor.daysSince1970 - daysSince1970
    guard missing > 0 else { return self }
    let times = (missing + Self.rolloverDays - 1) / Self.rolloverDays
    return CalendarDate(daysSince1970: daysSince1970 + times * Self.rolloverDays)
  }
}
