/// Why the lead went to another source; the raw values are the protocol's.
package enum LeadReason: String, Hashable, Sendable, CaseIterable {
  /// The old one sends nothing.
  case silent
  /// The old one sends, but no valid fix.
  case noFix
  /// The old one failed, or ended.
  case failed
  /// A preferred one has been valid for long enough.
  case preferred
  /// The old one is not configured any more.
  case removed
}

/// What the supervisor asks to be done.
package enum SupervisorAction: Hashable, Sendable {
  /// Tell everyone: a source changed its state.
  case state(source: Int, SourceState)
  /// Tell everyone: fixes come from another source now. For the reason `removed`, `from` is a place in the old order.
  case lead(from: Int, to: Int, LeadReason)
}
