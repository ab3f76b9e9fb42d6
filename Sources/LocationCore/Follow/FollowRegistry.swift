/// State machine of follow mode: which views follow the rider, by the rules of handlebar-protocol(7), FOLLOW MODE. It
/// outlives client connections, so a renderer that reconnects finds the view in the state in which it left it.
package struct FollowRegistry: Sendable {
  /// Metres between a view and the fix that it shows.
  package static let standardDriftLimit = 100.0
  /// Length of the path with which a report without `seq` is compared.
  static let pathDuration = Duration.seconds(3)
  /// Minimum separation of two reports without `seq` that disengage a view.
  static let confirmation = Duration.milliseconds(200)
  /// Rounding tolerance at the limit, metres.
  static let tolerance = 1e-6
  /// How long reports are ignored after a re-engage, a new fix, source or client, unless they have its `seq` or later.
  static let grace = Duration.seconds(3)
  /// How long a view without a renderer is kept: since it disconnected, or since the last request about the view.
  static let retention = Duration.seconds(30)

  /// Largest distance between a view and the fix it shows while following, metres, more than 0.
  package var driftLimit: Double
  package internal(set) var counters = FollowCounters()
  /// When `expire(at:)` is due; `nil` = only after the next event.
  package private(set) var deadline: MonotonicInstant?
  var views: [FollowView] = [] {
    didSet { deadline = views.lazy.compactMap(\.unrenderedSince).min().map { $0 + Self.retention } }
  }
  var history = FixHistory()
  private var isLost = false

  package init(driftLimit: Double = standardDriftLimit) { self.driftLimit = driftLimit }
  package var states: [FollowState] { views.map(\.state) }

  /// The state of a view; an unknown view is following.
  package func state(of view: String) -> FollowState {
    index(of: view).map { views[$0].state } ?? FollowState(view: view, following: true, reason: .initial)
  }

  /// Registers a published fix, before any distance filter. After a loss, following views recentre; none disengages.
  package mutating func published(_ fix: PublishedFix, at instant: MonotonicInstant) -> [FollowAction] {
    let isFirst = history.newest == nil
    let isRegained = isLost || fix.changes.contains(.regained)
    isLost = false
    history.append(seq: fix.seq, position: fix.fix.position, published: instant)
    let restartsGrace = isFirst || isRegained || fix.changes.contains(.source)
    for index in views.indices {
      if restartsGrace {
        views[index].beginGrace(seq: fix.seq, until: instant + Self.grace)
      } else if let grace = views[index].grace, grace.seq == nil {
        views[index].grace?.seq = fix.seq
      }
    }
    return isRegained && views.contains(where: \.state.following) ? [.sendNewest] : []
  }

  /// Registers a change of the leading source; reports are ignored until the view shows its first fix.
  package mutating func sourceChanged(at instant: MonotonicInstant) {
    for index in views.indices {
      views[index].beginGrace(seq: nil, until: instant + Self.grace)
    }
  }

  package mutating func lost() {
    if history.newest != nil { isLost = true }
  }

  package mutating func expire(at instant: MonotonicInstant) {
    guard let deadline, instant >= deadline else { return }
    views.removeAll { view in view.unrenderedSince.map { instant - $0 >= Self.retention } ?? false }
  }

  package func renderer(of view: String) -> ClientID? { index(of: view).flatMap { views[$0].owner } }
  func index(of view: String) -> Int? { views.firstIndex { $0.state.view == view } }

  /// Returns the index of the view with this name and creates it if there is room, which a report can always make.
  mutating func openView(
    _ name: String, of client: ClientID, _ peer: ClientPeer, isReported: Bool, at instant: MonotonicInstant
  ) throws(RequestRefusal) -> Int {
    let known = index(of: name)
    if isReported, peer != .replay, known.map({ views[$0].owner != client }) ?? true,
      views.count(where: { $0.owner == client }) >= Quota.viewsOfConnection.limit
    {
      throw refusal(.full(.viewsOfConnection))
    }
    if let known { return known }
    do throws(RequestRefusal) { try Holding.view.checkName(name) } catch { throw refusal(error) }
    expire(at: instant)
    if views.count >= Quota.views.limit {
      guard let index = leastUseful, isReported || views[index].isOnlyRequested else {
        throw refusal(.full(.views))
      }
      views.remove(at: index)
    }
    views.append(FollowView(name: name, creator: client, at: instant))
    return views.count - 1
  }

  /// One only requested, else one without its renderer, the longest ago; else the stalest of the peer with the most.
  private var leastUseful: Int? {
    var shares = TableShares()
    for view in views {
      if let renderer = view.renderer { shares.count(renderer.client, of: renderer.peer) }
    }
    func rank(_ view: FollowView) -> (Int, Int, Int, MonotonicInstant) {
      guard let renderer = view.renderer else { return (view.isOnlyRequested ? 0 : 1, 0, 0, view.since) }
      let (ofPeer, ofClient) = shares.rank(of: renderer.client, renderer.peer)
      return (2, ofPeer, ofClient, view.since)
    }
    return views.indices.min { rank(views[$0]) < rank(views[$1]) }
  }

  private mutating func refusal(_ error: RequestRefusal) -> RequestRefusal {
    counters.refused &+= 1
    return error
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
