import LocationCore

/// When what was written is to be forced to the disk: 5 s after the first write that is not there yet.
/// (And at every change of state and at the end, which the recorder asks for itself.)
package struct SyncPolicy: Hashable, Sendable {
  /// The longest time that written data may be lost for.
  package static let interval = Duration.seconds(5)

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
