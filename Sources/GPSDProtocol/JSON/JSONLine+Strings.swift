extension JSONLine {
  /// Longest string value in bytes as written; a longer one is cut at a character.
  package static let maximumString = 512

  package mutating func field(_ name: StaticString, _ value: String?) {
    guard let value else { return }
    key(name)
    quoted(value)
  }

  /// A string of printable ASCII of any length.
  package mutating func field(_ name: StaticString, uncut value: String) {
    key(name)
    put(Byte.quote)
    for byte in value.utf8 { escaped(byte) }
    put(Byte.quote)
  }

  /// Bytes as received, each of them a character; one that is not printable ASCII is written as `\u00hh`.
  package mutating func field(_ name: StaticString, bytes raw: Span<UInt8>) {
    key(name)
    quoted(raw)
  }

  package mutating func value(_ value: String) {
    separate()
    quoted(value)
  }

  package mutating func value(bytes raw: Span<UInt8>) {
    separate()
    quoted(raw)
  }

  private mutating func quoted(_ string: String) {
    if quotedPlain(string) { return }
    put(Byte.quote)
    let limit = count + Self.maximumString
    for scalar in string.unicodeScalars {
      let mark = count
      if scalar.isASCII {
        escaped(UInt8(truncatingIfNeeded: scalar.value))
      } else {
        for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter { put(byte) }
      }
      guard count <= limit else {
        truncate(to: mark)
        break
      }
    }
    put(Byte.quote)
  }

  /// Writes a string that needs neither escapes nor cutting, at once; false for another string.
  private mutating func quotedPlain(_ string: String) -> Bool {
    string.utf8.withContiguousStorageIfAvailable { bytes in
      guard bytes.count <= Self.maximumString else { return false }
      for byte in bytes where byte < Byte.blank || byte >= Byte.delete || byte == Byte.quote || byte == Byte.backslash {
        return false
      }
      guard let start = bytes.baseAddress else { return false }
      write(room: bytes.count + 2) { Self.quote(start, bytes.count, at: $0) }
      return true
    } ?? false
  }

  private mutating func quoted(_ raw: Span<UInt8>) {
    put(Byte.quote)
    for index in 0..<min(raw.count, Self.maximumString) { escaped(raw[index]) }
    put(Byte.quote)
  }

  private mutating func escaped(_ byte: UInt8) {
    switch byte {
    case Byte.quote, Byte.backslash:
      put(Byte.backslash)
      put(byte)
    case Byte.blank..<Byte.delete: put(byte)
    case Byte.lineFeed: literal("\\n")
    case Byte.carriageReturn: literal("\\r")
    case Byte.tab: literal("\\t")
    default:
      literal("\\u00")
      put(Self.hexadecimal(byte >> 4))
      put(Self.hexadecimal(byte & 0xF))
    }
  }

  private static func hexadecimal(_ nibble: UInt8) -> UInt8 {
    nibble < 10 ? Byte.zero + nibble : UInt8(ascii: "a") + nibble - 10
  }
}
