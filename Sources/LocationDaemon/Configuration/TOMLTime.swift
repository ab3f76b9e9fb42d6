import LocationCore

/// Recognizes dates and times in TOML. Their values are not kept: no key has one.
enum TOMLTime {
  /// What a word is, for error messages; `nil` if it is neither a date nor a time.
  static func kind(of word: String) -> String? {
    let text = Array(word.utf8)
    if isTime(text[...], mayHaveOffset: false) { return "a time" }
    guard isDate(text.prefix(10)) else { return nil }
    if text.count == 10 { return "a date" }
    guard "Tt ".utf8.contains(text[10]), isTime(text[11...], mayHaveOffset: true) else { return nil }
    return "a date and time"
  }

  /// `1979-05-27`.
  private static func isDate(_ text: ArraySlice<UInt8>) -> Bool {
    guard let parts = numbers(text, between: "-", digits: [4, 2, 2]) else { return false }
    return CalendarDate(year: parts[0], month: parts[1], day: parts[2]) != nil
  }

  /// `07:32:00`, with a fraction, and an offset if it may have one.
  private static func isTime(_ text: ArraySlice<UInt8>, mayHaveOffset: Bool) -> Bool {
    guard isClock(text.prefix(8), parts: 3) else { return false }
    var rest = text.dropFirst(8)
    if rest.first == UInt8(ascii: ".") {
      let digits = rest.dropFirst().prefix { (0x30...0x39).contains($0) }
      guard !digits.isEmpty else { return false }
      rest = rest[digits.endIndex...]
    }
    guard mayHaveOffset, let sign = rest.first else { return rest.isEmpty }
    if "Zz".utf8.contains(sign) { return rest.count == 1 }
    return "+-".utf8.contains(sign) && isClock(rest.dropFirst(), parts: 2)
  }

  /// Hours, minutes and perhaps seconds of two digits each.
  private static func isClock(_ text: ArraySlice<UInt8>, parts count: Int) -> Bool {
    guard let parts = numbers(text, between: ":", digits: Array(repeating: 2, count: count)) else { return false }
    return parts[0] < 24 && parts.dropFirst().allSatisfy { $0 < 60 }
  }

  /// The numbers between separators; `nil` if they do not have that many digits.
  private static func numbers(
    _ text: ArraySlice<UInt8>, between separator: Unicode.Scalar, digits: [Int]
  ) -> [Int]? {
    let parts = text.split(separator: UInt8(ascii: separator), omittingEmptySubsequences: false)
    guard parts.map(\.count) == digits, parts.joined().allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return parts.map { $0.reduce(0) { $0 * 10 + Int($1 - 0x30) } }
  }
}
