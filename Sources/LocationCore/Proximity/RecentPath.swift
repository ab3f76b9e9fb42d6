/// Places of the last two minutes, one each 2 s, for the speed at which a target is approached.
struct RecentPath: Sendable {
  struct Place {
    var position: Coordinate
    var instant: MonotonicInstant
    /// As the fix has it, or from the place before it.
    var speed: Double
  }

  static let length = Duration.seconds(120)
  static let spacing = Duration.seconds(2)
  /// Shortest path from which a speed is computed.
  static let shortest = Duration.seconds(10)
  /// Lowest speed made good that counts as approaching, m/s.
  static let slowest = 0.1

  /// At most two minutes old, the oldest first.
  private(set) var places: [Place] = []

  /// Appends a place unless the last one is less than 2 s old.
  mutating func append(_ position: Coordinate, speed: Double?, at instant: MonotonicInstant) {
    while let oldest = places.first, instant - oldest.instant > Self.length { places.removeFirst() }
    let last = places.last
    if let last, instant - last.instant < Self.spacing { return }
    let made = last.map { $0.position.distance(to: position) / instant.seconds(since: $0.instant) }
    places.append(Place(position: position, instant: instant, speed: speed ?? made ?? 0))
  }

  mutating func reset() { places.removeAll(keepingCapacity: true) }

  /// The mean speed over the last minute of moving, if a target, now at `distance`, is nearer than one minute or two
  /// minutes ago: neither a corner, nor a switchback or a stop in between changes the speed at which one rides. `nil`
  /// if the rider moves away or is stationary for that long, or with less than 10 s of fixes.
  func speed(to target: Coordinate, from distance: Double, at instant: MonotonicInstant) -> Double? {
    guard let oldest = places.first, instant - oldest.instant >= Self.shortest else { return nil }
    let isApproached = [oldest, places.first { instant - $0.instant <= Self.length / 2 } ?? oldest].contains { place in
      let gained = place.position.distance(to: target) - distance
      return gained > 0 && gained >= Self.slowest * instant.seconds(since: place.instant)
    }
    return isApproached ? movingSpeed(at: instant) : nil
  }

  /// The mean speed over the last minute of moving; `nil` after standing for two, or with less than 10 s of fixes.
  func movingSpeed(at instant: MonotonicInstant) -> Double? {
    guard let oldest = places.first, instant - oldest.instant >= Self.shortest else { return nil }
    var (sum, count) = (0.0, 0)
    for place in places.reversed() where place.speed >= Standstill.startedFrom {
      sum += place.speed
      count += 1
      if count == Int(Self.length / Self.spacing) / 2 { break }
    }
    return count > 0 ? sum / Double(count) : nil
  }
}
