/// Reports and requests that changed nothing because they could not be taken, by cause.
package struct FollowCounters: Hashable, Sendable {
  /// From a session that is not open.
  package var unknownSession = 0
  /// With an order not above the last one.
  package var oldOrder = 0
  /// From a session whose view a newer session has taken over.
  package var superseded = 0
  /// With a `seq` that was never published or is no longer kept; judged as one without `seq`.
  package var unknownSeq = 0
  /// Inside the grace.
  package var inGrace = 0
  /// Before there was any fix to compare with.
  package var withoutFix = 0
  /// Refused: too many views, or no name.
  package var refused = 0

  package init() {}
}
