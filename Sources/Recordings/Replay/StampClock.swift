import LocationCore

/// Turns the stamps of a recording into time from the start of its replay.
///
/// Stamps count on the monotonic clock of one boot. Where a file continues after another, or after a reboot, that
/// clock begins anew: the replay then goes on after the hole that the calendar shows, if it is a believable one.
package struct StampClock: Sendable {
  /// The hole between two parts whose clocks have nothing in common.
  static let seam = Duration.seconds(1)
  private static let longestSeam = Duration.seconds(600)

  private var last: RecordingStamp?

  /// A clock before the first stamp.
  package init() {}

  /// How much later than the stamp before this one is.
  package mutating func advance(to stamp: RecordingStamp) -> Duration {
    defer { last = stamp }
    guard let last else { return .zero }
    let elapsed = stamp.instant - last.instant
    if elapsed >= .zero, elapsed <= Self.longestSeam { return elapsed }
    guard let before = last.utc, let after = stamp.utc else { return Self.seam }
    let hole = after - before
    return hole >= .zero && hole <= Self.longestSeam ? hole : Self.seam
  }
}
