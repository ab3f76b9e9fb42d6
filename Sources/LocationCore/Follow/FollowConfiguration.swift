package struct FollowConfiguration: Hashable, Sendable {
  /// Largest distance between a view and the fix it shows while following, metres.
  package private(set) var driftLimit = 100.0
  /// How long reports are ignored after a re-engage, a first or regained fix, a change of source or a (re)connect, or
  /// until one carries the `seq` of that fix or a later one.
  package let grace = Duration.seconds(3)
  /// How long a view without a renderer is kept: since it disconnected, or since the last request about the view.
  package let retention = Duration.seconds(30)
  /// Maximum number of views, all clients together. A reported view beyond it replaces the least useful one.
  package let viewLimit = 64
  package let viewsPerClient = 8

  /// A drift limit of 100 m.
  package static let standard = FollowConfiguration()

  private init() {}

  package init(driftLimit: Double) throws(FollowError) { try setDriftLimit(driftLimit) }

  mutating func setDriftLimit(_ limit: Double) throws(FollowError) {
    guard limit.isFinite, limit > 0 else { throw .driftLimit(limit) }
    driftLimit = limit
  }
}

/// An invalid setting or a view that cannot be accepted.
package enum FollowError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The drift limit is not finite or not above 0.
  case driftLimit(Double)
  /// The maximum number of views is reached, and a request names another that no renderer has reported.
  case tooManyViews(limit: Int)
  case tooManyViewsOfClient(limit: Int)
  /// The name is empty or longer than 64 bytes.
  case viewName

  package var description: String {
    switch self {
    case .driftLimit(let limit): "drift limit \(limit) is invalid: use more than 0 m"
    case .tooManyViews(let limit): "the limit of \(limit) views is reached: reuse a name, or wait until a view expires"
    case .tooManyViewsOfClient(let limit):
      "the limit of \(limit) views for this connection is reached: reuse a name"
    case .viewName: "the name of a view is invalid: use 1 to 64 bytes"
    }
  }
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
