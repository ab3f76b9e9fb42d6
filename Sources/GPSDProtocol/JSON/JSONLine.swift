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
package struct JSONLine: Sendable {
  /// Longest line that gpsd's own clients read, in bytes, CR LF included (`GPS_JSON_RESPONSE_MAX` − 1).
  package static let maximumLength = 10_239

  /// What has been written, and behind it room for more, all of it initialized: a value is written in place, in one go.
  private var storage: [UInt8]
  /// How many bytes have been written: a place to come back to with `truncate(to:)`.
  package private(set) var count = 0

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
    storage = [UInt8](repeating: 0, count: max(capacity, 32))
    self.lineEnd = lineEnd
  }

  /// What has been written.
  package var bytes: ArraySlice<UInt8> { storage[..<count] }

  /// Lets `body` write up to `room` bytes behind what is there; it says how many it wrote.
  @inline(__always)
  mutating func write(room: Int, _ body: (UnsafeMutablePointer<UInt8>) -> Int) {
    if storage.count - count < room { grow(by: room) }
    let end = count
    let written = storage.withUnsafeMutableBufferPointer { whole in
      whole.baseAddress.map { body($0 + end) } ?? 0
    }
    count = end + written
  }

  @inline(never)
  private mutating func grow(by room: Int) {
    storage.append(contentsOf: repeatElement(0, count: max(storage.count, room)))
  }

  @inline(__always)
  mutating func put(_ byte: UInt8) {
    write(room: 1) {
      $0[0] = byte
      return 1
    }
  }

  /// Forgets what was written, keeps the room.
  package mutating func removeAll() {
    count = 0
  }

  /// Forgets what was written after `count` bytes: another ending for the same beginning.
  package mutating func truncate(to count: Int) {
    if (0..<self.count).contains(count) { self.count = count }
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
    if lineEnd == .crlf { put(Byte.carriageReturn) }
    put(Byte.lineFeed)
  }

  /// Opens an object that is an element of an array or stands alone.
  package mutating func beginObject() {
    separate()
    put(Byte.openBrace)
  }

  /// Opens an object that is a field.
  package mutating func beginObject(_ name: StaticString) {
    key(name)
    put(Byte.openBrace)
  }

  /// Closes the innermost object.
  package mutating func endObject() {
    put(Byte.closeBrace)
  }

  /// Opens an array that is a field.
  package mutating func beginArray(_ name: StaticString) {
    key(name)
    put(Byte.openBracket)
  }

  /// Closes the innermost array.
  package mutating func endArray() {
    put(Byte.closeBracket)
  }

  /// Text for a person in between, as it is.
  package mutating func text(_ text: String) {
    for byte in text.utf8 { put(byte) }
  }

  /// A truth value.
  package mutating func field(_ name: StaticString, _ value: Bool?) {
    guard let value else { return }
    key(name)
    literal(value ? "true" : "false")
  }

  // A value ends in a digit, a letter, a quote or a closing bracket, so the last byte alone tells whether a comma is due.
  private var isCommaDue: Bool {
    guard count > 0 else { return false }
    switch storage[count - 1] {
    case Byte.openBrace, Byte.openBracket, Byte.lineFeed: return false
    default: return true
    }
  }

  @inline(__always)
  mutating func separate() {
    if isCommaDue { put(Byte.comma) }
  }

  @inline(__always)
  mutating func key(_ name: StaticString) {
    field(name, room: 0) { _ in 0 }
  }

  /// Writes a name and its value in one go; the value takes up to `room` bytes, and `body` says how many it took.
  @inline(__always)
  mutating func field(_ name: StaticString, room: Int, _ body: (UnsafeMutablePointer<UInt8>) -> Int) {
    let isCommaDue = isCommaDue
    write(room: name.utf8CodeUnitCount + 4 + room) { place in
      let length = Self.key(name, behindComma: isCommaDue, at: place)
      return length + body(place + length)
    }
  }

  @inline(never)
  private static func key(_ name: StaticString, behindComma: Bool, at place: UnsafeMutablePointer<UInt8>) -> Int {
    let comma = behindComma ? 1 : 0
    place[0] = Byte.comma
    let name = copy(name, to: place + comma)
    place[comma + name] = Byte.colon
    return comma + name + 1
  }

  mutating func quoted(_ text: StaticString) {
    write(room: text.utf8CodeUnitCount + 2) { copy(text, to: $0) }
  }

  mutating func literal(_ text: StaticString) {
    write(room: text.utf8CodeUnitCount) { place in
      place.update(from: text.utf8Start, count: text.utf8CodeUnitCount)
      return text.utf8CodeUnitCount
    }
  }
}

/// Writes a literal between quotes; how many bytes that is.
@inline(__always)
private func copy(_ text: StaticString, to place: UnsafeMutablePointer<UInt8>) -> Int {
  let length = text.utf8CodeUnitCount
  place[0] = Byte.quote
  // Names are short: a call to copy them costs more than the copy.
  let source = text.utf8Start
  for index in 0..<length { place[1 + index] = source[index] }
  place[1 + length] = Byte.quote
  return length + 2
}
