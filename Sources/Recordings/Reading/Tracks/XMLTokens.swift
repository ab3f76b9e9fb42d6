import GPSDProtocol

/// A tokenizer of XML documents, fed in pieces of any size. Pure, in bounded memory. It supports what finding points
/// takes: names without their prefix, attributes, character data with CDATA. Comments, processing instructions and a
/// document type are skipped; entities stay as they are, since no number holds one. Malformed markup is skipped up to
/// the next tag; nothing is validated.
struct XMLTokens: Sendable {
  struct Tag: Hashable, Sendable {
    var name: [UInt8]
    var attributes: ArraySlice<UInt8> = []
    /// Whether it closes itself: `<ele/>`.
    var isEmpty = false

    func `is`(_ name: StaticString) -> Bool {
      self.name.count == name.utf8CodeUnitCount && name.withUTF8Buffer { $0.elementsEqual(self.name) }
    }

    func attribute(_ name: StaticString) -> ArraySlice<UInt8>? {
      var rest = attributes
      while let equals = rest.firstIndex(of: UInt8(ascii: "=")) {
        let key = rest[..<equals].drop { XMLTokens.isBlank($0) }.prefix { !XMLTokens.isBlank($0) }
        let value = rest[(equals + 1)...].drop { XMLTokens.isBlank($0) }
        guard let quote = value.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"),
          let end = value.dropFirst().firstIndex(of: quote)
        else { return nil }
        if key.count == name.utf8CodeUnitCount, name.withUTF8Buffer({ $0.elementsEqual(key) }) {
          return value[(value.startIndex + 1)..<end]
        }
        rest = value[(end + 1)...]
      }
      return nil
    }
  }

  enum Token: Hashable, Sendable {
    case start(Tag)
    case end(Tag)
    /// Character data; a long text comes in parts.
    case text(ArraySlice<UInt8>)
    /// A tag that is too long, or truncated by the end of the file.
    case damage(bytes: Int)
  }

  static let maximumTag = 16_384

  private enum Skipping {
    /// What ends with these bytes: character data, or markup that says nothing of points.
    case until([UInt8], isText: Bool)
    case documentType(depth: Int)
    case tag(bytes: Int)
  }

  private var buffer: [UInt8] = []
  private var start = 0
  private var skipping: Skipping?
  private(set) var isEnded = false

  var buffered: Int { buffer.count - start }

  /// Adds the next bytes of the file; to be called when ``next()`` has returned `nil`.
  mutating func feed(_ bytes: UnsafeBufferPointer<UInt8>) {
    buffer.removeFirst(start)
    start = 0
    buffer.append(contentsOf: bytes)
  }

  mutating func end() { isEnded = true }

  /// The next token; `nil` when more bytes are needed, or at the end.
  mutating func next() -> Token? {
    while start < buffer.count {
      if let skipping {
        if let token = skip(skipping) { return token }
        if self.skipping != nil { return nil }
        continue
      }
      guard buffer[start] == UInt8(ascii: "<") else { return text() }
      switch markup() {
      case .item(let token): return token
      case .again: continue
      case .starved: return isEnded ? cut() : nil
      }
    }
    return nil
  }

  private typealias Step = DecodingStep<Token>

  private mutating func text() -> Token {
    let end = buffer[start...].firstIndex(of: UInt8(ascii: "<")) ?? buffer.count
    defer { start = end }
    return .text(buffer[start..<end])
  }

  private mutating func markup() -> Step {
    let rest = buffer[start...]
    for (opening, closing, isText) in Self.sections {
      if rest.starts(with: opening) {
        start += opening.count
        skipping = .until(closing, isText: isText)
        return .again
      }
      if rest.count < opening.count, opening.starts(with: rest) { return .starved }
    }
    if rest.starts(with: "<!".utf8) {
      start += 2
      skipping = .documentType(depth: 0)
      return .again
    }
    guard let end = endOfTag() else {
      guard rest.count > Self.maximumTag else { return .starved }
      skipping = .tag(bytes: 0)
      return .again
    }
    defer { start = end + 1 }
    guard end - start <= Self.maximumTag else { return .item(.damage(bytes: end + 1 - start)) }
    return tag(buffer[(start + 1)..<end]).map { .item($0) } ?? .again
  }

  private static let sections: [(opening: [UInt8], closing: [UInt8], isText: Bool)] = [
    (Array("<!--".utf8), Array("-->".utf8), false), (Array("<![CDATA[".utf8), Array("]]>".utf8), true),
    (Array("<?".utf8), Array("?>".utf8), false),
  ]

  /// The index of the `>` that closes the tag at `start`, outside quotes.
  private func endOfTag() -> Int? {
    var quote: UInt8?
    for index in (start + 1)..<min(buffer.count, start + Self.maximumTag + 2) {
      let byte = buffer[index]
      if let open = quote {
        if byte == open { quote = nil }
      } else if byte == UInt8(ascii: ">") {
        return index
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
      }
    }
    return nil
  }

  private func tag(_ text: ArraySlice<UInt8>) -> Token? {
    var text = text
    let isEnd = text.first == UInt8(ascii: "/")
    let isEmpty = text.last == UInt8(ascii: "/")
    if isEnd { text = text.dropFirst() }
    if isEmpty { text = text.dropLast() }
    let full = text.prefix { !Self.isBlank($0) }
    let name = full.lastIndex(of: UInt8(ascii: ":")).map { full[($0 + 1)...] } ?? full
    guard !name.isEmpty else { return nil }
    if isEnd { return .end(Tag(name: Array(name))) }
    return .start(Tag(name: Array(name), attributes: text[full.endIndex...], isEmpty: isEmpty))
  }

  /// Continues skipping; returns a token for damage or characters, and leaves `skipping` set until the end.
  private mutating func skip(_ what: Skipping) -> Token? {
    switch what {
    case .until(let closing, let isText):
      let end = index(of: closing)
      // The closing bytes may be split between two pieces.
      let text = buffer[start..<(end ?? max(start, buffer.count - closing.count + 1))]
      start = text.endIndex
      if end != nil { (start, skipping) = (start + closing.count, nil) }
      return text.isEmpty || !isText ? nil : .text(text)
    case .documentType(var depth):
      while start < buffer.count {
        let byte = buffer[start]
        start += 1
        if byte == UInt8(ascii: "[") { depth += 1 }
        if byte == UInt8(ascii: "]") { depth -= 1 }
        if byte == UInt8(ascii: ">"), depth <= 0 {
          skipping = nil
          return nil
        }
      }
      skipping = .documentType(depth: depth)
    case .tag(let count):
      let end = buffer[start...].firstIndex(of: UInt8(ascii: ">"))
      let total = count + (end.map { $0 + 1 } ?? buffer.count) - start
      start = end.map { $0 + 1 } ?? buffer.count
      skipping = end == nil ? .tag(bytes: total) : nil
      if end != nil { return .damage(bytes: total) }
    }
    return nil
  }

  private func index(of bytes: [UInt8]) -> Int? {
    guard let first = bytes.first else { return nil }
    var index = start
    while let found = buffer[index...].firstIndex(of: first) {
      if buffer[found...].starts(with: bytes) { return found }
      index = found + 1
    }
    return nil
  }

  private mutating func cut() -> Token {
    defer { start = buffer.count }
    return .damage(bytes: buffer.count - start)
  }

  static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }
}

/// The character data of one element, without the blanks around it.
struct XMLValue: Sendable {
  /// Most bytes of a value that is read.
  private static let longest = 256

  private var bytes: [UInt8] = []

  /// Whether no more was appended than a value may have.
  var isComplete: Bool { bytes.count <= Self.longest }
  var text: ArraySlice<UInt8> { Self.trimmed(bytes[...]) }
  /// The finite number it is; `nil` if it is none.
  var number: Double? { Double(number: text) }

  mutating func append(_ part: ArraySlice<UInt8>) {
    if isComplete { bytes.append(contentsOf: part.prefix(Self.longest + 1)) }
  }

  mutating func clear() { bytes.removeAll(keepingCapacity: true) }

  static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let rest = text.drop(while: XMLTokens.isBlank)
    guard let last = rest.lastIndex(where: { !XMLTokens.isBlank($0) }) else { return [] }
    return rest[...last]
  }

  /// The text with the entities that XML has by itself; `nil` if there is none.
  var characters: String? {
    var rest = self.text
    guard !rest.isEmpty else { return nil }
    var text = ""
    while let ampersand = rest.firstIndex(of: UInt8(ascii: "&")) {
      text += Self.decoded(rest[..<ampersand])
      rest = rest[ampersand...]
      guard let end = rest.firstIndex(of: UInt8(ascii: ";")), let scalar = Self.scalar(rest[(ampersand + 1)..<end])
      else {
        text += "&"
        rest = rest.dropFirst()
        continue
      }
      text.unicodeScalars.append(scalar)
      rest = rest[(end + 1)...]
    }
    return text + Self.decoded(rest)
  }

  /// What is not UTF-8 is Windows-1252, which has the letters of ISO 8859-1, whatever the document states.
  private static func decoded(_ bytes: ArraySlice<UInt8>) -> String {
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    let scalars = bytes.map { (0x80...0x9F).contains($0) ? windows1252[Int($0) - 0x80] : Unicode.Scalar($0) }
    return String(String.UnicodeScalarView(scalars))
  }

  /// The characters of 0x80 to 0x9F.
  private static let windows1252 = Array(
    "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ".unicodeScalars)

  private static func scalar(_ entity: ArraySlice<UInt8>) -> Unicode.Scalar? {
    let name = String(decoding: entity, as: UTF8.self)
    guard name.hasPrefix("#") else {
      return ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"][name]
    }
    let isHexadecimal = name.hasPrefix("#x")
    return UInt32(name.dropFirst(isHexadecimal ? 2 : 1), radix: isHexadecimal ? 16 : 10).flatMap { Unicode.Scalar($0) }
  }
}
