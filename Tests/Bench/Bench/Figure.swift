/// One line of a table: a measured quantity of several programs, and its target.
struct Figure {
  enum Target {
    case none
    /// Ours, in every repetition.
    case exactly(Double)
    /// Ours, in the figure's unit.
    case atMost(Double)
    /// Ours divided by the peer's.
    case ratioAtMost(Double)
    case ratioAtLeast(Double)
    /// What ours adds to the floor divided by what the peer adds to it.
    case addedRatioAtMost(Double)
    /// Ours divided by the floor's.
    case floorRatioAtLeast(Double)
  }

  let name: String
  let unit: String
  let target: Target
  /// Repetitions in order; those with the same index were made together.
  private(set) var ours: [Double] = []
  private(set) var peers: [Double] = []
  private(set) var floor: [Double] = []
  /// A remark on the peer's value, such as the peer's name if it is not gpsd.
  var remark: String?
  /// Whether the table shows `addedRatio`.
  let showsAdded: Bool

  init(_ name: String, unit: String, target: Target = .none, remark: String? = nil, showsAdded: Bool = false) {
    self.name = name
    self.unit = unit
    self.target = target
    self.remark = remark
    self.showsAdded = if case .addedRatioAtMost = target { true } else { showsAdded }
  }

  /// Appends one repetition.
  mutating func add(_ ours: Double, _ peer: Double? = nil, floor: Double? = nil) {
    self.ours.append(ours)
    if let peer { peers.append(peer) }
    if let floor { self.floor.append(floor) }
  }

  /// Ours by the peer's, of the repetitions made together.
  var ratio: Spread? { Self.ratio(ours, peers) }

  /// Ours by the floor's.
  var ratioToFloor: Spread? { Self.ratio(ours, floor) }

  /// The floor's by the peer's: no program on this machine reaches a smaller ratio.
  var floorRatio: Spread? { Self.ratio(floor, peers) }

  /// What ours adds to the floor by what the peer adds to it.
  var addedRatio: Spread? {
    Self.ratio(zip(ours, floor).map { $0 - $1 }, zip(peers, floor).map { $0 - $1 })
  }

  private static func ratio(_ values: [Double], _ others: [Double]) -> Spread? {
    Spread(zip(values, others).compactMap { $1 > 0 ? $0 / $1 : nil })
  }

  /// Whether the floor itself misses the target.
  var isBelowFloor: Bool {
    switch target {
    case .atMost(let bound): Spread(floor).map { $0.median > bound } ?? false
    case .ratioAtMost(let bound): floorRatio.map { $0.median > bound } ?? false
    case .none, .exactly, .ratioAtLeast, .addedRatioAtMost, .floorRatioAtLeast: false
    }
  }

  /// Whether the target is reached; `nil` without a target or without the values to compare.
  var isReached: Bool? {
    guard let median = Spread(ours)?.median else { return nil }
    return switch target {
    case .none: nil
    case .exactly(let value): ours.allSatisfy { $0 == value }
    case .atMost(let bound): median <= bound
    case .ratioAtMost(let bound): ratio.map { $0.median <= bound }
    case .ratioAtLeast(let bound): ratio.map { $0.median >= bound }
    case .addedRatioAtMost(let bound): addedRatio.map { $0.median <= bound }
    case .floorRatioAtLeast(let bound): ratioToFloor.map { $0.median >= bound }
    }
  }
}

/// The values of several repetitions.
struct Spread {
  private let sorted: [Double]

  /// `nil` without a value.
  init?(_ values: [Double]) {
    guard !values.isEmpty else { return nil }
    sorted = values.sorted()
  }

  var isSingle: Bool { sorted.count == 1 }
  var median: Double { Spread.quantile(0.5, ofSorted: sorted) }
  var low: Double { sorted[0] }
  var high: Double { sorted[sorted.count - 1] }

  /// The value that the share `q` of all values does not exceed.
  static func quantile(_ q: Double, of values: [Double]) -> Double {
    quantile(q, ofSorted: values.sorted())
  }

  private static func quantile(_ q: Double, ofSorted values: [Double]) -> Double {
    guard let last = values.indices.last else { return .nan }
    if q == 0.5, values.count.isMultiple(of: 2) { return (values[last / 2] + values[last / 2 + 1]) / 2 }
    return values[min(last, Int((q * Double(values.count)).rounded(.up)) - 1)]
  }
}
