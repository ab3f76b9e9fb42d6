/// A writer of JSON, one object a line, into a reused buffer: once that has grown to its size nothing is allocated.
/// Fields are written in the order of the calls, without blanks. A missing or non-finite value writes nothing, so a
/// line never holds a `null`. A line ends in CR LF, in a file in LF. Names are literals, written without escapes; every
/// value is escaped. `begin("TPV")` opens a line of a class; `field` and a group with a name write members, `value` and
/// a group without a name write elements of an array.
package struct JSONLine: Sendable {
  /// Longest line that gpsd's own clients read, in bytes, CR LF included (`GPS_JSON_RESPONSE_MAX` − 1).
  package static let maximumLength = 10_239

  package enum LineEnd: Hashable, Sendable {
    case crlf
    case lf
  }

  /// The written bytes and room for more, all of it initialized, so that a value is written in place.
  private var storage: [UInt8]
  /// Number of written bytes; `truncate(to:)` returns to it.
  package private(set) var count = 0
  private let lineEnd: LineEnd

  package init(capacity: Int = 1024, lineEnd: LineEnd = .crlf) {
    storage = [UInt8](repeating: 0, count: max(capacity, 32))
    self.lineEnd = lineEnd
  }

  package var bytes: ArraySlice<UInt8> { storage[..<count] }

  /// Has `body` write up to `room` bytes after the written ones; it returns how many it wrote.
  @inline(__always)
  mutating func write(room: Int, _ body: (UnsafeMutablePointer<UInt8>) -> Int) {
    if storage.count - count < room { grow(by: room) }
    let end = count
    let written = storage.withUnsafeMutableBufferPointer { whole in whole.baseAddress.map { body($0 + end) } ?? 0 }
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

  package mutating func removeAll() { count = 0 }

  /// Removes the bytes after the first `count`, for another ending of the same beginning.
  package mutating func truncate(to count: Int) {
    if (0..<self.count).contains(count) { self.count = count }
  }

  package mutating func begin(_ name: StaticString) {
    beginObject()
    key("class")
    quoted(name)
  }

  package mutating func end() {
    endObject()
    endLine()
  }

  package mutating func endLine() {
    if lineEnd == .crlf { put(Byte.carriageReturn) }
    put(Byte.lineFeed)
  }

  /// Opens an object that is an element of an array or a line without a class.
  package mutating func beginObject() {
    separate()
    put(Byte.openBrace)
  }

  package mutating func beginObject(_ name: StaticString) {
    key(name)
    put(Byte.openBrace)
  }

  package mutating func endObject() { put(Byte.closeBrace) }

  package mutating func beginArray(_ name: StaticString) {
    key(name)
    put(Byte.openBracket)
  }

  package mutating func endArray() { put(Byte.closeBracket) }

  package mutating func text(_ text: String) {
    for byte in text.utf8 { put(byte) }
  }

  package mutating func field(_ name: StaticString, _ value: Bool?) {
    guard let value else { return }
    field(name, room: 5) { copy(value ? "true" : "false", to: $0) }
  }

  // A value ends in a digit, a letter, a quote or a closing bracket, so the last byte decides whether a comma is due.
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
  mutating func key(_ name: StaticString) { field(name, room: 0) { _ in 0 } }

  /// Writes a name and its value at once; `body` writes the value, up to `room` bytes, and returns how many it wrote.
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
    let end = comma + quote(name.utf8Start, name.utf8CodeUnitCount, at: place + comma)
    place[end] = Byte.colon
    return end + 1
  }

  mutating func quoted(_ text: StaticString) {
    write(room: text.utf8CodeUnitCount + 2) { Self.quote(text.utf8Start, text.utf8CodeUnitCount, at: $0) }
  }

  /// Writes bytes between quotes and returns how many that makes.
  @inline(__always)
  static func quote(_ text: UnsafePointer<UInt8>, _ count: Int, at place: UnsafeMutablePointer<UInt8>) -> Int {
    place[0] = Byte.quote
    copy(text, count, to: place + 1)
    place[count + 1] = Byte.quote
    return count + 2
  }

  mutating func literal(_ text: StaticString) { write(room: text.utf8CodeUnitCount) { copy(text, to: $0) } }
}

private func copy(_ text: StaticString, to place: UnsafeMutablePointer<UInt8>) -> Int {
  copy(text.utf8Start, text.utf8CodeUnitCount, to: place)
  return text.utf8CodeUnitCount
}

/// Copies bytes: up to 16, as names have, by two words that may overlap. A call or a loop costs more.
@inline(__always)
private func copy(_ source: UnsafePointer<UInt8>, _ count: Int, to place: UnsafeMutablePointer<UInt8>) {
  func ends<Word: FixedWidthInteger & BitwiseCopyable>(_: Word.Type) {
    let last = count - MemoryLayout<Word>.size
    let (head, tail) = (
      UnsafeRawPointer(source).loadUnaligned(as: Word.self),
      UnsafeRawPointer(source + last).loadUnaligned(as: Word.self)
    )
    UnsafeMutableRawPointer(place).storeBytes(of: head, as: Word.self)
    UnsafeMutableRawPointer(place + last).storeBytes(of: tail, as: Word.self)
  }
  switch count {
  case 17...: place.update(from: source, count: count)
  case 8...: ends(UInt64.self)
  case 4...: ends(UInt32.self)
  case 2...: ends(UInt16.self)
  case 1: place[0] = source[0]
  default: break
  }
}

enum Byte {
  static let tab = UInt8(ascii: "\t")
  static let lineFeed = UInt8(ascii: "\n")
  static let carriageReturn = UInt8(ascii: "\r")
  static let blank = UInt8(ascii: " ")
  static let quote = UInt8(ascii: "\"")
  static let plus = UInt8(ascii: "+")
  static let comma = UInt8(ascii: ",")
  static let minus = UInt8(ascii: "-")
  static let dot = UInt8(ascii: ".")
  static let zero = UInt8(ascii: "0")
  static let nine = UInt8(ascii: "9")
  static let colon = UInt8(ascii: ":")
  static let semicolon = UInt8(ascii: ";")
  static let equals = UInt8(ascii: "=")
  static let question = UInt8(ascii: "?")
  static let openBracket = UInt8(ascii: "[")
  static let backslash = UInt8(ascii: "\\")
  static let closeBracket = UInt8(ascii: "]")
  static let openBrace = UInt8(ascii: "{")
  static let closeBrace = UInt8(ascii: "}")
  static let delete: UInt8 = 0x7F
}
