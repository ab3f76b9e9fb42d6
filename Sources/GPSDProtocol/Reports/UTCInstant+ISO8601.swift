import LocationCore

extension UTCInstant {
  /// The instant that `YYYY-MM-DDThh:mm:ss[.s…]Z` names, or `nil` for any other text.
  package init?(iso8601 text: String) {
    let bytes = Array(text.utf8)
    let punctuation = "0000-00-00T00:00:00".utf8
    guard (20...30).contains(bytes.count), bytes.last == UInt8(ascii: "Z") else { return nil }
    for (byte, pattern) in zip(bytes, punctuation) {
      guard pattern == Byte.zero ? Self.isDigit(byte) : byte == pattern else { return nil }
    }
    func number(_ range: Range<Int>) -> Int { bytes[range].reduce(0) { $0 * 10 + Int($1 - Byte.zero) } }
    var nanosecond = 0
    let fraction = bytes[19..<bytes.count - 1]
    if let dot = fraction.first {
      let decimals = fraction.dropFirst()
      guard dot == Byte.dot, !decimals.isEmpty, decimals.allSatisfy(Self.isDigit) else { return nil }
      for place in 0..<9 {
        nanosecond *= 10
        if place < decimals.count { nanosecond += Int(decimals[decimals.startIndex + place] - Byte.zero) }
      }
    }
    guard let date = CalendarDate(year: number(0..<4), month: number(5..<7), day: number(8..<10)),
      let time = TimeOfDay(
        hour: number(11..<13), minute: number(14..<16), second: number(17..<19), nanosecond: nanosecond)
    else { return nil }
    self.init(date: date, time: time)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (Byte.zero...UInt8(ascii: "9")).contains(byte) }
}

extension UTCInstant: Decodable {
  /// The instant in a string of the protocol's form.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let instant = UTCInstant(iso8601: text) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "no time: \(text)")
    }
    self = instant
  }
}
