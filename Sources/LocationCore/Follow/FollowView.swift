/// What the daemon knows about one view.
struct FollowView: Sendable {
  /// After some events reports do not count until the view shows what they brought.
  struct Grace {
    /// The fix that ends it; `nil` while that fix is still to come.
    var seq: UInt64?
    /// When it ends anyway.
    var until: MonotonicInstant
  }

  /// Who speaks for the view.
  enum Renderer {
    /// Nobody yet or any more, since then.
    case vanished(since: MonotonicInstant)
    /// A session, with the order of its last report.
    case session(SessionID, lastOrder: UInt64?)
  }

  var state: FollowState
  var renderer: Renderer
  var grace: Grace?
  /// The first of the reports without `seq` that lay outside.
  var outsideSince: MonotonicInstant?
  /// When the rider last touched the view, as far as the reports tell.
  var lastUserReport: MonotonicInstant

  init(name: String, at instant: MonotonicInstant) {
    state = FollowState(view: name, following: true, reason: .initial)
    renderer = .vanished(since: instant)
    lastUserReport = instant
  }

  var owner: SessionID? {
    if case .session(let session, _) = renderer { session } else { nil }
  }

  mutating func beginGrace(seq: UInt64?, until: MonotonicInstant) {
    grace = Grace(seq: seq, until: until)
    outsideSince = nil
  }

  /// Whether a report counts; the first that does ends the grace.
  mutating func passesGrace(shown: UInt64?, at instant: MonotonicInstant) -> Bool {
    guard let grace else { return true }
    if instant < grace.until {
      guard let shown, let awaited = grace.seq, shown >= awaited else { return false }
    }
    self.grace = nil
    return true
  }
}
