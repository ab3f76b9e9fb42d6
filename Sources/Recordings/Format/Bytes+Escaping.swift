extension [UInt8] {
  /// Appends text as XML character data or attribute value; what XML forbids, even escaped, becomes `?`.
  package mutating func append(xml text: String) {
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": append("&amp;")
      case "<": append("&lt;")
      case ">": append("&gt;")
      case "\"": append("&quot;")
      case "\u{9}", "\u{A}", "\u{D}": append(UInt8(ascii: " "))
      case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": append(UInt8(ascii: "?"))
      default: append(contentsOf: String(scalar).utf8)
      }
    }
  }

  /// Appends text as a JSON string, quotes included.
  package mutating func append(json text: String) {
    append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        append(UInt8(ascii: "\\"))
        append(byte)
      case 0..<0x20, 0x7F:
        append("\\u00")
        append(hexByte: byte)
      default: append(byte)
      }
    }
    append(UInt8(ascii: "\""))
  }
}
