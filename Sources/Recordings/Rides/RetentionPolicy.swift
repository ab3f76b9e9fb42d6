/// Which rides are kept: the newest, up to a number and optionally a size. The oldest goes first.
package struct RetentionPolicy: Hashable, Sendable {
  /// The most rides, the one in progress included; at least 1.
  package var maximumRides: Int
  /// The most bytes of all rides together; `nil` for no bound.
  package var maximumBytes: Int?

  /// Keeps so many rides and bytes.
  package init(maximumRides: Int = 100, maximumBytes: Int? = nil) {
    self.maximumRides = max(1, maximumRides)
    self.maximumBytes = maximumBytes
  }

  /// The rides to remove, the oldest first. Those that are kept are never among them, whatever their size: whoever
  /// calls keeps the ones in progress.
  package func expired(of rides: [Ride], keeping isKept: (Ride) -> Bool) -> [Ride] {
    var count = rides.count
    var bytes = rides.reduce(0) { $0 + $1.bytes }
    var expired: [Ride] = []
    for ride in rides.sorted(by: { ($0.age, $0.name.stem) < ($1.age, $1.name.stem) }) {
      guard count > maximumRides || maximumBytes.map({ bytes > $0 }) ?? false else { break }
      guard !isKept(ride) else { continue }
      expired.append(ride)
      count -= 1
      bytes -= ride.bytes
    }
    return expired
  }
}
