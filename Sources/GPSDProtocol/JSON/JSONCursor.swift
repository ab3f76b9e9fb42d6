/// A forward reader of one JSON object or array (RFC 8259), value by value, without allocations. Numbers and strings
/// are ranges of the bytes, for `number(_:)` and `text(_:)`; nested groups are for another cursor, their grammar is
/// checked in passing, to ``maximumDepth``. A breach of the grammar ends the iteration and sets ``isBroken``.
package struct JSONCursor {
  package enum Value: Hashable, Sendable {
    case number(Range<Int>)
    /// Digits and signs that are no number of JSON, such as `01` or `1.`.
    case malformedNumber
    /// The bytes between the quotes, escapes as they are on the wire.
    case string(Range<Int>)
    case bool(Bool)
    case null
    case object(Range<Int>)
    case array(Range<Int>)
  }

  /// Deepest nesting below the group that is read.
  package static let maximumDepth = 64

  package private(set) var isBroken = false
  let bytes: UnsafeBufferPointer<UInt8>
  private let end: Int
  private var index: Int
  private var isFirst = true
  private(set) var isClosed = false
  private let closing: UInt8

  /// A cursor at the beginning of the group in `range`, or in all of the bytes; `nil` if no group begins there.
  package init?(_ bytes: UnsafeBufferPointer<UInt8>, in range: Range<Int>? = nil) {
    let range = range ?? 0..<bytes.count
    guard let first = range.first, range.upperBound <= bytes.count else { return nil }
    switch bytes[first] {
    case Byte.openBrace: closing = Byte.closeBrace
    case Byte.openBracket: closing = Byte.closeBracket
    default: return nil
    }
    self.bytes = bytes
    end = range.upperBound
    index = first + 1
  }

  package mutating func member() -> (name: Range<Int>, value: Value)? {
    guard closing == Byte.closeBrace, advance() else { return nil }
    guard let name = name(), let value = value() else { return fail() }
    return (name, value)
  }

  package mutating func element() -> Value? {
    guard closing == Byte.closeBracket, advance() else { return nil }
    guard let value = value() else { return fail() }
    return value
  }

  package func `is`(_ range: Range<Int>, _ text: StaticString) -> Bool {
    guard range.count == text.utf8CodeUnitCount else { return false }
    let text = text.utf8Start
    for offset in 0..<range.count where bytes[range.lowerBound + offset] != text[offset] { return false }
    return true
  }

  /// Moves to the next value; false after the last one.
  private mutating func advance() -> Bool {
    guard !isClosed else { return false }
    skipBlanks()
    if take(closing) {
      skipBlanks()
      isClosed = true
      isBroken = index != end
      return false
    }
    if !isFirst {
      guard take(Byte.comma) else { return fail() ?? false }
      skipBlanks()
    }
    isFirst = false
    return true
  }

  private mutating func fail<Value>() -> Value? {
    isBroken = true
    isClosed = true
    return nil
  }

  private mutating func value(depth: Int = 0) -> Value? {
    guard index < end else { return nil }
    switch bytes[index] {
    case Byte.openBrace: return group(to: Byte.closeBrace, depth: depth).map { .object($0) }
    case Byte.openBracket: return group(to: Byte.closeBracket, depth: depth).map { .array($0) }
    case Byte.quote: return string().map { .string($0) }
    case UInt8(ascii: "t"): return take("true") ? .bool(true) : nil
    case UInt8(ascii: "f"): return take("false") ? .bool(false) : nil
    case UInt8(ascii: "n"): return take("null") ? .null : nil
    case Byte.minus, Byte.zero...Byte.nine:
      let begin = index
      while index < end, Self.isPartOfNumber(bytes[index]) { index += 1 }
      return Self.isNumber(bytes[begin..<index]) ? .number(begin..<index) : .malformedNumber
    default: return nil
    }
  }

  private mutating func name() -> Range<Int>? {
    guard let name = string() else { return nil }
    skipBlanks()
    guard take(Byte.colon) else { return nil }
    skipBlanks()
    return name
  }

  private mutating func string() -> Range<Int>? {
    guard take(Byte.quote) else { return nil }
    let begin = index
    while index < end {
      switch bytes[index] {
      case Byte.quote:
        defer { index += 1 }
        return begin..<index
      case Byte.backslash:
        guard let length = escapeLength else { return nil }
        index += length
      case ..<Byte.blank: return nil
      default: index += 1
      }
    }
    return nil
  }

  /// Length of the escape at `index` in bytes; `nil` when JSON has no such escape.
  private var escapeLength: Int? {
    guard index + 1 < end else { return nil }
    switch bytes[index + 1] {
    case Byte.quote, Byte.backslash, UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"), UInt8(ascii: "n"),
      UInt8(ascii: "r"), UInt8(ascii: "t"):
      return 2
    case UInt8(ascii: "u"):
      guard index + 6 <= end else { return nil }
      return bytes[index + 2..<index + 6].allSatisfy { Character(Unicode.Scalar($0)).isHexDigit } ? 6 : nil
    default: return nil
    }
  }

  private mutating func group(to closing: UInt8, depth: Int) -> Range<Int>? {
    guard depth < Self.maximumDepth else { return nil }
    let begin = index
    index += 1
    skipBlanks()
    if take(closing) { return begin..<index }
    repeat {
      skipBlanks()
      if closing == Byte.closeBrace, name() == nil { return nil }
      guard value(depth: depth + 1) != nil else { return nil }
      skipBlanks()
    } while take(Byte.comma)
    return take(closing) ? begin..<index : nil
  }

  private mutating func take(_ word: StaticString) -> Bool {
    let range = index..<min(index + word.utf8CodeUnitCount, end)
    guard self.is(range, word) else { return false }
    index = range.upperBound
    return true
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard index < end, bytes[index] == byte else { return false }
    index += 1
    return true
  }

  private mutating func skipBlanks() {
    while index < end, Self.isBlank(bytes[index]) { index += 1 }
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == Byte.blank || byte == Byte.tab || byte == Byte.lineFeed || byte == Byte.carriageReturn
  }

  private static func isPartOfNumber(_ byte: UInt8) -> Bool {
    switch byte {
    case Byte.zero...Byte.nine, Byte.minus, Byte.plus, Byte.dot, UInt8(ascii: "e"), UInt8(ascii: "E"): true
    default: false
    }
  }

  /// Whether the bytes are `-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?`.
  private static func isNumber(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    var digits = bytes
    if digits.first == Byte.minus { digits.removeFirst() }
    if digits.first == Byte.zero, digits.count > 1, (Byte.zero...Byte.nine).contains(digits[digits.startIndex + 1]) {
      return false
    }
    return Double.isDecimal(digits)
  }
}
