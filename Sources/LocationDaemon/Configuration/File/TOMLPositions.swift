/// Where the keys and values of a TOML text stand. The parser tells only where a syntax error is.
///
/// It is meant for a text that has been parsed: of what is no TOML it knows some positions, or none.
struct TOMLPositions {
  /// One step from a table to an entry, or from an array to an element.
  enum Step: Hashable {
    case key(String)
    case index(Int)
  }

  private var keys: [[Step]: TextPosition] = [:]
  private var values: [[Step]: TextPosition] = [:]
  private var lengths: [[Step]: Int] = [:]
  private let characters: [Unicode.Scalar]
  private var index = 0
  private var line = 1
  private var column = 1

  /// Looks through a text.
  init(of text: String) {
    characters = Array(text.unicodeScalars)
    scan()
  }

  /// Where a key stands.
  func key(_ path: [Step]) -> TextPosition? { keys[path] }

  /// Where a value stands.
  func value(_ path: [Step]) -> TextPosition? { values[path] }

  private var position: TextPosition { TextPosition(line: line, column: column) }
  private var next: Unicode.Scalar? { index < characters.count ? characters[index] : nil }

  private func follows(_ text: String) -> Bool { characters[index...].starts(with: text.unicodeScalars) }

  private mutating func advance(_ count: Int = 1) {
    for _ in 0..<count {
      guard let character = next else { return }
      index += 1
      if character == "\n" {
        line += 1
        column = 1
      } else {
        column += 1
      }
    }
  }

  private mutating func skip(while condition: (Unicode.Scalar) -> Bool) {
    while let next, condition(next) { advance() }
  }

  private mutating func skipBlanks() { skip { $0 == " " || $0 == "\t" } }

  /// Blanks, line ends and comments.
  private mutating func skipSpace() {
    while let next {
      if next == "#" {
        skip { $0 != "\n" }
      } else if next.properties.isWhitespace {
        advance()
      } else {
        return
      }
    }
  }

  private mutating func scan() {
    var table: [Step] = []
    while true {
      skipSpace()
      guard let next else { return }
      let before = index
      if next == "[" {
        table = scanHeader()
      } else {
        scanEntry(in: table)
      }
      // Of what is no TOML at least a character is left behind.
      if index == before { advance() }
    }
  }

  private mutating func scanHeader() -> [Step] {
    let start = position
    let isElement = follows("[[")
    advance(isElement ? 2 : 1)
    let steps = scanKey()
    var path: [Step] = []
    for (place, step) in steps.enumerated() {
      path.append(step)
      let isLast = place == steps.count - 1
      // What is below an array is below its newest element.
      if !isLast, let length = lengths[path] { path.append(.index(length - 1)) }
    }
    if keys[path] == nil { keys[path] = start }
    if isElement {
      let length = lengths[path] ?? 0
      lengths[path] = length + 1
      path.append(.index(length))
    }
    values[path] = start
    skip { $0 != "\n" }
    return path
  }

  private mutating func scanEntry(in table: [Step]) {
    let start = position
    let path = table + scanKey()
    for end in path.indices.dropFirst(table.count) {
      let part = Array(path[...end])
      if keys[part] == nil { keys[part] = start }
    }
    skipBlanks()
    guard next == "=" else { return }
    advance()
    skipBlanks()
    scanValue(at: path)
  }

  /// `a.b."c d"`.
  private mutating func scanKey() -> [Step] {
    var path: [Step] = []
    while true {
      skipBlanks()
      guard let next else { return path }
      if next == "\"" || next == "'" {
        path.append(.key(scanString()))
      } else {
        let start = index
        skip { $0.properties.isAlphabetic || $0.properties.numericType != nil || $0 == "-" || $0 == "_" }
        guard index > start else { return path }
        path.append(.key(text(from: start, to: index)))
      }
      skipBlanks()
      guard self.next == "." else { return path }
      advance()
    }
  }

  private mutating func scanValue(at path: [Step]) {
    values[path] = position
    switch next {
    case "\"", "'": _ = scanString()
    case "[": scanArray(at: path)
    case "{": scanInlineTable(at: path)
    default: skip { !",]}#\n".unicodeScalars.contains($0) }
    }
  }

  private mutating func scanArray(at path: [Step]) {
    advance()
    var count = 0
    while true {
      skipSpace()
      guard let next, next != "]" else { break }
      let before = index
      if next == "," {
        advance()
      } else {
        scanValue(at: path + [.index(count)])
        count += 1
      }
      if index == before { return }
    }
    advance()
  }

  private mutating func scanInlineTable(at path: [Step]) {
    advance()
    while true {
      skipSpace()
      guard let next, next != "}" else { break }
      let before = index
      if next == "," { advance() } else { scanEntry(in: path) }
      if index == before { return }
    }
    advance()
  }

  /// A string of any of the four kinds, as it stands there without its quotes.
  private mutating func scanString() -> String {
    guard let quote = next else { return "" }
    let triple = String(repeating: Character(quote), count: 3)
    let end = follows(triple) ? triple : String(Character(quote))
    advance(end.count)
    let start = index
    while next != nil, !follows(end) { advance(next == "\\" && quote == "\"" ? 2 : 1) }
    let content = text(from: start, to: index)
    advance(end.count)
    return content
  }

  private func text(from start: Int, to end: Int) -> String {
    var text = String.UnicodeScalarView()
    text.append(contentsOf: characters[start..<end])
    return String(text)
  }
}
