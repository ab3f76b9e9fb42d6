/// The fields of a framed sentence, without the address. Valid only as long as the underlying bytes.
package struct SentenceFields {
  let base: UnsafePointer<UInt8>
  let map: CommaMap
  package let count: Int

  /// The bytes of a field, counted from 0 after the address; empty beyond the last one.
  package subscript(_ index: Int) -> UnsafeRawBufferPointer {
    guard index >= 0, index < count else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    var cursor = FieldCursor(self)
    cursor.skip(index)
    let field = cursor.next()
    return UnsafeRawBufferPointer(start: field.start, count: field.count)
  }

  /// The bytes between `$` and the first comma.
  package var address: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base + 1, count: map.addressCount) }
}

/// The malformed or out-of-range fields of a sentence, by number.
package struct SentenceProblems: OptionSet, Hashable, Sendable {
  package let rawValue: UInt64

  package init(rawValue: UInt64) { self.rawValue = rawValue }
  /// A field by its number, 1 for the first after the address; numbers from 63 share a bit.
  package init(field number: Int) { rawValue = 1 &<< UInt64(min(max(number, 0), 63)) }
}

/// A line's commas and end, one bit per byte after the `$`, and its problems. Valid during the decoding call.
struct CommaMap {
  static let wordSize = 64
  private static let wordCount = 4
  static let size = wordCount + 1

  /// Bit `k` of word `w` belongs to the byte at offset `64 w + k + 1`; the last word contains the problems.
  private let words: UnsafeMutablePointer<UInt64>

  init(_ memory: UnsafeMutablePointer<UInt64>) { words = memory }

  @inline(__always) func clear() { words.initialize(repeating: 0, count: Self.size) }

  /// The marks of 64 positions.
  @inline(__always) subscript(word: Int) -> UInt64 {
    get { words[word] }
    nonmutating set { words[word] = newValue }
  }

  var problems: SentenceProblems { SentenceProblems(rawValue: words[Self.wordCount]) }
  func clearProblems() { words[Self.wordCount] = 0 }

  /// Length of the address, bytes.
  @inline(__always) var addressCount: Int {
    let first = words[0].trailingZeroBitCount
    return first < Self.wordSize ? first : next(after: 0).place
  }

  /// The next word with marks and the position of its first bit; no marks if there is none.
  func next(after place: Int) -> (marks: UInt64, place: Int) {
    var index = place / Self.wordSize + 1
    while index < Self.wordCount {
      if words[index] != 0 { return (words[index], index * Self.wordSize) }
      index += 1
    }
    return (0, place)
  }

  func note(_ offset: Int) {
    var number = 0
    for index in 0..<Self.wordCount {
      let places = min(max(offset - 1 - index * Self.wordSize, 0), Self.wordSize)
      let below = places == Self.wordSize ? UInt64.max : (1 << UInt64(places)) - 1
      number += (words[index] & below).nonzeroBitCount
    }
    words[Self.wordCount] |= SentenceProblems(field: number).rawValue
  }
}
