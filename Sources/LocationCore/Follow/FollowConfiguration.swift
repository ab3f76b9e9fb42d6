package struct FollowConfiguration: Hashable, Sendable {
  /// Largest distance between a view and the fix it shows while following, metres.
  package var driftLimit: Double
  /// How long reports are ignored after a re-engage, a first or regained fix, a change of source or a (re)connect, or
  /// until one carries the `seq` of that fix or a later one.
  package var grace: Duration
  /// How long a view without a renderer is kept: since it disconnected, or since the last request about the view.
  package var retention: Duration
  /// Maximum number of views, all clients together. A reported view beyond it replaces the least useful one.
  package var viewLimit: Int
  package var viewsPerClient: Int

  package init(
    driftLimit: Double = 100, grace: Duration = .seconds(3), retention: Duration = .seconds(30), viewLimit: Int = 64,
    viewsPerClient: Int = 8
  ) throws(FollowError) {
    guard driftLimit.isFinite, driftLimit > 0 else { throw .driftLimit(driftLimit) }
    self.init(
      valid: driftLimit, grace: grace, retention: retention, viewLimit: viewLimit, viewsPerClient: viewsPerClient)
  }

  /// A limit of 100 m, 3 s of grace, 30 s of retention.
  package static let standard = FollowConfiguration(
    valid: 100, grace: .seconds(3), retention: .seconds(30), viewLimit: 64, viewsPerClient: 8)

  private init(valid driftLimit: Double, grace: Duration, retention: Duration, viewLimit: Int, viewsPerClient: Int) {
    self.driftLimit = driftLimit
    self.grace = grace
    self.retention = retention
    self.viewLimit = viewLimit
    self.viewsPerClient = viewsPerClient
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
  /// From a client that is not connected.
  package var unknownClient = 0
  /// From a client whose view belongs to a newer client.
  package var superseded = 0
  /// With a `seq` that is not in the history; evaluated like a report without `seq`.
  package var unknownSeq = 0
  /// Refused: too many views, or an invalid name.
  package var refused = 0

  package init() {}
}
