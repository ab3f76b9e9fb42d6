/// ZDA, UTC date and time with the local zone.
package struct ZDA: Hashable, Sendable {
  @Compact package var time: TimeOfDay?
  @Compact package var date: CalendarDate?

  package init() {}

  @inline(never) init(_ fields: some SentenceSource) {
    var field = fields.reader
    time = field.time()
    date = field.value("date", FieldValue.date) { $0.dayMonthYear() }
    field.value("zone", FieldValue.integer) { $0.zone() }
  }
}

extension FieldCursor {
  /// Day, month and four-digit year, in three fields.
  fileprivate mutating func dayMonthYear() -> CalendarDate? {
    let day = integer(upTo: 31)
    let month = integer(upTo: 12)
    let field = next()
    guard field.count > 0 else { return nil }
    guard let year = Self.year(field) ?? again(field, { Self.year($0) }), let day, let month else { return nil }
    guard let date = CalendarDate(year: year, month: month, day: day), !date.isStartOfGPSTime
    else { return fail(field) }
    return date
  }

  private static func year(_ field: Field) -> Int? { field.count == 4 ? Digits.short(field.start, 4) : nil }

  /// Minutes east of UTC, from hours with an optional sign and minutes.
  fileprivate mutating func zone() -> Int? {
    let field = next()
    let minutesField = next()
    let minutes = Digits.value(minutesField.start, minutesField.count)
    guard let minutes, minutes <= 59 else { return fail(minutesField) }
    if field.count == 0 { return nil }
    let sign = field.start[0] == 0x2D || field.start[0] == 0x2B ? 1 : 0
    guard field.count > sign, let hours = Digits.value(field.start + sign, field.count - sign), hours <= 14 else {
      return fail(field)
    }
    let east = Int(truncatingIfNeeded: hours * 60 + minutes)
    return field.start[0] == 0x2D ? -east : east
  }
}
