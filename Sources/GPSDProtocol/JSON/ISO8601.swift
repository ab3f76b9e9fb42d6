import LocationCore

extension UTCInstant {
  /// The instant in ISO 8601, by default in UTC, cut to nanoseconds; `nil` for any other text and for a time that does not
  /// exist.
  package init?(iso8601 text: some Collection<UInt8>) {
    let parsed =
      text.withContiguousStorageIfAvailable { Self.parse($0) ?? Self.parse(form: $0) }
      ?? Array(text).withUnsafeBufferPointer { Self.parse($0) ?? Self.parse(form: $0) }
    guard let parsed else { return nil }
    self = parsed
  }

  /// The usual form: `YYYY-MM-DDThh:mm:ss[.s…][Z]`.
  private static func parse(_ text: UnsafeBufferPointer<UInt8>) -> UTCInstant? {
    let pattern: StaticString = "0000-00-00T00:00:00"
    guard (pattern.utf8CodeUnitCount...40).contains(text.count) else { return nil }
    for index in 0..<pattern.utf8CodeUnitCount {
      let expected = pattern.utf8Start[index]
      guard expected == Byte.zero ? isDigit(text[index]) : text[index] == expected else { return nil }
    }
    func number(_ range: Range<Int>) -> Int { range.reduce(0) { $0 * 10 + Int(text[$1] - Byte.zero) } }
    var zone = pattern.utf8CodeUnitCount
    var nanosecond = 0
    if zone < text.count, text[zone] == Byte.dot {
      let decimals = zone + 1
      zone = text[decimals...].firstIndex { !isDigit($0) } ?? text.count
      guard zone > decimals else { return nil }
      let count = min(zone - decimals, 9)
      nanosecond = number(decimals..<decimals + count) * Int(UInt64.powerOfTen(9 - count))
    }
    guard zone == text.count || text[zone...].elementsEqual("Z".utf8),
      let date = CalendarDate(year: number(0..<4), month: number(5..<7), day: number(8..<10)),
      let time = TimeOfDay(
        hour: number(11..<13), minute: number(14..<16), second: number(17..<19), nanosecond: nanosecond)
    else { return nil }
    return UTCInstant(date: date, time: time)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (Byte.zero...Byte.nine).contains(byte) }
}
