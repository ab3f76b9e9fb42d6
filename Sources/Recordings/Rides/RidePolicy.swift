import LocationCore

/// What makes a ride a ride, and which ones are kept.
package struct RidePolicy: Hashable, Sendable {
  /// 20 minutes: longer than a refuelling stop with a coffee, shorter than a visit.
  package static let standardSplitStop = Duration.seconds(1200)

  /// A stop of so long parts two rides, switched off or not.
  package var splitStop: Duration
  /// Which rides are kept.
  package var retention: RetentionPolicy

  /// A policy.
  package init(splitStop: Duration = Self.standardSplitStop, retention: RetentionPolicy = RetentionPolicy()) {
    self.splitStop = splitStop
    self.retention = retention
  }
}

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

/// When a ride goes on in a new file: at 16 MiB, or after an hour.
package struct RotationPolicy: Hashable, Sendable {
  /// The most bytes in a file.
  package static let maximumSize = 16 << 20
  /// The longest time that one file spans.
  package static let maximumSpan = Duration.seconds(3600)

  private let begun: MonotonicInstant

  /// A file that begins now.
  package init(begun: MonotonicInstant) {
    self.begun = begun
  }

  /// Whether records of that many bytes belong in a new file.
  package func isDue(size: Int, adding count: Int, at instant: MonotonicInstant) -> Bool {
    size + count > Self.maximumSize || instant - begun >= Self.maximumSpan
  }
}

/// When what was written is to be forced to the disk, so that 5 s after it was written it is there.
/// (And at every change of state and at the end, which the recorder asks for itself.)
package struct SyncPolicy: Hashable, Sendable {
  /// The longest time that written data may be lost for.
  package static let promise = Duration.seconds(5)
  /// How far apart the moments are at which somebody asks whether it is time: what is due just behind one waits for the
  /// next.
  package static let pause = Duration.seconds(1)
  /// What the disk itself may take.
  private static let disk = Duration.milliseconds(500)
  /// How long the oldest write waits before it is due.
  package static let interval = promise - pause - disk

  /// The oldest write that is not on the disk.
  private var oldest: MonotonicInstant?

  /// Nothing was written.
  package init() {}

  /// Whether anything waits.
  package var isDirty: Bool { oldest != nil }

  /// When to synchronise; `nil` when nothing waits.
  package var deadline: MonotonicInstant? { oldest.map { $0 + Self.interval } }

  /// Something was written.
  package mutating func wrote(at instant: MonotonicInstant) {
    if oldest == nil { oldest = instant }
  }

  /// Everything is on the disk.
  package mutating func synchronized() { oldest = nil }

  /// Whether the deadline has come.
  package func isDue(at instant: MonotonicInstant) -> Bool {
    deadline.map { $0 <= instant } ?? false
  }
}
