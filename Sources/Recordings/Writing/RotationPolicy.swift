import LocationCore

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
