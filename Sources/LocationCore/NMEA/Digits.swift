/// Decimal digits, eight at a time. Every reading takes 8 bytes from its start, used or not.
enum Digits {
  private static var ones: UInt64 { 0x0101_0101_0101_0101 }
  private static var high: UInt64 { 0x8080_8080_8080_8080 }

  /// Eight bytes, the first one lowest.
  @inline(__always)
  static func word(_ start: UnsafePointer<UInt8>) -> UInt64 {
    UInt64(littleEndian: UnsafeRawPointer(start).loadUnaligned(as: UInt64.self))
  }

  /// Offset of the first dot, 8 or more when there is none among the first eight bytes.
  @inline(__always)
  static func dot(_ start: UnsafePointer<UInt8>) -> Int {
    let word = word(start) ^ (ones &* 0x2E)
    return ((word &- ones) & ~word & high).trailingZeroBitCount >> 3
  }

  /// The value of up to eight digits, 0 for none; `nil` when one is no digit, or there are more.
  @inline(__always)
  static func value(_ start: UnsafePointer<UInt8>, _ count: Int) -> UInt64? {
    if count == 0 { return 0 }
    guard count <= 8 else { return long(start, count) }
    // Digits to the top, zeros below: leading zeros of the number.
    let digits = (word(start) &- ones &* 0x30) &<< UInt64(truncatingIfNeeded: 64 &- count &* 8)
    guard areDigits(digits) else { return nil }
    let pairs = digits &* 10 &+ (digits >> 8)
    let left = (pairs & 0x0000_00FF_0000_00FF) &* 0x000F_4240_0000_0064
    let right = ((pairs >> 16) & 0x0000_00FF_0000_00FF) &* 0x0000_2710_0000_0001
    return (left &+ right) >> 32
  }

  /// Three numbers of two digits each from six characters; `nil` when one is no digit.
  @inline(__always)
  static func pairs(_ start: UnsafePointer<UInt8>) -> (Int, Int, Int)? {
    let digits = (word(start) &- ones &* 0x30) & 0x0000_FFFF_FFFF_FFFF
    guard areDigits(digits) else { return nil }
    let pairs = digits &* 10 &+ (digits >> 8)
    return (
      Int(truncatingIfNeeded: pairs & 0xFF), Int(truncatingIfNeeded: pairs >> 16 & 0xFF),
      Int(truncatingIfNeeded: pairs >> 32 & 0xFF)
    )
  }

  @inline(__always)
  private static func areDigits(_ word: UInt64) -> Bool {
    ((word &+ ones &* 0x76) | word) & high == 0
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
