/// An accumulator of the figures of a ride or a trip, fix by fix: the same while riding and from the file. Of fixed
/// size.
///
/// The rules:
/// - **Time** between two fixes is the difference of their measured times, or of their arrival if one has none.
/// - **Moving** begins when the speed reaches ``startSpeed`` and stays above ``stopSpeed`` for ``confirmationTime`` and
///   ``startDistance``, and ends when it falls below ``stopSpeed`` and does not come back to ``startSpeed`` on average for
///   ``confirmationTime``. Either is dated back to where the acceleration at clear speeds meets speed 0
///   (``SpeedTrace``): single speeds near a standstill are noise.
/// - **Distance** is the receiver's speed integrated over the moving time: unlike chords it contains no noise of positions
///   and does not cut bends. Without speeds it is the chord, as long as chords lead
///   somewhere (``Progress``). A position far from a stop without any speed also counts as a chord if the chords led there.
/// - **Confirmation**: slow motion counts, with its time, when it lasts or the positions lead away from where it began, and
///   not if they only wander: a parked receiver with noisy speeds goes nowhere (``UnconfirmedMotion``).
/// - A **gap** is longer than 3 s (and than 1.5 periods of a slower receiver). If the rider moved before and after it, all
///   of it is moving time, and its distance is the mean of both speeds times its duration, as long as that is at most
///   ``detour`` times the chord or the gap is at most ``shortGap``. If the chord is longer, the chord counts up to the
///   distance at the higher speed, or up to the chord less the accuracy if that is more. Otherwise the chord counts if it
///   is longer than the accuracy, with as much time as it takes at the higher speed. With a wheel, its way counts.
/// - **Suspect** fixes, those after a jump, restart the calculation: the jump does not count.
/// - **Maximum speed** is the highest that two consecutive fixes reached.
/// - **Sensors**: what they measure at a fix holds since the one before, unless there is a gap between them.
/// - **Ascent** counts climbs of 3 m and more, or 1 m with a barometer, that are certain despite the errors of the
///   altitudes (``Climb``).
package struct RideAccumulator: Sendable {
  /// Speed of a start, m/s.
  package static let startSpeed = 0.7
  /// Speed of a stop, m/s.
  package static let stopSpeed = 0.5
  /// Shortest duration of a start or a stop, seconds.
  package static let confirmationTime = 2.0
  /// Shortest distance of a start, metres.
  package static let startDistance = 3.0
  /// Longest time between fixes of a receiver of any period without a gap, seconds.
  package static let shortestGap = 3.0
  /// Longest gap that counts as ridden through whatever its chord, seconds.
  package static let shortGap = 10.0
  /// Largest ratio of the distance over a gap to its chord.
  package static let detour = 1.25
  /// Shortest stop that separates two rides unless configured, seconds.
  package static let splitStop = 1200.0
  private static let longestPeriod = 20.0

  /// Shortest stop that separates two rides, seconds.
  package let splitStop: Double
  /// When the rider first moved, seconds of the ride.
  package internal(set) var firstMove: Double?
  /// When the rider last moved, seconds of the ride.
  var lastMove = 0.0
  var sums = RideFigures()
  var climb = Climb()
  var state = Moving.standing(since: 0)
  var last: RideSample?
  var trace = SpeedTrace()
  /// The two intervals before the last fix, seconds.
  var intervals = (0.0, 0.0)
  var anchor: Anchor?
  /// Number of consecutive positions too far from the stop.
  var strayed = 0

  /// Where chords lead, without speeds.
  var progress: Progress?

  /// What ``sums`` lack because the positions have not confirmed it.
  var unconfirmed = UnconfirmedMotion(start: .origin)

  /// Where and when the rider stopped.
  struct Anchor: Sendable {
    var position: Coordinate
    var time: Double
    /// Sum of the chords since then, metres.
    var path = 0.0
  }

  /// An empty ride. `splitStop` is the shortest stop that separates two rides, seconds.
  package init(splitStop: Double = Self.splitStop) { self.splitStop = splitStop }

  package var figures: RideFigures {
    var figures = sums
    if unconfirmed.isLikely {
      figures.movingTime += unconfirmed.time
      figures.distance += unconfirmed.distance
      // A stop that is not confirmed counts.
      if case .stopping(_, let slow) = state, let last, let edge = trace.stop(slowAt: slow), edge.time < last.time {
        figures.movingTime -= last.time - edge.time
        figures.distance -= trace.path - edge.path
      }
    }
    figures.ascent = climb.ascent
    figures.descent = climb.descent
    figures.end = last?.measured
    let end = last?.time ?? 0
    let isOver = firstMove != nil && end - lastMove >= splitStop
    let begin = firstMove.flatMap { $0 >= splitStop ? $0 : nil } ?? 0
    figures.duration = (isOver ? lastMove : end) - begin
    if begin > 0 { figures.start = figures.start.flatMap { Self.instant(begin, after: $0) } }
    if isOver { figures.end = figures.end.flatMap { Self.instant(lastMove - end, after: $0) } }
    return figures
  }

  /// The instant so many seconds after another; `nil` out of range, which happens if the dates of a recording jump.
  private static func instant(_ seconds: Double, after start: UTCInstant) -> UTCInstant? {
    guard seconds.magnitude < 9.2e9 else { return nil }
    let (sum, overflow) = start.nanosecondsSince1970.addingReportingOverflow(Int64(seconds * 1e9))
    return overflow ? nil : UTCInstant(nanosecondsSince1970: sum)
  }

  /// Duration of the current stop at the last fix, seconds; 0 in motion.
  package var standing: Double {
    guard let last else { return 0 }
    switch state {
    case .standing(let since), .starting(_, let since): return last.time - since
    case .moving, .stopping: return 0
    }
  }

  /// Whether the rider moves: a stop is one when it is confirmed.
  package var isMoving: Bool {
    switch state {
    case .moving, .stopping: true
    case .standing, .starting: false
    }
  }

  /// Whole seconds from the first fix to the newest one.
  var second: Int { Int(exactly: ((last?.time ?? 0) + 0.05).rounded(.down)) ?? 0 }

  /// Seconds from the first fix to the newest one.
  package var elapsed: Double { last?.time ?? 0 }

  package var lastMeasured: UTCInstant? { last?.measured }

  /// Whether a fix ends a stop that separates two rides, and so begins the next ride.
  package func beginsNextRide(with fix: Fix, _ sensed: SensedValues = SensedValues()) -> Bool {
    guard firstMove != nil, let last, case .standing(let since) = state else { return false }
    let seconds = interval(from: last, to: fix)
    guard last.time + seconds - since >= splitStop else { return false }
    if let speed = sensed.fused.ridingSpeed(of: fix) { return speed >= Self.startSpeed }
    return seconds > 0 && fix.position.distance(to: last.position) / seconds >= Self.startSpeed
  }

  package mutating func add(_ fix: PublishedFix) {
    add(fix.fix, fix.sensed, isSuspect: fix.changes.contains(.suspect))
  }

  package mutating func add(_ fix: Fix, _ sensed: SensedValues = SensedValues(), isSuspect: Bool = false) {
    sums.fixes += 1
    guard let previous = last else { return begin(with: fix, sensed) }
    let seconds = interval(from: previous, to: fix)
    if sums.start == nil, let measured = fix.measured {
      sums.start = Self.instant(-(previous.time + seconds), after: measured)
    }
    let cartesian = EarthCentered(fix.position)
    let chord = fix.position.distance(to: previous.position, cartesian, previous.cartesian)
    let ridingSpeed = sensed.fused.ridingSpeed(of: fix)
    let speed =
      ridingSpeed
      ?? speed(of: fix, chord, seconds, isUsable: seconds > 0 && seconds <= Self.longestPeriod && !isSuspect)
    let sample = RideSample(
      time: previous.time + seconds, position: fix.position, cartesian: cartesian, speed: speed,
      isMeasured: ridingSpeed != nil, measured: fix.measured, received: fix.received)
    let isGap = seconds > Self.shortestGap && !isRegular(seconds)
    intervals = (intervals.1, seconds)
    if isSuspect || isGap {
      settle()
      conclude(isConfirmed: unconfirmed.isLikely)
      climb.unsettle(at: sample.time)
      if isGap {
        sums.gaps += 1
        sums.gapTime += seconds
      }
      if !isSuspect, !bridge(by: sensed.fused, from: previous, to: sample, chord, accuracy: fix.horizontalAccuracy) {
        bridge(from: previous, to: sample, chord, accuracy: fix.horizontalAccuracy)
      }
      trace.removeAll()
      trace.append(time: sample.time, speed: sample.speed, distance: 0)
      enter(sample, speedBefore: isSuspect ? 0 : previous.speed)
      unconfirmed.restart(at: sample.position, firstMove: firstMove, lastMove: lastMove)
    } else {
      step(from: previous, to: sample, chord, seconds)
      if sample.isMeasured, previous.isMeasured {
        sums.maximumSpeed = max(sums.maximumSpeed ?? 0, min(sample.speed, previous.speed))
      }
      watchDrift(sample, chord, accuracy: fix.horizontalAccuracy)
    }
    if case .moving = state { lastMove = sample.time }
    if let isConfirmed = unconfirmed.advance(
      to: sample.position, accuracy: fix.horizontalAccuracy, isMoving: isMoving, at: sample.time)
    {
      conclude(isConfirmed: isConfirmed)
      unconfirmed.restart(at: sample.position, firstMove: firstMove, lastMove: lastMove)
    }
    take(altitudeOf: fix, sensed.fused, at: sample.time)
    sums.sensors.add(sensed.rider, over: isMoving && !isGap && !isSuspect ? seconds : 0)
    last = sample
  }

  /// Marks a restart of the recorder: pending starts and stops are confirmed, and arrival times begin on another clock.
  package mutating func interrupt() {
    settle()
    trace.removeAll()
    intervals = (0, 0)
    isInterrupted = last != nil
  }

  /// Whether the arrival of the next fix is on another clock.
  var isInterrupted = false

  private mutating func begin(with fix: Fix, _ sensed: SensedValues) {
    let speed = sensed.fused.ridingSpeed(of: fix)
    let sample = RideSample(
      time: 0, position: fix.position, cartesian: EarthCentered(fix.position), speed: speed ?? 0,
      isMeasured: speed != nil, measured: fix.measured, received: fix.received)
    sums.start = fix.measured
    trace.append(time: 0, speed: sample.speed, distance: 0)
    enter(sample, speedBefore: 0)
    unconfirmed.restart(at: sample.position, firstMove: firstMove, lastMove: lastMove)
    take(altitudeOf: fix, sensed.fused, at: 0)
    sums.sensors.add(sensed.rider, over: 0)
    last = sample
  }

  /// Seconds from one fix to the next; 0 over an interruption without measured times.
  private func interval(from previous: RideSample, to fix: Fix) -> Double {
    if let measured = fix.measured, let before = previous.measured {
      let seconds = (measured - before).inSeconds
      if seconds > 0 { return seconds }
    }
    return isInterrupted ? 0 : max(0, fix.received.seconds(since: previous.received))
  }

  /// Whether an interval is the receiver's period.
  private func isRegular(_ seconds: Double) -> Bool {
    seconds <= Self.longestPeriod && seconds <= 1.5 * min(intervals.0, intervals.1)
  }

  /// Determines the state after the beginning, a gap or a jump.
  private mutating func enter(_ sample: RideSample, speedBefore: Double) {
    isInterrupted = false
    strayed = 0
    if sample.speed >= Self.startSpeed {
      state = .moving
      firstMove = firstMove ?? sample.time
    } else {
      var since = sample.time
      if case .standing(let before) = state, speedBefore < Self.startSpeed, lastMove < sample.time { since = before }
      state = .standing(since: since)
    }
    anchor = Anchor(position: sample.position, time: sample.time)
  }

  /// Counts the way over a gap by the wheel; returns whether there is one that counted all of it.
  private mutating func bridge(
    by wheel: FusedMotion, from previous: RideSample, to sample: RideSample, _ chord: Double, accuracy: Double?
  ) -> Bool {
    guard let way = wheel.wheelWay.map(Double.init), let time = wheel.wheelTime.map(Double.init),
      way >= chord - 2 * (accuracy ?? 10)
    else { return false }
    guard way > 0 else { return true }
    sums.distance += way
    sums.movingTime += min(time, sample.time - previous.time)
    firstMove = firstMove ?? previous.time
    lastMove = sample.time
    state = .moving
    return true
  }

  private mutating func bridge(from previous: RideSample, to sample: RideSample, _ chord: Double, accuracy: Double?) {
    let seconds = sample.time - previous.time
    let mean = (previous.speed + sample.speed) / 2 * seconds
    let (slower, faster) = (min(previous.speed, sample.speed), max(previous.speed, sample.speed))
    let uncertainty = 2 * (accuracy ?? 10)
    if slower >= Self.startSpeed, seconds <= Self.shortGap || mean <= Self.detour * chord {
      sums.distance += max(mean, min(chord, max(faster * seconds, chord - uncertainty)))
      sums.movingTime += seconds
    } else {
      guard chord > max(20, uncertainty, unconfirmed.wander) else { return }
      sums.distance += chord
      sums.movingTime += min(seconds, chord / max(faster, 1))
    }
    firstMove = firstMove ?? previous.time
    lastMove = sample.time
    state = .moving
  }

  private mutating func step(from previous: RideSample, to sample: RideSample, _ chord: Double, _ seconds: Double) {
    let way = previous.isMeasured && sample.isMeasured ? (previous.speed + sample.speed) / 2 * seconds : chord
    trace.append(time: sample.time, speed: sample.speed, distance: way)
    switch state {
    case .moving:
      count(way, seconds)
      if sample.speed < Self.stopSpeed { state = .stopping(seen: previous.time, slow: sample.time) }
    case .stopping(let seen, let slow):
      count(way, seconds)
      if trace.meanSpeed(since: slow) >= Self.startSpeed {
        state = .moving
      } else if sample.time - seen >= Self.confirmationTime {
        commitStop(slowAt: slow, at: sample)
      }
    case .standing(let since):
      if sample.speed >= Self.startSpeed { state = .starting(seen: sample.time, since: since) }
    case .starting(let seen, let since):
      let isSlow = sample.speed < Self.stopSpeed
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

  private mutating func count(_ way: Double, _ seconds: Double) {
    unconfirmed.distance += way
    unconfirmed.time += seconds
  }

  /// Counts the unconfirmed motion or drops it.
  private mutating func conclude(isConfirmed: Bool) {
    if isConfirmed {
      sums.distance += unconfirmed.distance
      sums.movingTime += unconfirmed.time
    } else {
      (firstMove, lastMove) = (unconfirmed.firstMove, unconfirmed.lastMove)
      if case .standing = state { state = .standing(since: lastMove) }
    }
  }

  private mutating func commitStop(slowAt slow: Double, at sample: RideSample) {
    if let edge = trace.stop(slowAt: slow), edge.time < sample.time {
      count(edge.path - trace.path, edge.time - sample.time)
      lastMove = edge.time
    } else {
      lastMove = sample.time
    }
    state = .standing(since: lastMove)
    anchor = Anchor(position: sample.position, time: sample.time)
    strayed = 0
  }

  private mutating func commitStart(seen: Double, since: Double, at sample: RideSample) {
    let edge = trace.start(fastAt: seen, earliest: since) ?? SpeedTrace.Edge(time: sample.time, path: trace.path)
    count(trace.path - edge.path, sample.time - edge.time)
    firstMove = firstMove ?? edge.time
    state = .moving
  }

  private mutating func settle() {
    guard let last else { return }
    switch state {
    case .stopping(_, let slow): commitStop(slowAt: slow, at: last)
    case .starting(let seen, let since): commitStart(seen: seen, since: since, at: last)
    case .standing, .moving: break
    }
    if case .moving = state { lastMove = last.time }
  }

  /// Detects motion by positions if speeds stay at 0, as with some receivers or when pushing slowly.
  private mutating func watchDrift(_ sample: RideSample, _ chord: Double, accuracy: Double?) {
    guard case .standing = state, let anchor, sample.isMeasured else { return }
    let way = sample.position.distance(to: anchor.position)
    let reach = unconfirmed.reach(accuracy: accuracy)
    self.anchor?.path += chord
    if anchor.path > UnconfirmedMotion.detour.start * max(reach, way) {
      unconfirmed.learn(way, leads: false)
      self.anchor = Anchor(position: sample.position, time: sample.time)
      strayed = 0
      return
    }
    guard way > reach else {
      strayed = 0
      return
    }
    strayed += 1
    guard strayed >= 2 else { return }
    sums.distance += way
    sums.movingTime += min(sample.time - anchor.time, way / Self.stopSpeed)
    firstMove = firstMove ?? anchor.time
    lastMove = sample.time
    state = .standing(since: sample.time)
    self.anchor = Anchor(position: sample.position, time: sample.time)
    strayed = 0
  }

  /// The speed of a fix without one. Positions that drift at a stop have chords, but lead nowhere.
  private mutating func speed(of fix: Fix, _ chord: Double, _ seconds: Double, isUsable: Bool) -> Double {
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
      sums.movingTime += max(0, way - chord) / max(chord / seconds, Self.startSpeed)
    }
    return chord / seconds
  }

  private mutating func take(altitudeOf fix: Fix, _ fused: FusedMotion, at time: Double) {
    let distance = sums.distance + (unconfirmed.isLikely ? unconfirmed.distance : 0)
    if fix.mode == .threeD, let altitude = fix.altitudeMSL {
      climb.add(
        altitude, error: fix.verticalAccuracy, isDilution: fix.verticalBasis == .dilution, at: time, distance: distance)
    }
    if let pressure = fused.pressureAltitude, let deviation = fused.pressureDeviation {
      climb.add(pressure: Double(pressure), deviation: Double(deviation), at: time, distance: distance)
    }
  }
}
