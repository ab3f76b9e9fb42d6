/// A writer of JSON, one object a line, into bytes that are reused from line to line.
///
/// Field order is the order of the calls. Nothing is written for a missing or non-finite value, so a line
/// never holds a `null`; no blanks; the line ends in CR LF unless it is made for a file. Names are literals of this project and are written as they stand;
/// every value from outside is escaped. In steady state nothing is allocated: the bytes keep their capacity.
///
/// | call | writes |
/// |---|---|
/// | `begin("TPV")` … `end()` | `{"class":"TPV"…}` CR LF |
/// | `field("mode", 3)` | `,"mode":3` |
/// | `beginObject("a")` … `endObject()` | `,"a":{…}` |
/// | `beginArray("a")` … `endArray()` | `,"a":[…]` |
/// | `value(1)`, `beginObject()` | an element of an array, or a line that has no class |
package struct JSONLine: Hashable, Sendable {
  /// Longest line that gpsd's own clients read, in bytes, CR LF included (`GPS_JSON_RESPONSE_MAX` − 1).
  package static let maximumLength = 10_239

  /// What has been written.
  package internal(set) var bytes: [UInt8]

  /// What ends a line.
  package enum LineEnd: Hashable, Sendable {
    /// CR LF, as on a socket.
    case crlf
    /// LF, as in a file.
    case lf
  }

  private let lineEnd: LineEnd

  /// An empty line with room for `capacity` bytes.
  package init(capacity: Int = 1024, lineEnd: LineEnd = .crlf) {
    bytes = []
    self.lineEnd = lineEnd
    bytes.reserveCapacity(capacity)
  }

  /// Forgets what was written, keeps the room.
  package mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
  }

  /// How many bytes have been written: a place to come back to with `truncate(to:)`.
  package var count: Int { bytes.count }

  /// Forgets what was written after `count` bytes: another ending for the same beginning.
  package mutating func truncate(to count: Int) {
    guard count >= 0, count < bytes.count else { return }
    bytes.removeLast(bytes.count - count)
  }

  /// Opens a line of a class.
  package mutating func begin(_ name: StaticString) {
    beginObject()
    key("class")
    quoted(name)
  }

  /// Closes the line.
  package mutating func end() {
    endObject()
    endLine()
  }

  /// Ends the line.
  package mutating func endLine() {
    if lineEnd == .crlf { bytes.append(Byte.carriageReturn) }
    bytes.append(Byte.lineFeed)
  }

  /// Opens an object that is an element of an array or stands alone.
  package mutating func beginObject() {
    separate()
    bytes.append(Byte.openBrace)
  }

  /// Opens an object that is a field.
  package mutating func beginObject(_ name: StaticString) {
    key(name)
    bytes.append(Byte.openBrace)
  }

  /// Closes the innermost object.
  package mutating func endObject() {
    bytes.append(Byte.closeBrace)
  }

  /// Opens an array that is a field.
  package mutating func beginArray(_ name: StaticString) {
    key(name)
    bytes.append(Byte.openBracket)
  }

  /// Closes the innermost array.
  package mutating func endArray() {
    bytes.append(Byte.closeBracket)
  }

  /// Text for a person in between, as it is.
  package mutating func text(_ text: String) {
    bytes.append(contentsOf: text.utf8)
  }

  /// A truth value.
  package mutating func field(_ name: StaticString, _ value: Bool?) {
    guard let value else { return }
    key(name)
    literal(value ? "true" : "false")
  }

  // A value ends in a digit, a letter, a quote or a closing bracket, so the last byte alone tells whether a comma is due.
  mutating func separate() {
    switch bytes.last {
    case nil, Byte.openBrace, Byte.openBracket, Byte.lineFeed: break
    default: bytes.append(Byte.comma)
    }
  }

  mutating func key(_ name: StaticString) {
    separate()
    quoted(name)
    bytes.append(Byte.colon)
  }

  mutating func quoted(_ text: StaticString) {
    bytes.append(Byte.quote)
    literal(text)
    bytes.append(Byte.quote)
  }

  mutating func literal(_ text: StaticString) {
    text.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }
}
