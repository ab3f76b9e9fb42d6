/// Why an epoch has no fix.
package enum NoFixReason: String, Hashable, Sendable, CaseIterable {
  /// A sentence says that there is none.
  case void
  /// A sentence says that there is one, and no position came with it.
  case noPosition
  /// There may be a position, but no sentence says whether it is valid.
  case noStatus
}
