/// The figures of follow mode.
package struct FollowConfiguration: Hashable, Sendable {
  /// How far a view may lie from the fix that it shows and still follow, metres.
  package var driftLimit: Double
  /// How long after the last user report a drifted view follows again while riding; `nil` = never.
  package var idleResume: Duration?
  /// How long reports do not count after a re-engage, a first or regained fix, a source change, a (re)connect,
  /// unless they carry that fix's `seq` earlier.
  package var grace: Duration
  /// How long a vanished view keeps its state.
  package var forget: Duration
  /// Most views at once, over all sessions.
  package var viewLimit: Int
  /// Most views that one session may report.
  package var viewsPerSession: Int

  /// Checked figures.
  package init(
    driftLimit: Double = 100, idleResume: Duration? = nil, grace: Duration = .seconds(3),
    forget: Duration = .seconds(30), viewLimit: Int = 64, viewsPerSession: Int = 16
  ) throws(FollowError) {
    guard driftLimit.isFinite, driftLimit > 0 else { throw .driftLimit(driftLimit) }
    if let idleResume, idleResume <= .zero { throw .idleResume(idleResume) }
    self.init(
      checked: driftLimit, idleResume: idleResume, grace: grace, forget: forget, viewLimit: viewLimit,
      viewsPerSession: viewsPerSession)
  }

  /// 100 m, no idle resume, 3 s of grace, 30 s of memory.
  package static let standard = FollowConfiguration(
    checked: 100, idleResume: nil, grace: .seconds(3), forget: .seconds(30), viewLimit: 64, viewsPerSession: 16)

  private init(
    checked driftLimit: Double, idleResume: Duration?, grace: Duration, forget: Duration, viewLimit: Int,
    viewsPerSession: Int
  ) {
    self.driftLimit = driftLimit
    self.idleResume = idleResume
    self.grace = grace
    self.forget = forget
    self.viewLimit = viewLimit
    self.viewsPerSession = viewsPerSession
  }
}

/// Why a view is not taken.
package enum FollowError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The drift limit is not a finite number of metres above 0.
  case driftLimit(Double)
  /// The idle resume is not longer than nothing.
  case idleResume(Duration)
  /// There are as many views as there may be.
  case tooManyViews(limit: Int)
  /// This session reports as many views as one may.
  case tooManyViewsOfSession(limit: Int)
  /// Empty, or longer than 64 bytes.
  case viewName

  package var description: String {
    switch self {
    case .driftLimit(let limit): "drift limit \(limit) is not a distance: give metres above 0"
    case .idleResume(let interval):
      "idle resume after \(interval.inSeconds) s is not possible: give seconds above 0, or none"
    case .tooManyViews(let limit): "there are \(limit) views already: reuse a name, or wait until one is forgotten"
    case .tooManyViewsOfSession(let limit): "this connection has \(limit) views already: reuse a name"
    case .viewName: "a view's name has 1 to 64 bytes"
    }
  }
}

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
