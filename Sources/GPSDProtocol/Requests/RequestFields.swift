import LocationCore

/// The members of a request's object, or the values of a request that is not on a line yet. Every mistake in them is an
/// error with the name of the request and of the field.
struct RequestFields {
  /// A member's value.
  private enum Field {
    case bool(Bool)
    case number(Double)
    case string(String)
    /// What is always a mistake, in words: requests are flat.
    case other(String)

    var kind: String {
      switch self {
      case .bool: "true or false"
      case .number: "a number"
      case .string: "a string"
      case .other(let kind): kind
      }
    }

    var number: Double? { if case .number(let number) = self { number } else { nil } }
  }

  private let request: String
  /// `nil` for values that are only checked.
  private var fields: [String: Field]?
  private var known: [String] = []
  private var ignoresUnknown = false
  private(set) var fault: RequestError?

  init(checking request: String) { self.request = request }

  init(_ json: ArraySlice<UInt8>, of request: String) throws(RequestError) {
    self.request = request
    fields = try json.withUnsafeBufferPointer { bytes throws(RequestError) in try Self.read(bytes, of: request) }
  }

  private static func read(
    _ bytes: UnsafeBufferPointer<UInt8>, of request: String
  ) throws(RequestError) -> [String: Field] {
    guard String(validating: bytes, as: UTF8.self) != nil else {
      throw RequestError(of: request, "?\(request): the text between the braces is not UTF-8")
    }
    // All that UTF-8 leaves open.
    let halfPair = RequestError(
      of: request, #"?\#(request): an escape like \ud83d is half a surrogate pair; write both halves"#)
    let malformedNumber = Field.other("a malformed number")
    var fields: [String: Field] = [:]
    var cursor = JSONCursor(bytes)
    while let (range, value) = cursor?.member() {
      guard let cursor, let name = cursor.text(range) else { throw halfPair }
      let field: Field
      switch value {
      case .bool(let truth): field = .bool(truth)
      case .number(let range): field = cursor.number(range).map { .number($0) } ?? malformedNumber
      case .malformedNumber: field = malformedNumber
      case .string(let range):
        guard let text = cursor.text(range) else { throw halfPair }
        field = .string(text)
      case .null: field = .other("null")
      case .object, .array: field = .other("an array or an object")
      }
      guard fields.updateValue(field, forKey: name) == nil else {
        throw RequestError(of: request, #"?\#(request): "\#(name)" is given more than once"#)
      }
    }
    guard let cursor, !cursor.isBroken else {
      throw RequestError(
        of: request,
        #"?\#(request): the text between the braces is not JSON; expected ?\#(request)={"name":value,…} with quoted names"#
      )
    }
    return fields
  }

  /// Reads the fields of a request: the first mistake in them is the error, before it any unknown field.
  func read<Fields: CodedFields>() throws(RequestError) -> Fields {
    var reader = self
    var request = Fields()
    request.fields(&reader)
    for name in (fields ?? [:]).keys.sorted() where !reader.known.contains(name) {
      var remedy = "it has \(reader.known.joined(separator: ", "))"
      if reader.ignoresUnknown {
        guard let meant = reader.known.first(where: { $0.lowercased() == name.lowercased() }) else { continue }
        remedy = "did you mean \"\(meant)\"?"
      }
      throw RequestError(of: self.request, #"?\#(self.request) has no field "\#(name)"; \#(remedy)"#)
    }
    if let fault = reader.fault { throw fault }
    return request
  }

  func contains(_ name: String) -> Bool { fields?[name] != nil }

  /// A truth value, before the other fields are read.
  func bool(_ name: StaticString) throws(RequestError) -> Bool? {
    var reader = self
    var value: Bool?
    reader.field(name, &value)
    if let fault = reader.fault { throw fault }
    return value
  }

  mutating func removeString(_ name: String) -> String? {
    guard case .string(let value) = fields?.removeValue(forKey: name) else { return nil }
    return value
  }

  private mutating func note(_ name: StaticString, _ mistake: String) {
    if fault == nil { fault = RequestError(of: request, #"?\#(request): "\#(name)" \#(mistake)"#) }
  }
}

extension RequestFields: FieldCoder {
  mutating func field(_ name: StaticString, _ value: inout Bool?) {
    take(name, "true or false", &value) { if case .bool(let truth) = $0 { truth } else { nil } }
  }

  /// A whole number, at most one that a `Double` holds exactly.
  mutating func field<Whole: FixedWidthInteger>(_ name: StaticString, _ value: inout Whole?, upTo limit: Double) {
    var number = value.map { Double($0) }
    take(name, "a number", &number) { $0.number }
    guard let number else { return }
    value = number >= 0 && number <= limit ? Whole(exactly: number) : nil
    check(name, value != nil, "a whole number from 0 to \(Int(limit))")
  }

  mutating func field(_ name: StaticString, _ value: inout String?) {
    take(name, "a string", &value) { if case .string(let text) = $0 { text } else { nil } }
  }

  mutating func field(_ name: StaticString, _ value: inout UTCInstant?) {
    take(name, "a time", &value) {
      if case .string(let text) = $0 { UTCInstant(iso8601: text.utf8) } else { nil }
    }
  }

  mutating func field(_ name: StaticString, _ value: inout Double?, decimals: Int, trimmed: Bool) {
    take(name, "a number", &value) { $0.number }
  }

  mutating func ignore(_ name: StaticString) { known.append("\(name)") }
  mutating func ignoreUnknown() { ignoresUnknown = true }
  func isText(_ name: StaticString) -> Bool { if case .string = fields?["\(name)"] { true } else { false } }
  mutating func noteMissing(_ name: StaticString) { if fields != nil { note(name, "is missing") } }

  mutating func check(_ name: StaticString, _ isValid: Bool, _ right: @autoclosure () -> String) {
    if !isValid { note(name, "must be \(right())") }
  }

  private mutating func take<Value>(
    _ name: StaticString, _ right: String, _ value: inout Value?, _ convert: (Field) -> Value?
  ) {
    guard let fields else { return }
    known.append("\(name)")
    let field = fields["\(name)"]
    value = field.flatMap(convert)
    if value == nil, let field { note(name, "must be \(right), not \(field.kind)") }
  }
}

/// Why bytes are not a request. The message names the mistake and the right form.
package struct RequestError: Error, Hashable, Sendable {
  package var message: String
  package var request: String?
  /// Whether it is HTTP, TLS or SSH: the last error of a connection.
  package var isForeignProtocol: Bool

  init(of request: String? = nil, _ message: String, isForeignProtocol: Bool = false) {
    self.message = message
    self.request = request
    self.isForeignProtocol = isForeignProtocol
  }
}
