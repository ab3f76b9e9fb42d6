import LocationCore

extension UTCInstant {
  /// The instant that a text of ISO 8601's form `YYYY-MM-DDThh:mm:ss[.s…][Z|±hh:mm]` names, as gpsd and GPX write it;
  /// without a zone it is UTC. `nil` for any other text, and for a time that no clock shows.
  package init?(text: some Collection<UInt8>) {
    guard (19...40).contains(text.count) else { return nil }
    let bytes = Array(text)
    for (byte, pattern) in zip(bytes, "0000-00-00T00:00:00".utf8) {
      guard pattern == UInt8(ascii: "0") ? Self.isDigit(byte) : byte == pattern else { return nil }
    }
    func number(_ range: Range<Int>) -> Int { bytes[range].reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) } }
    var rest = bytes[19...]
    var nanosecond = 0
    if rest.first == UInt8(ascii: ".") {
      let decimals = rest.dropFirst().prefix(while: Self.isDigit)
      guard !decimals.isEmpty else { return nil }
      for place in 0..<9 {
        nanosecond *= 10
        if place < decimals.count { nanosecond += Int(decimals[decimals.startIndex + place] - UInt8(ascii: "0")) }
      }
      rest = rest.dropFirst(1 + decimals.count)
    }
    guard let offset = Self.secondsEast(zone: rest),
      let date = CalendarDate(year: number(0..<4), month: number(5..<7), day: number(8..<10)),
      let time = TimeOfDay(
        hour: number(11..<13), minute: number(14..<16), second: number(17..<19), nanosecond: nanosecond),
      let local = UTCInstant(date: date, time: time)
    else { return nil }
    self = local + .seconds(-offset)
  }

  private static func secondsEast(zone: ArraySlice<UInt8>) -> Int? {
    guard let sign = zone.first else { return 0 }
    if zone.elementsEqual("Z".utf8) { return 0 }
    let digits = zone.dropFirst().filter { $0 != UInt8(ascii: ":") }
    guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"), digits.count == 4, zone.count <= 6,
      let number = Int64(digits: digits), number / 100 <= 14, number % 100 < 60
    else { return nil }
    let seconds = Int(number / 100 * 3600 + number % 100 * 60)
    return sign == UInt8(ascii: "+") ? seconds : -seconds
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  /// Appends `YYYY-MM-DDThh:mm:ss[.s…]Z`, with as many decimals as it takes.
  package func write(into bytes: inout [UInt8]) {
    let date = date
    let seconds = nanosecondsOfDay / 1_000_000_000
    var fraction = UInt64(nanosecondsOfDay % 1_000_000_000)
    for (number, width, mark) in [
      (Int64(date.year), 4, "-"), (Int64(date.month), 2, "-"), (Int64(date.day), 2, "T"), (seconds / 3600, 2, ":"),
      (seconds / 60 % 60, 2, ":"), (seconds % 60, 2, ""),
    ] {
      bytes.append(digits: number.magnitude, width: width)
      bytes.append(contentsOf: mark.utf8)
    }
    if fraction > 0 {
      var width = 9
      while fraction % 10 == 0 {
        fraction /= 10
        width -= 1
      }
      bytes.append(UInt8(ascii: "."))
      bytes.append(digits: fraction, width: width)
    }
    bytes.append(UInt8(ascii: "Z"))
  }
}
