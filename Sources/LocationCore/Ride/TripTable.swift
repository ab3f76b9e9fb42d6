/// The trips that are under way. Each belongs to the user who started it and stays until it is ended; every client can
/// read it. It takes the same fixes as the recorder's figures do, so that a trip and a ride of the same fixes agree.
package struct TripTable: Sendable {
  private var trips: [Trip] = []
  /// The shortest stop that separates two rides, seconds.
  package var splitStop: Double { didSet { for index in trips.indices { trips[index].sums.splitStop = splitStop } } }
  private var hasFix = false
  private var newest: (position: Coordinate, measured: UTCInstant?)?

  package init(splitStop: Double = RideAccumulator.splitStop) { self.splitStop = splitStop }
  package var isEmpty: Bool { trips.isEmpty }
  package var statuses: [TripStatus] { trips.map { $0.status(state(of: $0)) } }
  package var isMoving: Bool { hasFix && trips.contains { $0.sums.isMoving } }
  private func state(of trip: Trip) -> TripState { hasFix ? trip.sums.isMoving ? .moving : .paused : .lost }

  mutating func apply(
    _ change: TripChange, to name: String, from peer: ClientPeer
  ) throws(RequestRefusal) -> (status: TripStatus, isChanged: Bool) {
    guard let index = trips.firstIndex(where: { $0.name == name }) else {
      guard change == .start else { throw .missing(.trip, name: name) }
      try Quota.trips.admit(after: trips.count)
      if peer != .replay { try Quota.tripsOfUser.admit(after: trips.count { $0.user == peer.user }) }
      trips.append(Trip(name: name, user: peer.user, splitStop: splitStop))
      return (report(trips.endIndex - 1), true)
    }
    if change == .start { return (trips[index].status(state(of: trips[index])), false) }
    guard peer == .replay || peer.mayChange(thingOf: trips[index].user) else { throw .ofAnotherUser(.trip, name: name) }
    switch change {
    case .start: break
    case .lap: trips[index].beginLap()
    case .reset: trips[index].reset()
    case .end: return (trips.remove(at: index).status(.ended), true)
    }
    return (report(index), true)
  }

  private mutating func report(_ index: Int) -> TripStatus {
    let state = state(of: trips[index])
    trips[index].reported = (state, trips[index].sums.second)
    return trips[index].status(state)
  }

  /// Takes a published fix; returns the trips whose state changed or which are due in motion.
  mutating func published(_ fix: PublishedFix) -> [(status: TripStatus, isTransition: Bool)] {
    add(fix.fix, fix.sensed, isSuspect: fix.changes.contains(.suspect))
    return due()
  }

  mutating func lost() -> [(status: TripStatus, isTransition: Bool)] {
    hasFix = false
    return due()
  }

  private mutating func due() -> [(status: TripStatus, isTransition: Bool)] {
    var due: [(status: TripStatus, isTransition: Bool)] = []
    for index in trips.indices {
      let state = state(of: trips[index])
      let isTransition = trips[index].reported?.state != state
      let isNewSecond = trips[index].reported?.second != trips[index].sums.second
      if isTransition || state == .moving && isNewSecond { due.append((report(index), isTransition)) }
    }
    return due
  }
}

// Across a restart of the daemon.
extension TripTable {
  package mutating func add(_ fix: Fix, _ sensed: SensedValues = SensedValues(), isSuspect: Bool) {
    hasFix = true
    newest = (fix.position, fix.measured)
    for index in trips.indices { trips[index].sums.add(fix, sensed, isSuspect: isSuspect) }
  }

  /// Continues after a restart: no fix yet, and arrival times on another clock.
  package mutating func interrupt() {
    hasFix = false
    for index in trips.indices { trips[index].sums.interrupt() }
  }

  package var isUnused: Bool { newest == nil }

  package func ends(with fix: Fix) -> Bool {
    newest.map { $0.position == fix.position && $0.measured == fix.measured } ?? false
  }

  /// Goes on behind that fix, by arrivals on the clock of the recording.
  package mutating func resume(behind fix: Fix) {
    for index in trips.indices { trips[index].sums.last?.received = fix.received }
  }

  /// The whole state in lines of text: the newest fix, and each trip.
  package var lines: [String] {
    [StateWords.line(of: self) { $0.code(&$1) }]
      + trips.map { trip in StateWords.line(of: trip) { $0.code(&$1) } }
  }

  /// The table in such lines; `nil` without any. One that is damaged, or beyond the limit, is left out and counted.
  package init?(lines: [Substring], splitStop: Double, refused: inout Int) {
    self.init(splitStop: splitStop)
    guard let first = lines.first else { return nil }
    var words = StateWords(first)
    code(&words)
    if !words.isComplete {
      newest = nil
      refused += 1
    }
    for line in lines.dropFirst() {
      var words = StateWords(line)
      var trip = Trip(name: "", user: nil, splitStop: splitStop)
      trip.code(&words)
      if words.isComplete, trips.count < Quota.trips.limit, !trips.contains(where: { $0.name == trip.name }) {
        trips.append(trip)
      } else {
        refused += 1
      }
    }
  }

  private mutating func code(_ words: inout StateWords) {
    words.code(&newest, (.origin, nil)) { words, newest in
      words.code(&newest.position)
      words.code(&newest.measured)
    }
  }
}
