/// The figures of a ride or a trip, fix by fix: the same while riding and from the file, of fixed size. The rules:
/// - **Time** between two fixes is the difference of their measured times, or of their arrival if one has none.
/// - **Moving** begins when the speed reaches that of a start (``Standstill``) and stays above that of a stop for
///   ``confirmationTime`` and ``startDistance``, and ends when it falls below that of a stop and does not come back to
///   that of a start on average for ``confirmationTime``. Either is dated back to where the acceleration at clear speeds
///   meets speed 0 (``SpeedTrace``): single speeds near a standstill are noise.
/// - **Distance** is the receiver's speed integrated over the moving time: unlike chords it has no noise of positions and
///   cuts no bends. Without speeds it is the chord, as long as chords lead somewhere (``Progress``), also to a position
///   far from a stop without any speed.
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
/// - **Ascent** counts climbs of 3 m, or 1 m with a barometer, that are certain despite errors of altitudes (``Climb``).
package struct RideAccumulator: Sendable {
  /// Shortest duration of a start or a stop, seconds.
  package static let confirmationTime = 2.0
  /// Shortest distance of a start, metres.
  package static let startDistance = 3.0
  /// Time between fixes from which on it is a gap unless it is the receiver's period, seconds.
  package static let shortestGap = 3.0
  /// Longest gap that counts as ridden through whatever its chord, seconds.
  package static let shortGap = 10.0
  /// Largest ratio of the distance over a gap to its chord.
  package static let detour = 1.25
  /// Shortest stop that separates two rides unless configured, seconds: longer than refuelling, shorter than a visit.
  package static let splitStop = 1200.0
  /// Longest period of a receiver, seconds.
  static let longestPeriod = 20.0

  /// Shortest stop that separates two rides, seconds.
  package internal(set) var splitStop: Double
  /// When the rider first and last moved, seconds of the ride.
  package internal(set) var firstMove: Double?
  var lastMove = 0.0
  var sums = RideFigures()
  var climb = Climb()
  var state = Moving.standing(since: 0)
  var last: RideSample?
  var trace = SpeedTrace()
  /// The two intervals before the last fix, seconds.
  var intervals = (0.0, 0.0)
  var anchor: Anchor?

  var progress: Progress?

  /// What ``sums`` lack because the positions have not confirmed it.
  var unconfirmed = UnconfirmedMotion(start: .origin)

  struct Anchor: Sendable {
    var position: Coordinate
    var time: Double
    /// Sum of the chords since then, metres.
    var path = 0.0
    /// Number of consecutive positions too far from it.
    var strayed = 0
  }

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

  package func beginsNextRide(with fix: Fix, _ sensed: SensedValues = SensedValues()) -> Bool {
    guard firstMove != nil, let last, case .standing(let since) = state else { return false }
    let seconds = interval(from: last, to: fix)
    guard last.time + seconds - since >= splitStop else { return false }
    if let speed = sensed.fused.ridingSpeed(of: fix) { return speed >= Standstill.startedFrom }
    return seconds > 0 && fix.position.distance(to: last.position) / seconds >= Standstill.startedFrom
  }

  package mutating func add(_ fix: PublishedFix) {
    add(fix.fix, fix.sensed, isSuspect: fix.changes.contains(.suspect))
  }

  package mutating func add(_ fix: Fix, _ sensed: SensedValues = SensedValues(), isSuspect: Bool = false) {
    sums.fixes += 1
    let cartesian = EarthCentered(fix.position)
    let ridingSpeed = sensed.fused.ridingSpeed(of: fix)
    var sample = RideSample(
      time: 0, position: fix.position, cartesian: cartesian, speed: ridingSpeed ?? 0, isMeasured: ridingSpeed != nil,
      measured: fix.measured, received: fix.received)
    guard let previous = last else {
      sums.start = fix.measured
      restart(at: sample, speedBefore: 0)
      return take(fix, sensed, at: sample, moving: 0)
    }
    let seconds = interval(from: previous, to: fix)
    sample.time = previous.time + seconds
    if sums.start == nil, let measured = fix.measured { sums.start = Self.instant(-sample.time, after: measured) }
    let chord = fix.position.distance(to: previous.position, cartesian, previous.cartesian)
    if ridingSpeed == nil {
      sample.speed = speed(
        of: fix, chord, seconds, isUsable: seconds > 0 && seconds <= Self.longestPeriod && !isSuspect)
    }
    let isRegular = seconds <= Self.longestPeriod && seconds <= 1.5 * min(intervals.0, intervals.1)
    let isGap = seconds > Self.shortestGap && !isRegular
    intervals = (intervals.1, seconds)
    if isSuspect || isGap {
      settle()
      conclude(isConfirmed: unconfirmed.isLikely)
      climb.unsettle(at: sample.time)
      if isGap {
        sums.gaps += 1
        sums.gapTime += seconds
      }
      if !isSuspect { bridge(from: previous, to: sample, chord, sensed.fused, accuracy: fix.horizontalAccuracy) }
      restart(at: sample, speedBefore: isSuspect ? 0 : previous.speed)
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
    take(fix, sensed, at: sample, moving: isMoving && !isGap && !isSuspect ? seconds : 0)
  }

  /// Takes what a fix has beside its motion, which held for so many seconds of moving.
  private mutating func take(_ fix: Fix, _ sensed: SensedValues, at sample: RideSample, moving seconds: Double) {
    let distance = sums.distance + (unconfirmed.isLikely ? unconfirmed.distance : 0)
    if fix.mode == .threeD, let altitude = fix.altitudeMSL {
      climb.add(
        altitude, error: fix.verticalAccuracy, isDilution: fix.verticalBasis == .dilution, at: sample.time,
        distance: distance)
    }
    if let pressure = sensed.fused.pressureAltitude, let deviation = sensed.fused.pressureDeviation {
      climb.add(pressure: Double(pressure), deviation: Double(deviation), at: sample.time, distance: distance)
    }
    sums.sensors.add(sensed.rider, over: seconds)
    last = sample
  }

  /// Marks a restart of the recorder: pending starts and stops are confirmed, and arrival times begin on another clock.
  package mutating func interrupt() {
    settle()
    trace.removeAll()
    intervals = (0, 0)
    last?.received = nil
  }

  /// Seconds from one fix to the next; 0 over an interruption without measured times.
  private func interval(from previous: RideSample, to fix: Fix) -> Double {
    if let measured = fix.measured, let before = previous.measured {
      let seconds = (measured - before).inSeconds
      if seconds > 0 { return seconds }
    }
    return previous.received.map { max(0, fix.received.seconds(since: $0)) } ?? 0
  }
}
