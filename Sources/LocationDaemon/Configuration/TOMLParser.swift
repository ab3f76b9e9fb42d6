/// A parser of TOML 1.0 within limits, in linear time and bounded stack on any text. No key has a date or a time.
struct TOMLParser {
  /// Maximum number of parts of a key, and of arrays and inline tables around a value.
  private static let maximumDepth = 8
  private static let maximumCount = 500

  private var scanner: TOMLScanner
  /// Number of headers up to here. Dotted keys extend only tables that dotted keys below the same header have created.
  private var section = 0
  private var count = 0

  private init(_ bytes: [UInt8]) throws(TOMLError) { scanner = try TOMLScanner(bytes) }

  /// The top-level keys and values of a text in UTF-8, in order.
  static func parse(_ bytes: [UInt8]) throws(TOMLError) -> [(key: String, value: ConfigurationValue)] {
    var parser = try TOMLParser(bytes)
    return try parser.document().entries
  }

  private mutating func document() throws(TOMLError) -> Table {
    let root = Table(.defined, line: 1)
    var table = root
    while true {
      try scanner.skipBlankLines()
      guard let next = scanner.next else { return root }
      if next == "[" { table = try header(in: root) } else { try assignment(in: table, depth: 0) }
      scanner.skipSpaces()
      try scanner.skipComment()
      guard scanner.takeLineBreak() || scanner.next == nil else { throw scanner.unexpected("the end of the line") }
    }
  }

  private mutating func countOne() throws(TOMLError) {
    count += 1
    guard count <= Self.maximumCount else { throw scanner.error("more than \(Self.maximumCount) values") }
  }

  /// A value, a table under construction, or an array of tables.
  private final class Table {
    enum Kind: Equatable {
      case value(ConfigurationValue)
      /// Created by the header of a table inside it.
      case implicit
      /// Has a header of its own, or braces.
      case defined
      /// Created by dotted keys in a section.
      case dotted(section: Int)
      case array
    }

    var kind: Kind
    private let line: Int
    private var keys: [String] = []
    private(set) var members: [String: Table] = [:]
    private(set) var elements: [Table] = []

    init(_ kind: Kind, line: Int) {
      self.kind = kind
      self.line = line
    }

    @discardableResult func add(_ kind: Kind, as key: String, line: Int) -> Table {
      let table = Table(kind, line: line)
      keys.append(key)
      members[key] = table
      return table
    }

    func addElement(line: Int) -> Table {
      let table = Table(.defined, line: line)
      elements.append(table)
      return table
    }

    var entries: [(key: String, value: ConfigurationValue)] {
      keys.compactMap { key in members[key].map { (key, $0.value) } }
    }

    var value: ConfigurationValue {
      switch kind {
      case .value(let value): value
      case .array: ConfigurationValue(content: .list(elements.map(\.value)), line: line)
      case .implicit, .defined, .dotted: ConfigurationValue(content: .table(members.mapValues(\.value)), line: line)
      }
    }
  }

  /// Parses `[key]` or `[[key]]`; returns the table of the lines that follow.
  private mutating func header(in root: Table) throws(TOMLError) -> Table {
    try countOne()
    section += 1
    _ = scanner.take("[")
    let isArray = scanner.take("[")
    let start = scanner.position
    let line = scanner.line
    let (path, name) = try key()
    guard scanner.take("]"), !isArray || scanner.take("]") else { throw scanner.unexpected(isArray ? "]]" : "]") }
    var table = root
    for part in path {
      switch table.members[part] {
      case nil: table = table.add(.implicit, as: part, line: line)
      case let next?:
        if case .value = next.kind { throw redefinition(of: part, at: start) }
        table = next.elements.last ?? next
      }
    }
    switch (table.members[name], isArray) {
    case (nil, false): return table.add(.defined, as: name, line: line)
    case (nil, true): return table.add(.array, as: name, line: line).addElement(line: line)
    case (let array?, true) where array.kind == .array: return array.addElement(line: line)
    case (let next?, false) where next.kind == .implicit:
      next.kind = .defined
      return next
    default: throw redefinition(of: name, at: start)
    }
  }

  private mutating func assignment(in table: Table, depth: Int) throws(TOMLError) {
    let start = scanner.position
    let (path, name) = try key()
    guard scanner.take("=") else { throw scanner.unexpected("=") }
    var table = table
    for part in path {
      switch table.members[part] {
      case nil: table = table.add(.dotted(section: section), as: part, line: scanner.line)
      case let next? where next.kind == .implicit || next.kind == .dotted(section: section):
        next.kind = .dotted(section: section)
        table = next
      default: throw redefinition(of: part, at: start)
      }
    }
    guard table.members[name] == nil else { throw redefinition(of: name, at: start) }
    scanner.skipSpaces()
    let value = try value(depth: depth)
    table.add(.value(value), as: name, line: value.line)
  }

  /// Parses a key with dots between its parts: the path to the table, and the name in it.
  private mutating func key() throws(TOMLError) -> (path: [String], name: String) {
    var path: [String] = []
    while true {
      scanner.skipSpaces()
      let part = try scanner.key()
      scanner.skipSpaces()
      guard scanner.take(".") else { return (path, part) }
      path.append(part)
      guard path.count < Self.maximumDepth else { throw scanner.error("a key has at most \(Self.maximumDepth) parts") }
    }
  }

  private func redefinition(of key: String, at place: Int) -> TOMLError {
    scanner.error("\(TOMLScanner.quoted(key)) is already defined", at: place)
  }

  private mutating func value(depth: Int) throws(TOMLError) -> ConfigurationValue {
    try countOne()
    let line = scanner.line
    let content: ConfigurationValue.Content =
      switch scanner.next {
      case "\"", "'": .text(try scanner.string())
      case "[": .list(try array(depth: depth + 1))
      case "{": .table(try inlineTable(depth: depth + 1))
      default: try scanner.scalar()
      }
    return ConfigurationValue(content: content, line: line)
  }

  private mutating func array(depth: Int) throws(TOMLError) -> [ConfigurationValue] {
    try checkDepth(depth)
    let unclosed = scanner.error("the bracket is not closed")
    _ = scanner.take("[")
    var elements: [ConfigurationValue] = []
    while true {
      try scanner.skipBlankLines()
      guard scanner.next != nil else { throw unclosed }
      if scanner.take("]") { return elements }
      elements.append(try value(depth: depth))
      try scanner.skipBlankLines()
      let isFollowed = scanner.take(",") || scanner.next == "]" || scanner.next == nil
      guard isFollowed else { throw scanner.unexpected("a comma or ]") }
    }
  }

  private mutating func inlineTable(depth: Int) throws(TOMLError) -> [String: ConfigurationValue] {
    try checkDepth(depth)
    _ = scanner.take("{")
    let table = Table(.defined, line: scanner.line)
    scanner.skipSpaces()
    if scanner.take("}") { return [:] }
    repeat {
      try assignment(in: table, depth: depth)
      scanner.skipSpaces()
    } while scanner.take(",")
    guard scanner.take("}") else { throw scanner.unexpected("a comma or } on the same line") }
    return table.members.mapValues(\.value)
  }

  private func checkDepth(_ depth: Int) throws(TOMLError) {
    guard depth <= Self.maximumDepth else { throw scanner.error("more than \(Self.maximumDepth) levels of brackets") }
  }
}
