import Foundation
import Testing

/// One test vector: bytes, and in words what is expected of them.
struct NMEAVector: Decodable, Sendable, CustomTestStringConvertible {
  let id: String
  let group: String
  let hex: String
  let expect: String

  var testDescription: String { id }

  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    var rest = hex[...]
    while let byte = UInt8(rest.prefix(2), radix: 16) {
      bytes.append(byte)
      rest = rest.dropFirst(2)
    }
    return bytes
  }

  /// All of them, in file order.
  static let all: [NMEAVector] = {
    guard let url = Bundle.module.url(forResource: "nmea", withExtension: "jsonl", subdirectory: "Vectors"),
      let text = try? String(contentsOf: url, encoding: .utf8)
    else { return [] }
    return text.split(separator: "\n").compactMap { line in
      try? JSONDecoder().decode(NMEAVector.self, from: Data(line.utf8))
    }
  }()
}
