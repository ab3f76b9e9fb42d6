/// A TAG block, `\s:gps1,c:1774000000*hh\`, as NMEA 4 puts it in front of a sentence. Its content is not
/// used; it is recognised so that it can be passed by, and a bad one never costs the sentence behind it.
enum TagBlock {
  /// Not known yet, more bytes are needed.
  case open
  /// Whole, with a checksum that holds; its length in bytes, both backslashes included.
  case whole(length: Int)
  /// Malformed; that many bytes are to be passed by.
  case bad(length: Int)

  /// Most bytes of a block, both backslashes included.
  static let bound = 256

  /// Looks at a block from its first backslash at `base`.
  static func scan(_ base: UnsafePointer<UInt8>, count: Int) -> TagBlock {
    var checksum: UInt8 = 0
    var star: Int?
    var index = 1
    while index < min(count, bound) {
      let byte = base[index]
      switch byte {
      case 0x5C:
        guard let star, index == star + 3, let high = Hexadecimal.value(base[star + 1]),
          let low = Hexadecimal.value(base[star + 2]), high << 4 | low == checksum
        else { return .bad(length: index + 1) }
        return .whole(length: index + 1)
      case 0x24, 0x21, 0x00...0x1F, 0x7F...0xFF:
        return .bad(length: index)
      case 0x2A where star == nil:
        star = index
      default:
        if star == nil { checksum ^= byte }
      }
      index += 1
    }
    return index == bound ? .bad(length: index) : .open
  }
}
