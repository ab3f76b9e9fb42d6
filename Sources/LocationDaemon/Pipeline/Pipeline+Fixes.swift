import LocationCore

/// What becomes of an accepted fix.
extension Pipeline {
  func publish(
    _ fix: Fix, suspect: Bool, sky: Sky?, noise: PseudorangeNoise?, from lane: Lane, isNewest: Bool,
    at instant: MonotonicInstant
  ) {
    var fix = fix
    if lane.timeShift != .zero, let measured = fix.measured { fix.measured = measured + lane.timeShift }
    guard handover.passes(fix.measured, source: lane.id) else { return }
    var changed = changes.changes(with: fix, at: instant)
    if suspect { changed.insert(.suspect) }
    let published = PublishedFix(fix: fix, seq: (newest?.seq ?? 0) + 1, source: lane.id, changes: changed)
    newest = published
    recorder?.published(fix, isSuspect: suspect, at: instant)
    sink?.pipelineDidPublish(published, sky: sky, noise: noise, at: instant)
    if isNewest { sendEarly() }
    let followed = follow.published(published, at: instant)
    answer(locate.published(published, at: instant), at: instant)
    for arrival in targets.published(published, at: instant) { sink?.pipelineDidChange(arrival) }
    perform(followed, at: instant)
  }

  func perform(_ actions: [FollowAction], at instant: MonotonicInstant) {
    for action in actions {
      switch action {
      case .changed(let state): sink?.pipelineDidChange(state)
      case .sendNewest: sink?.pipelineWantsNewestFixSent(at: instant)
      }
    }
  }

  func answer(_ answers: [LocateAnswer], at instant: MonotonicInstant) {
    for answer in answers { sink?.pipelineDidAnswer(answer, at: instant) }
  }
}
