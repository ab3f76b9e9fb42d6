/// One line of the table: what was measured, of whom, and what it must reach.
struct Figure {
  /// What it must reach.
  enum Target {
    case none
    /// Ours, in every repetition.
    case exactly(Double)
    /// Ours in the figure's unit.
    case atMost(Double)
    case atLeast(Double)
    /// Ours divided by theirs.
    case ratioAtMost(Double)
    case ratioAtLeast(Double)
  }

  let name: String
  let unit: String
  let target: Target
  /// Repetitions, in the order they were made: those of one index were made together.
  private(set) var ours: [Double] = []
  private(set) var theirs: [Double] = []
  private(set) var floor: [Double] = []
  /// What "theirs" is, if it is not gpsd.
  var peer: String?

  init(_ name: String, unit: String, target: Target = .none, peer: String? = nil) {
    self.name = name
    self.unit = unit
    self.target = target
    self.peer = peer
  }

  /// Notes one repetition.
  mutating func add(_ our: Double, _ their: Double? = nil, _ bottom: Double? = nil) {
    ours.append(our)
    if let their { theirs.append(their) }
    if let bottom { floor.append(bottom) }
  }

  /// Ours by theirs: of the repetitions made together where each has its partner.
  var ratio: Spread? {
    Spread(zip(ours, theirs).compactMap { $1 > 0 ? $0 / $1 : nil })
  }

  /// The floor by theirs, as `ratio`: no program on this machine has a smaller one.
  var floorRatio: Spread? {
    Spread(zip(floor, theirs).compactMap { $1 > 0 ? $0 / $1 : nil })
  }

  /// Whether the floor itself does not reach the target.
  var isBelowFloor: Bool {
    switch target {
    case .atMost(let bound): return Spread(floor).map { $0.median > bound } ?? false
    case .ratioAtMost(let bound): return floorRatio.map { $0.median > bound } ?? false
    case .none, .exactly, .atLeast, .ratioAtLeast: return false
    }
  }

  /// Whether the target is reached; `nil` when there is none or nothing to compare with.
  var isReached: Bool? {
    guard let median = Spread(ours)?.median else { return nil }
    switch target {
    case .none: return nil
    case .exactly(let value): return ours.allSatisfy { $0 == value }
    case .atMost(let bound): return median <= bound
    case .atLeast(let bound): return median >= bound
    case .ratioAtMost(let bound): return ratio.map { $0.median <= bound }
    case .ratioAtLeast(let bound): return ratio.map { $0.median >= bound }
    }
  }
}
