/// The fields of a framed sentence, without the address. Valid only as long as the bytes it points into.
package struct SentenceFields {
  let base: UnsafePointer<UInt8>
  let map: CommaMap
  /// How many there are.
  package let count: Int

  /// The bytes of a field, the first one behind the address being 0; empty when there is no such field.
  package subscript(_ index: Int) -> UnsafeRawBufferPointer {
    guard index >= 0, index < count else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    var cursor = FieldCursor(self)
    cursor.skip(index)
    let field = cursor.next()
    return UnsafeRawBufferPointer(start: field.start, count: field.count)
  }

  /// The bytes between `$` and the first comma.
  package var address: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: base + 1, count: map.addressCount)
  }
}

/// The fields of a sentence that were present and malformed or out of range, by their wire numbers.
package struct SentenceProblems: OptionSet, Hashable, Sendable {
  package let rawValue: UInt64

  package init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// The field with that number, 1 for the one behind the address; those from 63 on share a bit.
  package init(field number: Int) {
    rawValue = 1 &<< UInt64(min(max(number, 0), 63))
  }
}

/// Where a line's commas are, and its end: a bit for each byte behind the `$`. With it, what reading the fields
/// found wrong. It stands for memory that lives as long as the call that decodes.
struct CommaMap {
  /// Places that a word covers.
  static let wordSize = 64
  /// Words for the longest line.
  private static let wordCount = 4
  /// Words of memory that a map needs.
  static let size = wordCount + 1

  /// Bit `k` of word `w` stands for the byte at offset `64 w + k + 1`; the last word holds the problems.
  private let words: UnsafeMutablePointer<UInt64>

  init(_ memory: UnsafeMutablePointer<UInt64>) {
    words = memory
  }

  /// No marks, no problems.
  @inline(__always)
  func clear() {
    words.initialize(repeating: 0, count: Self.size)
  }

  /// The marks of 64 places.
  @inline(__always)
  subscript(word: Int) -> UInt64 {
    get { words[word] }
    nonmutating set { words[word] = newValue }
  }

  /// The fields that were present and malformed or out of range.
  var problems: SentenceProblems { SentenceProblems(rawValue: words[Self.wordCount]) }

  /// How many bytes the address has.
  @inline(__always)
  var addressCount: Int {
    let first = words[0].trailingZeroBitCount
    return first < Self.wordSize ? first : next(after: 0).place
  }

  /// The next word that has a mark, and the place of its first bit; no marks when there is none.
  func next(after place: Int) -> (marks: UInt64, place: Int) {
    var index = place / Self.wordSize + 1
    while index < Self.wordCount {
      if words[index] != 0 { return (words[index], index * Self.wordSize) }
      index += 1
    }
    return (0, place)
  }

  /// Notes the field that begins at an offset as a problem; its wire number is the number of marks before it.
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
