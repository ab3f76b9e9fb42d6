/// A bad line: bits that flip, and bytes that a full buffer loses.
///
/// At most one bit of a sentence is wrong, which its checksum never overlooks: what of a damaged sentence is
/// still accepted is true.
struct LineDamage {
  private let corrupted: Double
  private let truncated: Double
  private var random: SeededRandom

  init(_ conditions: RideConditions, seed: UInt64) {
    corrupted = conditions.corrupted
    truncated = conditions.truncated
    random = SeededRandom(seed: seed, stream: 6)
  }

  /// The sentences as they come out of the line.
  mutating func pass(_ sentences: [UInt8]) -> [UInt8] {
    guard corrupted > 0 || truncated > 0 else { return sentences }
    var result: [UInt8] = []
    result.reserveCapacity(sentences.count)
    for line in sentences.split(separator: 0x0A) {
      // Drawn for each line in any case: what happens to one does not change what happens to the next.
      let (chance, place, bit) = (random.uniform(), random.uniform(), random.next() & 7)
      let begin = result.count
      result.append(contentsOf: line)
      result.append(0x0A)
      let offset = min(Int(place * Double(line.count + 1)), line.count)
      if chance < corrupted {
        result[begin + offset] ^= 1 << UInt8(truncatingIfNeeded: bit)
      } else if chance < corrupted + truncated {
        result.removeSubrange((begin + offset)...)
      }
    }
    return result
  }
}
