/// How deep objects and arrays lie in each other: looked at before a recursive decoder sees the text.
enum JSONNesting {
  /// More than any report has.
  static let maximumDepth = 16

  /// Whether the text never goes deeper than any report does.
  static func isShallow(_ text: ArraySlice<UInt8>) -> Bool {
    var depth = 0
    var inString = false
    var escaped = false
    for byte in text {
      if inString {
        if escaped {
          escaped = false
        } else if byte == Byte.backslash {
          escaped = true
        } else if byte == Byte.quote {
          inString = false
        }
        continue
      }
      switch byte {
      case Byte.quote: inString = true
      case Byte.openBrace, Byte.openBracket:
        depth += 1
        if depth > maximumDepth { return false }
      case Byte.closeBrace, Byte.closeBracket: depth -= 1
      default: break
      }
    }
    return true
  }
}
