/// The newest values of a quantity, at most `size`, by rank.
struct RecentValues<let size: Int>: Sendable {
  /// In the order of arrival; the oldest one is the next to be replaced.
  private var values = [size of Int64](repeating: 0)
  /// The same, smallest first: they are read in every epoch.
  private var ranked = [size of Int64](repeating: .max)
  private var total = 0

  var count: Int { min(total, size) }

  mutating func append(_ value: Int64) {
    rank(value, inPlaceOf: total < size ? .max : values[total % size])
    values[total % size] = value
    total = total == 2 * size - 1 ? size : total + 1
  }

  mutating func raiseNewest(to value: Int64) {
    guard total > 0 else { return }
    let index = (total - 1) % size
    guard value > values[index] else { return }
    rank(value, inPlaceOf: values[index])
    values[index] = value
  }

  private mutating func rank(_ value: Int64, inPlaceOf old: Int64) {
    var place = 0
    while ranked[place] != old { place += 1 }
    while place > 0, ranked[place - 1] > value {
      ranked[place] = ranked[place - 1]
      place -= 1
    }
    while place < size - 1, ranked[place + 1] < value {
      ranked[place] = ranked[place + 1]
      place += 1
    }
    ranked[place] = value
  }

  /// The lower median. There is at least one value.
  var median: Int64 { element((count - 1) / 2) }
  /// The value at a rank, smallest first.
  func element(_ rank: Int) -> Int64 { ranked[rank] }
}
