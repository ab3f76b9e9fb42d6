import Glibc

/// The lines that are damaged: those of recordings, each kind of sentence some times, and the tests' vectors.
enum Seeds {
  /// So many of a kind.
  private static let perKind = 20

  static func lines(of paths: [String]) -> [[UInt8]] {
    var counts: [String: Int] = [:]
    var lines: [[UInt8]] = []
    for path in paths {
      for line in content(of: path).split(separator: UInt8(ascii: "\n")) {
        if line.first == UInt8(ascii: "$") {
          let kind = String(decoding: line.prefix(9), as: UTF8.self)
          counts[kind, default: 0] += 1
          guard counts[kind, default: 0] <= perKind else { continue }
          lines.append(line + [0x0A])
        } else if line.first == UInt8(ascii: "{"), let bytes = vector(line) {
          lines.append(bytes)
        }
      }
    }
    return lines
  }

  /// The bytes of a vector: the value of its `hex`.
  private static func vector(_ line: ArraySlice<UInt8>) -> [UInt8]? {
    let text = String(decoding: line, as: UTF8.self)
    guard let key = text.firstRange(of: "\"hex\": \"") else { return nil }
    var bytes: [UInt8] = []
    var rest = text[key.upperBound...].prefix { $0 != "\"" }
    while let byte = UInt8(rest.prefix(2), radix: 16) {
      bytes.append(byte)
      rest = rest.dropFirst(2)
    }
    return bytes.isEmpty ? nil : bytes
  }

  private static func content(of path: String) -> [UInt8] {
    guard let file = fopen(path, "r") else { return [] }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = fread(&piece, 1, piece.count, file)
      if count == 0 { return bytes }
      bytes += piece[..<count]
    }
  }
}
