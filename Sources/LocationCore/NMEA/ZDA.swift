/// ZDA, UTC date and time with the local zone.
package struct ZDA: Hashable, Sendable {
  /// UTC time of day.
  package var time: TimeOfDay?
  /// UTC date, four-digit year.
  package var date: CalendarDate?
  /// Local zone east of UTC, minutes.
  package var zoneMinutes: Int?
  /// The fields that were present and malformed or out of range.
  package var problems: SentenceProblems

  package init() {
    problems = []
  }
}

extension ZDA {
  /// Fewest fields on the wire.
  static let fieldCount = 4

  @inline(__always)
  init(_ field: inout FieldCursor) {
    time = field.time()
    date = field.dayMonthYear()
    zoneMinutes = field.zone()
    problems = field.problems
  }
}

extension FieldCursor {
  /// Day, month and four-digit year in three fields.
  fileprivate mutating func dayMonthYear() -> CalendarDate? {
    let day = integer(upTo: 31)
    let month = integer(upTo: 12)
    let field = next()
    guard field.count > 0 else { return nil }
    guard field.count == 4, let year = Self.integer(field.start, 4) else { return fail(field) }
    guard let day, let month else { return nil }
    guard let date = CalendarDate(year: year, month: month, day: day), !date.isStartOfGPSTime else {
      return fail(field)
    }
    return date
  }

  /// Minutes east of UTC from hours, with or without a sign, and minutes.
  fileprivate mutating func zone() -> Int? {
    let field = next()
    let minutes = integer(upTo: 59) ?? 0
    if field.count == 0 { return nil }
    let hasSign = field.start[0] == 0x2D || field.start[0] == 0x2B
    let skipped = hasSign ? 1 : 0
    guard let hours = Self.integer(field.start + skipped, field.count - skipped), hours <= 14 else {
      return fail(field)
    }
    return field.start[0] == 0x2D ? -(hours * 60 + minutes) : hours * 60 + minutes
  }
}
