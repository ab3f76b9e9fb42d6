/// Parser of decimal digits, eight at a time. Each call reads 8 bytes from `start`, regardless of `count`.
enum Digits {
  /// The value of up to 18 digits, 0 without digits; `nil` for other characters or more digits.
  static func value(_ start: UnsafePointer<UInt8>, _ count: Int) -> UInt64? {
    guard count <= 8 else { return long(start, count) }
    return value(Bytes.load(start), count)
  }

  /// The value of the first `count` ≤ 8 characters of a word.
  @inline(__always) static func value(_ word: UInt64, _ count: Int) -> UInt64? {
    // Shift the digits to the top, with leading zeros below; in two steps, because a shift by 64 has no effect.
    let unused = UInt64(truncatingIfNeeded: 8 &- count) &* 4
    let digits = ((word &- Bytes.ones &* 0x30) &<< unused) &<< unused
    guard areDigits(digits) else { return nil }
    let pairs = digits &* 10 &+ (digits >> 8)
    let left = (pairs & 0x0000_00FF_0000_00FF) &* 0x000F_4240_0000_0064
    let right = ((pairs >> 16) & 0x0000_00FF_0000_00FF) &* 0x0000_2710_0000_0001
    return (left &+ right) >> 32
  }

  /// The value of one to four digits; `nil` for other characters.
  @inline(__always) static func short(_ start: UnsafePointer<UInt8>, _ count: Int) -> Int? {
    let word = UInt32(truncatingIfNeeded: Bytes.load(start))
    let digits = (word &- 0x3030_3030) &<< UInt32(truncatingIfNeeded: 32 &- 8 &* count)
    guard ((digits &+ 0x7676_7676) | digits) & 0x8080_8080 == 0 else { return nil }
    let pairs = digits &* 10 &+ (digits >> 8)
    return Int(truncatingIfNeeded: (pairs & 0xFF) &* 100 &+ (pairs >> 16 & 0xFF))
  }

  /// Three two-digit numbers; `nil` for other characters.
  @inline(__always) static func pairs(_ start: UnsafePointer<UInt8>) -> (Int, Int, Int)? {
    let digits = (Bytes.load(start) &- Bytes.ones &* 0x30) & 0x0000_FFFF_FFFF_FFFF
    guard areDigits(digits) else { return nil }
    let pairs = digits &* 10 &+ (digits >> 8)
    return (
      Int(truncatingIfNeeded: pairs & 0xFF), Int(truncatingIfNeeded: pairs >> 16 & 0xFF),
      Int(truncatingIfNeeded: pairs >> 32 & 0xFF)
    )
  }

  @inline(__always)
  private static func areDigits(_ word: UInt64) -> Bool { ((word &+ Bytes.ones &* 0x76) | word) & Bytes.high == 0 }

  /// 9 to 18 digits.
  @inline(never) private static func long(_ start: UnsafePointer<UInt8>, _ count: Int) -> UInt64? {
    guard count <= 18 else { return nil }
    var value: UInt64 = 0
    for index in 0..<count {
      let digit = start[index] &- 0x30
      if digit > 9 { return nil }
      value = value &* 10 &+ UInt64(digit)
    }
    return value
  }
}

/// Hexadecimal digits of either case.
package enum Hexadecimal {
  /// The value of a digit; `nil` for other characters.
  @inlinable @inline(__always) package static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case 0x30...0x39: digit &- 0x30
    case 0x41...0x46: digit &- 0x37
    case 0x61...0x66: digit &- 0x57
    default: nil
    }
  }

  /// The byte of two digits; `nil` for other characters.
  static func byte(_ high: UInt8, _ low: UInt8) -> UInt8? {
    value(high).flatMap { high in value(low).map { high << 4 | $0 } }
  }

  /// The capital digit of a number below 16.
  @inlinable package static func digit(_ number: UInt8) -> UInt8 { number &+ (number < 10 ? 0x30 : 0x37) }

  /// Two lower-case digits for each byte.
  package static func text(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }

  /// The bytes of digits of either case; `nil` if there is another character, or an odd number of digits.
  @inlinable package static func bytes(_ text: some Collection<UInt8>) -> [UInt8]? {
    let digits = text.compactMap(value)
    guard digits.count == text.count, digits.count.isMultiple(of: 2) else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }
}

/// Operations on words of eight bytes. A mark is the top bit of a byte.
enum Bytes {
  static var ones: UInt64 { 0x0101_0101_0101_0101 }
  static var high: UInt64 { 0x8080_8080_8080_8080 }

  /// Loads eight bytes, the first one lowest.
  @inline(__always) static func load(_ start: UnsafePointer<UInt8>) -> UInt64 {
    UInt64(littleEndian: UnsafeRawPointer(start).loadUnaligned(as: UInt64.self))
  }

  /// Gathers the marks into eight bits, the first byte lowest.
  @inline(__always) static func squeeze(_ marks: UInt64) -> UInt64 { (marks &* 0x0002_0408_1020_4081) >> 56 }
  /// Sum of the eight bytes, modulo 256.
  @inline(__always) static func sum(_ word: UInt64) -> Int { Int(truncatingIfNeeded: (word &* ones) >> 56) }

  /// Marks the first dot, and possibly bytes after it.
  @inline(__always) static func firstDot(_ word: UInt64) -> UInt64 {
    let rest = word ^ (ones &* 0x2E)
    return (rest &- ones) & ~rest & high
  }
}
