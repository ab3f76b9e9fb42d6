import LocationCore

/// The members of one JSON object, by name: of several with one name the last, `null` is none. A value that is missing
/// or of another type is `nil`; ``fault`` has the first, for a reader that must not accept it.
struct JSONObject {
  /// The first member that is missing or has the wrong type, in words; `nil` while there is none.
  private(set) var fault: String?
  private let cursor: JSONCursor
  private var members: [(name: Range<Int>, value: JSONCursor.Value)] = []

  /// Reads the object in `range`, or in all of the bytes; `nil` when it is not JSON. The bytes must outlive it.
  init?(_ bytes: UnsafeBufferPointer<UInt8>, in range: Range<Int>? = nil) {
    guard var cursor = JSONCursor(bytes, in: range) else { return nil }
    // A member takes ten bytes or more.
    members.reserveCapacity(min((range ?? 0..<bytes.count).count / 10, 32))
    while let member = cursor.member() {
      if member.value == .malformedNumber { return nil }
      members.append(member)
    }
    // An array has no members, and is not read to its end.
    guard !cursor.isBroken, cursor.isClosed else { return nil }
    self.cursor = cursor
  }

  func has(_ name: StaticString) -> Bool { value(name) != nil }

  mutating func string(_ name: StaticString) -> String? {
    read(name) { if case .string(let range) = $0 { $1.text(range) } else { nil } }
  }

  mutating func double(_ name: StaticString) -> Double? {
    read(name) { if case .number(let range) = $0 { $1.number(range) } else { nil } }
  }

  /// The integer of that name, also when it is written with decimals that are zero.
  mutating func integer<Integer: FixedWidthInteger>(_ name: StaticString) -> Integer? {
    read(name) { if case .number(let range) = $0 { $1.integer(range) } else { nil } }
  }

  mutating func bool(_ name: StaticString) -> Bool? {
    read(name) { value, _ in if case .bool(let truth) = value { truth } else { nil } }
  }

  mutating func time(_ name: StaticString) -> UTCInstant? {
    read(name) { if case .string(let range) = $0 { UTCInstant(iso8601: $1.bytes[range]) } else { nil } }
  }

  @inline(__always)
  private mutating func read<Value>(
    _ name: StaticString, _ convert: (JSONCursor.Value, JSONCursor) -> Value?
  ) -> Value? {
    guard let value = value(name) else { return nil }
    return convert(value, cursor) ?? wrongType(name)
  }

  /// What `read` makes of each object in the array of that name, without those for which it returns `nil`.
  mutating func objects<Element>(_ name: StaticString, _ read: (inout JSONObject) -> Element?) -> [Element]? {
    guard let value = value(name) else { return nil }
    guard case .array(let range) = value, var elements = JSONCursor(cursor.bytes, in: range) else {
      return wrongType(name)
    }
    var list: [Element] = []
    while let element = elements.element() {
      guard case .object(let range) = element, var object = JSONObject(cursor.bytes, in: range) else {
        _ = wrongType(name) as Bool?
        continue
      }
      if let element = read(&object) { list.append(element) }
      if fault == nil, let inner = object.fault { fault = "\(name)[\(list.count)]: \(inner)" }
    }
    return list
  }

  /// What `read` makes of the object of that name.
  mutating func object<Element>(_ name: StaticString, _ read: (inout JSONObject) -> Element?) -> Element? {
    guard let value = value(name) else { return nil }
    guard case .object(let range) = value, var object = JSONObject(cursor.bytes, in: range) else {
      return wrongType(name)
    }
    let element = read(&object)
    if fault == nil, let inner = object.fault { fault = "\(name): \(inner)" }
    return element
  }

  mutating func counts(_ name: StaticString) -> [String: Int]? {
    guard let value = value(name) else { return nil }
    guard case .object(let range) = value, var members = JSONCursor(cursor.bytes, in: range) else {
      return wrongType(name)
    }
    var counts: [String: Int] = [:]
    while let (key, value) = members.member() {
      guard case .number(let range) = value, let key = cursor.text(key), let count: Int = cursor.integer(range) else {
        _ = wrongType(name) as Bool?
        continue
      }
      counts[key] = count
    }
    return counts
  }

  mutating func noteMissing(_ name: StaticString) { note("\"\(name)\" is missing") }

  private func value(_ name: StaticString) -> JSONCursor.Value? {
    guard let value = members.last(where: { cursor.is($0.name, name) })?.value, value != .null else { return nil }
    return value
  }

  private mutating func wrongType<Value>(_ name: StaticString) -> Value? {
    note("\"\(name)\" has the wrong type")
    return nil
  }

  private mutating func note(_ fault: String) {
    if self.fault == nil { self.fault = fault }
  }
}
