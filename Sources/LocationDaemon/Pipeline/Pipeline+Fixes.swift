import LocationCore

/// What becomes of an accepted fix.
extension Pipeline {
  func publish(
    _ fix: Fix, suspect: Bool, sky: Sky?, noise: PseudorangeNoise?, from lane: Lane, isNewest: Bool,
    at instant: MonotonicInstant
  ) {
    var published = PublishedFix(fix: fix, seq: (locate.newest?.seq ?? 0) + 1, source: lane.id)
    if lane.timeShift != .zero, let measured = fix.measured { published.fix.measured = measured + lane.timeShift }
    guard handover.passes(published.fix.measured, source: lane.id) else { return }
    published.changes = changes.changes(with: published.fix, at: instant)
    if suspect { published.changes.insert(.suspect) }
    let answers = locate.published(published, at: instant)
    recorder?.published(published.fix, isSuspect: suspect, at: instant)
    sink?.pipelineDidPublish(published, sky: sky, noise: noise, at: instant)
    if isNewest { sendEarly() }
    let followed = follow.published(published, at: instant)
    answer(answers, at: instant)
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
