import LocationCore

/// The part of a source URI after its scheme: a path, then `?key=value&key=value`. Parameters are taken out one by one.
package struct URIQuery {
  /// A key and its value without percent codes.
  package typealias Parameter = (key: String, value: String)

  package let path: String
  private let text: String
  /// The keys in order, also those that were taken.
  private var keys: [String] = []
  private var values: [String: [String]] = [:]

  private static let maximumParameters = 1000

  /// Splits `rest`; `text` is the whole URI, for error messages.
  package init(_ rest: Substring, in text: String) throws(ConfigurationError) {
    self.text = text
    let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    path = Self.decodingPercents(parts[0])
    guard rest.utf8.count(where: { $0 == UInt8(ascii: "&") }) < Self.maximumParameters else {
      throw error("more than \(Self.maximumParameters) parameters")
    }
    for pair in parts.count < 2 ? [] : parts[1].split(separator: "&") {
      let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      add(sides.count < 2 ? "" : Self.decodingPercents(sides[1]), for: Self.decodingPercents(sides[0]))
    }
  }

  mutating func add(_ value: String, for key: String) {
    keys.append(key)
    values[key, default: []].append(value)
  }

  /// Takes the value of `key`; the last one if the key is repeated.
  package mutating func take(_ key: String) -> String? { takeAll(key).last }
  package mutating func takeAll(_ key: String) -> [String] { values.removeValue(forKey: key) ?? [] }

  var containsNUL: Bool { ([path] + keys + values.values.joined()).contains { $0.utf8.contains(0) } }

  package mutating func takeFlag(_ key: String) throws(ConfigurationError) -> Bool? {
    switch take(key) {
    case nil: nil
    case "true", "1", "yes", "": true
    case "false", "0", "no": false
    case .some(let value): throw error("\(key)=\(value) is neither true nor false")
    }
  }

  /// Takes one of the values of an enumeration; `nil` without the key. `mistake` is said of any other.
  mutating func takeCase<Value: RawRepresentable<String>>(
    _ key: String, orElse mistake: String
  ) throws(ConfigurationError) -> Value? {
    guard let text = take(key) else { return nil }
    guard let value = Value(rawValue: text) else { throw error("\(key)=\(text) \(mistake)") }
    return value
  }

  mutating func takeChecksumPolicy() throws(ConfigurationError) -> ChecksumPolicy? {
    try takeCase("checksums", orElse: "is not valid; use require, prefer or accept")
  }

  /// Takes `rollover=flag|snap`: whether dates 1024 weeks or a multiple in the past are only counted, or moved forward.
  mutating func takeRollover() throws(ConfigurationError) -> Bool {
    switch take("rollover") {
    case nil, "flag": false
    case "snap": true
    case .some(let text): throw error("rollover=\(text) is not valid; use flag or snap")
    }
  }

  func splitAuthority() throws(ConfigurationError) -> (authority: String, path: String) {
    guard path.hasPrefix("//") else {
      throw error("write two slashes before the address, for example gpsd://localhost:2947")
    }
    let rest = path.dropFirst(2)
    guard let slash = rest.firstIndex(of: "/") else { return (String(rest), "") }
    return (String(rest[..<slash]), String(rest[slash...]))
  }

  package func finish() throws(ConfigurationError) {
    if let key = keys.first(where: { values[$0] != nil }) { throw error("unknown parameter \"\(key)\"") }
  }

  package func error(_ message: String) -> ConfigurationError { ConfigurationError(key: text, message: message) }

  private static func decodingPercents(_ text: Substring) -> String {
    guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      let digits = rest.prefix(2)
      if byte == UInt8(ascii: "%"), digits.count == 2,
        let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
      {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
