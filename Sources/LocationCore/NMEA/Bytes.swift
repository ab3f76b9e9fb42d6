/// Text in words of eight bytes. A mark is the top bit of a byte in a word.
enum Bytes {
  static var ones: UInt64 { 0x0101_0101_0101_0101 }
  static var high: UInt64 { 0x8080_8080_8080_8080 }

  /// Eight bytes, the first one lowest.
  @inline(__always)
  static func load(_ start: UnsafePointer<UInt8>) -> UInt64 {
    UInt64(littleEndian: UnsafeRawPointer(start).loadUnaligned(as: UInt64.self))
  }

  /// One bit for each marked byte, the first byte's lowest.
  @inline(__always)
  static func squeeze(_ marks: UInt64) -> UInt64 {
    (marks &* 0x0002_0408_1020_4081) >> 56
  }

  /// The sum of the eight bytes, modulo 256.
  @inline(__always)
  static func sum(_ word: UInt64) -> Int {
    Int(truncatingIfNeeded: (word &* ones) >> 56)
  }

  /// Marks the first dot, and perhaps bytes behind it.
  @inline(__always)
  static func firstDot(_ word: UInt64) -> UInt64 {
    let rest = word ^ (ones &* 0x2E)
    return (rest &- ones) & ~rest & high
  }
}
