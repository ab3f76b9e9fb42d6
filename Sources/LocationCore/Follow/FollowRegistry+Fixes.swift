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
