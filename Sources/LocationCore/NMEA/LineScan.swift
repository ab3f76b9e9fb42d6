/// Result of scanning a line in one pass: its end, checksum and comma positions.
struct LineScan {
  enum End {
    case star
    /// `$` or `!`: start of another line.
    case restart
    case lineEnd
    /// A byte outside 0x20 to 0x7E.
    case notASCII
    case overlong
    /// No end so far.
    case open
  }

  /// Maximum number of bytes from `$` up to `*`.
  static let contentBound = 254
  /// Maximum number of bytes from `$` through `*hh`.
  static let bound = contentBound + 2

  let end: End
  /// Offset of the byte that ended the line.
  let length: Int
  /// XOR of the bytes between `$` and the end.
  let checksum: UInt8
  let commas: Int

  static func scan(_ base: UnsafePointer<UInt8>, count: Int, _ map: CommaMap) -> LineScan {
    let start = base + 1
    let limit = min(count, contentBound) &- 1
    var scanner = Scanner(map)
    // Sixteen bytes at a time while none of them can be the end.
    while scanner.place &+ MarkedBytes.count <= limit {
      let bytes = MarkedBytes(start + scanner.place)
      guard bytes.isPlain else {
        if let scan = scanner.end(in: bytes) { return scan }
        continue
      }
      scanner.take(bytes)
    }
    while scanner.place < limit {
      let byte = start[scanner.place]
      if let end = End(byte) { return scanner.finish(end) }
      scanner.take(byte)
    }
    return scanner.finish(limit == contentBound - 1 ? .overlong : .open)
  }

  private struct Scanner {
    private let map: CommaMap
    /// Number of bytes scanned after the `$`.
    private(set) var place = 0
    private var sums = SIMD2<UInt64>.zero
    private var tally = SIMD2<UInt64>.zero
    private var bits: UInt64 = 0

    @inline(__always) init(_ map: CommaMap) {
      self.map = map
      map.clear()
    }

    @inline(__always) mutating func take(_ bytes: MarkedBytes) {
      bits |= bytes.commaBits &<< UInt64(truncatingIfNeeded: place)
      tally &+= bytes.commas &>> 7
      sums ^= bytes.words
      place &+= MarkedBytes.count
      if place & (CommaMap.wordSize - 1) == 0 { flush() }
    }

    @inline(__always) mutating func take(_ byte: UInt8) {
      if byte == 0x2C {
        bits |= 1 &<< UInt64(truncatingIfNeeded: place)
        tally[0] &+= 1
      }
      sums[0] ^= UInt64(byte)
      place &+= 1
      if place & (CommaMap.wordSize - 1) == 0 { flush() }
    }

    @inline(__always) private mutating func flush() {
      map[place / CommaMap.wordSize - 1] = bits
      bits = 0
    }

    /// Returns the result if one of these bytes ends the line; otherwise consumes them.
    @inline(__always) mutating func end(in bytes: MarkedBytes) -> LineScan? {
      for lane in 0..<2 {
        let word = bytes.words[lane]
        var marks = bytes.others[lane]
        while marks != 0 {
          let shift = UInt64(truncatingIfNeeded: marks.trailingZeroBitCount & ~7)
          marks &= marks &- 1
          guard let end = End(UInt8(truncatingIfNeeded: word &>> shift)) else { continue }
          let before = (1 &<< shift) &- 1
          take(word & before, bytes.commas[lane] & before, count: Int(truncatingIfNeeded: shift &>> 3))
          return finish(end)
        }
        take(word, bytes.commas[lane], count: 8)
      }
      return nil
    }

    @inline(__always) private mutating func take(_ word: UInt64, _ commas: UInt64, count: Int) {
      bits |= Bytes.squeeze(commas) &<< UInt64(truncatingIfNeeded: place)
      tally[0] &+= commas &>> 7
      sums[0] ^= word
      place &+= count
      if count > 0, place & (CommaMap.wordSize - 1) == 0 { flush() }
    }

    @inline(__always) func finish(_ end: End) -> LineScan {
      map[place / CommaMap.wordSize] = bits | 1 &<< UInt64(truncatingIfNeeded: place)
      var sum = sums[0] ^ sums[1]
      sum ^= sum &>> 32
      sum ^= sum &>> 16
      sum ^= sum &>> 8
      return LineScan(
        end: end, length: place &+ 1, checksum: UInt8(truncatingIfNeeded: sum),
        commas: Bytes.sum(tally[0] &+ tally[1]))
    }
  }
}

extension LineScan.End {
  /// The end that a byte represents, or `nil` for content.
  @inline(__always) fileprivate init?(_ byte: UInt8) {
    if byte == 0x2A {
      self = .star
    } else if byte == 0x24 || byte == 0x21 {
      self = .restart
    } else if byte == 0x0D || byte == 0x0A {
      self = .lineEnd
    } else if byte < 0x20 || byte > 0x7E {
      self = .notASCII
    } else {
      return nil
    }
  }
}

/// Sixteen bytes of a line in two words, with marks (top bits) on commas and possible line ends.
struct MarkedBytes {
  static let count = 16

  let words: SIMD2<UInt64>
  let commas: SIMD2<UInt64>
  /// Marks on all bytes that can end a line, and on some that cannot: below the comma, and 0x7F and above. After the
  /// first byte of 0x80 or above in a word, all marks may be wrong because the sums carry.
  let others: SIMD2<UInt64>

  @inline(__always) init(_ start: UnsafePointer<UInt8>) {
    let ones = SIMD2<UInt64>(repeating: Bytes.ones)
    let high = SIMD2<UInt64>(repeating: Bytes.high)
    words = SIMD2(Bytes.load(start), Bytes.load(start + 8))
    let fromComma = (words ^ SIMD2(repeating: Bytes.ones &* 0x2C)) &+ SIMD2(repeating: Bytes.ones &* 0x7F)
    let aboveComma = words &+ SIMD2(repeating: Bytes.ones &* (0x80 - 0x2D))
    commas = ~fromComma & high
    others = ((aboveComma ^ fromComma) | words | (words &+ ones)) & high
  }

  @inline(__always) var isPlain: Bool { others[0] | others[1] == 0 }
  /// One bit per byte, set for commas.
  @inline(__always) var commaBits: UInt64 { Bytes.squeeze(commas[0]) | Bytes.squeeze(commas[1]) &<< 8 }
}
