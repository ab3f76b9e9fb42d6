import LocationCore

extension JSONLine {
  /// An instant as `YYYY-MM-DDThh:mm:ss.sssZ`, cut to the millisecond.
  package mutating func field(_ name: StaticString, _ instant: UTCInstant?) {
    guard let instant else { return }
    key(name)
    put(Byte.quote)
    date(instant.date)
    put(UInt8(ascii: "T"))
    clock(instant.nanosecondsOfDay)
    put(UInt8(ascii: "Z"))
    put(Byte.quote)
  }

  /// A time of day as `hh:mm:ss.sss`, cut to the millisecond; a leap second is `23:59:60`.
  package mutating func field(_ name: StaticString, _ time: TimeOfDay?) {
    guard let time else { return }
    key(name)
    put(Byte.quote)
    clock(time.nanoseconds)
    put(Byte.quote)
  }

  /// A date as `YYYY-MM-DD`.
  package mutating func field(_ name: StaticString, _ day: CalendarDate?) {
    guard let day else { return }
    key(name)
    put(Byte.quote)
    date(day)
    put(Byte.quote)
  }

  private mutating func date(_ date: CalendarDate) {
    digits(UInt64(date.year), atLeast: 4)
    put(Byte.minus)
    digits(UInt64(date.month), atLeast: 2)
    put(Byte.minus)
    digits(UInt64(date.day), atLeast: 2)
  }

  private mutating func clock(_ nanosecondsOfDay: Int64) {
    let milliseconds = UInt64(nanosecondsOfDay / 1_000_000)
    let seconds = milliseconds / 1000
    // The second after 23:59:59 is 23:59:60 and not 24:00:00.
    let minutes = min(seconds / 60, 24 * 60 - 1)
    digits(minutes / 60, atLeast: 2)
    put(Byte.colon)
    digits(minutes % 60, atLeast: 2)
    put(Byte.colon)
    digits(seconds - minutes * 60, atLeast: 2)
    put(Byte.dot)
    digits(milliseconds % 1000, atLeast: 3)
  }
}
