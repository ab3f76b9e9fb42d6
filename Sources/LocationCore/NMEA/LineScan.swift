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
  /// How many commas stand in front of the end.
  let commas: Int

  /// Scans a line from its `$` at `base`.
  static func scan(_ base: UnsafePointer<UInt8>, count: Int, _ map: CommaMap) -> LineScan {
    let start = base + 1
    let limit = min(count, contentBound) &- 1
    var progress = Progress(map)
    // Sixteen bytes at a time, until one of them may be the end.
    while progress.place &+ MarkedBytes.count <= limit {
      let bytes = MarkedBytes(start + progress.place)
      guard bytes.isPlain else {
        if let scan = progress.end(in: bytes) { return scan }
        continue
      }
      progress.take(bytes)
    }
    while progress.place < limit {
      let byte = start[progress.place]
      if let end = End(byte) { return progress.finish(end) }
      progress.take(byte)
    }
    return progress.finish(limit == contentBound - 1 ? .overlong : .open)
  }

  /// How far a scan has come.
  private struct Progress {
    private let map: CommaMap
    /// Bytes behind the `$`.
    private(set) var place = 0
    private var sums = SIMD2<UInt64>.zero
    private var tally = SIMD2<UInt64>.zero
    private var bits: UInt64 = 0

    @inline(__always)
    init(_ map: CommaMap) {
      self.map = map
      map.clear()
    }

    @inline(__always)
    mutating func take(_ bytes: MarkedBytes) {
      bits |= bytes.commaBits &<< UInt64(truncatingIfNeeded: place)
      tally &+= bytes.commas &>> 7
      sums ^= bytes.words
      place &+= MarkedBytes.count
      if place & (CommaMap.wordSize - 1) == 0 { flush() }
    }

    @inline(__always)
    mutating func take(_ byte: UInt8) {
      if byte == 0x2C {
        bits |= 1 &<< UInt64(truncatingIfNeeded: place)
        tally[0] &+= 1
      }
      sums[0] ^= UInt64(byte)
      place &+= 1
      if place & (CommaMap.wordSize - 1) == 0 { flush() }
    }

    @inline(__always)
    private mutating func flush() {
      map[place / CommaMap.wordSize - 1] = bits
      bits = 0
    }

    /// The scan that ends in these bytes; takes them when none of them ends it.
    @inline(__always)
    mutating func end(in bytes: MarkedBytes) -> LineScan? {
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

    @inline(__always)
    private mutating func take(_ word: UInt64, _ commas: UInt64, count: Int) {
      bits |= Bytes.squeeze(commas) &<< UInt64(truncatingIfNeeded: place)
      tally[0] &+= commas &>> 7
      sums[0] ^= word
      place &+= count
      if count > 0, place & (CommaMap.wordSize - 1) == 0 { flush() }
    }

    @inline(__always)
    func finish(_ end: End) -> LineScan {
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
  /// What a byte ends; `nil` when it ends nothing.
  @inline(__always)
  fileprivate init?(_ byte: UInt8) {
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

/// Sixteen bytes of a line in two words, and marks in them: the top bits of the bytes that mean something.
struct MarkedBytes {
  /// How many bytes.
  static let count = 16

  /// The bytes.
  let words: SIMD2<UInt64>
  /// Marks commas.
  let commas: SIMD2<UInt64>
  /// Marks all bytes that may end a line, and some that may not: those below the comma, and 0x7F and above.
  ///
  /// In a word, behind the first byte of 0x80 and above, these marks and those of the commas may be wrong: sums carry
  /// from there on.
  let others: SIMD2<UInt64>

  @inline(__always)
  init(_ start: UnsafePointer<UInt8>) {
    let ones = SIMD2<UInt64>(repeating: Bytes.ones)
    let high = SIMD2<UInt64>(repeating: Bytes.high)
    words = SIMD2(Bytes.load(start), Bytes.load(start + 8))
    let fromComma = (words ^ SIMD2(repeating: Bytes.ones &* 0x2C)) &+ SIMD2(repeating: Bytes.ones &* 0x7F)
    let aboveComma = words &+ SIMD2(repeating: Bytes.ones &* (0x80 - 0x2D))
    commas = ~fromComma & high
    others = ((aboveComma ^ fromComma) | words | (words &+ ones)) & high
  }

  /// Whether nothing but commas is marked.
  @inline(__always)
  var isPlain: Bool { others[0] | others[1] == 0 }

  /// A bit for each comma.
  @inline(__always)
  var commaBits: UInt64 { Bytes.squeeze(commas[0]) | Bytes.squeeze(commas[1]) &<< 8 }
}
