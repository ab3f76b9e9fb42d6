/// The end of a line, found in one pass together with its checksum and the places of its commas.
struct LineScan {
  /// What ended the line.
  enum End {
    /// `*`.
    case star
    /// `$` or `!`, the start of another line.
    case restart
    /// CR or LF.
    case lineEnd
    /// A byte outside 0x20 to 0x7E.
    case notASCII
    /// Nothing within the bound.
    case overlong
    /// Nothing yet.
    case open
  }

  /// Most bytes from `$` to in front of `*`.
  static let contentBound = 254
  /// Most bytes from `$` through `*hh`.
  static let bound = contentBound + 2

  let end: End
  /// Offset of the byte that ended the line.
  let length: Int
  /// XOR of the bytes between `$` and the end.
  let checksum: UInt8
  /// Commas found, their offsets are in the array given; the end's offset follows them.
  let commas: Int

  /// Scans a line from its `$` at `base`. `bounds` must have room for `contentBound + 2` offsets.
  static func scan(_ base: UnsafePointer<UInt8>, count: Int, bounds: UnsafeMutablePointer<UInt16>) -> LineScan {
    let high: UInt64 = 0x8080_8080_8080_8080
    let ones: UInt64 = 0x0101_0101_0101_0101
    let limit = min(count, contentBound)
    let raw = UnsafeRawPointer(base)
    var index = 1
    var sum: UInt64 = 0
    var commas = 0
    while index &+ 8 <= limit {
      let word = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: index, as: UInt64.self))
      // A set top bit marks every byte that is a comma or may end the line: ≤ 0x2C or ≥ 0x7F. A carry out
      // of a byte ≥ 0x7F may mark its neighbours wrongly; each marked byte is looked at again below.
      var marks = (~((word | high) &- ones &* 0x2D) | word | (word &+ ones)) & high
      while marks != 0 {
        let shift = marks.trailingZeroBitCount & ~7
        let byte = UInt8(truncatingIfNeeded: word >> UInt64(shift))
        let place = index &+ (shift >> 3)
        if byte == 0x2C {
          bounds[commas] = UInt16(truncatingIfNeeded: place)
          commas &+= 1
        } else if let end = end(at: byte) {
          sum ^= word & ((1 &<< UInt64(shift)) &- 1)
          return finish(end, place, sum, commas, bounds)
        }
        marks &= marks &- 1
      }
      sum ^= word
      index &+= 8
    }
    while index < limit {
      let byte = base[index]
      if byte == 0x2C {
        bounds[commas] = UInt16(truncatingIfNeeded: index)
        commas &+= 1
      } else if let end = end(at: byte) {
        return finish(end, index, sum, commas, bounds)
      }
      sum ^= UInt64(byte)
      index &+= 1
    }
    return finish(limit == contentBound ? .overlong : .open, limit, sum, commas, bounds)
  }

  @inline(__always)
  private static func end(at byte: UInt8) -> End? {
    switch byte {
    case 0x2A: .star
    case 0x24, 0x21: .restart
    case 0x0D, 0x0A: .lineEnd
    case 0x20...0x7E: nil
    default: .notASCII
    }
  }

  @inline(__always)
  private static func finish(
    _ end: End, _ length: Int, _ sum: UInt64, _ commas: Int, _ bounds: UnsafeMutablePointer<UInt16>
  ) -> LineScan {
    bounds[commas] = UInt16(truncatingIfNeeded: length)
    var folded = sum ^ (sum >> 32)
    folded ^= folded >> 16
    folded ^= folded >> 8
    return LineScan(end: end, length: length, checksum: UInt8(truncatingIfNeeded: folded), commas: commas)
  }
}
