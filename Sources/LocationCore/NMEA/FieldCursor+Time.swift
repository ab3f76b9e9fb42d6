extension FieldCursor {
  /// `hhmmss` with any number of decimals; those beyond nanoseconds are dropped.
  @inline(__always)
  mutating func time() -> TimeOfDay? {
    let field = next()
    if field.count == 0 { return nil }
    guard field.count >= 6, let time = Self.time(field.start, field.count) else { return fail(field) }
    return time
  }

  @inline(__always)
  private static func time(_ start: UnsafePointer<UInt8>, _ count: Int) -> TimeOfDay? {
    guard let hour = pair(start), let minute = pair(start + 2), let second = pair(start + 4) else { return nil }
    var nanosecond = 0
    if count > 6 {
      guard start[6] == 0x2E else { return nil }
      var unit = 100_000_000
      for index in 7..<count {
        let digit = start[index] &- 0x30
        if digit > 9 { return nil }
        nanosecond &+= Int(digit) &* unit
        unit /= 10
      }
    }
    return TimeOfDay(hour: hour, minute: minute, second: second, nanosecond: nanosecond)
  }

  /// `ddmmyy`, the years 80 to 99 in the 20th century. 6 January 1980, where GPS time starts, is what
  /// receivers say before they know; it is no date.
  @inline(__always)
  mutating func date() -> CalendarDate? {
    let field = next()
    if field.count == 0 { return nil }
    guard field.count == 6, let date = Self.date(field.start, field.start + 2, field.start + 4) else {
      return fail(field)
    }
    return date
  }

  /// The date that three pairs of digits tell.
  @inline(__always)
  static func date(
    _ day: UnsafePointer<UInt8>, _ month: UnsafePointer<UInt8>, _ year: UnsafePointer<UInt8>
  ) -> CalendarDate? {
    guard let day = pair(day), let month = pair(month), let year = pair(year),
      let date = CalendarDate(year: year < 80 ? 2000 + year : 1900 + year, month: month, day: day),
      !date.isStartOfGPSTime
    else { return nil }
    return date
  }

  /// Two digits.
  @inline(__always)
  static func pair(_ start: UnsafePointer<UInt8>) -> Int? {
    let tens = start[0] &- 0x30
    let ones = start[1] &- 0x30
    return tens <= 9 && ones <= 9 ? Int(tens) &* 10 &+ Int(ones) : nil
  }
}
