import LocationCore

extension JSONLine {
  /// An instant as `YYYY-MM-DDThh:mm:ss.sssZ`, cut to the millisecond.
  package mutating func field(_ name: StaticString, _ instant: UTCInstant?) {
    guard let instant else { return }
    key(name)
    bytes.append(Byte.quote)
    date(instant.date)
    bytes.append(UInt8(ascii: "T"))
    clock(instant.nanosecondsOfDay)
    bytes.append(UInt8(ascii: "Z"))
    bytes.append(Byte.quote)
  }

  /// A time of day as `hh:mm:ss.sss`, cut to the millisecond; a leap second is `23:59:60`.
  package mutating func field(_ name: StaticString, _ time: TimeOfDay?) {
    guard let time else { return }
    key(name)
    bytes.append(Byte.quote)
    clock(time.nanoseconds)
    bytes.append(Byte.quote)
  }

  /// A date as `YYYY-MM-DD`.
  package mutating func field(_ name: StaticString, _ day: CalendarDate?) {
    guard let day else { return }
    key(name)
    bytes.append(Byte.quote)
    date(day)
    bytes.append(Byte.quote)
  }

  private mutating func date(_ date: CalendarDate) {
    digits(UInt64(date.year), atLeast: 4)
    bytes.append(Byte.minus)
    digits(UInt64(date.month), atLeast: 2)
    bytes.append(Byte.minus)
    digits(UInt64(date.day), atLeast: 2)
  }

  private mutating func clock(_ nanosecondsOfDay: Int64) {
    let milliseconds = UInt64(nanosecondsOfDay / 1_000_000)
    let seconds = milliseconds / 1000
    // The second after 23:59:59 is 23:59:60 and not 24:00:00.
    let minutes = min(seconds / 60, 24 * 60 - 1)
    digits(minutes / 60, atLeast: 2)
    bytes.append(Byte.colon)
    digits(minutes % 60, atLeast: 2)
    bytes.append(Byte.colon)
    digits(seconds - minutes * 60, atLeast: 2)
    bytes.append(Byte.dot)
    digits(milliseconds % 1000, atLeast: 3)
  }
}
