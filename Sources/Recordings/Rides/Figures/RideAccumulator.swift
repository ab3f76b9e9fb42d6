import LocationCore

/// Adds up the figures of a ride, fix by fix: the same while riding and from the file. Pure, of fixed size.
///
/// The rules:
/// - **Time** between two fixes is the difference of their measured times, or of their arrival when one has none.
/// - **Moving** begins when the speed reaches ``startSpeed`` and stays above ``stopSpeed`` for ``confirmationTime`` and
///   ``startWay``, and ends when it falls below ``stopSpeed`` and does not come back to ``startSpeed`` on average for
///   ``confirmationTime``. Either is dated back to where the acceleration by the clear speeds beside it meets speed 0
///   (``SpeedTrace``): single speeds near a stand are noise.
/// - **Distance** is the receiver's speed over the moving time, because it is not led astray by the noise of
///   positions, nor cuts bends as chords do; where the receiver tells no speed it is the chord. A position that
///   leaves a stop by more than ``drift`` metres and its accuracy without any speed counts as a chord too.
/// - A **gap** is longer than 3 s (and than one and a half of a slower receiver's periods). If it moved before and
///   behind, it moved all the time and its way is the mean of both speeds over the gap, as long as that is no more than
///   ``detour`` times the chord or the gap is not longer than ``shortGap``; if the chord is longer, it was fast for
///   longer, and the chord counts up to the way at the faster of both speeds, or what the accuracy leaves of it if that
///   is more. Otherwise the chord counts, if it is longer than the accuracy, and as much of the time as it takes at the
///   faster of both speeds.
/// - **Suspect** fixes, those that jumped, begin anew: the jump counts as nothing.
/// - **Maximum speed** is the highest that two fixes in a row reached.
/// - **Ascent** counts climbs of 10 m and more (``Climb``).
package struct RideAccumulator: Sendable {
  /// m/s
  package static let startSpeed = 0.7
  /// m/s
  package static let stopSpeed = 0.5
  /// Seconds for which a start or a stop must last.
  package static let confirmationTime = 2.0
  /// Metres that a start must lead.
  package static let startWay = 3.0
  /// Metres from a stop beyond which the position tells that it moved, whatever the speed says.
  package static let drift = 50.0
  /// A longer time between fixes is a gap, seconds.
  package static let shortestGap = 3.0
  /// A gap that is ridden through whatever its chord, seconds.
  package static let shortGap = 10.0
  /// How much longer than its chord the way over a gap may be.
  package static let detour = 1.25
  private static let longestPeriod = 20.0

  /// A stop of so many seconds parts two rides.
  package let splitStop: Double
  /// When it first moved and when it last did, seconds of the ride.
  package internal(set) var firstMove: Double?
  var lastMove = 0.0
  var sums = RideFigures()
  var climb = Climb()
  var state = Moving.standing(since: 0)
  var last: RideSample?
  var trace = SpeedTrace()
  /// The two intervals before the last fix, seconds.
  private var intervals = (0.0, 0.0)
  /// Where it stands, to see that it does not.
  private var anchor: (position: Coordinate, time: Double)?
  private var strayed = 0

  /// Nothing yet. `splitStop` is how long a stop parts two rides, seconds.
  package init(splitStop: Double = 1200) {
    self.splitStop = splitStop
  }

  /// The figures so far.
  package var figures: RideFigures {
    var figures = sums
    // Not sure yet: what was seen last is taken as it is.
    if case .stopping(_, let slow) = state, let last, let edge = trace.stop(slowAt: slow), edge.time < last.time {
      figures.movingTime -= last.time - edge.time
      figures.distance -= trace.path - edge.path
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

  /// So many seconds after an instant; `nil` where there is no calendar. A recording whose dates jump gets there.
  private static func instant(_ seconds: Double, after start: UTCInstant) -> UTCInstant? {
    guard seconds.magnitude < 9.2e9 else { return nil }
    let (sum, overflow) = start.nanosecondsSince1970.addingReportingOverflow(Int64(seconds * 1e9))
    return overflow ? nil : UTCInstant(nanosecondsSince1970: sum)
  }

  /// How long it has stood by the last fix, seconds; 0 while it moves.
  package var standing: Double {
    guard let last else { return 0 }
    switch state {
    case .standing(let since): return last.time - since
    case .starting(_, let since): return last.time - since
    case .moving, .stopping: return 0
    }
  }

  /// UTC of the last fix; `nil` when it told no date.
  package var lastMeasured: UTCInstant? { last?.measured }

  /// Whether a fix ends a stop that parts two rides: behind it the next ride begins.
  package func parts(with fix: Fix) -> Bool {
    guard firstMove != nil, let last, case .standing(let since) = state else { return false }
    let seconds = interval(from: last, to: fix)
    guard last.time + seconds - since >= splitStop else { return false }
    if let speed = fix.speed { return speed >= Self.startSpeed }
    return seconds > 0 && fix.position.distance(to: last.position) / seconds >= Self.startSpeed
  }

  /// Adds a fix, the next in order.
  package mutating func add(_ fix: Fix, isSuspect: Bool = false) {
    sums.fixes += 1
    guard let previous = last else { return begin(with: fix) }
    let seconds = interval(from: previous, to: fix)
    if sums.start == nil, let measured = fix.measured {
      sums.start = Self.instant(-(previous.time + seconds), after: measured)
    }
    let place = EarthCentered(fix.position)
    let chord = fix.position.distance(to: previous.position, place, previous.place)
    let speed = fix.speed ?? (seconds > 0 && seconds <= Self.longestPeriod && !isSuspect ? chord / seconds : 0)
    let sample = RideSample(
      time: previous.time + seconds, position: fix.position, place: place, speed: speed, isMeasured: fix.speed != nil,
      measured: fix.measured, received: fix.received)
    let isGap = seconds > Self.shortestGap && !isRegular(seconds)
    intervals = (intervals.1, seconds)
    if isSuspect || isGap {
      settle()
      if isGap {
        sums.gaps += 1
        sums.gapTime += seconds
      }
      if !isSuspect { bridge(from: previous, to: sample, chord, accuracy: fix.horizontalAccuracy) }
      trace.removeAll()
      trace.append(time: sample.time, speed: sample.speed, way: 0)
      enter(sample, speedBefore: isSuspect ? 0 : previous.speed)
    } else {
      step(from: previous, to: sample, chord, seconds)
      if sample.isMeasured, previous.isMeasured {
        sums.maximumSpeed = max(sums.maximumSpeed ?? 0, min(sample.speed, previous.speed))
      }
      watchDrift(sample, accuracy: fix.horizontalAccuracy)
    }
    if case .moving = state { lastMove = sample.time }
    take(altitudeOf: fix, after: seconds)
    last = sample
  }

  /// The recorder was started anew: what is not sure is decided, and the clock of arrival begins anew.
  package mutating func interrupt() {
    settle()
    trace.removeAll()
    intervals = (0, 0)
    isInterrupted = last != nil
  }

  /// The arrival of the next fix is on another clock.
  var isInterrupted = false
}

extension RideAccumulator {
  private mutating func begin(with fix: Fix) {
    let sample = RideSample(
      time: 0, position: fix.position, place: EarthCentered(fix.position), speed: fix.speed ?? 0,
      isMeasured: fix.speed != nil, measured: fix.measured, received: fix.received)
    sums.start = fix.measured
    trace.append(time: 0, speed: sample.speed, way: 0)
    enter(sample, speedBefore: 0)
    take(altitudeOf: fix, after: 0)
    last = sample
  }

  /// Seconds from one to the next; 0 over an interruption that nobody timed.
  private func interval(from previous: RideSample, to fix: Fix) -> Double {
    if let measured = fix.measured, let before = previous.measured {
      let seconds = (measured - before).inSeconds
      if seconds > 0 { return seconds }
    }
    return isInterrupted ? 0 : max(0, fix.received.seconds(since: previous.received))
  }

  /// Whether the receiver is just that slow.
  private func isRegular(_ seconds: Double) -> Bool {
    seconds <= Self.longestPeriod && seconds <= 1.5 * min(intervals.0, intervals.1)
  }

  /// Where it stands behind a beginning, a gap or a jump.
  private mutating func enter(_ sample: RideSample, speedBefore: Double) {
    isInterrupted = false
    strayed = 0
    if sample.speed >= Self.startSpeed {
      state = .moving
      firstMove = firstMove ?? sample.time
      climb.park(false)
    } else {
      if case .standing(let since) = state, speedBefore < Self.startSpeed, lastMove < sample.time {
        state = .standing(since: since)
      } else {
        state = .standing(since: sample.time)
      }
      climb.park(true)
    }
    anchor = (sample.position, sample.time)
  }

  /// The way over a gap.
  private mutating func bridge(
    from previous: RideSample, to sample: RideSample, _ chord: Double, accuracy: Double?
  ) {
    let seconds = sample.time - previous.time
    let mean = (previous.speed + sample.speed) / 2 * seconds
    let (slower, faster) = (min(previous.speed, sample.speed), max(previous.speed, sample.speed))
    let doubt = 2 * (accuracy ?? 10)
    if slower >= Self.startSpeed, seconds <= Self.shortGap || mean <= Self.detour * chord {
      sums.distance += max(mean, min(chord, max(faster * seconds, chord - doubt)))
      sums.movingTime += seconds
    } else {
      guard chord > max(20, doubt) else { return }
      sums.distance += chord
      sums.movingTime += min(seconds, chord / max(faster, 1))
    }
    firstMove = firstMove ?? previous.time
    lastMove = sample.time
    state = .moving
  }

  private mutating func step(
    from previous: RideSample, to sample: RideSample, _ chord: Double, _ seconds: Double
  ) {
    let way =
      previous.isMeasured && sample.isMeasured ? (previous.speed + sample.speed) / 2 * seconds : chord
    trace.append(time: sample.time, speed: sample.speed, way: way)
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
      // As short as it may be: who got away by so much was on the move.
      let isLong = isSlow ? previous.time > seen : sample.time - seen >= Self.confirmationTime
      if isLong, trace.path(since: seen) >= Self.startWay {
        commitStart(seen: seen, since: since, at: sample)
        if isSlow { state = .stopping(seen: previous.time, slow: sample.time) }
      } else if isSlow {
        state = .standing(since: since)
      }
    }
  }

  private mutating func count(_ way: Double, _ seconds: Double) {
    sums.distance += way
    sums.movingTime += seconds
  }

  private mutating func commitStop(slowAt slow: Double, at sample: RideSample) {
    if let edge = trace.stop(slowAt: slow), edge.time < sample.time {
      sums.movingTime -= sample.time - edge.time
      sums.distance -= trace.path - edge.path
      lastMove = edge.time
    } else {
      lastMove = sample.time
    }
    state = .standing(since: lastMove)
    climb.park(true)
    anchor = (sample.position, sample.time)
    strayed = 0
  }

  private mutating func commitStart(seen: Double, since: Double, at sample: RideSample) {
    let edge = trace.start(fastAt: seen, earliest: since) ?? SpeedTrace.Edge(time: sample.time, path: trace.path)
    count(trace.path - edge.path, sample.time - edge.time)
    firstMove = firstMove ?? edge.time
    state = .moving
    climb.park(false)
  }

  /// Decides what is not sure: nothing more comes for now.
  private mutating func settle() {
    guard let last else { return }
    switch state {
    case .stopping(_, let slow): commitStop(slowAt: slow, at: last)
    case .starting(let seen, let since): commitStart(seen: seen, since: since, at: last)
    case .standing, .moving: break
    }
    if case .moving = state { lastMove = last.time }
  }

  /// A receiver that tells speed 0 for ever, or somebody who pushes slowly: the position counts.
  private mutating func watchDrift(_ sample: RideSample, accuracy: Double?) {
    guard case .standing = state, let anchor else { return }
    let way = sample.position.distance(to: anchor.position)
    guard way > max(Self.drift, 2 * (accuracy ?? 0)) else {
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
    self.anchor = (sample.position, sample.time)
    strayed = 0
  }

  private mutating func take(altitudeOf fix: Fix, after seconds: Double) {
    guard fix.mode == .threeD, let altitude = fix.altitudeMSL, fix.verticalAccuracy ?? 0 <= 50 else { return }
    climb.add(altitude, after: seconds)
  }
}

extension RideAccumulator {
  /// Adds what happened on a recorded ride.
  package mutating func take(_ moment: RideMoment) {
    switch moment {
    case .fix(let fix): add(fix.fix, isSuspect: fix.isSuspect)
    case .interrupted: interrupt()
    case .lost, .source, .follow: break
    }
  }
}

/// A fix as the figures see it, at a time of the ride.
struct RideSample: Hashable, Sendable {
  /// Seconds of the ride: since its first fix.
  var time: Double
  var position: Coordinate
  /// The same, to measure the way to the next.
  var place: EarthCentered
  /// m/s; from the way since the fix before when the receiver tells none.
  var speed: Double
  /// The receiver tells the speed.
  var isMeasured: Bool
  /// UTC by the receiver.
  var measured: UTCInstant?
  /// On the clock of the recorder's run.
  var received: MonotonicInstant
}

/// Whether the rider moves. Times are seconds of the ride.
enum Moving: Hashable, Sendable {
  /// It stands, since then.
  case standing(since: Double)
  /// It stands since `since` and was fast at `seen`: it starts if that lasts.
  case starting(seen: Double, since: Double)
  /// It moves.
  case moving
  /// It moves, and was slow first at `slow`: it stopped if that lasts. The fix before that was at `seen`.
  case stopping(seen: Double, slow: Double)
}
