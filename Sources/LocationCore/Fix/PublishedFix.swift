/// A judged fix as it goes to subscribers: numbered, with its source and what just changed.
package struct PublishedFix: Hashable, Sendable {
  /// The fix.
  package var fix: Fix
  /// Number of this fix since the daemon started, from 1, without holes.
  package var seq: UInt64
  /// Index of the source in the configured order.
  package var source: Int
  /// What makes this fix pass a distance filter whatever the distance.
  package var changes: FixChanges

  /// A published fix.
  package init(fix: Fix, seq: UInt64, source: Int, changes: FixChanges = []) {
    self.fix = fix
    self.seq = seq
    self.source = source
    self.changes = changes
  }
}

/// What changed with a fix, seen over the whole stream and not by one subscriber.
package struct FixChanges: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// The rider came to a stop: speed < 0.5 m/s for 2 s; once per stop.
  package static let stopped = FixChanges(rawValue: 1 << 0)
  /// The rider started after a stop.
  package static let started = FixChanges(rawValue: 1 << 1)
  /// 2D ↔ 3D, debounced over two epochs.
  package static let mode = FixChanges(rawValue: 1 << 2)
  /// First fix after another source took the lead.
  package static let source = FixChanges(rawValue: 1 << 3)
  /// First fix after a loss.
  package static let regained = FixChanges(rawValue: 1 << 4)
  /// The fix was held as suspect and then accepted.
  package static let suspect = FixChanges(rawValue: 1 << 5)
}
