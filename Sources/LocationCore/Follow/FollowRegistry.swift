/// Decides which views follow the rider (rules F1 to F10 of follow mode).
///
/// It lives beside the sessions and outlasts them: a renderer that restarts finds its view as it left it.
package struct FollowRegistry: Sendable {
  /// How old the path is that a report without `seq` is compared with.
  static let pathLength = Duration.seconds(3)
  /// How far apart two reports without `seq` must lie to disengage.
  static let confirmation = Duration.milliseconds(200)
  /// Riding, for the idle resume, m/s.
  static let ridingSpeed = 2.0
  /// Rounding that is forgiven at the limit, metres.
  static let tolerance = 1e-6

  package private(set) var configuration: FollowConfiguration
  package internal(set) var counters = FollowCounters()

  /// When `expire(at:)` has something to do.
  package private(set) var deadline: MonotonicInstant?

  var views: [FollowView] = [] {
    didSet { deadline = nextToForget }
  }
  var history = FixHistory()
  var sessions: Set<SessionID> = []
  /// The next fix is the first after a loss.
  var isLost = false

  package init(_ configuration: FollowConfiguration = .standard) {
    self.configuration = configuration
  }

  /// Takes another drift limit over, metres; it holds from the next report or fix on.
  package mutating func setDriftLimit(_ limit: Double) throws(FollowError) {
    guard limit.isFinite, limit > 0 else { throw .driftLimit(limit) }
    configuration.driftLimit = limit
  }

  /// The state of every view, in the order in which they were first seen.
  package var states: [FollowState] { views.map(\.state) }

  /// The state of one view; a view never seen follows.
  package func state(of view: String) -> FollowState {
    index(of: view).map { views[$0].state } ?? FollowState(view: view, following: true, reason: .initial)
  }

  private var nextToForget: MonotonicInstant? {
    var earliest: MonotonicInstant?
    for view in views {
      guard case .vanished(let since) = view.renderer else { continue }
      let due = since + configuration.forget
      earliest = earliest.map { min($0, due) } ?? due
    }
    return earliest
  }

  /// Forgets the views that vanished long ago.
  package mutating func expire(at instant: MonotonicInstant) {
    guard let deadline, instant >= deadline else { return }
    let patience = configuration.forget
    views.removeAll {
      if case .vanished(let since) = $0.renderer { instant - since >= patience } else { false }
    }
  }

  /// A view that somebody renders is worth more than those that nobody does: no client keeps it out with names.
  private mutating func forgetOldestVanished() {
    var oldest: (index: Int, since: MonotonicInstant)?
    for (index, view) in views.enumerated() {
      guard case .vanished(let since) = view.renderer else { continue }
      if oldest.map({ since < $0.since }) ?? true { oldest = (index, since) }
    }
    if let oldest { views.remove(at: oldest.index) }
  }

  func index(of view: String) -> Int? {
    views.firstIndex { $0.state.view == view }
  }

  /// The view of that name, made if there is room for it, and for its renderer if that is who asks.
  mutating func openView(
    _ name: String, renderer: SessionID?, at instant: MonotonicInstant
  ) throws(FollowError) -> Int {
    let known = index(of: name)
    if let renderer, known.map({ views[$0].owner != renderer }) ?? true,
      views.count(where: { $0.owner == renderer }) >= configuration.viewsPerSession
    {
      throw refusal(.tooManyViewsOfSession(limit: configuration.viewsPerSession))
    }
    if let known { return known }
    guard (1...64).contains(name.utf8.count) else { throw refusal(.viewName) }
    expire(at: instant)
    if renderer != nil, views.count >= configuration.viewLimit { forgetOldestVanished() }
    guard views.count < configuration.viewLimit else {
      throw refusal(.tooManyViews(limit: configuration.viewLimit))
    }
    views.append(FollowView(name: name, at: instant))
    return views.count - 1
  }

  private mutating func refusal(_ error: FollowError) -> FollowError {
    counters.refused &+= 1
    return error
  }
}

extension FollowRegistry {
  /// Takes every published fix, before any distance filter.
  ///
  /// Drifted views may resume; after a loss each following view recentres once. Nothing disengages here.
  package mutating func published(_ fix: PublishedFix, at instant: MonotonicInstant) -> [FollowAction] {
    let isFirst = history.newest == nil
    let isRegained = isLost || fix.changes.contains(.regained)
    isLost = false
    history.append(seq: fix.seq, position: fix.fix.position, published: instant)
    let restartsGrace = isFirst || isRegained || fix.changes.contains(.source)
    var actions: [FollowAction] = []
    for index in views.indices {
      if restartsGrace {
        views[index].beginGrace(seq: fix.seq, until: instant + configuration.grace)
      } else if let grace = views[index].grace, grace.seq == nil {
        views[index].grace?.seq = fix.seq
      }
      if views[index].state.following {
        if isRegained { actions.append(.sendNewest(view: views[index].state.view)) }
      } else if resumes(views[index], with: fix.fix, at: instant) {
        actions += engage(index, reason: .idle, at: instant)
      }
    }
    return actions
  }

  /// Another source took the lead; reports do not count until its first fix is shown.
  package mutating func sourceChanged(at instant: MonotonicInstant) {
    for index in views.indices {
      views[index].beginGrace(seq: nil, until: instant + configuration.grace)
    }
  }

  /// The fix was lost. Nothing disengages; the next fix is a regained one.
  package mutating func lost(at instant: MonotonicInstant) {
    if history.newest != nil { isLost = true }
  }

  private func resumes(_ view: FollowView, with fix: Fix, at instant: MonotonicInstant) -> Bool {
    guard let idle = configuration.idleResume, view.state.reason == .drift, view.owner != nil,
      let speed = fix.speed
    else { return false }
    return speed > Self.ridingSpeed && instant - view.lastUserReport >= idle
  }
}
