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

  /// The rides to remove, the oldest first. The one in progress is never among them, whatever its size.
  package func expired(of rides: [Ride], inProgress: RideName?) -> [Ride] {
    var count = rides.count
    var bytes = rides.reduce(0) { $0 + $1.bytes }
    var expired: [Ride] = []
    let candidates = rides.filter { $0.name != inProgress }.sorted { ($0.age, $0.name.stem) < ($1.age, $1.name.stem) }
    for ride in candidates {
      guard count > maximumRides || maximumBytes.map({ bytes > $0 }) ?? false else { break }
      expired.append(ride)
      count -= 1
      bytes -= ride.bytes
    }
    return expired
  }
}
