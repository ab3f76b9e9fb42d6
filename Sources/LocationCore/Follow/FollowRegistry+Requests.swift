extension FollowRegistry {
  /// Engages or releases a view by request, from any open session.
  ///
  /// Engaging always sends the newest fix to every renderer, also when the view was following.
  ///
  /// - Throws: `FollowError` when the view is new and cannot be taken.
  package mutating func set(
    following: Bool, view: String, session: SessionID, at instant: MonotonicInstant
  ) throws(FollowError) -> [FollowAction] {
    guard sessions.contains(session) else {
      counters.unknownSession &+= 1
      return []
    }
    let index = try openView(view, renderer: nil, at: instant)
    if views[index].owner == nil { views[index].renderer = .vanished(since: instant) }
    let old = views[index].state
    if following { return engage(index, reason: .requested, at: instant) }
    guard old.following || old.reason != .requested else { return [] }
    let state = FollowState(view: view, following: false, reason: .requested, seq: history.newest?.seq)
    views[index].state = state
    views[index].outsideSince = nil
    return [.changed(state)]
  }

  /// A client connected.
  package mutating func sessionOpened(_ session: SessionID, at instant: MonotonicInstant) {
    sessions.insert(session)
  }

  /// A client is gone; its views keep their state for a while.
  package mutating func sessionClosed(_ session: SessionID, at instant: MonotonicInstant) {
    sessions.remove(session)
    for index in views.indices where views[index].owner == session {
      views[index].renderer = .vanished(since: instant)
      views[index].grace = nil
      views[index].outsideSince = nil
    }
  }

  mutating func engage(_ index: Int, reason: FollowReason, at instant: MonotonicInstant) -> [FollowAction] {
    let name = views[index].state.view
    views[index].beginGrace(seq: history.newest?.seq, until: instant + configuration.grace)
    guard !views[index].state.following else { return [.sendNewest(view: name)] }
    let state = FollowState(view: name, following: true, reason: reason, seq: history.newest?.seq)
    views[index].state = state
    return [.changed(state), .sendNewest(view: name)]
  }
}
