/// A parser of a connection's bytes into requests, wherever the reads were split.
///
/// A request is `?NAME;` or `?NAME={…}`, ended by `;`, a newline, or the closing brace. Newlines, blanks and semicolons
/// between requests are ignored. Anything else gives exactly one error; the next request begins where that ends, or on
/// the next line when its end is unclear. The parser holds at most 4 KiB. Closing a connection after many errors is up
/// to the caller.
///
/// A line that is HTTP, TLS or SSH is the last error: everything after it is dropped, so that the body of a web page's
/// request is never a request.
package struct RequestParser: Sendable {
  /// Longest request in bytes, from `?` to its end.
  package static let maximumLength = 4096
  /// Deepest nesting of objects and arrays.
  package static let maximumDepth = 8

  private enum State: Sendable {
    /// Between requests.
    case idle
    /// After `?`.
    case name
    /// After `=`, before the brace.
    case equals(nameEnd: Int)
    /// Between the braces.
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

  private enum Outcome {
    case request(Request)
    case fault(RequestError)
  }

  private var state = State.idle
  private var buffer: [UInt8] = []

  package init() {}

  /// The next request at `index`, which moves past it; `nil` at the end of `bytes`. A thrown error means one
  /// malformed request; the next call continues after it.
  package mutating func next(in bytes: Span<UInt8>, from index: inout Int) throws(RequestError) -> Request? {
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      switch take(byte) {
      case nil: continue
      case .request(let request): return request
      case .fault(let error): throw error
      }
    }
    return nil
  }

  private mutating func take(_ byte: UInt8) -> Outcome? {
    switch state {
    case .ended: return nil
    case .skippingLine(let matched): return skip(byte, matched: matched)
    case .skippingRequest:
      if byte == Byte.lineFeed || byte == Byte.semicolon { state = .idle }
      return nil
    case .idle: return between(byte)
    case .opening: return opening(byte)
    case .name: return name(byte)
    case .equals(let nameEnd): return equals(byte, nameEnd: nameEnd)
    case .object(let nameEnd, let start, let nesting):
      return object(byte, nameEnd: nameEnd, start: start, nesting)
    }
  }

  private mutating func between(_ byte: UInt8) -> Outcome? {
    switch byte {
    case Byte.question:
      buffer.removeAll(keepingCapacity: true)
      state = .name
      return nil
    case Byte.semicolon, Byte.lineFeed, Byte.carriageReturn, Byte.blank, Byte.tab: return nil
    default:
      buffer.removeAll(keepingCapacity: true)
      return opening(byte)
    }
  }

  /// Takes the bytes at the start of a line that is not a request.
  private mutating func opening(_ byte: UInt8) -> Outcome? {
    buffer.append(byte)
    switch ForeignProtocol.match(buffer) {
    case .partial:
      state = .opening
      return nil
    case .whole(let foreign): return end(foreign)
    case .none:
      state = .idle
      let outcome = notARequest(buffer[0])
      return skip(byte, matched: 0) ?? outcome
    }
  }

  private mutating func notARequest(_ first: UInt8) -> Outcome {
    guard (Byte.blank..<Byte.delete).contains(first) else { return skipBinary(first) }
    let character = Character(UnicodeScalar(first))
    return skipLine(
      .notARequest,
      #"A request starts with '?', like ?WATCH={"enable":true,"json":true}; this line starts with '\#(character)'"#)
  }

  private mutating func skip(_ byte: UInt8, matched: Int) -> Outcome? {
    guard byte != Byte.lineFeed else {
      state = .idle
      return nil
    }
    let matched = ForeignProtocol.matchedVersion(byte, after: matched)
    guard matched < ForeignProtocol.version.count else { return end(.http) }
    state = .skippingLine(matched: matched)
    return nil
  }

  private mutating func end(_ foreign: ForeignProtocol) -> Outcome {
    state = .ended
    return .fault(RequestError(.foreignProtocol, "the client speaks \(foreign.rawValue)"))
  }

  private mutating func name(_ byte: UInt8) -> Outcome? {
    switch byte {
    case Byte.semicolon, Byte.lineFeed, Byte.carriageReturn:
      return complete(name: requestName(buffer.count), json: nil)
    case Byte.equals:
      state = .equals(nameEnd: buffer.count)
      return append(byte)
    case Byte.openBrace:
      let name = requestName(buffer.count)
      return skipLine(.malformed, of: name, "?\(name ?? ""): '=' is missing before '{'")
    case Byte.tab, Byte.blank..<Byte.delete: return append(byte)
    default: return skipBinary(byte)
    }
  }

  private mutating func equals(_ byte: UInt8, nameEnd: Int) -> Outcome? {
    switch byte {
    case Byte.openBrace:
      state = .object(nameEnd: nameEnd, start: buffer.count, Nesting(braces: 1))
      return append(byte)
    case Byte.blank, Byte.tab: return append(byte)
    case Byte.semicolon, Byte.lineFeed, Byte.carriageReturn:
      state = .idle
      let name = requestName(nameEnd)
      return .fault(RequestError(.malformed, of: name, "?\(name ?? "")=: a JSON object {…} is missing after '='"))
    case Byte.blank..<Byte.delete:
      let name = requestName(nameEnd)
      return skipLine(.malformed, of: name, "?\(name ?? "")= takes a JSON object {…}, nothing else")
    default: return skipBinary(byte)
    }
  }

  private mutating func object(_ byte: UInt8, nameEnd: Int, start: Int, _ nesting: Nesting) -> Outcome? {
    var nesting = nesting
    if byte < Byte.blank, byte != Byte.tab, byte != Byte.lineFeed, byte != Byte.carriageReturn {
      return skipBinary(byte)
    }
    let endsLine = byte == Byte.lineFeed || byte == Byte.carriageReturn
    if endsLine || byte == Byte.semicolon && !nesting.inString {
      let name = requestName(nameEnd)
      let message = "?\(name ?? ""): the object is not closed; '}' or a quote is missing before the end of the line"
      if !endsLine { return skipLine(.unterminated, of: name, message) }
      state = .idle
      return .fault(RequestError(.unterminated, of: name, message))
    }
    if nesting.inString {
      if nesting.escaped {
        nesting.escaped = false
      } else if byte == Byte.backslash {
        nesting.escaped = true
      } else if byte == Byte.quote {
        nesting.inString = false
      }
    } else {
      switch byte {
      case Byte.quote: nesting.inString = true
      case Byte.openBrace: nesting.braces += 1
      case Byte.closeBrace: nesting.braces -= 1
      case Byte.openBracket: nesting.brackets += 1
      case Byte.closeBracket: nesting.brackets = max(nesting.brackets - 1, 0)
      default: break
      }
      if nesting.braces + nesting.brackets > Self.maximumDepth {
        let name = requestName(nameEnd)
        return skipLine(
          .tooDeep, of: name, "?\(name ?? ""): objects and arrays are nested too deeply; requests are flat")
      }
    }
    state = .object(nameEnd: nameEnd, start: start, nesting)
    if let fault = append(byte) { return fault }
    guard nesting.braces == 0 else { return nil }
    return complete(name: requestName(nameEnd), json: buffer[start...])
  }

  private mutating func append(_ byte: UInt8) -> Outcome? {
    // The question mark is not kept.
    guard buffer.count + 1 < Self.maximumLength else {
      return skipLine(
        .tooLong,
        "A request is at most \(Self.maximumLength) bytes long; this one was dropped up to the end of its line")
    }
    buffer.append(byte)
    return nil
  }

  private mutating func complete(name: String?, json: ArraySlice<UInt8>?) -> Outcome {
    state = .idle
    guard let name else {
      return .fault(RequestError(.malformed, "A name is missing after '?', like ?VERSION;"))
    }
    do throws(RequestError) {
      let fields = try json.map { json throws(RequestError) in try RequestFields(json, of: name) }
      return .request(try Request(name: name, fields))
    } catch {
      return .fault(error)
    }
  }

  private mutating func skipLine(_ kind: RequestError.Kind, of name: String? = nil, _ message: String) -> Outcome {
    if case .idle = state { state = .skippingLine(matched: 0) } else { state = .skippingRequest }
    return .fault(RequestError(kind, of: name, message))
  }

  private mutating func skipBinary(_ byte: UInt8) -> Outcome {
    let mistake = byte < Byte.delete ? "byte \(byte) is a control character" : "byte \(byte) is not ASCII"
    let outcome = skipLine(
      .binary,
      "Outside of quotes a request is printable ASCII, but \(mistake); the line was dropped up to its end")
    if byte == Byte.lineFeed { state = .idle }
    return outcome
  }

  /// The name in the first `end` bytes without blanks; `nil` when there is none.
  private func requestName(_ end: Int) -> String? {
    let name = buffer.prefix(min(end, 64)).filter { $0 != Byte.blank && $0 != Byte.tab }
    return name.isEmpty ? nil : String(decoding: name, as: UTF8.self)
  }
}

/// Another protocol, which no client of this one speaks: a web page, or a program on the wrong port.
enum ForeignProtocol: String {
  case http = "HTTP"
  case tls = "TLS"
  case ssh = "SSH"

  /// How far bytes agree with an opening.
  enum Match {
    case none
    case partial
    case whole(ForeignProtocol)
  }

  /// What the first line of each starts with: a method (`PRI` in HTTP/2), the header of a handshake record, a name.
  private static let openings: [(ForeignProtocol, [UInt8])] =
    ["GET ", "POST ", "PUT ", "HEAD ", "OPTIONS ", "DELETE ", "PATCH ", "CONNECT ", "TRACE ", "PRI "].map {
      (.http, Array($0.utf8))
    } + [(.tls, [0x16, 0x03]), (.ssh, Array("SSH-".utf8))]

  /// What follows the target on the first line of HTTP: a page that has rebound its name may invent methods.
  static let version = Array(" HTTP/".utf8)

  /// Compares the bytes of a line so far; no opening begins with another.
  static func match(_ bytes: [UInt8]) -> Match {
    guard let (foreign, opening) = openings.first(where: { $0.1.starts(with: bytes) }) else { return .none }
    return bytes.count == opening.count ? .whole(foreign) : .partial
  }

  /// The number of bytes of `version` that the line ends with, `byte` included.
  static func matchedVersion(_ byte: UInt8, after matched: Int) -> Int {
    if byte == version[matched] { return matched + 1 }
    return byte == version[0] ? 1 : 0
  }
}
