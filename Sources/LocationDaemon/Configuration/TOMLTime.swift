import LocationCore

/// Recognizes dates and times in TOML. Their values are not kept: no key has one.
enum TOMLTime {
  /// What a word is, for error messages; `nil` if it is neither a date nor a time.
  static func kind(of word: String) -> String? {
    var rest = Array(word.utf8)[...]
    guard let date = numbers("0000-00-00", &rest) else { return skipTime(&rest) && rest.isEmpty ? "a time" : nil }
    guard CalendarDate(year: date[0], month: date[1], day: date[2]) != nil else { return nil }
    guard let mark = rest.popFirst() else { return "a date" }
    guard "Tt ".utf8.contains(mark), skipTime(&rest), skipOffset(&rest), rest.isEmpty else { return nil }
    return "a date and time"
  }

  /// Skips `07:32:00`, perhaps with a fraction; returns whether it is there.
  private static func skipTime(_ rest: inout ArraySlice<UInt8>) -> Bool {
    guard let time = numbers("00:00:00", &rest), time[0] < 24, max(time[1], time[2]) < 60 else { return false }
    guard rest.first == UInt8(ascii: ".") else { return true }
    let digits = rest.dropFirst().prefix { 0x30...0x39 ~= $0 }
    rest = rest[digits.endIndex...]
    return !digits.isEmpty
  }

  /// Skips an offset, if there is one; returns whether it is valid.
  private static func skipOffset(_ rest: inout ArraySlice<UInt8>) -> Bool {
    guard let sign = rest.popFirst(), !"Zz".utf8.contains(sign) else { return true }
    guard "+-".utf8.contains(sign), let offset = numbers("00:00", &rest) else { return false }
    return offset[0] < 24 && offset[1] < 60
  }

  /// Skips a text of a form in which each digit is 0; returns its numbers, `nil` if another text follows.
  private static func numbers(_ form: StaticString, _ rest: inout ArraySlice<UInt8>) -> [Int]? {
    let text = rest.prefix(form.utf8CodeUnitCount)
    let isOfForm = form.withUTF8Buffer { $0.elementsEqual(text.map { 0x30...0x39 ~= $0 ? 0x30 : $0 }) }
    guard isOfForm else { return nil }
    rest = rest.dropFirst(text.count)
    return text.split { !(0x30...0x39 ~= $0) }.map { $0.reduce(0) { $0 * 10 + Int($1 - 0x30) } }
  }
}
