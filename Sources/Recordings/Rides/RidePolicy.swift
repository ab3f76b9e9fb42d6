import LocationCore

/// When a ride ends, and which rides are kept: the newest, up to a number and optionally a size. The oldest is removed
/// first. Rides that are yet to be forwarded (``RetentionHold``) are kept until there are twice as many, within the size.
package struct RidePolicy: Hashable, Sendable {
  /// Shortest stop that separates two rides, with or without power.
  package var splitStop: Duration
  /// Largest number of rides including the one in progress; at least 1.
  package var maximumRides: Int
  /// Largest total size of all rides, bytes; `nil` for no limit.
  package var maximumBytes: Int?

  package init(
    splitStop: Duration = .seconds(RideAccumulator.splitStop), maximumRides: Int = 100, maximumBytes: Int? = nil
  ) {
    self.splitStop = splitStop
    self.maximumRides = max(1, maximumRides)
    self.maximumBytes = maximumBytes
  }
}

package struct ExpiredRides: Sendable {
  private let policy: RidePolicy
  /// The rides that are still to be considered, the oldest last.
  private var rides: [Ride]
  private var count: Int
  // Wider than a size: the sizes of sparse files have no useful bound.
  private var bytes: Int128

  package init(of rides: [Ride], by policy: RidePolicy) {
    self.policy = policy
    count = rides.count
    bytes = rides.reduce(0) { $0 + Int128($1.bytes) }
    self.rides = rides
    if isTooMuch { self.rides.sort { ($0.age, $0.name.stem) > ($1.age, $1.name.stem) } }
  }

  var isTooMuch: Bool { count > policy.maximumRides || isTooLarge }
  private var isTooLarge: Bool { policy.maximumBytes.map { bytes > Int128($0) } ?? false }

  /// The next ride to remove, the oldest first; never one for which `isKept` is true, such as a ride in progress.
  package mutating func next(keeping isKept: (Ride) -> Bool, holding isHeld: (Ride) -> Bool = { _ in false }) -> Ride? {
    while isTooMuch, let ride = rides.popLast() {
      guard !isKept(ride), isTooLarge || count - policy.maximumRides > policy.maximumRides || !isHeld(ride) else {
        continue
      }
      count -= 1
      bytes -= Int128(ride.bytes)
      return ride
    }
    return nil
  }
}

/// When a ride continues in a new file: at 16 MiB, or after an hour.
package struct RotationPolicy: Hashable, Sendable {
  package static let maximumSize = 16 << 20
  package static let maximumSpan = Duration.seconds(3600)

  let begun: MonotonicInstant

  package func isDue(size: Int, adding count: Int, at instant: MonotonicInstant) -> Bool {
    size + count > Self.maximumSize || instant - begun >= Self.maximumSpan
  }
}

/// When written data are flushed to the disk: within 5 s, and at every change of state and the end.
package struct SyncPolicy: Hashable, Sendable {
  /// Longest time during which written data can be lost.
  package static let promise = Duration.seconds(5)
  /// Interval at which the recorder checks the deadline.
  package static let pause = Duration.seconds(1)
  private static let disk = Duration.milliseconds(500)
  package static let interval = promise - pause - disk

  private var oldest: MonotonicInstant?

  package var isDirty: Bool { oldest != nil }
  package var deadline: MonotonicInstant? { oldest.map { $0 + Self.interval } }

  package mutating func wrote(at instant: MonotonicInstant) {
    if oldest == nil { oldest = instant }
  }

  package mutating func synchronized() { oldest = nil }
  package func isDue(at instant: MonotonicInstant) -> Bool { deadline.map { $0 <= instant } ?? false }
}
