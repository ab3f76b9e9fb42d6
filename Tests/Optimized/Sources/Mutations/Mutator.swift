/// Damages sentences: some bytes in some places, and every other time with the checksum put right, so that the damage
/// reaches the fields.
struct Mutator {
  /// Whole lines with their ends.
  private let seeds: [[UInt8]]
  private var random: SeededRandom
  /// The damaged line.
  private(set) var line: [UInt8] = []

  /// Bytes and texts that mean something to a parser.
  private static let telling =
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

  /// Makes the next damaged line.
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
    case 4: line.insert(contentsOf: Self.telling[random.below(Self.telling.count)], at: place)
    case 5: line.replaceSubrange(place..<end, with: Self.telling[random.below(Self.telling.count)])
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
