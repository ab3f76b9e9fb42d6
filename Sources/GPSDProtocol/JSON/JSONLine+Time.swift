import LocationCore

extension JSONLine {
  /// An instant as `YYYY-MM-DDThh:mm:ss.sssZ`, cut to the millisecond.
  package mutating func field(_ name: StaticString, _ instant: UTCInstant?) {
    guard let instant else { return }
    field(name, room: Self.dateRoom + Self.clockRoom + 4) { start in
      var place = start
      Self.put(Byte.quote, &place)
      Self.date(instant.date, &place)
      Self.put(UInt8(ascii: "T"), &place)
      Self.clock(instant.nanosecondsOfDay, &place)
      Self.put(UInt8(ascii: "Z"), &place)
      Self.put(Byte.quote, &place)
      return place - start
    }
  }

  /// A time of day as `hh:mm:ss.sss`, cut to the millisecond; a leap second is `23:59:60`.
  package mutating func field(_ name: StaticString, _ time: TimeOfDay?) {
    guard let time else { return }
    field(name, room: Self.clockRoom + 2) { start in
      var place = start
      Self.put(Byte.quote, &place)
      Self.clock(time.nanoseconds, &place)
      Self.put(Byte.quote, &place)
      return place - start
    }
  }

  /// A date as `YYYY-MM-DD`.
  package mutating func field(_ name: StaticString, _ day: CalendarDate?) {
    guard let day else { return }
    field(name, room: Self.dateRoom + 2) { start in
      var place = start
      Self.put(Byte.quote, &place)
      Self.date(day, &place)
      Self.put(Byte.quote, &place)
      return place - start
    }
  }

  /// More than any date takes: three numbers of up to 20 digits, and what parts them.
  private static let dateRoom = 62
  /// The same for a time of day, four numbers.
  private static let clockRoom = 83

  @inline(__always)
  private static func put(_ byte: UInt8, _ place: inout UnsafeMutablePointer<UInt8>) {
    place[0] = byte
    place += 1
  }

  @inline(__always)
  private static func put(_ value: UInt64, atLeast width: Int, _ place: inout UnsafeMutablePointer<UInt8>) {
    place += digits(value, atLeast: width, at: place)
  }

  private static func date(_ date: CalendarDate, _ place: inout UnsafeMutablePointer<UInt8>) {
    put(UInt64(date.year), atLeast: 4, &place)
    put(Byte.minus, &place)
    put(UInt64(date.month), atLeast: 2, &place)
    put(Byte.minus, &place)
    put(UInt64(date.day), atLeast: 2, &place)
  }

  private static func clock(_ nanosecondsOfDay: Int64, _ place: inout UnsafeMutablePointer<UInt8>) {
    let milliseconds = UInt64(nanosecondsOfDay / 1_000_000)
    let seconds = milliseconds / 1000
    // The second after 23:59:59 is 23:59:60 and not 24:00:00.
    let minutes = min(seconds / 60, 24 * 60 - 1)
    put(minutes / 60, atLeast: 2, &place)
    put(Byte.colon, &place)
    put(minutes % 60, atLeast: 2, &place)
    put(Byte.colon, &place)
    put(seconds - minutes * 60, atLeast: 2, &place)
    put(Byte.dot, &place)
    put(milliseconds % 1000, atLeast: 3, &place)
  }
}
