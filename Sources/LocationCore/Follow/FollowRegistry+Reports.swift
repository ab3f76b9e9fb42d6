extension FollowRegistry {
  /// `sent` is the newest fix that the client was sent, if known. Throws if the view is new and cannot be accepted.
  package mutating func report(
    _ report: ViewRequest, sent: UInt64? = nil, from client: ClientID, of peer: ClientPeer, at instant: MonotonicInstant
  ) throws(RequestRefusal) -> [FollowAction] {
    let index = try openView(report.view, of: client, peer, isReported: true, at: instant)
    guard attach(index, to: client, peer, at: instant) else { return [] }

    guard report.canDisengage else {
      if report.cause == .follow { views[index].outsideSince = nil }
      _ = views[index].passesGrace(shown: report.seq.flatMap { history[$0]?.seq }, sent: sent, at: instant)
      return []
    }
    guard views[index].state.following, let drift = drift(of: index, in: report, sent: sent, at: instant) else {
      return []
    }
    views[index].state = FollowState(
      view: report.view, following: false, reason: .drift, distance: drift.distance, seq: drift.seq)
    views[index].outsideSince = nil
    return [.changed(views[index].state)]
  }

  /// By request of any client. Engaging sends the newest fix to all renderers that lack it. Throws as `report`.
  package mutating func set(
    following: Bool, view: String, client: ClientID, of peer: ClientPeer, at instant: MonotonicInstant
  ) throws(RequestRefusal) -> [FollowAction] {
    let index = try openView(view, of: client, peer, isReported: false, at: instant)
    views[index].noteRequest(at: instant)
    return following ? engage(index, at: instant) : release(index)
  }

  /// Releases a view again that was released before the daemon restarted; throws as `report`. Without effect unless the
  /// view is unknown, or reported by this client only and initial: nothing that another client has caused is replaced.
  package mutating func restore(
    following: Bool, view: String, client: ClientID, of peer: ClientPeer, at instant: MonotonicInstant
  ) throws(RequestRefusal) -> [FollowAction] {
    guard !following else { return [] }
    if let known = index(of: view), views[known].creator != client || views[known].state.reason != .initial {
      return []
    }
    let index = try openView(view, of: client, peer, isReported: true, at: instant)
    return attach(index, to: client, peer, at: instant) ? release(index) : []
  }

  /// Registers a client that disconnected; its views keep their state for `retention`.
  package mutating func clientDisconnected(_ client: ClientID, at instant: MonotonicInstant) {
    for index in views.indices where views[index].owner == client {
      views[index].didDisconnect(at: instant)
    }
  }

  /// Assigns the view to the client. Returns `false` when it belongs to a newer one and the report is to be ignored.
  private mutating func attach(
    _ index: Int, to client: ClientID, _ peer: ClientPeer, at instant: MonotonicInstant
  ) -> Bool {
    let owner = views[index].owner
    if let owner, owner > client {
      counters.superseded &+= 1
      return false
    }
    views[index].noteReport(of: client, peer, at: instant)
    if owner == client { return true }
    views[index].beginGrace(seq: history.newest?.seq, until: instant + Self.grace)
    return true
  }

  /// The distance from the fix that the view shows, and its number, if the distance ends following.
  private mutating func drift(
    of index: Int, in report: ViewRequest, sent: UInt64?, at instant: MonotonicInstant
  ) -> (distance: Double, seq: UInt64)? {
    guard let newest = history.newest else { return nil }
    let shown = report.seq.flatMap { history[$0] }
    if report.seq != nil, shown == nil { counters.unknownSeq &+= 1 }
    guard views[index].passesGrace(shown: shown?.seq, sent: sent, at: instant) else { return nil }
    let limit = driftLimit + Self.tolerance
    if let shown {
      views[index].outsideSince = nil
      let distance = shown.position.distance(to: report.coordinate)
      return distance > limit ? (distance, shown.seq) : nil
    }
    guard
      let distance = history.distance(from: report.coordinate, toPathSince: instant - Self.pathDuration),
      distance > limit
    else {
      views[index].outsideSince = nil
      return nil
    }
    let since = views[index].outsideSince ?? instant
    views[index].outsideSince = since
    return instant - since >= Self.confirmation ? (distance, newest.seq) : nil
  }

  private mutating func engage(_ index: Int, at instant: MonotonicInstant) -> [FollowAction] {
    views[index].beginGrace(seq: history.newest?.seq, until: instant + Self.grace)
    guard !views[index].state.following else { return [.sendNewest] }
    let state = FollowState(
      view: views[index].state.view, following: true, reason: .requested, seq: history.newest?.seq)
    views[index].state = state
    return [.changed(state), .sendNewest]
  }

  private mutating func release(_ index: Int) -> [FollowAction] {
    let old = views[index].state
    guard old.following || old.reason != .requested else { return [] }
    let state = FollowState(view: old.view, following: false, reason: .requested, seq: history.newest?.seq)
    views[index].state = state
    views[index].outsideSince = nil
    return [.changed(state)]
  }
}
