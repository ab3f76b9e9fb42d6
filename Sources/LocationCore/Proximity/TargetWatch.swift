/// Detector of arrival at named targets: it begins when a fix, or the segment from the previous fix, is nearer than the
/// radius, and ends when the error circles of two consecutive fixes lie entirely beyond 1.2 radii. Fixes that only
/// continue the way without an error estimate (`Fix.isExtrapolated`) decide neither. A target ends with
/// its connection; a persistent one stays and counts for its user, so that no user keeps out another. The others share
/// a table in which a new target always finds a place.
package struct TargetWatch: Sendable {
  /// Distance at which arriving ends, in radii.
  static let leaveFactor = 1.2
  /// Longest time between two fixes that are joined by a segment.
  static let longestLeg = Duration.seconds(10)
  private struct Watched {
    var target: Target
    /// The client that set it; `nil` once that has disconnected.
    var client: ClientID?
    let peer: ClientPeer
    let isPersistent: Bool
    var state = ArrivalState.away
    var clear = 0
  }

  private var watched: [Watched] = []
  private var path = RecentPath()
  private var last: (position: Coordinate, instant: MonotonicInstant, beginsLeg: Bool)?

  /// Adds a target, which is checked from the next fix on, or replaces the one with the same name.
  /// A recording does not replace a user's persistent one.
  /// - Returns: The target whose place it takes, if any: the oldest one of the peer that has the most.
  package mutating func set(
    _ target: Target, isPersistent: Bool = false, from client: ClientID, of peer: ClientPeer
  ) throws(RequestRefusal) -> Target? {
    if keeps(target.name, from: peer) { return nil }
    let others = watched.filter { $0.target.name != target.name }
    if peer != .replay {
      try Quota.targetsOfConnection.admit(after: others.count { $0.client == client })
      if isPersistent {
        let user = peer.user
        let held = others.filter(\.isPersistent).count { $0.peer.user == user }
        try Quota.persistentTargetsOfUser.admit(after: held)
      }
    }
    var evicted: Target?
    if isPersistent {
      try Quota.persistentTargets.admit(after: others.count { $0.isPersistent })
    } else if others.count(where: { !$0.isPersistent }) >= Quota.targets.limit {
      evicted = Self.leastUseful(of: others)
    }
    let new = Watched(target: target, client: client, peer: peer, isPersistent: isPersistent)
    if let index = watched.firstIndex(where: { $0.target.name == target.name }) {
      watched[index] = new
    } else {
      watched.append(new)
    }
    if let evicted { watched.removeAll { $0.target.name == evicted.name } }
    return evicted
  }

  /// The oldest target of the peer that has the most, and there of the connection that has the most.
  private static func leastUseful(of watched: [Watched]) -> Target? {
    var shares = TableShares()
    for watched in watched where !watched.isPersistent {
      if let client = watched.client { shares.count(client, of: watched.peer) }
    }
    func rank(_ watched: Watched) -> (Int, Int) { watched.client.map { shares.rank(of: $0, watched.peer) } ?? (0, 0) }
    return watched.filter { !$0.isPersistent }.min { rank($0) < rank($1) }?.target
  }

  package mutating func clientDisconnected(_ client: ClientID) -> [Target] {
    for index in watched.indices where watched[index].client == client && watched[index].isPersistent {
      watched[index].client = nil
    }
    let ended = watched.filter { $0.client == client }
    watched.removeAll { $0.client == client }
    return ended.map(\.target)
  }

  /// Removes a target and returns it; `nil` when there is none with this name.
  package mutating func remove(_ name: String, from peer: ClientPeer? = nil) -> Target? {
    guard !keeps(name, from: peer), let index = watched.firstIndex(where: { $0.target.name == name }) else {
      return nil
    }
    return watched.remove(at: index).target
  }

  /// Whether a request of this peer leaves the target of that name alone: that of a recording, if it is a user's.
  private func keeps(_ name: String, from peer: ClientPeer?) -> Bool {
    peer == .replay && watched.contains { $0.target.name == name && $0.isPersistent && $0.peer != .replay }
  }

  package var persistent: [PersistentTarget] {
    watched.filter { $0.isPersistent && $0.peer != .replay }
      .map { PersistentTarget(target: $0.target, user: $0.peer.user, state: $0.state) }
  }

  package mutating func restore(_ targets: [PersistentTarget]) {
    for kept in targets.prefix(Quota.persistentTargets.limit) {
      let peer = kept.user.map { ClientPeer.process(0, user: $0) } ?? .host("")
      watched.append(Watched(target: kept.target, peer: peer, isPersistent: true, state: kept.state))
    }
  }

  package var states: [Arrival] { watched.map { arrival($0) } }
  func state(of name: String) -> Arrival? { watched.first { $0.target.name == name }.map { arrival($0) } }

  package mutating func published(_ fix: PublishedFix, at instant: MonotonicInstant) -> [Arrival] {
    if !fix.changes.isDisjoint(with: [.source, .suspect]) { breakPath() }
    let legStart = last.flatMap { $0.beginsLeg && instant - $0.instant <= Self.longestLeg ? $0.position : nil }
    path.append(fix.fix.position, speed: fix.fix.speed, at: instant)
    last = (fix.fix.position, instant, !fix.fix.isExtrapolated)
    if fix.fix.isExtrapolated { return [] }

    var changed: [Arrival] = []
    for index in watched.indices where advance(&watched[index], to: fix.fix, from: legStart) {
      changed.append(arrival(watched[index]))
    }
    return changed
  }

  /// The way to the next fix is unknown: it passes no target.
  mutating func breakPath() {
    path.reset()
    last?.beginsLeg = false
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
    guard let last else { return Arrival(target: target, state: watched.state) }
    let distance = last.position.distance(to: target.coordinate)
    let speed = path.speed(to: target.coordinate, from: distance, at: last.instant)
    return Arrival(
      target: target, state: watched.state, distance: distance,
      bearing: last.position.bearing(to: target.coordinate),
      eta: speed.flatMap { Duration(finiteSeconds: distance / $0) })
  }
}

package struct PersistentTarget: Hashable, Sendable {
  package let target: Target
  /// The user for whom it counts; `nil` if unknown.
  package let user: UInt32?
  package let state: ArrivalState

  package init(target: Target, user: UInt32?, state: ArrivalState) {
    self.target = target
    self.user = user
    self.state = state
  }
}
