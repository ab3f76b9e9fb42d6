import LocationCore

extension UTCInstant {
  /// The instant in ISO 8601, by default in UTC, cut to nanoseconds; `nil` for any other text and for a time that does not
  /// exist. Read are its forms, and those that common programs write instead: basic and ordinal dates, days of weeks, whole
  /// minutes or hours with a fraction, `24:00`, a blank between date and time, a comma before the decimals, single digits,
  /// `UTC` as the zone. A date alone is no instant.
  package init?(iso8601 text: some Collection<UInt8>) {
    guard text.count <= 64 else { return nil }
    var form = DateForm(text.map { $0 | ($0 >= 0x41 && $0 <= 0x5A ? 0x20 : 0) })
    form.skipBlanks()
    guard let day = form.day(), form.skipSeparator(), let second = form.secondOfDay(), let offset = form.zone() else {
      return nil
    }
    form.skipBlanks()
    guard form.isAtEnd, let midnight = TimeOfDay(nanoseconds: 0), let start = UTCInstant(date: day, time: midnight)
    else {
      return nil
    }
    self = start + .nanoseconds(second) - .seconds(offset)
  }
}

/// A reader of the parts of a time, in small letters.
private struct DateForm {
  private var rest: ArraySlice<UInt8>
  private let slash = UInt8(ascii: "/")

  init(_ text: [UInt8]) { rest = text[...] }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func skipBlanks() { rest = rest.drop { $0 <= 0x20 } }

  /// `YYYY-MM-DD`, `YYYYMMDD`, `YYYY-DDD`, `YYYYDDD`, `YYYY-Www-D` or `YYYYWwwD`; also with slashes and single digits.
  mutating func day() -> CalendarDate? {
    guard let year = number(4...4) else { return nil }
    let mark = take("-/")
    if mark != slash, take("w") != nil {
      guard let week = number(2...2), mark == nil || take("-") != nil, let day = number(1...1), (1...53).contains(week),
        (1...7).contains(day), let january4 = CalendarDate(year: year, month: 1, day: 4)?.daysSince1970, january4 >= 0
      else { return nil }
      // The week with 4 January is the first; 1 January 1970 was a Thursday.
      let monday = january4 - (january4 + 3) % 7
      return CalendarDate(daysSince1970: monday + (week - 1) * 7 + day - 1)
    }
    let digits = rest.prefix { (Byte.zero...Byte.nine).contains($0) }.count
    if digits == 3 || mark == nil && digits == 7 {
      guard let day = number(3...3), let first = CalendarDate(year: year, month: 1, day: 1) else { return nil }
      let date = CalendarDate(daysSince1970: first.daysSince1970 + day - 1)
      return day > 0 && date.year == year ? date : nil
    }
    let width = mark == nil ? 2...2 : 1...2
    guard let month = number(width), mark == nil || take("-/") == mark, let day = number(width) else { return nil }
    return CalendarDate(year: year, month: month, day: day)
  }

  mutating func skipSeparator() -> Bool {
    if take("t") != nil { return true }
    let before = rest.count
    skipBlanks()
    return rest.count < before
  }

  /// `hh:mm:ss`, `hhmmss`, and shorter; the last one may have decimals. Nanoseconds.
  mutating func secondOfDay() -> Int64? {
    let digits = rest.prefix { (Byte.zero...Byte.nine).contains($0) }.count
    let isBasic = digits > 2
    guard let hour = number(isBasic ? 2...2 : 1...2) else { return nil }
    var (minute, second) = (0, 0)
    var unit: Int64 = 3_600_000_000_000
    if isBasic || take(":") != nil {
      guard let value = number(2...2) else { return nil }
      (minute, unit) = (value, 60_000_000_000)
      if isBasic ? digits > 4 : take(":") != nil {
        guard let value = number(isBasic ? 2...2 : 1...2) else { return nil }
        (second, unit) = (value, 1_000_000_000)
      }
    }
    var fraction: Int64 = 0
    if take(".,") != nil {
      guard let nanos = decimals() else { return nil }
      fraction = Int64(nanos) * (unit / 1_000_000_000)
    }
    if hour == 24 { return minute == 0 && second == 0 && fraction == 0 ? TimeOfDay.day : nil }
    return TimeOfDay(hour: hour, minute: minute, second: second).map { $0.nanoseconds + fraction }
  }

  /// Seconds east of UTC; 0 without a zone.
  mutating func zone() -> Int? {
    skipBlanks()
    if rest.starts(with: "utc".utf8) || rest.starts(with: "gmt".utf8) { rest = rest.dropFirst(3) }
    if take("z") != nil || isAtEnd { return 0 }
    let isWest: Bool
    if rest.starts(with: "\u{2212}".utf8) {
      rest = rest.dropFirst("\u{2212}".utf8.count)
      isWest = true
    } else {
      guard let sign = take("+-") else { return nil }
      isWest = sign == Byte.minus
    }
    guard let hours = number(2...2), hours <= 14 else { return nil }
    _ = take(":")
    let minutes = isAtEnd ? 0 : number(2...2)
    guard let minutes, minutes < 60 else { return nil }
    return (hours * 60 + minutes) * (isWest ? -60 : 60)
  }

  private mutating func take(_ characters: StaticString) -> UInt8? {
    guard let first = rest.first,
      characters.withUTF8Buffer({ $0.contains(first) })
    else { return nil }
    rest = rest.dropFirst()
    return first
  }

  private mutating func number(_ width: ClosedRange<Int>) -> Int? {
    let digits = rest.prefix(width.upperBound).prefix { (Byte.zero...Byte.nine).contains($0) }
    guard digits.count >= width.lowerBound else { return nil }
    rest = rest.dropFirst(digits.count)
    return digits.reduce(0) { $0 * 10 + Int($1 - Byte.zero) }
  }

  private mutating func decimals() -> Int? {
    let count = rest.prefix { (Byte.zero...Byte.nine).contains($0) }.count
    guard let value = number(1...9) else { return nil }
    rest = rest.dropFirst(count - min(count, 9))
    return value * Int(UInt64.powerOfTen(9 - min(count, 9)))
  }
}
