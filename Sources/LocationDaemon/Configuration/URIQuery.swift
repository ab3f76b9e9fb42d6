/// The part of a source URI behind its scheme: a path, then `?key=value&key=value`.
package struct URIQuery {
  /// The path, percent-decoded.
  package let path: String
  private let text: String
  private var pairs: [(key: String, value: String)]

  /// Splits `rest`; `text` is the whole URI, for messages.
  package init(_ rest: Substring, in text: String) {
    self.text = text
    let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    path = Self.decodingPercents(parts[0])
    pairs =
      parts.count < 2
      ? []
      : parts[1].split(separator: "&").map { pair in
        let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return (Self.decodingPercents(sides[0]), sides.count < 2 ? "" : Self.decodingPercents(sides[1]))
      }
  }

  /// Takes the value of a key out; a key named twice counts by its last value.
  package mutating func take(_ key: String) -> String? {
    let value = pairs.last { $0.key == key }?.value
    pairs.removeAll { $0.key == key }
    return value
  }

  /// Takes every value of a key out, in their order.
  package mutating func takeAll(_ key: String) -> [String] {
    let values = pairs.filter { $0.key == key }.map(\.value)
    pairs.removeAll { $0.key == key }
    return values
  }

  /// Takes a key that is `true` or `false`.
  package mutating func takeFlag(_ key: String) throws(ConfigurationError) -> Bool? {
    switch take(key) {
    case nil: nil
    case "true", "1", "yes", "": true
    case "false", "0", "no": false
    case .some(let value): throw error("\(key)=\(value) is neither true nor false")
    }
  }

  /// Throws when a key was left that nobody took.
  package func finish() throws(ConfigurationError) {
    if let pair = pairs.first { throw error("unknown parameter \"\(pair.key)\"") }
  }

  /// An error about this URI.
  package func error(_ message: String) -> ConfigurationError {
    ConfigurationError(key: text, message: message)
  }

  /// A key or value as it is written into a URI.
  static func encoded(_ text: String) -> String {
    var encoded = ""
    for byte in text.utf8 {
      let isPlain = byte < 0x80 && !" %&=?#".utf8.contains(byte) && byte > 0x20
      if isPlain {
        encoded.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        encoded += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
    return encoded
  }

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
