import Libc

/// The rider's motion between fixes: fixes in, the pose at any instant out, from earlier fixes only. Acceleration, turn
/// rate and errors are learned from the stream. The same fixes give the same poses to the bit, as on the wire.
package struct MotionEstimator: Sendable {
  /// Seconds after the newest fix for which the position is predicted; then it is held.
  package static let horizon = 3.0
  /// Shortest time over which differences are taken, seconds: over shorter ones they are noise.
  static let baseline = 0.35
  /// Longest gap over which motion continues, seconds.
  private static let longestGap = 5.5
  private static let recentCapacity = 16
  /// Grid of the delays of fixes, nanoseconds: two receivers of the same fixes with some jitter draw the same poses.
  private static let delayStep: Int64 = 10_000_000

  package private(set) var clock: MotionClock
  private(set) var path: MotionPath?
  private var earlierPath: MotionPath?
  private var model = ManeuverModel()
  private var errors = PredictionError()
  /// The states at the newest fixes, enough for `baseline` at 40 fixes per second.
  private var recent: [MotionState] = []
  private var known = KnownWay()
  private var pending: (path: MotionPath, evidence: ManeuverModel.Evidence)?
  private var source: SourceID?
  private var isDated = false
  private var hasCourse = false
  /// Usual time between fixes, seconds.
  private var period = 1.0

  /// An estimator without fixes. `latency` is the constant delay from an epoch to the arrival of its fix.
  package init(latency: Duration = MotionClock.standardLatency) { clock = MotionClock(latency: latency) }

  /// The time from which poses follow the newest fix: about its arrival, unless the position was at rest before.
  var resumptionTime: Int64 {
    guard let path else { return 0 }
    let arrival = path.begin &- Self.delayStep
    return (earlierPath?.end ?? 0) > arrival ? arrival : path.begin
  }

  package mutating func receive(_ published: PublishedFix, at instant: MonotonicInstant) {
    let fix = published.fix
    let time = fix.measured.map(Self.milliseconds) ?? fix.received.nanoseconds &- clock.latency
    let earlierTime = clock.time(at: instant)
    // An estimate has the number of the fix that it follows, and no arrival.
    let isStep = path?.seq != published.seq && clock.register(time, arrival: fix.received)
    let isOther = isStep || source != published.source || isDated != (fix.measured != nil)
    source = published.source
    isDated = fix.measured != nil
    let last = path?.state
    var state = MotionState(time: time, position: Self.rounded(fix.position), speed: 0, course: last?.course ?? 0)
    if let last, isOther || !(0...Self.longestGap).contains(state.seconds(since: last)) || last.time == time {
      recent.removeAll(keepingCapacity: true)
      pending = nil
    }
    let isStanding = complete(&state, with: fix)
    score(state)
    let evidence = evidence(for: &state, bend: published.bend)
    var (acceleration, turnRate) = model.forecast(evidence, speed: state.speed, over: max(period, Self.baseline))
    // The rider brakes, but keeps moving until the next fix.
    let reach = period + Double(clock.latency) * 1e-9
    acceleration = max(acceleration, -0.7 * state.speed / max(reach, 0.1))
    let arrival = max(clock.time(at: instant), time &+ clock.latency)
    let delay = (arrival &- time &- clock.latency) / Self.delayStep + 1
    var newest = MotionPath(
      from: state, seq: published.seq, hasCourse: hasCourse, isStanding: isStanding, acceleration: acceleration,
      turnRate: turnRate, growth: errors.growth(speed: state.speed, period: period),
      begin: time &+ clock.latency &+ delay &* Self.delayStep,
      end: time &+ Int64(Self.horizon * 1e9))
    if pending == nil { pending = (newest, evidence) }
    if let path { newest.follow(path, at: isStep ? earlierTime : newest.begin) }
    earlierPath = isStep ? nil : path
    path = newest
    if recent.isEmpty { recent.reserveCapacity(Self.recentCapacity) }
    if recent.count == Self.recentCapacity { recent.removeFirst() }
    recent.append(state)
    known.append(state)
  }

  /// The newest state that is at least `baseline` older, or else the oldest of a full store.
  private func base(of state: MotionState) -> MotionState? {
    recent.last { state.seconds(since: $0) >= Self.baseline }
      ?? (recent.count == Self.recentCapacity ? recent.first : nil)
  }

  /// Registers that the fix was lost: the position is held. `utc`, if known, is the receiver's time at `instant`.
  package mutating func lose(at instant: MonotonicInstant, utc: UTCInstant? = nil) {
    guard let newest = path else { return }
    let stated = isDated ? utc.map { Self.milliseconds($0) &+ clock.latency } : nil
    path?.end = min(newest.end, max(stated ?? clock.time(at: instant), newest.begin))
    pending = nil
  }

  /// The pose at a monotonic instant; `nil` before the first fix.
  package func pose(at instant: MonotonicInstant) -> Pose? { pose(at: clock.time(at: instant)) }

  /// The pose at a time on the receiver's scale, nanoseconds.
  func pose(at time: Int64) -> Pose? {
    guard let newest = path else { return nil }
    let path = time < newest.begin ? earlierPath ?? newest : newest
    let drawn = path.drawn(at: time)
    let basis: Pose.Basis =
      if path.isStanding || time >= path.end { .held } else if time == path.state.time { .fix } else { .predicted }
    return Pose(
      time: isDated ? UTCInstant(nanosecondsSince1970: time) : nil, coordinate: drawn.position,
      course: path.hasCourse ? Degrees.bearing(drawn.course * Degrees.perRadian) : nil, speed: drawn.speed,
      horizontalAccuracy: drawn.radius, seq: path.seq, age: .nanoseconds(time &- path.state.time), basis: basis,
      isJump: path.isJump)
  }

  /// Sets speed and course, from the position if the receiver sends none. Returns whether the rider has stopped.
  private mutating func complete(_ state: inout MotionState, with fix: Fix) -> Bool {
    let base = base(of: state)
    let way = base.map { (seconds: state.seconds(since: $0), way: $0.way(to: state)) }
    var threshold = path?.isStanding == true ? Standstill.startedFrom : Standstill.stoppedBelow
    if let speed = fix.speed, speed <= AcceptedFix.plausibleSpeed {
      state.speed = Self.rounded(speed, 1e3)
    } else {
      if let way { state.speed = way.way.distance / way.seconds }
      // Noise of positions alone is faster than a stopped rider.
      threshold = 1.5
    }
    guard state.speed >= threshold else { return true }
    if let course = fix.course {
      state.course = Self.rounded(course, 1e4) / Degrees.perRadian
      hasCourse = true
    } else if let way, way.way.distance > 1 {
      state.course = way.way.bearing
      hasCourse = true
    }
    return false
  }

  private mutating func score(_ state: MotionState) {
    guard let path, let last = recent.last else { return }
    let interval = state.seconds(since: last)
    period = abs(interval - period) < period / 2 ? period + 0.3 * (interval - period) : interval
    if interval < Self.baseline {
      let radius = path.growth.radius(after: interval)
      errors.near.learn(
        path.error(at: state).length, radius: radius, over: interval, speed: max(last.speed, state.speed))
    }
    guard let forecast = pending else { return }
    let start = forecast.path.state
    let horizon = state.seconds(since: start)
    guard horizon >= Self.baseline else { return }
    pending = nil
    let radius = forecast.path.growth.radius(after: horizon)
    let error = forecast.path.error(at: state)
    errors.far.learn(error.length, radius: radius, over: horizon, speed: max(start.speed, state.speed))
    guard start.speed > MotionState.learnsAbove else { return }
    errors.learn(shape: error, velocity: forecast.path.velocityError(at: state), over: horizon)
    model.learn(from: start, forecast.evidence, to: state)
  }

  private mutating func evidence(for state: inout MotionState, bend: Double?) -> ManeuverModel.Evidence {
    guard let base = base(of: state) else { return ManeuverModel.Evidence() }
    var evidence = model.evidence(from: base, to: state)
    evidence.known = known.forecast(from: state, over: max(period, 0.5))
    evidence.planned = bend.map { $0 * 1e-3 * state.speed }
    state.turnRate = evidence.turnRate[0]
    return evidence
  }

  /// A position as it is on the wire.
  private static func rounded(_ position: Coordinate) -> Coordinate {
    let latitude = rounded(position.latitude, 1e9)
    let longitude = rounded(position.longitude, 1e9)
    return Coordinate(latitude: latitude, longitude: longitude) ?? position
  }

  /// A time as it is on the wire: nanoseconds, in whole milliseconds.
  private static func milliseconds(_ time: UTCInstant) -> Int64 { time.nanosecondsSince1970 / 1_000_000 * 1_000_000 }
  /// A value as it is on the wire.
  private static func rounded(_ value: Double, _ scale: Double) -> Double { (value * scale).rounded() / scale }
}

extension MotionPath {
  /// Metres east and north from the prediction for a later fix to the fix.
  fileprivate func error(at fix: MotionState) -> SIMD2<Double> {
    plane.point(of: fix.position) - prediction(after: fix.seconds(since: state))
  }

  /// The same for the velocity, m/s.
  fileprivate func velocityError(at fix: MotionState) -> SIMD2<Double> {
    let (seconds, step) = (fix.seconds(since: state), 0.01)
    let predicted = (prediction(after: seconds + step) - prediction(after: seconds - step)) / (2 * step)
    return fix.speed * SIMD2(sin(fix.course), cos(fix.course)) - predicted
  }
}
