/// What GSA said in an epoch just before, for receivers that send it now and then.
struct RecentMode: Sendable {
  /// How many epochs its word holds.
  private static let epochs = 5

  /// Two dimensions, if that is what it said; three are shown by the altitude.
  private(set) var mode: FixMode?
  private var age = 0

  /// Learns from an epoch that is complete.
  mutating func finished(_ active: ActiveSatellites?) {
    age += 1
    switch active?.fix {
    case .twoD:
      mode = .twoD
      age = 0
    case .threeD, .noFix: mode = nil
    case nil: if age >= Self.epochs { mode = nil }
    }
  }
}
