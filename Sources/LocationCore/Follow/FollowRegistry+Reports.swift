extension FollowRegistry {
  /// Processes a renderer's report of its view's position.
  ///
  /// - Throws: `FollowError` when the view is new and cannot be accepted.
  package mutating func report(
    _ report: ViewReport, from client: ClientID, at instant: MonotonicInstant
  ) throws(FollowError) -> [FollowAction] {
    guard clients.contains(client) else {
      counters.unknownClient &+= 1
      return []
    }
    let index = try openView(report.view, renderer: client, at: instant)
    guard attach(index, to: client, at: instant) else { return [] }

    guard report.canDisengage else {
      if report.cause == .follow { views[index].outsideSince = nil }
      _ = views[index].passesGrace(shown: report.seq.flatMap { history[$0]?.seq }, at: instant)
      return []
    }
    guard views[index].state.following, let drift = drift(of: index, in: report, at: instant) else { return [] }
    views[index].state = FollowState(
      view: report.view, following: false, reason: .drift, distance: drift.distance, seq: drift.seq)
    views[index].outsideSince = nil
    return [.changed(views[index].state)]
  }

  /// Engages or releases a view by request, from any connected client.
  ///
  /// Engaging always sends the newest fix to all renderers, even if the view was already following.
  ///
  /// - Throws: `FollowError` when the view is new and cannot be accepted.
  package mutating func set(
    following: Bool, view: String, client: ClientID, at instant: MonotonicInstant
  ) throws(FollowError) -> [FollowAction] {
    guard clients.contains(client) else {
      counters.unknownClient &+= 1
      return []
    }
    let index = try openView(view, renderer: nil, at: instant)
    if views[index].owner == nil { views[index].renderer = .vanished(since: instant) }
    let old = views[index].state
    if following { return engage(index, at: instant) }
    guard old.following || old.reason != .requested else { return [] }
    let state = FollowState(view: view, following: false, reason: .requested, seq: history.newest?.seq)
    views[index].state = state
    views[index].outsideSince = nil
    return [.changed(state)]
  }

  /// Registers a client that connected.
  package mutating func clientConnected(_ client: ClientID, at instant: MonotonicInstant) {
    clients.insert(client)
  }

  /// Registers a client that disconnected; its views keep their state for `retention`.
  package mutating func clientDisconnected(_ client: ClientID, at instant: MonotonicInstant) {
    clients.remove(client)
    for index in views.indices where views[index].owner == client {
      views[index].renderer = .vanished(since: instant)
      views[index].grace = nil
      views[index].outsideSince = nil
    }
  }

  /// Assigns the view to the client. Returns `false` when it belongs to a newer one and the report is to be ignored.
  private mutating func attach(_ index: Int, to client: ClientID, at instant: MonotonicInstant) -> Bool {
    if let owner = views[index].owner {
      if owner == client { return true }
      if owner > client {
        counters.superseded &+= 1
        return false
      }
    }
    views[index].renderer = .client(client)
    views[index].beginGrace(seq: history.newest?.seq, until: instant + configuration.grace)
    return true
  }

  /// The distance from the fix that the view shows, and its number, if the distance ends following.
  private mutating func drift(
    of index: Int, in report: ViewReport, at instant: MonotonicInstant
  ) -> (distance: Double, seq: UInt64)? {
    guard let newest = history.newest else { return nil }
    let shown = report.seq.flatMap { history[$0] }
    if report.seq != nil, shown == nil { counters.unknownSeq &+= 1 }
    guard views[index].passesGrace(shown: shown?.seq, at: instant) else { return nil }
    let limit = configuration.driftLimit + Self.tolerance
    if let shown {
      views[index].outsideSince = nil
      let distance = shown.position.distance(to: report.coordinate)
      return distance > limit ? (distance, shown.seq) : nil
    }
    guard
      let distance = history.distance(from: report.coordinate, toPathSince: instant - Self.pathLength),
      distance > limit
    else {
      views[index].outsideSince = nil
      return nil
    }
    guard let since = views[index].outsideSince else {
      views[index].outsideSince = instant
      return nil
    }
    return instant - since >= Self.confirmation ? (distance, newest.seq) : nil
  }

  private mutating func engage(_ index: Int, at instant: MonotonicInstant) -> [FollowAction] {
    let name = views[index].state.view
    views[index].beginGrace(seq: history.newest?.seq, until: instant + configuration.grace)
    guard !views[index].state.following else { return [.sendNewest(view: name)] }
    let state = FollowState(view: name, following: true, reason: .requested, seq: history.newest?.seq)
    views[index].state = state
    return [.changed(state), .sendNewest(view: name)]
  }
}
