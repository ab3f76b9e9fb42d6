import LocationCore

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
