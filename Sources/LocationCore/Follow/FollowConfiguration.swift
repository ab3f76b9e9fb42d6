package struct FollowConfiguration: Hashable, Sendable {
  /// Largest distance between a view and the fix it shows while following, metres.
  package private(set) var driftLimit = 100.0
  /// How long reports are ignored after a re-engage, a first or regained fix, a change of source or a (re)connect, or
  /// until one carries the `seq` of that fix or a later one.
  package let grace = Duration.seconds(3)
  /// How long a view without a renderer is kept: since it disconnected, or since the last request about the view.
  package let retention = Duration.seconds(30)

  /// A drift limit of 100 m.
  package static let standard = FollowConfiguration()

  private init() {}

  package init(driftLimit: Double) throws(DriftLimitError) { try setDriftLimit(driftLimit) }

  mutating func setDriftLimit(_ limit: Double) throws(DriftLimitError) {
    guard limit.isFinite, limit > 0 else { throw DriftLimitError(limit: limit) }
    driftLimit = limit
  }
}

/// A drift limit, metres, that is not finite or not above 0.
package struct DriftLimitError: Error, Hashable, Sendable, CustomStringConvertible {
  package let limit: Double

  package var description: String { "drift limit \(limit) is invalid: use more than 0 m" }
}

/// Number of reports and requests without effect, by cause.
package struct FollowCounters: Hashable, Sendable {
  /// From a client whose view belongs to a newer client.
  package var superseded = 0
  /// With a `seq` that is not in the history; evaluated like a report without `seq`.
  package var unknownSeq = 0
  /// Refused: too many views, or an invalid name.
  package var refused = 0
}
