import GPSDProtocol
import LocationCore
import Testing

/// What is written several bytes at once, against text that is put together one character at a time.
@Suite struct JSONLineBytesTests {
  @Test(arguments: 0...19)
  func `Digits of every magnitude are written with leading zeros up to the width`(magnitude: Int) {
    let power = (0..<magnitude).reduce(UInt64(1)) { power, _ in power &* 10 }
    for value in [power - 1, power, power + 1, power / 3, power &* 9, UInt64.max - power, 0] {
      for width in 1...9 {
        var bytes = [UInt8](repeating: 0x78, count: 32)
        let count = bytes.withUnsafeMutableBufferPointer { buffer in
          buffer.baseAddress.map { JSONLine.digits(value, atLeast: width, at: $0) } ?? 0
        }
        #expect(String(decoding: bytes[..<count], as: UTF8.self) == padded(value, to: width))
        #expect(bytes[20...].allSatisfy { $0 == 0x78 }, "\(value) in \(width) takes more than 20 bytes")
      }
    }
  }

  @Test(arguments: 0...9)
  func `Numbers of every magnitude are rounded at a tie and beside it`(decimals: Int) {
    let unit = Double(UInt64.powerOfTen(decimals))
    for magnitude in 0..<19 {
      let power = Double(UInt64.powerOfTen(magnitude))
      for units in [power - 1, power - 0.5, power, power + 0.5, power / 3, power * 1.5, power * 7.25, 0.5, 0.05] {
        for near in [(units / unit).nextDown, units / unit, (units / unit).nextUp] {
          for value in [near, -near] where value.magnitude * unit < 0x1p63 {
            for trimmed in [true, false] {
              let text = JSONLine.text { $0.value(value, decimals: decimals, trimmed: trimmed) }
              #expect(text == rounded(value, decimals, trimmed: trimmed), "\(value) \(decimals)")
            }
          }
        }
      }
    }
  }

  @Test func `Names of every length are written`() {
    let names: [StaticString] = [
      "", "a", "ab", "abc", "abcd", "abcde", "abcdef", "abcdefg", "abcdefgh", "abcdefghi", "abcdefghij", "abcdefghijk",
      "abcdefghijkl", "abcdefghijklm", "abcdefghijklmn", "abcdefghijklmno", "abcdefghijklmnop", "abcdefghijklmnopq",
      "abcdefghijklmnopqrstuvwxyzabcdefghijklm",
    ]
    for name in names {
      let text = JSONLine.text { line in
        line.begin(name)
        line.field(name, true)
        line.field(name, 7)
        line.field(name, false)
        line.endObject()
      }
      #expect(text == "{\"class\":\"\(name)\",\"\(name)\":true,\"\(name)\":7,\"\(name)\":false}")
    }
  }

  @Test(arguments: 0...40)
  func `Strings of every length are written, with an escape at every place`(length: Int) {
    let plain = String("The quick brown fox jumps over a lazy dog".prefix(length))
    #expect(JSONLine.text { $0.field("s", plain) } == "\"s\":\"\(plain)\"")
    for place in 0...plain.count {
      let (head, tail) = (plain.prefix(place), plain.dropFirst(place))
      #expect(JSONLine.text { $0.value("\(head)\"\(tail)") } == "\"\(head)\\\"\(tail)\"")
    }
  }

  @Test func `Every day and every second are written`() throws {
    for day in stride(from: -200_000, to: 1_000_000, by: 37) {
      let date = CalendarDate(daysSince1970: day)
      let text = "\(padded(UInt64(date.year), to: 4))-\(padded(UInt64(date.month), to: 2))-"
      #expect(JSONLine.text { $0.field("d", date) } == "\"d\":\"\(text)\(padded(UInt64(date.day), to: 2))\"")
    }
    for second in 0..<UInt64(86_400) {
      let time = try #require(TimeOfDay(nanoseconds: Int64(second) * 1_000_000_000 + 987_654_321))
      let parts = [second / 3600, second / 60 % 60, second % 60].map { padded($0, to: 2) }
      #expect(JSONLine.text { $0.field("t", time) } == "\"t\":\"\(parts.joined(separator: ":")).987\"")
    }
  }

  private func padded(_ value: UInt64, to width: Int) -> String {
    String(repeating: "0", count: max(width - "\(value)".count, 0)) + "\(value)"
  }

  /// The number in units of its last decimal, half of one away from zero.
  private func rounded(_ value: Double, _ decimals: Int, trimmed: Bool) -> String {
    let units = UInt64((value * Double(UInt64.powerOfTen(decimals))).rounded(.toNearestOrAwayFromZero).magnitude)
    let (whole, fraction) = units.quotientAndRemainder(dividingBy: .powerOfTen(decimals))
    var text = decimals > 0 ? "\(whole).\(padded(fraction, to: decimals))" : "\(whole)"
    while trimmed, decimals > 0, text.hasSuffix("0") { text.removeLast() }
    if text.hasSuffix(".") { text.removeLast() }
    return (value < 0 && units > 0 ? "-" : "") + text
  }
}
