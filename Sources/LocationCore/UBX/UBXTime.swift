// UTC in UBX messages.
extension UBXFrame {
  /// Whether the receiver marks the UTC time of NAV-PVT, -TIMEUTC or -TIMEGPS valid.
  var hasTime: Bool {
    guard isWhole else { return false }
    return switch type {
    case .navPVT: flag(11, 1)
    case .navTIMEUTC: flag(19, 2)
    // The time of the week and the leap seconds.
    case .navTIMEGPS: u1(11) & 0b101 == 0b101
    default: false
    }
  }

  /// Whether the receiver marks the UTC date of NAV-PVT, -TIMEUTC or -TIMEGPS valid.
  var hasDate: Bool {
    switch type {
    case .navPVT: flag(11, 0)
    case .navTIMEGPS: flag(11, 1)
    default: flag(19, 2)
    }
  }

  /// UTC that is marked valid, to the millisecond: days since 1970, if valid, and time of day; `nil` if out of range.
  var utc: (days: Int?, time: TimeOfDay)? {
    guard hasTime else { return nil }
    if type == .navTIMEGPS { return utcOfGPS }
    let (offset, nano) = type == .navPVT ? (4, Int64(i4(16))) : (12, Int64(i4(8)))
    guard (-1_000_000_000...1_000_000_000).contains(nano),
      let start = TimeOfDay(
        hour: Int(u1(offset + 4)), minute: Int(u1(offset + 5)), second: Int(u1(offset + 6)))
    else { return nil }
    let exact = start.nanoseconds + nano
    var rest = (exact >= 0 ? exact + 500_000 : exact - 499_999) / 1_000_000 * 1_000_000
    // The leap second has the numbers of the day that it ends.
    let length = TimeOfDay.day + (start.isLeapSecond ? 1_000_000_000 : 0)
    var shift = 0
    if rest < 0 {
      rest += TimeOfDay.day
      shift = -1
    } else if rest >= length {
      rest -= length
      shift = 1
    }
    guard let time = TimeOfDay(nanoseconds: rest) else { return nil }
    let date = CalendarDate(
      year: Int(u2(offset)), month: Int(u1(offset + 2)), day: Int(u1(offset + 3)))
    return (hasDate ? date.map { $0.daysSince1970 + shift } : nil, time)
  }

  /// UTC of a NAV-TIMEGPS: time of week, week and leap seconds.
  private var utcOfGPS: (days: Int?, time: TimeOfDay)? {
    let week = Int64(i2(8))
    let fraction = Int64(i4(4))
    guard let timeOfWeek, week >= 0, (-1_000_000...1_000_000).contains(fraction) else { return nil }
    let exact = Int64(timeOfWeek) * 1_000_000 + fraction - Int64(i1(10)) * 1_000_000_000
    let rounded = (exact + TimeOfDay.day + 500_000) / 1_000_000 * 1_000_000
    guard let time = TimeOfDay(nanoseconds: rounded % TimeOfDay.day) else { return nil }
    // GPS time began 3657 days after 1970; one is subtracted for the day that was added.
    return (hasDate ? 3657 - 1 + Int(week * 7 + rounded / TimeOfDay.day) : nil, time)
  }

  /// UTC time of day of a NAV-PVT, -TIMEUTC or -TIMEGPS, if valid.
  package var timeOfDay: TimeOfDay? { utc?.time }

  /// UTC of a NAV-PVT with a fix, or a -TIMEUTC or -TIMEGPS, if date and time are valid.
  package var measured: UTCInstant? {
    guard let (days, time) = utc, let days, type != .navPVT || flag(21, 0) else { return nil }
    return UTCInstant(daysSince1970: days, time: time)
  }
}

/// UTC of UBX messages, most with the GPS time of week only, by the offset of the newest message with both.
package struct UBXClock: Sendable {
  /// UTC minus GPS time, nanoseconds within a day.
  private var offset: Int64?

  package init() {}
  package var isKnown: Bool { offset != nil }

  /// UTC time of day of a message: its own, if valid, else by its time of week; `nil` until the offset is known.
  package mutating func time(of frame: UBXFrame) -> TimeOfDay? {
    guard let timeOfWeek = frame.timeOfWeek else { return nil }
    let gps = Int64(timeOfWeek) % 86_400_000 * 1_000_000
    if let time = frame.timeOfDay {
      offset = time.nanoseconds - gps
      return time
    }
    guard let offset else { return nil }
    let time = (gps + offset) % TimeOfDay.day
    return TimeOfDay(nanoseconds: time < 0 ? time + TimeOfDay.day : time)
  }
}
