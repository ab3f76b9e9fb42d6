/// Watches for the arrival at named targets.
///
/// Arriving begins when a fix, or the straight way from the fix before, comes nearer than the radius. It ends when
/// two fixes in a row lie, with their whole error circle, farther than 1.2 radii.
package struct TargetWatch: Sendable {
  /// How many radii away arriving ends.
  static let leaveFactor = 1.2
  /// Fixes farther apart than this have no straight way between them.
  static let longestLeg = Duration.seconds(10)
  /// The shortest time over which a speed made good means anything.
  static let shortestPath = Duration.seconds(10)
  /// Slower than this (m/s) is not getting nearer.
  static let slowest = 0.1

  private struct Watched {
    var target: Target
    var state = ArrivalState.away
    /// Fixes in a row that were clear of the target.
    var clear = 0
  }

  /// Most targets at once.
  package let limit: Int

  private var watched: [Watched] = []
  private var path = RecentPath()
  private var last: (position: Coordinate, instant: MonotonicInstant)?

  package init(limit: Int = 32) {
    self.limit = limit
  }

  /// Watches a target from the next fix on; one of the same name is replaced.
  package mutating func set(_ target: Target) throws(TargetError) {
    if let index = watched.firstIndex(where: { $0.target.name == target.name }) {
      watched[index] = Watched(target: target)
      return
    }
    guard watched.count < limit else { throw .tooMany(limit: limit) }
    watched.append(Watched(target: target))
  }

  /// Stops watching; `false` when there is no such target.
  package mutating func remove(_ name: String) -> Bool {
    guard let index = watched.firstIndex(where: { $0.target.name == name }) else { return false }
    watched.remove(at: index)
    return true
  }

  /// Every target as it stands, in the order in which they were set.
  package var states: [Arrival] {
    watched.map { arrival($0) }
  }

  /// Takes every published fix; returns the targets whose state changed.
  package mutating func published(_ fix: PublishedFix, at instant: MonotonicInstant) -> [Arrival] {
    let broken = !fix.changes.isDisjoint(with: [.source, .suspect])
    if broken { path.reset() }
    let legStart = broken ? nil : last.flatMap { instant - $0.instant <= Self.longestLeg ? $0.position : nil }
    path.append(fix.fix.position, at: instant)
    last = (fix.fix.position, instant)

    var changed: [Arrival] = []
    for index in watched.indices where advance(&watched[index], to: fix.fix, from: legStart) {
      changed.append(arrival(watched[index]))
    }
    return changed
  }

  private func advance(_ watched: inout Watched, to fix: Fix, from legStart: Coordinate?) -> Bool {
    let target = watched.target
    let distance = fix.position.distance(to: target.coordinate)
    let isClear = distance - (fix.horizontalAccuracy ?? 0) > target.radius * Self.leaveFactor
    switch watched.state {
    case .away:
      let nearest = legStart.map { target.coordinate.distance(toSegmentFrom: $0, to: fix.position) } ?? distance
      guard min(nearest, distance) < target.radius else { return false }
      watched.state = .arriving
      watched.clear = isClear ? 1 : 0
      return true
    case .arriving:
      watched.clear = isClear ? watched.clear + 1 : 0
      guard watched.clear >= 2 else { return false }
      watched.state = .away
      watched.clear = 0
      return true
    }
  }

  private func arrival(_ watched: Watched) -> Arrival {
    let target = watched.target
    guard let last else { return Arrival(name: target.name, state: watched.state) }
    let distance = last.position.distance(to: target.coordinate)
    return Arrival(
      name: target.name, state: watched.state, distance: distance,
      bearing: last.position.bearing(to: target.coordinate), eta: eta(to: target, distance: distance))
  }

  private func eta(to target: Target, distance: Double) -> Duration? {
    guard let last, let oldest = path.oldest, last.instant - oldest.instant >= Self.shortestPath else { return nil }
    let gained = oldest.position.distance(to: target.coordinate) - distance
    let speed = gained / last.instant.seconds(since: oldest.instant)
    return speed >= Self.slowest ? Duration(finiteSeconds: distance / speed) : nil
  }
}

/// Where the rider was in the last minute, one place a second.
struct RecentPath: Sendable {
  struct Place {
    var position: Coordinate
    var instant: MonotonicInstant
  }

  /// How far back it reaches.
  static let length = Duration.seconds(60)
  static let spacing = Duration.seconds(1)

  private var places: ContiguousArray<Place> = []
  private var head = 0

  /// Adds a place, unless the last one is younger than a second.
  mutating func append(_ position: Coordinate, at instant: MonotonicInstant) {
    while head < places.count, instant - places[head].instant > Self.length { head += 1 }
    if head == places.count {
      places.removeAll(keepingCapacity: true)
      head = 0
    } else if head > 64 {
      places.removeFirst(head)
      head = 0
    }
    if let last = places.last, instant - last.instant < Self.spacing { return }
    places.append(Place(position: position, instant: instant))
  }

  /// Starts anew: what comes is not the same path.
  mutating func reset() {
    places.removeAll(keepingCapacity: true)
    head = 0
  }

  /// The place a minute ago, or as far back as the path reaches.
  var oldest: Place? { head < places.count ? places[head] : nil }
}
