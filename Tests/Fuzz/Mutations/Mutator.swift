import Glibc

/// Damages sentences and UBX frames in up to five places, and corrects every other checksum so that the damage reaches the fields.
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

  /// Corrects a UBX frame's length as well.
  private mutating func correctChecksum() {
    if line.count >= 8, line.starts(with: [0xB5, 0x62]) { return correctFrame() }
    guard let start = line.firstIndex(of: UInt8(ascii: "$")), let star = line.lastIndex(of: UInt8(ascii: "*")),
      start < star, star + 2 < line.count
    else { return }
    let sum = line[(start + 1)..<star].reduce(0, ^)
    line[star + 1] = Self.digit(sum >> 4)
    line[star + 2] = Self.digit(sum & 0xF)
  }

  private mutating func correctFrame() {
    let count = line.count - 8
    line[4] = UInt8(count & 0xFF)
    line[5] = UInt8(count >> 8)
    line.replaceSubrange(2..., with: Self.sealed(Array(line[2..<(line.count - 2)])))
  }

  /// Class, id, length and payload of a UBX frame, with their checksum.
  static func sealed(_ body: [UInt8]) -> [UInt8] {
    var (a, b): (UInt8, UInt8) = (0, 0)
    for byte in body {
      a &+= byte
      b &+= a
    }
    return body + [a, b]
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

  /// A UBX frame of one of the decoded messages; every NAV-PVT states a fix.
  static func frame(_ number: Int) -> [UInt8] {
    let messages: [(code: UInt16, count: Int)] = [
      (0x0107, 92), (0x0107, 84), (0x0104, 18), (0x0161, 4), (0x0102, 28), (0x0103, 16), (0x0106, 52), (0x0112, 36),
      (0x0120, 16), (0x0121, 20), (0x0130, 8 + 12 * 16), (0x0135, 8 + 12 * 40), (0x0A09, 60), (0x0A38, 44),
      (0x0A39, 24), (0x2709, 12),
    ]
    let message = messages[number % messages.count]
    var random = SeededRandom(seed: UInt64(number))
    var payload = (0..<message.count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    payload[2] &= 0x1F
    payload[3] = 0
    switch message.code {
    case 0x0107:
      payload.replaceSubrange(4..<12, with: [0xEA, 0x07, 3, 19, 12, 35, UInt8(number % 60), 7])
      payload.replaceSubrange(19..<22, with: [0, 3, 1])
      for most in [27, 31] { payload[most] = 0x10 }
      payload[78] = 0
    case 0x0121: payload.replaceSubrange(12..<20, with: [0xEA, 0x07, 3, 19, 12, 35, UInt8(number % 60), 7])
    case 0x0120: payload.replaceSubrange(4..<12, with: [0, 0, 0, 0, 0x6A, 0x09, 18, 7])
    case 0x0130: payload[4] = 16
    case 0x0135: payload[5] = 40
    case 0x0A38: payload[1] = 2
    case 0x2709: payload[0] = 1
    default: break
    }
    let head = [
      UInt8(message.code >> 8), UInt8(message.code & 0xFF), UInt8(message.count & 0xFF), UInt8(message.count >> 8),
    ]
    return [0xB5, 0x62] + Mutator.sealed(head + payload)
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
