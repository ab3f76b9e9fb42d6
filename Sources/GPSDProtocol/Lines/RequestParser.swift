/// A parser of a connection's bytes into requests, wherever the reads were split. A request is `?NAME;` or `?NAME={…}`,
/// ended by `;`, a newline, or the closing brace. Newlines, blanks and semicolons between requests are ignored.
/// Anything else gives exactly one error; the next request begins where that ends, or on the next line when its end is
/// unclear. The parser holds at most 4 KiB; closing after many errors is up to the caller. A line that is HTTP, TLS or
/// SSH is the last error: the rest is dropped, so that a web page's body is never a request.
package struct RequestParser: Sendable {
  /// Longest request in bytes, from `?` to its end.
  package static let maximumLength = 4096
  /// Deepest nesting of objects and arrays.
  package static let maximumDepth = 8

  private enum State: Sendable {
    case idle
    case name
    case equals(nameEnd: Int)
    case object(nameEnd: Int, start: Int, Nesting)
    /// After bytes that may become the opening of another protocol.
    case opening
    /// Dropping the rest of a line that is not a request, after that many bytes of `ForeignProtocol.version`.
    case skippingLine(matched: Int)
    /// Dropping the rest of a request up to its semicolon or line end, as a client need not send line ends.
    case skippingRequest
    /// Dropping everything after another protocol's first line.
    case ended
  }

  private struct Nesting: Sendable {
    var braces = 0
    var brackets = 0
    var inString = false
    var escaped = false
  }

  private var state = State.idle
  private var buffer: [UInt8] = []

  package init() {}

  /// The next request at `index`, which moves past it and past each malformed one; `nil` at the end of `bytes`.
  package mutating func next(in bytes: Span<UInt8>, from index: inout Int) throws(RequestError) -> Request? {
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      if let request = try parse(byte) { return request }
    }
    return nil
  }

  private mutating func parse(_ byte: UInt8) throws(RequestError) -> Request? {
    switch state {
    case .ended: break
    case .skippingLine(let matched): try skip(byte, matched: matched)
    case .skippingRequest:
      if byte == Byte.lineFeed || byte == Byte.semicolon { state = .idle }
    case .idle: try between(byte)
    case .opening: try opening(byte)
    case .name: return try name(byte)
    case .equals(let nameEnd): try equals(byte, nameEnd: nameEnd)
    case .object(let nameEnd, let start, let nesting): return try object(byte, nameEnd: nameEnd, start: start, nesting)
    }
    return nil
  }

  private mutating func between(_ byte: UInt8) throws(RequestError) {
    switch byte {
    case Byte.question:
      buffer.removeAll(keepingCapacity: true)
      state = .name
    case Byte.semicolon, Byte.lineFeed, Byte.carriageReturn, Byte.blank, Byte.tab: break
    default:
      buffer.removeAll(keepingCapacity: true)
      try opening(byte)
    }
  }

  private mutating func opening(_ byte: UInt8) throws(RequestError) {
    buffer.append(byte)
    switch ForeignProtocol.match(buffer) {
    case (_, isWhole: false)?: state = .opening
    case (let foreign, isWhole: true)?: throw end(foreign)
    case nil:
      state = .idle
      let error = notARequest(buffer[0])
      try skip(byte, matched: 0)
      throw error
    }
  }

  private mutating func notARequest(_ first: UInt8) -> RequestError {
    guard (Byte.blank..<Byte.delete).contains(first) else { return skipBinary(first) }
    let character = Character(UnicodeScalar(first))
    return skipLine(
      #"A request starts with '?', like ?WATCH={"enable":true,"json":true}; this line starts with '\#(character)'"#)
  }

  private mutating func skip(_ byte: UInt8, matched: Int) throws(RequestError) {
    guard byte != Byte.lineFeed else {
      state = .idle
      return
    }
    let matched = ForeignProtocol.matchedVersion(byte, after: matched)
    guard matched < ForeignProtocol.version.count else { throw end(.http) }
    state = .skippingLine(matched: matched)
  }

  private mutating func end(_ foreign: ForeignProtocol) -> RequestError {
    state = .ended
    return RequestError("the client speaks \(foreign.rawValue)", isForeignProtocol: true)
  }

  private mutating func name(_ byte: UInt8) throws(RequestError) -> Request? {
    switch byte {
    case Byte.semicolon, Byte.lineFeed, Byte.carriageReturn:
      return try complete(name: requestName(buffer.count), json: nil)
    case Byte.equals:
      state = .equals(nameEnd: buffer.count)
      try append(byte)
    case Byte.openBrace:
      let name = requestName(buffer.count)
      throw skipLine(of: name, "?\(name ?? ""): '=' is missing before '{'")
    case Byte.tab, Byte.blank..<Byte.delete: try append(byte)
    default: throw skipBinary(byte)
    }
    return nil
  }

  private mutating func equals(_ byte: UInt8, nameEnd: Int) throws(RequestError) {
    switch byte {
    case Byte.openBrace:
      state = .object(nameEnd: nameEnd, start: buffer.count, Nesting(braces: 1))
      try append(byte)
    case Byte.blank, Byte.tab: try append(byte)
    case Byte.semicolon, Byte.lineFeed, Byte.carriageReturn:
      state = .idle
      let name = requestName(nameEnd)
      throw RequestError(of: name, "?\(name ?? "")=: a JSON object {…} is missing after '='")
    case Byte.blank..<Byte.delete:
      let name = requestName(nameEnd)
      throw skipLine(of: name, "?\(name ?? "")= takes a JSON object {…}, nothing else")
    default: throw skipBinary(byte)
    }
  }

  private mutating func object(_ byte: UInt8, nameEnd: Int, start: Int, _ nesting: Nesting) throws(RequestError)
    -> Request?
  {
    var nesting = nesting
    if byte < Byte.blank, byte != Byte.tab, byte != Byte.lineFeed, byte != Byte.carriageReturn {
      throw skipBinary(byte)
    }
    let endsLine = byte == Byte.lineFeed || byte == Byte.carriageReturn
    if endsLine || byte == Byte.semicolon && !nesting.inString {
      let name = requestName(nameEnd)
      let message = "?\(name ?? ""): the object is not closed; '}' or a quote is missing before the end of the line"
      if !endsLine { throw skipLine(of: name, message) }
      state = .idle
      throw RequestError(of: name, message)
    }
    switch byte {
    case _ where nesting.escaped: nesting.escaped = false
    case Byte.backslash where nesting.inString: nesting.escaped = true
    case Byte.quote: nesting.inString.toggle()
    case _ where nesting.inString: break
    case Byte.openBrace: nesting.braces += 1
    case Byte.closeBrace: nesting.braces -= 1
    case Byte.openBracket: nesting.brackets += 1
    case Byte.closeBracket: nesting.brackets = max(nesting.brackets - 1, 0)
    default: break
    }
    if nesting.braces + nesting.brackets > Self.maximumDepth {
      let name = requestName(nameEnd)
      throw skipLine(of: name, "?\(name ?? ""): objects and arrays are nested too deeply; requests are flat")
    }
    state = .object(nameEnd: nameEnd, start: start, nesting)
    try append(byte)
    guard nesting.braces == 0 else { return nil }
    return try complete(name: requestName(nameEnd), json: buffer[start...])
  }

  private mutating func append(_ byte: UInt8) throws(RequestError) {
    // The question mark is not kept.
    guard buffer.count + 1 < Self.maximumLength else {
      throw skipLine(
        "A request is at most \(Self.maximumLength) bytes long; this one was dropped up to the end of its line")
    }
    buffer.append(byte)
  }

  private mutating func complete(name: String?, json: ArraySlice<UInt8>?) throws(RequestError) -> Request {
    state = .idle
    guard let name else { throw RequestError("A name is missing after '?', like ?VERSION;") }
    return try Request(name: name, json.map { json throws(RequestError) in try RequestFields(json, of: name) })
  }

  private mutating func skipLine(of name: String? = nil, _ message: String) -> RequestError {
    if case .idle = state { state = .skippingLine(matched: 0) } else { state = .skippingRequest }
    return RequestError(of: name, message)
  }

  private mutating func skipBinary(_ byte: UInt8) -> RequestError {
    let mistake = byte < Byte.delete ? "byte \(byte) is a control character" : "byte \(byte) is not ASCII"
    let error = skipLine(
      "Outside of quotes a request is printable ASCII, but \(mistake); the line was dropped up to its end")
    if byte == Byte.lineFeed { state = .idle }
    return error
  }

  /// The name in the first `end` bytes without blanks; `nil` when there is none.
  private func requestName(_ end: Int) -> String? {
    let name = buffer.prefix(min(end, 64)).filter { $0 != Byte.blank && $0 != Byte.tab }
    return name.isEmpty ? nil : String(decoding: name, as: UTF8.self)
  }
}

/// Another protocol, which no client of this one uses: a web page, or a program on the wrong port.
enum ForeignProtocol: String {
  case http = "HTTP"
  case tls = "TLS"
  case ssh = "SSH"

  /// What the first line of each starts with: a method (`PRI` in HTTP/2), the header of a handshake record, a name.
  private static let openings: [(ForeignProtocol, [UInt8])] =
    ["GET ", "POST ", "PUT ", "HEAD ", "OPTIONS ", "DELETE ", "PATCH ", "CONNECT ", "TRACE ", "PRI "].map {
      (.http, Array($0.utf8))
    } + [(.tls, [0x16, 0x03]), (.ssh, Array("SSH-".utf8))]

  /// What follows the target on the first line of HTTP: a page that has rebound its name may invent methods.
  static let version = Array(" HTTP/".utf8)

  /// The protocol that begins with the bytes of a line so far, or with more; no opening begins with another.
  static func match(_ bytes: [UInt8]) -> (foreign: ForeignProtocol, isWhole: Bool)? {
    openings.first { $0.1.starts(with: bytes) }.map { ($0, bytes.count == $1.count) }
  }

  /// The number of bytes of `version` that the line ends with, `byte` included.
  static func matchedVersion(_ byte: UInt8, after matched: Int) -> Int {
    if byte == version[matched] { return matched + 1 }
    return byte == version[0] ? 1 : 0
  }
}
