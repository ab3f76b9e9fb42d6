import FoundationEssentials
import LocationCore

/// The fields between a request's braces, taken out one by one; every fault is said in the words of the request.
struct RequestFields {
  private let request: String
  private var fields: [String: JSONField]

  /// Reads a JSON object.
  init(_ json: ArraySlice<UInt8>, of request: String) throws(RequestError) {
    self.request = request
    do {
      // The decoder lets a comma before a closing brace pass, no other reader of JSON does.
      guard !Self.hasCommaBeforeEnd(json) else { throw DecodingFault.comma }
      fields = try JSONDecoder().decode([String: JSONField].self, from: Data(json))
    } catch {
      throw RequestError(
        .notJSON, of: request,
        #"?\#(request): what stands between the braces is no JSON; expected ?\#(request)={"name":value,…} with quoted names"#
      )
    }
  }

  private enum DecodingFault: Error {
    case comma
  }

  private static func hasCommaBeforeEnd(_ json: ArraySlice<UInt8>) -> Bool {
    var inString = false
    var escaped = false
    var last: UInt8 = 0
    for byte in json {
      if inString {
        if escaped {
          escaped = false
        } else if byte == Byte.backslash {
          escaped = true
        } else {
          inString = byte != Byte.quote
        }
        continue
      }
      switch byte {
      case Byte.quote: inString = true
      case Byte.closeBrace, Byte.closeBracket: if last == Byte.comma { return true }
      case 0x09, 0x0A, 0x0D, 0x20: continue
      default: break
      }
      last = byte
    }
    return false
  }

  /// Faults every field that is not among the known ones.
  func allowOnly(_ known: String...) throws(RequestError) {
    let unknown = fields.keys.filter { !known.contains($0) }
    guard let first = unknown.min() else { return }
    throw RequestError(
      .unknownField, of: request, #"?\#(request) has no field "\#(first)"; it has \#(known.joined(separator: ", "))"#)
  }

  /// Faults only what looks like a slip in one of the known names; other fields are read over.
  func catchMisspelled(_ known: String...) throws(RequestError) {
    for name in fields.keys.sorted() where !known.contains(name) {
      guard let meant = known.first(where: { $0.lowercased() == name.lowercased() }) else { continue }
      throw RequestError(
        .unknownField, of: request, #"?\#(request) has no field "\#(name)"; did you mean "\#(meant)"?"#)
    }
  }

  var isEmpty: Bool { fields.isEmpty }

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
    case .number(let value) where value.isFinite: return value
    case .some(let other): throw wrongType(name, "a number", other)
    }
  }

  /// A whole number that a Double holds exactly.
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

  func wrongType(_ name: String, _ right: String, _ wrong: JSONField) -> RequestError {
    RequestError(.wrongType, of: request, #"?\#(request): "\#(name)" must be \#(right), not \#(wrong.kind)"#)
  }

  private static func text(_ bound: Double) -> String {
    Int(exactly: bound).map { "\($0)" } ?? "\(bound)"
  }
}
