/// In which orders an epoch's sentences came.
struct OrderTally {
  /// Further orders are not told apart.
  private static let bound = 256

  private var counts: [[Int]: Int] = [:]
  private var epochs = 0

  /// Takes the kinds of an epoch's sentences; several of one kind behind each other are one.
  mutating func add(_ kinds: some Sequence<Int>) {
    var order: [Int] = []
    for kind in kinds where order.last != kind { order.append(kind) }
    epochs += 1
    guard counts.count < Self.bound || counts[order] != nil else { return }
    counts[order, default: 0] += 1
  }

  /// The commonest order, the longer one of two, and its share of all epochs; `nil` before the first epoch.
  var commonest: (kinds: [Int], share: Double)? {
    let best = counts.max { left, right in
      (left.value, left.key.count, right.key.description) < (right.value, right.key.count, left.key.description)
    }
    return best.map { ($0.key, Double($0.value) / Double(epochs)) }
  }

  /// How many orders there are, up to a bound.
  var variety: Int { counts.count }
}
