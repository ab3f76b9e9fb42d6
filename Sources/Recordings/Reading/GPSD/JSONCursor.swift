/// Goes through one JSON object or array on one line, value by value, without building anything from it.
///
/// Nested objects and arrays come as ranges, to be gone through by another cursor. What breaks the grammar between the
/// values ends the way and sets ``isBroken``; nothing recurs, and nothing is read twice but what is nested.
package struct JSONCursor {
  /// A value, as bytes of the line.
  package enum Value: Hashable {
    /// Digits that the grammar of numbers allows.
    case number(Double)
    /// Between the quotes, escapes as they are.
    case string(Range<Int>)
    case bool(Bool)
    case null
    case object(Range<Int>)
    case array(Range<Int>)
  }

  /// Longer numbers are none that anyone measured.
  static let longestNumber = 48

  /// Whether it is no JSON.
  package private(set) var isBroken = false

  private let bytes: UnsafeBufferPointer<UInt8>
  private let end: Int
  private var index: Int
  private var isFirst = true
  private var isClosed = false
  private let closing: UInt8

  /// At the beginning of the object or array that takes up `range`, or all of the bytes; `nil` if there is none.
  package init?(_ bytes: UnsafeBufferPointer<UInt8>, in range: Range<Int>? = nil) {
    let range = range ?? 0..<bytes.count
    guard let first = range.first, range.upperBound <= bytes.count else { return nil }
    switch bytes[first] {
    case UInt8(ascii: "{"): closing = UInt8(ascii: "}")
    case UInt8(ascii: "["): closing = UInt8(ascii: "]")
    default: return nil
    }
    self.bytes = bytes
    end = range.upperBound
    index = first + 1
  }

  /// The next member of an object; `nil` after the last one.
  package mutating func member() -> (name: Range<Int>, value: Value)? {
    guard closing == UInt8(ascii: "}"), goesOn() else { return nil }
    guard let name = string() else { return broken() }
    skipBlanks()
    guard take(UInt8(ascii: ":")) else { return broken() }
    skipBlanks()
    guard let value = value() else { return broken() }
    return (name, value)
  }

  /// The next element of an array; `nil` after the last one.
  package mutating func element() -> Value? {
    guard closing == UInt8(ascii: "]"), goesOn() else { return nil }
    guard let value = value() else { return broken() }
    return value
  }

  /// Whether the bytes of a range are that text.
  package func `is`(_ range: Range<Int>, _ text: StaticString) -> Bool {
    range.count == text.utf8CodeUnitCount
      && text.withUTF8Buffer { text in text.elementsEqual(bytes[range]) }
  }

  private mutating func broken<Nothing>() -> Nothing? {
    isBroken = true
    isClosed = true
    return nil
  }

  /// Whether another value follows.
  private mutating func goesOn() -> Bool {
    skipBlanks()
    guard !isClosed else { return false }
    guard index < end else {
      isBroken = true
      return false
    }
    if bytes[index] == closing {
      index += 1
      skipBlanks()
      // Nothing but blanks may follow.
      isBroken = isBroken || index != end
      isClosed = true
      return false
    }
    if !isFirst {
      guard take(UInt8(ascii: ",")) else {
        isBroken = true
        isClosed = true
        return false
      }
      skipBlanks()
    }
    isFirst = false
    return true
  }

  private mutating func value() -> Value? {
    guard index < end else { return nil }
    switch bytes[index] {
    case UInt8(ascii: "\""): return string().map { .string($0) }
    case UInt8(ascii: "{"): return nested().map { .object($0) }
    case UInt8(ascii: "["): return nested().map { .array($0) }
    case UInt8(ascii: "t"): return word("true") ? .bool(true) : nil
    case UInt8(ascii: "f"): return word("false") ? .bool(false) : nil
    case UInt8(ascii: "n"): return word("null") ? .null : nil
    default: return number().map { .number($0) }
    }
  }

  private mutating func string() -> Range<Int>? {
    guard take(UInt8(ascii: "\"")) else { return nil }
    let begin = index
    while index < end {
      switch bytes[index] {
      case UInt8(ascii: "\""):
        defer { index += 1 }
        return begin..<index
      case UInt8(ascii: "\\"): index += 2
      case ..<0x20: return nil
      default: index += 1
      }
    }
    return nil
  }

  /// From one bracket to the one that closes it; what stands between is not looked at.
  private mutating func nested() -> Range<Int>? {
    let begin = index
    var depth = 0
    while index < end {
      switch bytes[index] {
      case UInt8(ascii: "\""):
        guard string() != nil else { return nil }
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      default: break
      }
      index += 1
      if depth == 0 { return begin..<index }
    }
    return nil
  }

  private mutating func word(_ word: StaticString) -> Bool {
    let range = index..<min(index + word.utf8CodeUnitCount, end)
    guard self.is(range, word) else { return false }
    index = range.upperBound
    return true
  }

  private mutating func number() -> Double? {
    let begin = index
    while index < end, Self.isPartOfNumber(bytes[index]) { index += 1 }
    return Double(number: bytes[begin..<index])
  }

  private static func isPartOfNumber(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."),
      UInt8(ascii: "e"), UInt8(ascii: "E"):
      true
    default: false
    }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard index < end, bytes[index] == byte else { return false }
    index += 1
    return true
  }

  private mutating func skipBlanks() {
    while index < end, bytes[index] == 0x20 || bytes[index] == 0x09 || bytes[index] == 0x0D || bytes[index] == 0x0A {
      index += 1
    }
  }
}

extension Double {
  /// A finite decimal number: an optional sign, digits, perhaps a fraction and an exponent, at most 48 bytes; `nil` for
  /// anything else, `nan`, `inf` and hexadecimal digits included.
  package init?(number bytes: some BidirectionalCollection<UInt8>) {
    guard (1...JSONCursor.longestNumber).contains(bytes.count) else { return nil }
    var rest = bytes[...]
    if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
    func dropDigits() -> Bool {
      let count = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.count
      rest = rest.dropFirst(count)
      return count > 0
    }
    guard dropDigits() else { return nil }
    if rest.first == UInt8(ascii: ".") {
      rest = rest.dropFirst()
      guard dropDigits() else { return nil }
    }
    if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
      rest = rest.dropFirst()
      if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
      guard dropDigits() else { return nil }
    }
    guard rest.isEmpty, let value = Double(String(decoding: bytes, as: UTF8.self)), value.isFinite else { return nil }
    self = value
  }
}
