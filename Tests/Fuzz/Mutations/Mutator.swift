import Glibc

/// Damages sentences in up to five places, and corrects every other checksum so that the damage reaches the fields.
struct Mutator {
  /// Whole lines with their ends.
  private let seeds: [[UInt8]]
  private var random: SeededRandom
  /// The damaged line.
  private(set) var line: [UInt8] = []

  /// Bytes and texts with a meaning to a parser.
  private static let words =
    [
      "$", "!", "*", ",", "\r", "\n", "\\", "#", "-", "+", ".", "..", "e9", "nan", "inf", "0x", "^2A",
      "99999999999999999999",
      "999.99", "-0", "4860.0", "$GNRMC,", "$GPGSV,1,1,00*79", "\u{0}", ",,,,,,,,,,,,,,,,,,,,", "*00", "PUBX,03,99",
    ].map { Array($0.utf8) } + [[0xB5, 0x62], [0xD3, 0x00], [0xBA, 0xCE], [0xFF], [0x7F], [0x80]]
  private static let longest = 1200

  init(seeds: [[UInt8]], seed: UInt64) {
    self.seeds = seeds
    random = SeededRandom(seed: seed)
    line.reserveCapacity(4 * Self.longest)
  }

  /// Replaces the line by the next damaged one.
  mutating func advance() {
    line.removeAll(keepingCapacity: true)
    line.append(contentsOf: seeds[random.below(seeds.count)])
    for _ in 0...random.below(4) { damage() }
    if line.count > Self.longest { line.removeLast(line.count - Self.longest) }
    if random.next() & 1 == 0 { correctChecksum() }
  }

  private mutating func damage() {
    let place = random.below(line.count)
    let end = min(place + random.below(12), line.count)
    switch random.below(7) {
    case 0: if place < line.count { line[place] = UInt8(truncatingIfNeeded: random.next()) }
    case 1: if place < line.count { line[place] = 0x20 + UInt8(truncatingIfNeeded: random.below(0x5F)) }
    case 2: line.insert(UInt8(truncatingIfNeeded: random.next()), at: place)
    case 3: line.removeSubrange(place..<end)
    case 4: line.insert(contentsOf: Self.words[random.below(Self.words.count)], at: place)
    case 5: line.replaceSubrange(place..<end, with: Self.words[random.below(Self.words.count)])
    default:
      let other = seeds[random.below(seeds.count)]
      line.replaceSubrange(place..., with: other[random.below(other.count)...])
    }
  }

  private mutating func correctChecksum() {
    guard let start = line.firstIndex(of: UInt8(ascii: "$")), let star = line.lastIndex(of: UInt8(ascii: "*")),
      start < star, star + 2 < line.count
    else { return }
    let sum = line[(start + 1)..<star].reduce(0, ^)
    line[star + 1] = Self.digit(sum >> 4)
    line[star + 2] = Self.digit(sum & 0xF)
  }

  private static func digit(_ nibble: UInt8) -> UInt8 { nibble < 10 ? 0x30 + nibble : 0x37 + nibble }
}

/// The lines to damage: sentences of recordings, at most `perKind` of each kind, and the tests' vectors.
enum Seeds {
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

/// SplitMix64: the same numbers on every machine (Steele, Lea and Flood, 2014).
struct SeededRandom {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed &>> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed &>> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed &>> 31)
  }

  /// A number from 0 to below `bound`.
  mutating func below(_ bound: Int) -> Int {
    Int(truncatingIfNeeded: next() % UInt64(max(bound, 1)))
  }
}
