import LocationCore

/// The members of a request's object. Every mistake in them is an error with the name of the request and of the field.
struct RequestFields {
  /// A member's value. Requests are flat, so an array or object is always a mistake.
  private enum Field {
    case bool(Bool)
    case number(Double)
    case malformedNumber
    case string(String)
    case null
    case nested

    /// The type for a message.
    var kind: String {
      switch self {
      case .bool: "true or false"
      case .number: "a number"
      case .malformedNumber: "a malformed number"
      case .string: "a string"
      case .null: "null"
      case .nested: "an array or an object"
      }
    }
  }

  private let request: String
  private var fields: [String: Field] = [:]

  /// Reads a JSON object.
  init(_ json: ArraySlice<UInt8>, of request: String) throws(RequestError) {
    self.request = request
    fields = try json.withUnsafeBufferPointer { bytes throws(RequestError) in try Self.read(bytes, of: request) }
  }

  private static func read(
    _ bytes: UnsafeBufferPointer<UInt8>, of request: String
  ) throws(RequestError) -> [String: Field] {
    guard String(validating: bytes, as: UTF8.self) != nil else {
      throw RequestError(.notJSON, of: request, "?\(request): the text between the braces is not UTF-8")
    }
    // All that UTF-8 leaves open.
    let halfPair = RequestError(
      .notJSON, of: request, #"?\#(request): an escape like \ud83d is half a surrogate pair; write both halves"#)
    var fields: [String: Field] = [:]
    var cursor = JSONCursor(bytes)
    while let (range, value) = cursor?.member() {
      guard let cursor, let name = cursor.text(range) else { throw halfPair }
      let field: Field
      switch value {
      case .bool(let truth): field = .bool(truth)
      case .number(let range): field = cursor.number(range).map { .number($0) } ?? .malformedNumber
      case .malformedNumber: field = .malformedNumber
      case .string(let range):
        guard let text = cursor.text(range) else { throw halfPair }
        field = .string(text)
      case .null: field = .null
      case .object, .array: field = .nested
      }
      guard fields.updateValue(field, forKey: name) == nil else {
        throw RequestError(.repeatedField, of: request, #"?\#(request): "\#(name)" is given more than once"#)
      }
    }
    guard let cursor, !cursor.isBroken else {
      throw RequestError(
        .notJSON, of: request,
        #"?\#(request): the text between the braces is not JSON; expected ?\#(request)={"name":value,…} with quoted names"#
      )
    }
    return fields
  }

  var isEmpty: Bool { fields.isEmpty }

  /// Throws for every other field.
  func allowOnly(_ known: String...) throws(RequestError) {
    let unknown = fields.keys.filter { !known.contains($0) }
    guard let first = unknown.min() else { return }
    throw RequestError(
      .unknownField, of: request, #"?\#(request) has no field "\#(first)"; it has \#(known.joined(separator: ", "))"#)
  }

  /// Throws for a field whose name differs from one of these only in case; other fields are ignored.
  func catchMisspelled(_ known: String...) throws(RequestError) {
    for name in fields.keys.sorted() where !known.contains(name) {
      guard let meant = known.first(where: { $0.lowercased() == name.lowercased() }) else { continue }
      throw RequestError(
        .unknownField, of: request, #"?\#(request) has no field "\#(name)"; did you mean "\#(meant)"?"#)
    }
  }

  /// Whether that field is a string.
  func isText(_ name: String) -> Bool { if case .string = fields[name] { true } else { false } }

  func bool(_ name: String) throws(RequestError) -> Bool? {
    switch fields[name] {
    case nil: return nil
    case .bool(let value): return value
    case .some(let other): throw wrongType(name, "true or false", other)
    }
  }

  func number(_ name: String, in range: ClosedRange<Double>) throws(RequestError) -> Double? {
    guard let value = try number(name) else { return nil }
    guard range.contains(value) else {
      throw outOfRange(name, "from \(Self.text(range.lowerBound)) to \(Self.text(range.upperBound))")
    }
    return value
  }

  func number(_ name: String) throws(RequestError) -> Double? {
    switch fields[name] {
    case nil: return nil
    case .number(let value): return value
    case .some(let other): throw wrongType(name, "a number", other)
    }
  }

  /// A whole number that a `Double` holds exactly.
  func whole(_ name: String, upTo limit: Double = 0x1p53) throws(RequestError) -> UInt64? {
    guard let value = try number(name) else { return nil }
    guard value <= limit, let whole = UInt64(exactly: value) else {
      throw outOfRange(name, "a whole number from 0 to \(Self.text(limit))")
    }
    return whole
  }

  func string(_ name: String, bytes: ClosedRange<Int>) throws(RequestError) -> String? {
    switch fields[name] {
    case nil: return nil
    case .string(let value):
      guard bytes.contains(value.utf8.count) else {
        throw outOfRange(name, "\(bytes.lowerBound) to \(bytes.upperBound) bytes long")
      }
      return value
    case .some(let other): throw wrongType(name, "a string", other)
    }
  }

  /// Takes a string out of the fields; `nil` when there is none of that name.
  mutating func removeString(_ name: String) -> String? {
    guard case .string(let value) = fields.removeValue(forKey: name) else { return nil }
    return value
  }

  func coordinate() throws(RequestError) -> Coordinate {
    let latitude = try required("lat", number("lat", in: -90...90))
    let longitude = try required("lon", number("lon", in: -180...180))
    guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else {
      throw outOfRange("lat", "from -90 to 90")
    }
    return coordinate
  }

  func required<Value>(_ name: String, _ value: Value?) throws(RequestError) -> Value {
    guard let value else {
      throw RequestError(.missingField, of: request, #"?\#(request): "\#(name)" is missing"#)
    }
    return value
  }

  func outOfRange(_ name: String, _ right: String) -> RequestError {
    RequestError(.outOfRange, of: request, #"?\#(request): "\#(name)" must be \#(right)"#)
  }

  private func wrongType(_ name: String, _ right: String, _ wrong: Field) -> RequestError {
    RequestError(.wrongType, of: request, #"?\#(request): "\#(name)" must be \#(right), not \#(wrong.kind)"#)
  }

  private static func text(_ bound: Double) -> String {
    Int(exactly: bound).map { "\($0)" } ?? "\(bound)"
  }
}

/// Why bytes are not a request. The message names the mistake and the right form.
package struct RequestError: Error, Hashable, Sendable {
  /// The kinds of mistakes.
  package enum Kind: Hashable, Sendable {
    /// A line that does not start with `?`.
    case notARequest
    /// HTTP, TLS or SSH; the last error of a connection.
    case foreignProtocol
    /// A control character, or bytes that are not text.
    case binary
    /// More than 4 KiB.
    case tooLong
    /// Arrays or objects in each other.
    case tooDeep
    /// A name followed by something other than `;` or `=`, or `=` without an object.
    case malformed
    /// An object that is not closed on its line.
    case unterminated
    /// A name that no request has.
    case unknownRequest
    /// Text between the braces that is not JSON.
    case notJSON
    /// A field that the request does not have.
    case unknownField
    /// A field that is given more than once.
    case repeatedField
    /// A field of the wrong type.
    case wrongType
    /// A value outside its range.
    case outOfRange
    /// A required field that is missing.
    case missingField
    /// A value for a request that has none, or none for one that needs it.
    case unexpectedValue
  }

  /// The kind, for tests and counters.
  package var kind: Kind
  /// Name of the request, if it could be read.
  package var request: String?
  /// One sentence for a person.
  package var message: String

  init(_ kind: Kind, of request: String? = nil, _ message: String) {
    self.kind = kind
    self.request = request
    self.message = message
  }
}
