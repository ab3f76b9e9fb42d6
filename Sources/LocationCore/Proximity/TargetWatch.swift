/// Detector of arrival at named targets: it begins when a fix, or the segment from the previous fix, is nearer than the
/// radius, and ends when the error circles of two consecutive fixes lie entirely beyond 1.2 radii. A target ends with
/// its connection; a persistent one stays and counts for its user, so that no user keeps out another. The others share
/// a table in which a new target always finds a place.
package struct TargetWatch: Sendable {
  /// Distance at which arriving ends, in radii.
  static let leaveFactor = 1.2
  /// Longest time between two fixes that are joined by a segment.
  static let longestLeg = Duration.seconds(10)
  /// Shortest path from which a speed made good is computed.
  static let shortestPath = Duration.seconds(10)
  /// Lowest speed made good that counts as approaching, m/s.
  static let slowest = 0.1

  private struct Watched {
    var target: Target
    /// The client that set it; `nil` once that has disconnected.
    var client: ClientID?
    let peer: ClientPeer
    let isPersistent: Bool
    var state = ArrivalState.away
    var clear = 0
  }

  /// Maximum number of targets that a connected client has set.
  static let limitPerClient = 8
  /// Maximum number of targets that end with their connection.
  static let limit = 64
  /// Maximum number of persistent targets of a user; clients whose user is unknown, such as those of TCP, count as one.
  static let persistentLimitPerUser = 16
  /// Maximum number of persistent targets.
  static let persistentLimit = 64

  private var watched: [Watched] = []
  private var path = RecentPath()
  private var last: (position: Coordinate, instant: MonotonicInstant)?

  /// Adds a target, which is checked from the next fix on, or replaces the one with the same name.
  /// - Returns: The name of the target whose place it takes, if any: the oldest one of the peer that has the most.
  package mutating func set(
    _ target: Target, isPersistent: Bool = false, from client: ClientID, of peer: ClientPeer
  ) throws(TargetError) -> String? {
    let others = watched.filter { $0.target.name != target.name }
    let new = Watched(target: target, client: client, peer: peer, isPersistent: isPersistent)
    if peer != .accepted { try Self.checkLimits(of: new, among: others) }
    var evicted: String?
    if isPersistent {
      guard others.count(where: \.isPersistent) < Self.persistentLimit else {
        throw .tooMany(limit: Self.persistentLimit)
      }
    } else if others.count(where: { !$0.isPersistent }) >= Self.limit {
      evicted = Self.leastUseful(of: others)
    }
    if let index = watched.firstIndex(where: { $0.target.name == target.name }) {
      watched[index] = new
    } else {
      watched.append(new)
    }
    if let evicted { _ = remove(evicted) }
    return evicted
  }

  private static func checkLimits(of new: Watched, among others: [Watched]) throws(TargetError) {
    guard others.count(where: { $0.client == new.client }) < limitPerClient else {
      throw .tooManyOfClient(limit: limitPerClient)
    }
    guard new.isPersistent else { return }
    let user = new.peer.user
    var count = 0
    for other in others where other.isPersistent && other.peer.user == user { count += 1 }
    guard count < persistentLimitPerUser else { throw .tooManyOfUser(limit: persistentLimitPerUser) }
  }

  /// The oldest target of the peer that has the most, and there of the connection that has the most.
  private static func leastUseful(of watched: [Watched]) -> String? {
    var shares = TableShares()
    for watched in watched where !watched.isPersistent {
      if let client = watched.client { shares.count(client, of: watched.peer) }
    }
    func rank(_ watched: Watched) -> (Int, Int) { watched.client.map { shares.rank(of: $0, watched.peer) } ?? (0, 0) }
    return watched.lazy.filter { !$0.isPersistent }.min { rank($0) < rank($1) }?.target.name
  }

  /// Ends the targets of a client that disconnected, except persistent ones, and returns their names.
  package mutating func clientDisconnected(_ client: ClientID) -> [String] {
    for index in watched.indices where watched[index].client == client && watched[index].isPersistent {
      watched[index].client = nil
    }
    let ended = watched.filter { $0.client == client }
    watched.removeAll { $0.client == client }
    return ended.map(\.target.name)
  }

  /// Removes a target; `false` when there is none with this name.
  package mutating func remove(_ name: String) -> Bool {
    guard let index = watched.firstIndex(where: { $0.target.name == name }) else { return false }
    watched.remove(at: index)
    return true
  }

  package var states: [Arrival] { watched.map { arrival($0) } }

  /// Registers a published fix and returns the targets whose state changed.
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

/// Positions of the last minute, one per second.
struct RecentPath: Sendable {
  struct Place {
    var position: Coordinate
    var instant: MonotonicInstant
  }

  static let length = Duration.seconds(60)
  static let spacing = Duration.seconds(1)

  private var places: ContiguousArray<Place> = []
  private var head = 0

  /// Appends a position unless the last one is less than a second old.
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

  /// Removes all positions, because the next one belongs to another path.
  mutating func reset() {
    places.removeAll(keepingCapacity: true)
    head = 0
  }

  /// The oldest position, at most a minute old.
  var oldest: Place? { head < places.count ? places[head] : nil }
}
