/// A value of a field in a request: requests are flat, so an array or object is never right.
enum JSONField: Hashable, Sendable, Decodable {
  case bool(Bool)
  case number(Double)
  case string(String)
  case null
  case nested

  init(from decoder: any Decoder) throws {
    guard let container = try? decoder.singleValueContainer() else {
      self = .nested
      return
    }
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else {
      self = .nested
    }
  }

  /// What it is, as a message says it.
  var kind: String {
    switch self {
    case .bool: "a truth value"
    case .number: "a number"
    case .string: "a string"
    case .null: "null"
    case .nested: "an array, an object or a malformed number"
    }
  }
}
