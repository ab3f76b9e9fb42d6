import LocationCore

/// A judged fix of a ride, before any distance filter: as a live subscriber with filter 0 would have had it.
///
/// `fix.received` is on the ride's own clock: it begins at 0 with the first byte and runs on over the ride's files;
/// `fix.measured` is UTC by the receiver, `nil` while that told no date.
package struct RiddenFix: Hashable, Sendable {
  /// The fix.
  package var fix: Fix
  /// It was held for an implausible jump before it was accepted.
  package var isSuspect: Bool
  /// The source that it is from: its place in the header's `device` lines.
  package var source: Int
  /// Counts the fixes since the recorder started, from 1: what the `seq` of a recorded `VIEW` means.
  package var seq: UInt64
  /// It is the first, or the way to it is not known: behind a loss, a change of the source, an interruption.
  package var beginsSegment: Bool

  /// A fix of a ride.
  package init(fix: Fix, isSuspect: Bool, source: Int, seq: UInt64, beginsSegment: Bool) {
    self.fix = fix
    self.isSuspect = isSuspect
    self.source = source
    self.seq = seq
    self.beginsSegment = beginsSegment
  }
}
