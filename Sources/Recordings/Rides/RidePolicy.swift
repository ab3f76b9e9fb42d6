import LocationCore

/// When a ride ends, and which rides are kept.
package struct RidePolicy: Hashable, Sendable {
  /// 20 minutes: longer than a refuelling stop, shorter than a visit.
  package static let standardSplitStop = Duration.seconds(1200)

  /// Shortest stop that separates two rides, with or without power.
  package var splitStop: Duration
  /// Which rides are kept.
  package var retention: RetentionPolicy

  /// A policy with these values.
  package init(splitStop: Duration = Self.standardSplitStop, retention: RetentionPolicy = RetentionPolicy()) {
    self.splitStop = splitStop
    self.retention = retention
  }
}

/// Which rides are kept: the newest, up to a number and optionally a size. The oldest is removed first. Rides that are
/// yet to be forwarded (``RetentionHold``) are kept until there are twice as many, within the size.
package struct RetentionPolicy: Hashable, Sendable {
  /// Largest number of rides including the one in progress; at least 1.
  package var maximumRides: Int
  /// Largest total size of all rides, bytes; `nil` for no limit.
  package var maximumBytes: Int?

  /// A policy with these limits.
  package init(maximumRides: Int = 100, maximumBytes: Int? = nil) {
    self.maximumRides = max(1, maximumRides)
    self.maximumBytes = maximumBytes
  }

  /// The rides to remove, the oldest first; never those for which `isKept` is true, such as rides in progress.
  package func expired(
    of rides: [Ride], keeping isKept: (Ride) -> Bool, holding isHeld: (Ride) -> Bool = { _ in false }
  ) -> [Ride] {
    var count = rides.count
    var bytes = rides.reduce(0) { $0 + $1.bytes }
    var expired: [Ride] = []
    for ride in rides.sorted(by: { ($0.age, $0.name.stem) < ($1.age, $1.name.stem) }) {
      let isTooLarge = maximumBytes.map { bytes > $0 } ?? false
      guard count > maximumRides || isTooLarge else { break }
      guard !isKept(ride), isTooLarge || count - maximumRides > maximumRides || !isHeld(ride) else { continue }
      expired.append(ride)
      count -= 1
      bytes -= ride.bytes
    }
    return expired
  }
}

/// When a ride continues in a new file: at 16 MiB, or after an hour.
package struct RotationPolicy: Hashable, Sendable {
  /// Largest size of a file, bytes.
  package static let maximumSize = 16 << 20
  /// Longest time span of a file.
  package static let maximumSpan = Duration.seconds(3600)

  private let begun: MonotonicInstant

  /// The policy of a file that begins now.
  package init(begun: MonotonicInstant) {
    self.begun = begun
  }

  /// Whether records of that many bytes belong in a new file.
  package func isDue(size: Int, adding count: Int, at instant: MonotonicInstant) -> Bool {
    size + count > Self.maximumSize || instant - begun >= Self.maximumSpan
  }
}

/// When written data are flushed to the disk: within 5 s. The recorder also flushes at every change of state and at the end.
package struct SyncPolicy: Hashable, Sendable {
  /// Longest time during which written data can be lost.
  package static let promise = Duration.seconds(5)
  /// Interval at which the recorder checks the deadline.
  package static let pause = Duration.seconds(1)
  /// Time reserved for the disk itself.
  private static let disk = Duration.milliseconds(500)
  /// Time from the oldest write to the deadline.
  package static let interval = promise - pause - disk

  /// Time of the oldest write that is not on the disk.
  private var oldest: MonotonicInstant?

  /// A policy without pending writes.
  package init() {}

  /// Whether writes are pending.
  package var isDirty: Bool { oldest != nil }

  /// Time of the next flush; `nil` without pending writes.
  package var deadline: MonotonicInstant? { oldest.map { $0 + Self.interval } }

  /// Notes a write.
  package mutating func wrote(at instant: MonotonicInstant) {
    if oldest == nil { oldest = instant }
  }

  /// Notes that everything is on the disk.
  package mutating func synchronized() { oldest = nil }

  /// Whether the deadline has passed.
  package func isDue(at instant: MonotonicInstant) -> Bool {
    deadline.map { $0 <= instant } ?? false
  }
}
