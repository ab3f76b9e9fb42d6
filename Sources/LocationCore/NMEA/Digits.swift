/// Decimal digits, eight at a time. Every reading takes 8 bytes from its start, used or not.
enum Digits {
  /// The value of up to 18 digits, 0 for none; `nil` when one is no digit, or there are more.
  static func value(_ start: UnsafePointer<UInt8>, _ count: Int) -> UInt64? {
    guard count <= 8 else { return long(start, count) }
    return value(Bytes.load(start), count)
  }

  /// The value of the first `count` characters of a word, at most 8.
  @inline(__always)
  static func value(_ word: UInt64, _ count: Int) -> UInt64? {
    // Digits to the top, zeros below: leading zeros of the number. In two steps, as a shift by 64 is none.
    let unused = UInt64(truncatingIfNeeded: 8 &- count) &* 4
    let digits = ((word &- Bytes.ones &* 0x30) &<< unused) &<< unused
    guard areDigits(digits) else { return nil }
    let pairs = digits &* 10 &+ (digits >> 8)
    let left = (pairs & 0x0000_00FF_0000_00FF) &* 0x000F_4240_0000_0064
    let right = ((pairs >> 16) & 0x0000_00FF_0000_00FF) &* 0x0000_2710_0000_0001
    return (left &+ right) >> 32
  }

  /// The value of one to four digits; `nil` when one is no digit.
  @inline(__always)
  static func short(_ start: UnsafePointer<UInt8>, _ count: Int) -> Int? {
    let word = UInt32(truncatingIfNeeded: Bytes.load(start))
    let digits = (word &- 0x3030_3030) &<< UInt32(truncatingIfNeeded: 32 &- 8 &* count)
    guard ((digits &+ 0x7676_7676) | digits) & 0x8080_8080 == 0 else { return nil }
    let pairs = digits &* 10 &+ (digits >> 8)
    return Int(truncatingIfNeeded: (pairs & 0xFF) &* 100 &+ (pairs >> 16 & 0xFF))
  }

  /// Three numbers of two digits each from six characters; `nil` when one is no digit.
  @inline(__always)
  static func pairs(_ start: UnsafePointer<UInt8>) -> (Int, Int, Int)? {
    let digits = (Bytes.load(start) &- Bytes.ones &* 0x30) & 0x0000_FFFF_FFFF_FFFF
    guard areDigits(digits) else { return nil }
    let pairs = digits &* 10 &+ (digits >> 8)
    return (
      Int(truncatingIfNeeded: pairs & 0xFF), Int(truncatingIfNeeded: pairs >> 16 & 0xFF),
      Int(truncatingIfNeeded: pairs >> 32 & 0xFF)
    )
  }

  @inline(__always)
  private static func areDigits(_ word: UInt64) -> Bool {
    ((word &+ Bytes.ones &* 0x76) | word) & Bytes.high == 0
  }

  /// 9 to 18 digits.
  @inline(never)
  private static func long(_ start: UnsafePointer<UInt8>, _ count: Int) -> UInt64? {
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
