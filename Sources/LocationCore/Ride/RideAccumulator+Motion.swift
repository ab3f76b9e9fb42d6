// When the rider moves, and how far.
extension RideAccumulator {
  mutating func restart(at sample: RideSample, speedBefore: Double) {
    trace.removeAll()
    trace.append(time: sample.time, speed: sample.speed, distance: 0)
    if sample.speed >= Standstill.startedFrom {
      state = .moving
      firstMove = firstMove ?? sample.time
    } else {
      var since = sample.time
      let wasSlow = speedBefore < Standstill.startedFrom
      if case .standing(let before) = state, wasSlow, lastMove < sample.time { since = before }
      state = .standing(since: since)
    }
    anchor = Anchor(position: sample.position, time: sample.time)
    unconfirmed.restart(at: sample.position, firstMove: firstMove, lastMove: lastMove)
  }

  /// Counts the way over a gap: that of the wheel, unless the positions are farther apart, else by speeds and chord.
  mutating func bridge(
    from previous: RideSample, to sample: RideSample, _ chord: Double, _ wheel: FusedMotion, accuracy: Double?
  ) {
    let seconds = sample.time - previous.time
    let mean = (previous.speed + sample.speed) / 2 * seconds
    let (slower, faster) = (min(previous.speed, sample.speed), max(previous.speed, sample.speed))
    let uncertainty = 2 * (accuracy ?? 10)
    if let way = wheel.wheelWay.map(Double.init), let time = wheel.wheelTime.map(Double.init),
      way >= chord - uncertainty
    {
      guard way > 0 else { return }
      ride(way, in: min(time, seconds), since: previous.time, until: sample.time)
    } else if slower >= Standstill.startedFrom, seconds <= Self.shortGap || mean <= Self.detour * chord {
      let way = max(mean, min(chord, max(faster * seconds, chord - uncertainty)))
      ride(way, in: seconds, since: previous.time, until: sample.time)
    } else {
      guard chord > max(20, uncertainty, unconfirmed.wander) else { return }
      ride(chord, in: min(seconds, chord / max(faster, 1)), since: previous.time, until: sample.time)
    }
    state = .moving
  }

  /// Counts a way that needs no confirmation.
  mutating func ride(_ way: Double, in seconds: Double, since begin: Double, until end: Double) {
    sums.distance += way
    sums.movingTime += seconds
    firstMove = firstMove ?? begin
    lastMove = end
  }

  mutating func step(from previous: RideSample, to sample: RideSample, _ chord: Double, _ seconds: Double) {
    let way = previous.isMeasured && sample.isMeasured ? (previous.speed + sample.speed) / 2 * seconds : chord
    trace.append(time: sample.time, speed: sample.speed, distance: way)
    switch state {
    case .moving:
      count(way, seconds)
      if sample.speed < Standstill.stoppedBelow { state = .stopping(seen: previous.time, slow: sample.time) }
    case .stopping(let seen, let slow):
      count(way, seconds)
      if trace.meanSpeed(since: slow) >= Standstill.startedFrom {
        state = .moving
      } else if sample.time - seen >= Self.confirmationTime {
        commitStop(slowAt: slow, at: sample)
      }
    case .standing(let since):
      if sample.speed >= Standstill.startedFrom { state = .starting(seen: sample.time, since: since) }
    case .starting(let seen, let since):
      let isSlow = sample.speed < Standstill.stoppedBelow
      // A short start counts if it led far enough.
      let isLong = isSlow ? previous.time > seen : sample.time - seen >= Self.confirmationTime
      if isLong, trace.path(since: seen) >= Self.startDistance {
        commitStart(seen: seen, since: since, at: sample)
        if isSlow { state = .stopping(seen: previous.time, slow: sample.time) }
      } else if isSlow {
        state = .standing(since: since)
      }
    }
  }

  mutating func count(_ way: Double, _ seconds: Double) {
    unconfirmed.distance += way
    unconfirmed.time += seconds
  }

  mutating func conclude(isConfirmed: Bool) {
    if isConfirmed {
      sums.distance += unconfirmed.distance
      sums.movingTime += unconfirmed.time
    } else {
      (firstMove, lastMove) = (unconfirmed.firstMove, unconfirmed.lastMove)
      if case .standing = state { state = .standing(since: lastMove) }
    }
  }

  mutating func commitStop(slowAt slow: Double, at sample: RideSample) {
    if let edge = trace.stop(slowAt: slow), edge.time < sample.time {
      count(edge.path - trace.path, edge.time - sample.time)
      lastMove = edge.time
    } else {
      lastMove = sample.time
    }
    state = .standing(since: lastMove)
    anchor = Anchor(position: sample.position, time: sample.time)
  }

  mutating func commitStart(seen: Double, since: Double, at sample: RideSample) {
    let edge = trace.start(fastAt: seen, earliest: since) ?? SpeedTrace.Edge(time: sample.time, path: trace.path)
    count(trace.path - edge.path, sample.time - edge.time)
    firstMove = firstMove ?? edge.time
    state = .moving
  }

  mutating func settle() {
    guard let last else { return }
    switch state {
    case .stopping(_, let slow): commitStop(slowAt: slow, at: last)
    case .starting(let seen, let since): commitStart(seen: seen, since: since, at: last)
    case .standing, .moving: break
    }
    if case .moving = state { lastMove = last.time }
  }

  /// Detects motion by positions if speeds stay at 0, as with some receivers or when pushing slowly.
  mutating func watchDrift(_ sample: RideSample, _ chord: Double, accuracy: Double?) {
    guard case .standing = state, let anchor, sample.isMeasured else { return }
    let way = sample.position.distance(to: anchor.position)
    let reach = unconfirmed.reach(accuracy: accuracy)
    self.anchor?.path += chord
    self.anchor?.strayed = way > reach ? anchor.strayed + 1 : 0
    if anchor.path > UnconfirmedMotion.detour.start * max(reach, way) {
      unconfirmed.learn(way, leads: false)
      self.anchor = Anchor(position: sample.position, time: sample.time)
    } else if way > reach, anchor.strayed > 0 {
      ride(
        way, in: min(sample.time - anchor.time, way / Standstill.stoppedBelow), since: anchor.time, until: sample.time)
      state = .standing(since: sample.time)
      self.anchor = Anchor(position: sample.position, time: sample.time)
    }
  }

  /// The speed of a fix without one. Positions that drift at a stop have chords, but lead nowhere.
  mutating func speed(of fix: Fix, _ chord: Double, _ seconds: Double, isUsable: Bool) -> Double {
    guard isUsable else {
      progress = nil
      return 0
    }
    if progress == nil, let last { progress = Progress(start: last.position) }
    let way = progress?.advance(to: fix.position, chord, accuracy: fix.horizontalAccuracy, &unconfirmed)
    guard let way else { return 0 }
    if way > 0 {
      // What led here was not counted; its last chord is about to be.
      sums.distance += max(0, way - chord)
      sums.movingTime += max(0, way - chord) / max(chord / seconds, Standstill.startedFrom)
    }
    return chord / seconds
  }
}
