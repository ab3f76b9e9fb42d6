import LocationCore
import Recordings

package struct QueuedFix: Hashable, Sendable {
  package var ride: String
  /// The numbers that its acknowledgement covers; the last one is its own.
  package var numbers: ClosedRange<UInt64>
  package var fix: Fix
}

/// The recorded rides as a queue, the only one: the fixes that are not acknowledged, ride by ride, the oldest first.
/// With `liveFirst`, the fixes recorded from ``beginLive(at:)`` on precede the backlog as long as there is one.
package final class RideQueue {
  /// Shortest interval at which the directory is listed.
  private static let shortestScanInterval = Duration.seconds(2)
  /// What each of its rides adds, so that listing takes a small part of the time.
  private static let scanIntervalOfRide = Duration.microseconds(100)
  /// Rides that cannot be held after which a listing tries no more.
  private static let maximumRefusedHolds = 64
  /// Ranges of a ride above which live fixes wait their turn, which bounds the state.
  private static let maximumRanges = 256

  package private(set) var state: ForwardState
  /// Messages to log: errors of rides, and losses. The owner removes them.
  package var notices: [String] = []
  /// Whether the state changed otherwise than by an acknowledgement. The owner resets it.
  package var isChanged = false
  package var hasUnreadableRides: Bool { !unreadable.isEmpty }

  private let directory: RideDirectory
  private let filter: FilterConfiguration
  private let liveFirst: Bool
  /// Numbers that are acknowledged or were handed out in this run.
  private var taken: [String: FixNumbers] = [:]
  private var outstanding: [String: Int] = [:]
  /// Sizes of rides that were read to their end, and their last numbers.
  private var ended: [String: (bytes: Int, last: UInt64)] = [:]
  /// Sizes of rides at the time of a read error.
  private var unreadable: [String: Int] = [:]
  private var holds: [String: RetentionHold] = [:]
  /// Rides of the last listing that have something to send, the oldest last.
  private var waiting: [Ride] = []
  private var scanInterval = shortestScanInterval
  private var backlog: RideFollower?
  private var live: RideFollower?
  private var hasBacklog = true
  private var nextScan = MonotonicInstant.zero
  private var nextLive = MonotonicInstant.zero
  private var lastScan: MonotonicInstant?

  package init(_ directory: RideDirectory, state: ForwardState, filter: FilterConfiguration, liveFirst: Bool) {
    self.directory = directory
    self.state = state
    self.state.rideDirectory = directory.path
    self.filter = filter
    self.liveFirst = liveFirst
    taken = state.rides.mapValues(\.acknowledged)
  }

  package func next(at instant: MonotonicInstant) throws(RecordingError) -> QueuedFix? {
    if liveFirst, hasBacklog {
      if live == nil, instant >= nextLive { try openLive(at: instant) }
      if let follower = live, let fix = try read(follower) { return fix }
    }
    while true {
      if let follower = backlog {
        if let fix = try read(follower) { return fix }
        if backlog == nil {
          nextScan = instant
        } else {
          hasBacklog = false
          live = nil
        }
      }
      guard try openNext(at: instant) else { return nil }
    }
  }

  /// Keeps the rides that wait from being removed, also while nothing can be sent.
  package func holdRides(at instant: MonotonicInstant) throws(RecordingError) {
    if let lastScan, instant - lastScan < scanInterval { return }
    try scan(at: instant)
  }

  /// Makes the fixes recorded from now on precede the backlog.
  package func beginLive(at instant: MonotonicInstant) throws(RecordingError) {
    guard liveFirst else { return }
    hasBacklog = true
    if live == nil { try openLive(at: instant) }
    guard let follower = live, taken[follower.ride.stem]?.ranges.count ?? 0 < Self.maximumRanges else { return }
    while case .fix = try step(follower) {}
  }

  package func acknowledge(_ fix: QueuedFix, at utc: UTCInstant?) {
    // A ride that was removed has no state.
    state.rides[fix.ride]?.acknowledged.insert(fix.numbers)
    state.lastAcknowledgement = utc ?? state.lastAcknowledgement
    outstanding[fix.ride, default: 1] -= 1
    completeIfAcknowledged(fix.ride)
  }

  /// The next fix of a ride that was not handed out. A ride that has ended or cannot be read is closed.
  private func read(_ follower: RideFollower) throws(RecordingError) -> QueuedFix? {
    let name = follower.ride.stem
    while case .fix(let fix, let numbers) = try step(follower) {
      if taken[name]?.contains(numbers.upperBound) ?? false { continue }
      taken[name, default: .init()].insert(numbers)
      outstanding[name, default: 0] += 1
      if state.rides[name] == nil { state.rides[name] = .init() }
      return QueuedFix(ride: name, numbers: numbers, fix: fix)
    }
    return nil
  }

  private func step(_ follower: RideFollower) throws(RecordingError) -> RideFollower.Step {
    let name = follower.ride.stem
    let step: RideFollower.Step
    do throws(RecordingError) {
      step = try follower.next()
    } catch {
      close(follower)
      if error.code == RecordingError.unknownFormat {
        // Nothing of it was written.
        finish(name, bytes: follower.listedBytes, last: 0)
      } else if error.reason != .notFound {
        unreadable[name] = follower.listedBytes
        notices.append("\(error)")
      }
      return .gone
    }
    switch step {
    case .fix, .pause: break
    case .gone: close(follower)
    case .end(let bytes):
      let isBacklog = follower === backlog
      close(follower)
      // The live reader left out what was recorded before it began.
      if isBacklog { finish(name, bytes: bytes, last: follower.position) }
    }
    return step
  }

  private func close(_ follower: RideFollower) {
    if follower === backlog { backlog = nil }
    if follower === live { live = nil }
  }

  private func finish(_ name: String, bytes: Int, last: UInt64) {
    ended[name] = (bytes, last)
    completeIfAcknowledged(name)
  }

  private func completeIfAcknowledged(_ name: String) {
    guard let end = ended[name], outstanding[name, default: 0] == 0 else { return }
    (ended[name], outstanding[name]) = (nil, nil)
    var ride = state.rides[name] ?? .init()
    if end.last > 0 { ride.acknowledged.insert(1...end.last) }
    ride.completeBytes = end.bytes
    state.rides[name] = ride
    isChanged = true
    taken[name] = ride.acknowledged
    holds[name] = nil
  }

  /// Opens the oldest ride with more to send, except the one in progress at whose end the queue is; `false` if none.
  private func openNext(at instant: MonotonicInstant) throws(RecordingError) -> Bool {
    while true {
      while let ride = waiting.popLast() {
        if let backlog, ride.name == backlog.ride || directory.isInProgress(ride) { continue }
        guard hasMore(ride), let next = open(ride) else { continue }
        backlog = next
        return true
      }
      guard instant >= nextScan else { return false }
      nextScan = instant + scanInterval
      try scan(at: instant)
    }
  }

  private func openLive(at instant: MonotonicInstant) throws(RecordingError) {
    nextLive = instant + scanInterval
    try scan(at: instant)
    live = waiting.first { directory.isInProgress($0) }.flatMap { open($0) }
  }

  private func open(_ ride: Ride) -> RideFollower? {
    do throws(RecordingError) {
      return try RideFollower(ride, in: directory, filter: filter)
    } catch {
      if error.reason != .notFound {
        unreadable[ride.name.stem] = ride.bytes
        notices.append("\(error)")
      }
      return nil
    }
  }

  /// Whether a ride has something to send. Without its first file it is part of another, which is yet to be joined.
  private func hasMore(_ ride: Ride) -> Bool {
    let name = ride.name.stem
    return ride.parts.first == 1 && state.rides[name]?.completeBytes != ride.bytes && ended[name]?.bytes != ride.bytes
      && unreadable[name] != ride.bytes
  }

  /// Lists the rides that have something to send. Holds them for the recorder, and notes those that are gone.
  private func scan(at instant: MonotonicInstant) throws(RecordingError) {
    lastScan = instant
    let rides = try directory.ridesInOrder()
    scanInterval = Self.shortestScanInterval + Self.scanIntervalOfRide * rides.count
    let names = Set(rides.map(\.name.stem))
    // An empty directory is rather a disk that is not mounted: the state outlives it.
    for (name, ride) in state.rides where !names.contains(name) && !names.isEmpty {
      if ride.completeBytes == nil {
        state.lostRides += state.lostRides < .max ? 1 : 0
        state.lastLostRide = max(state.lastLostRide ?? name, name)
        notices.append("the ride \(name) was removed before all of it was acknowledged")
      }
      (state.rides[name], taken[name], holds[name], ended[name], unreadable[name]) = (nil, nil, nil, nil, nil)
      isChanged = true
    }
    waiting = rides.reversed().filter { hasMore($0) }
    var refused = 0
    for ride in waiting.reversed() where ride.name.start != nil {
      let name = ride.name.stem
      let isKnown = state.rides[name].map { $0.completeBytes == nil } ?? false
      let canHold = holds[name] == nil && refused < Self.maximumRefusedHolds
      guard canHold || !isKnown, !directory.isInProgress(ride) else { continue }
      if canHold {
        holds[name] = directory.files(of: ride).first.flatMap { RetentionHold(path: $0) }
        if holds[name] == nil { refused += 1 }
      }
      if isKnown { continue }
      state.rides[name, default: .init()].completeBytes = nil
      isChanged = true
    }
  }
}
