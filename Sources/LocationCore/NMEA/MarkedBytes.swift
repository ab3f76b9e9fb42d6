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
