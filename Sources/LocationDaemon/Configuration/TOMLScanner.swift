struct TOMLError: Error, Hashable {
  let line: Int
  /// In Unicode scalars, from 1.
  let column: Int
  let message: String
}

/// A position in a TOML text, which advances over the strings, numbers and words there.
struct TOMLScanner {
  /// Maximum length of a number and of a key without quotes.
  private static let maximumWord = 64

  private let text: [Unicode.Scalar]
  private(set) var position = 0
  private(set) var line = 1
  private var lineStart = 0

  init(_ bytes: [UInt8]) throws(TOMLError) {
    do throws(UTF8.ValidationError) {
      text = Array(String(copying: try UTF8Span(validating: bytes.span)).unicodeScalars)
    } catch {
      let place = error.byteOffsets.lowerBound
      let lineBreaks = bytes[..<place].indices.filter { bytes[$0] == UInt8(ascii: "\n") }
      let line = bytes[(lineBreaks.last.map { $0 + 1 } ?? 0)..<place]
      throw TOMLError(
        line: lineBreaks.count + 1, column: String(decoding: line, as: UTF8.self).unicodeScalars.count + 1,
        message: "byte 0x\(String(bytes[place], radix: 16, uppercase: true)) is not UTF-8; save the file as UTF-8")
    }
    guard next != "\u{FEFF}" else { throw error("a byte order mark; save the file as UTF-8 without one") }
  }

  var next: Unicode.Scalar? { position < text.count ? text[position] : nil }

  mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard next == scalar else { return false }
    position += 1
    return true
  }

  mutating func skipSpaces() { while next == " " || next == "\t" { position += 1 } }

  mutating func skipComment() throws(TOMLError) {
    guard next == "#" else { return }
    while let scalar = next, scalar != "\n", !(scalar == "\r" && text[(position + 1)...].first == "\n") {
      try check(scalar)
      position += 1
    }
  }

  mutating func skipBlankLines() throws(TOMLError) {
    repeat {
      skipSpaces()
      try skipComment()
    } while takeLineBreak()
  }

  mutating func takeLineBreak() -> Bool {
    let length = next == "\r" ? 2 : 1
    guard position + length <= text.count, text[position + length - 1] == "\n" else { return false }
    position += length
    line += 1
    lineStart = position
    return true
  }

  private func check(_ scalar: Unicode.Scalar) throws(TOMLError) {
    guard scalar.value >= 0x20 && scalar.value != 0x7F || scalar == "\t" else {
      throw error("\(Self.quoted(String(scalar))) is not allowed here")
    }
  }

  mutating func key() throws(TOMLError) -> String {
    if next == "\"" || next == "'" { return try string(isKey: true) }
    let word = try word { Self.isDigit($0) || "A"..."Z" ~= $0 || "a"..."z" ~= $0 || $0 == "-" || $0 == "_" }
    guard !word.isEmpty else { throw unexpected("a key") }
    return word
  }

  mutating func scalar() throws(TOMLError) -> ConfigurationValue.Content {
    let start = position
    var word = try word(of: Self.isPartOfScalar)
    guard !word.isEmpty else { throw unexpected("a value") }
    if next == " ", TOMLTime.kind(of: word) != nil {
      // A time may follow its date after a blank.
      let time = text[(position + 1)...].prefix(while: Self.isPartOfScalar).prefix(Self.maximumWord)
      if TOMLTime.kind(of: word + " " + Self.string(time)) != nil {
        word += " " + Self.string(time)
        position += 1 + time.count
      }
    }
    guard let content = Self.scalar(word) else {
      throw error("\(Self.quoted(word)) is not a number, a boolean or a quoted string", at: start)
    }
    return content
  }

  private static func isPartOfScalar(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case " ", "\t", "\r", "\n", ",", "]", "}", "#": false
    default: true
    }
  }

  private mutating func word(of isPart: (Unicode.Scalar) -> Bool) throws(TOMLError) -> String {
    let word = text[position...].prefix(while: isPart)
    guard word.count <= Self.maximumWord else {
      throw error("a word without quotes has at most \(Self.maximumWord) characters")
    }
    position = word.endIndex
    return Self.string(word)
  }

  private static func scalar(_ word: String) -> ConfigurationValue.Content? {
    switch word {
    case "true": return .flag(true)
    case "false": return .flag(false)
    case "inf", "+inf": return .number(.infinity)
    case "-inf": return .number(-.infinity)
    case "nan", "+nan", "-nan": return .number(.nan)
    default: break
    }
    if let kind = TOMLTime.kind(of: word) { return .time(kind) }
    let scalars = Array(word.unicodeScalars)
    let radix: Int? = ["0x": 16, "0o": 8, "0b": 2][word.prefix(2)]
    // Underscores and points are between two digits.
    for (index, scalar) in scalars.enumerated() where scalar == "_" || scalar == "." {
      let isDigit = radix == nil ? isDigit : isHexDigit
      guard index > 0, index + 1 < scalars.count, isDigit(scalars[index - 1]), isDigit(scalars[index + 1]) else {
        return nil
      }
    }
    let digits = scalars.filter { $0 != "_" }[...]
    if let radix {
      guard let first = digits.dropFirst(2).first, isHexDigit(first) else { return nil }
      return Int(string(digits.dropFirst(2)), radix: radix).map { .integer($0) }
    }
    let magnitude = digits.drop { $0 == "+" || $0 == "-" }
    let hasLeadingZero = magnitude.first == "0" && magnitude.dropFirst().first.map(isDigit) == true
    guard !hasLeadingZero, digits.allSatisfy({ isDigit($0) || "+-.eE".unicodeScalars.contains($0) }) else { return nil }
    let number = string(digits)
    return digits.contains { ".eE".unicodeScalars.contains($0) }
      ? Double(number).map { .number($0) } : Int(number).map { .integer($0) }
  }

  private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { "0"..."9" ~= scalar }

  private static func isHexDigit(_ scalar: Unicode.Scalar) -> Bool {
    isDigit(scalar) || "a"..."f" ~= scalar || "A"..."F" ~= scalar
  }

  private static func string(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
    String(String.UnicodeScalarView(scalars))
  }

  /// Takes a quoted string; a key has no multi-line form.
  mutating func string(isKey: Bool = false) throws(TOMLError) -> String {
    let unclosed = error("the string has no closing quote")
    let quote = text[position]
    let isMultiline = !isKey && text[position...].starts(with: [quote, quote, quote])
    position += isMultiline ? 3 : 1
    if isMultiline { _ = takeLineBreak() }
    var string = String.UnicodeScalarView()
    while let scalar = next {
      if scalar == quote {
        // Three of up to five quotes close a multi-line string, the others belong to it.
        let count = isMultiline ? text[position...].prefix(5).prefix { $0 == quote }.count : 1
        let isEnd = !isMultiline || count >= 3
        position += count
        if isMultiline { string.append(contentsOf: repeatElement(quote, count: isEnd ? count - 3 : count)) }
        if isEnd { return String(string) }
      } else if scalar == "\\", quote == "\"" {
        if let scalar = try escape(isMultiline: isMultiline) { string.append(scalar) }
      } else if takeLineBreak() {
        guard isMultiline else { throw unclosed }
        string.append("\n")
      } else {
        try check(scalar)
        string.append(scalar)
        position += 1
      }
    }
    throw unclosed
  }

  /// Takes an escape sequence; `nil` for an escaped line break, which is left out with the white space after it.
  private mutating func escape(isMultiline: Bool) throws(TOMLError) -> Unicode.Scalar? {
    let invalid = error("not an escape sequence; write \\\\ for a backslash, or the string in single quotes")
    position += 1
    let letter = next
    if letter == " " || letter == "\t" || letter == "\r" || letter == "\n" {
      skipSpaces()
      guard isMultiline, takeLineBreak() else { throw invalid }
      repeat { skipSpaces() } while takeLineBreak()
      return nil
    }
    position += 1
    switch letter {
    case "b": return "\u{8}"
    case "t": return "\t"
    case "n": return "\n"
    case "f": return "\u{C}"
    case "r": return "\r"
    case "\"", "\\": return letter
    case "u", "U":
      let count = letter == "u" ? 4 : 8
      let digits = text[position...].prefix(count)
      guard digits.count == count, digits.allSatisfy(Self.isHexDigit),
        let scalar = UInt32(Self.string(digits), radix: 16).flatMap(Unicode.Scalar.init)
      else { throw invalid }
      position += count
      return scalar
    default: throw invalid
    }
  }

  func error(_ message: String, at place: Int? = nil) -> TOMLError {
    TOMLError(line: line, column: (place ?? position) - lineStart + 1, message: message)
  }

  func unexpected(_ wanted: String) -> TOMLError {
    let found =
      switch next {
      case nil: "the end of the file"
      case "\n": "the end of the line"
      case "\r" where text[(position + 1)...].first == "\n": "the end of the line"
      case .some(let scalar): Self.quoted(String(scalar))
      }
    return error("\(found) in place of \(wanted)")
  }

  static func quoted(_ text: String) -> String {
    "\"" + text.unicodeScalars.map { $0.escaped(asASCII: false) }.joined() + "\""
  }
}
