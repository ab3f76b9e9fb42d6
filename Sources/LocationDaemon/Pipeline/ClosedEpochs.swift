import LocationCore

/// The epochs that one read has closed: mostly one, which then needs no array.
struct ClosedEpochs {
  private(set) var first: Epoch?
  private var rest: [Epoch] = []

  mutating func append(_ epoch: borrowing Epoch) {
    if first == nil { first = copy epoch } else { rest.append(copy epoch) }
  }

  /// Forgets all of them, and hands out those behind the first.
  mutating func takeRest() -> [Epoch] {
    first = nil
    guard !rest.isEmpty else { return [] }
    defer { rest = [] }
    return rest
  }
}
