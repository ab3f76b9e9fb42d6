/// The newest values of a quantity, at most `size`, by rank.
struct RecentValues<let size: Int>: Sendable {
  private var values = [size of Int64](repeating: 0)
  private var total = 0

  var count: Int { min(total, size) }

  mutating func append(_ value: Int64) {
    values[total % size] = value
    total = total == 2 * size - 1 ? size : total + 1
  }

  /// Replaces the newest value by a larger one.
  mutating func raiseNewest(to value: Int64) {
    guard total > 0 else { return }
    let index = (total - 1) % size
    values[index] = max(values[index], value)
  }

  /// The lower median. There is at least one value.
  var median: Int64 { element((count - 1) / 2) }

  /// The value at a rank, smallest first.
  func element(_ rank: Int) -> Int64 {
    for index in 0..<count {
      var smaller = 0
      var equal = 0
      for other in 0..<count {
        if values[other] < values[index] { smaller += 1 } else if values[other] == values[index] { equal += 1 }
      }
      if smaller <= rank, rank < smaller + equal { return values[index] }
    }
    return values[0]
  }
}
