extension JSONCursor {
  /// The number in a range; `nil` beyond the range of a `Double`.
  package func number(_ range: Range<Int>) -> Double? {
    guard let number = Double(String(decoding: bytes[range], as: UTF8.self)), number.isFinite else { return nil }
    return number
  }

  /// The integer in a range, exactly; `nil` for another number.
  package func integer<Integer: FixedWidthInteger>(_ range: Range<Int>) -> Integer? {
    if let integer = Integer(String(decoding: bytes[range], as: UTF8.self)) { return integer }
    return number(range).flatMap { Integer(exactly: $0) }
  }

  /// The text of a string without its escapes; `nil` when it is not Unicode: invalid UTF-8 or half a surrogate pair.
  package func text(_ range: Range<Int>) -> String? {
    guard bytes[range].contains(Byte.backslash) else { return String(validating: bytes[range], as: UTF8.self) }
    var text: [UInt8] = []
    text.reserveCapacity(range.count)
    var index = range.lowerBound
    while index < range.upperBound {
      guard bytes[index] == Byte.backslash else {
        text.append(bytes[index])
        index += 1
        continue
      }
      let escape = bytes[index + 1]
      index += 2
      switch escape {
      case UInt8(ascii: "b"): text.append(0x08)
      case UInt8(ascii: "f"): text.append(0x0C)
      case UInt8(ascii: "n"): text.append(Byte.lineFeed)
      case UInt8(ascii: "r"): text.append(Byte.carriageReturn)
      case UInt8(ascii: "t"): text.append(Byte.tab)
      case UInt8(ascii: "u"):
        guard let scalar = scalar(at: &index, before: range.upperBound) else { return nil }
        text.append(contentsOf: String(Character(scalar)).utf8)
      default: text.append(escape)
      }
    }
    return String(validating: text, as: UTF8.self)
  }

  /// The scalar whose hexadecimal digits begin at `index`, together with the other half of a surrogate pair.
  private func scalar(at index: inout Int, before end: Int) -> Unicode.Scalar? {
    let unit = hexadecimal(at: index)
    index += 4
    guard UTF16.isLeadSurrogate(unit) else { return Unicode.Scalar(unit) }
    guard index + 6 <= end, bytes[index] == Byte.backslash, bytes[index + 1] == UInt8(ascii: "u") else { return nil }
    let second = hexadecimal(at: index + 2)
    index += 6
    guard UTF16.isTrailSurrogate(second) else { return nil }
    return Unicode.Scalar(0x10000 + (UInt32(unit) - 0xD800) << 10 + (UInt32(second) - 0xDC00))
  }

  private func hexadecimal(at index: Int) -> UInt16 {
    UInt16(String(decoding: bytes[index..<index + 4], as: UTF8.self), radix: 16) ?? 0
  }
}

extension Double {
  /// The finite number in decimal text of at most 48 bytes; `nil` for anything else, also `nan`, `inf` and hexadecimal.
  package init?(number text: some BidirectionalCollection<UInt8>) {
    guard (1...48).contains(text.count) else { return nil }
    let isSigned = text.first == Byte.minus || text.first == Byte.plus
    guard Self.isDecimal(isSigned ? text.dropFirst() : text[...]),
      let number = Double(String(decoding: text, as: UTF8.self)), number.isFinite
    else { return nil }
    self = number
  }

  /// Whether text is `[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?`.
  static func isDecimal(_ text: some Collection<UInt8>) -> Bool {
    var rest = text[...]
    func dropDigits() -> Bool {
      let digits = rest.prefix { (Byte.zero...Byte.nine).contains($0) }
      rest = rest[digits.endIndex...]
      return !digits.isEmpty
    }
    guard dropDigits() else { return false }
    if rest.first == Byte.dot {
      rest = rest.dropFirst()
      guard dropDigits() else { return false }
    }
    if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
      rest = rest.dropFirst()
      if rest.first == Byte.minus || rest.first == Byte.plus { rest = rest.dropFirst() }
      guard dropDigits() else { return false }
    }
    return rest.isEmpty
  }
}
