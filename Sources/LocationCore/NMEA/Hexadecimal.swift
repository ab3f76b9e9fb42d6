/// Hexadecimal digits of either case.
enum Hexadecimal {
  /// The value of a digit, `nil` when it is none.
  @inline(__always)
  static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case 0x30...0x39: digit &- 0x30
    case 0x41...0x46: digit &- 0x37
    case 0x61...0x66: digit &- 0x57
    default: nil
    }
  }
}
