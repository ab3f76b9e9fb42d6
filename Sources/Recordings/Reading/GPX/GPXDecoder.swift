import LocationCore

/// Turns the bytes of a GPX file, in pieces of any size, into a recording's items: a report for each point, stamped with
/// the point's own time. Pure, and of bounded memory.
///
/// Tracks are played; a file without one plays its routes, one without those its waypoints. The first point decides
/// how: if it has a time each point comes at its own, and one without is damage; if it has none the way is
/// gone at 15 m/s with a point every second, and the points have no time.
struct GPXDecoder: Sendable {
  /// Points of routes, and of waypoints, that are kept until it is known that no track comes.
  static let maximumHeld = 20_000

  private enum Mode {
    case undecided
    case timed
    case walking(RouteWalk)
  }

  private enum Phase {
    case reading
    /// The document is over, and these are played instead of a track.
    case held(Int)
    case lastStep
    case over
  }

  private var tokens = XMLTokens()
  private var reader = TrackPointReader()
  private var mode = Mode.undecided
  private var phase = Phase.reading
  private var hasTrack = false
  private var routes: [TrackPoint] = []
  private var waypoints: [TrackPoint] = []

  mutating func feed(_ bytes: UnsafeBufferPointer<UInt8>) { tokens.feed(bytes) }

  mutating func end() { tokens.end() }

  var isEnded: Bool { tokens.isEnded }

  /// The next item; `nil` when more bytes are needed, or none come any more.
  mutating func next() -> RecordingItem? {
    while true {
      if let step = stepOnTheWay() { return step }
      switch phase {
      case .reading:
        guard let token = tokens.next() else {
          guard isEnded else { return nil }
          return finishReading()
        }
        if let item = take(token) { return item }
      case .held(let index):
        let points = routes.isEmpty ? waypoints : routes
        guard index < points.count else {
          phase = .lastStep
          continue
        }
        phase = .held(index + 1)
        if let item = play(points[index]) { return item }
      case .lastStep:
        phase = .over
        if let item = lastStep() { return item }
      case .over: return nil
      }
    }
  }

  private mutating func finishReading() -> RecordingItem? {
    let damage = reader.finish()
    phase = hasTrack ? .lastStep : .held(0)
    if damage != nil { return .damage(.badPoint) }
    return next()
  }

  private mutating func take(_ token: XMLTokens.Token) -> RecordingItem? {
    if case .damage(let bytes) = token {
      return .damage(tokens.isEnded ? .tornTail(bytes: bytes) : .overlongLine(bytes: bytes))
    }
    switch reader.take(token) {
    case nil: return nil
    case .damage: return .damage(.badPoint)
    case .point(.track, let point):
      if !hasTrack {
        hasTrack = true
        routes = []
        waypoints = []
      }
      return play(point)
    case .point(.route, let point): return hold(point, in: \.routes)
    case .point(.waypoint, let point): return hold(point, in: \.waypoints)
    }
  }

  private mutating func hold(_ point: TrackPoint, in list: WritableKeyPath<Self, [TrackPoint]>) -> RecordingItem? {
    guard !hasTrack else { return nil }
    guard self[keyPath: list].count < Self.maximumHeld else { return .damage(.badPoint) }
    self[keyPath: list].append(point)
    return nil
  }

  private mutating func play(_ point: TrackPoint) -> RecordingItem? {
    if case .undecided = mode { mode = point.time == nil ? .walking(RouteWalk()) : .timed }
    switch mode {
    case .walking(var walk):
      var point = point
      point.time = nil
      let step = walk.go(to: point)
      mode = .walking(walk)
      return step.map(Self.item)
    case .timed, .undecided:
      guard let time = point.time else { return .damage(.badPoint) }
      let stamp = RecordingStamp(instant: MonotonicInstant(nanoseconds: time.nanosecondsSince1970), utc: time)
      return .burst(RecordedBurst(stamp: stamp, bytes: point.report))
    }
  }

  private mutating func stepOnTheWay() -> RecordingItem? {
    guard case .walking(var walk) = mode else { return nil }
    let step = walk.next()
    mode = .walking(walk)
    return step.map(Self.item)
  }

  private mutating func lastStep() -> RecordingItem? {
    guard case .walking(var walk) = mode else { return nil }
    let step = walk.finish()
    mode = .walking(walk)
    return step.map(Self.item)
  }

  private static func item(_ step: RouteWalk.Step) -> RecordingItem {
    let stamp = RecordingStamp(instant: .zero + .seconds(step.second))
    return .burst(RecordedBurst(stamp: stamp, bytes: step.point.report))
  }
}

/// A way along points that have no times, at a steady speed: one point a second, and the last one.
struct RouteWalk: Sendable {
  /// Metres per second on points without times: 54 km/h.
  static let speed = 15.0

  /// A point and when it is reached, whole seconds from the start.
  struct Step: Hashable, Sendable {
    var second: Int64
    var point: TrackPoint
  }

  private struct Leg {
    var from: TrackPoint
    var to: TrackPoint
    var bearing: Double
    var length: Double
    /// Metres from its beginning to the next step.
    var next: Double
  }

  private var second: Int64 = 0
  private var last: TrackPoint?
  private var leg: Leg?
  /// Metres from the last step to the end of the leg that has been gone.
  private var rest = 0.0

  /// Goes on to another point. To be called when ``next()`` has returned `nil`.
  mutating func go(to point: TrackPoint) -> Step? {
    guard let last else {
      last = point
      return Step(second: second, point: point)
    }
    let line = Geodesic.inverse(from: last.position, to: point.position)
    leg = Leg(
      from: last, to: point, bearing: line.initialBearing, length: line.distance, next: Self.speed - rest)
    self.last = point
    return nil
  }

  /// The next step on the way to the point that was named last; `nil` when that lies less than a second ahead.
  mutating func next() -> Step? {
    guard var leg else { return nil }
    guard leg.next <= leg.length else {
      rest = leg.length - (leg.next - Self.speed)
      self.leg = nil
      return nil
    }
    let distance = leg.next
    leg.next += Self.speed
    self.leg = leg
    return step(leg, at: distance)
  }

  /// The last point, if the last step did not end there.
  mutating func finish() -> Step? {
    guard var point = last, rest > 0, leg == nil else { return nil }
    rest = 0
    point.speed = point.speed ?? Self.speed
    second += 1
    return Step(second: second, point: point)
  }

  private mutating func step(_ leg: Leg, at distance: Double) -> Step? {
    let part = distance / leg.length
    guard let position = Geodesic.direct(from: leg.from.position, bearing: leg.bearing, distance: distance) else {
      return nil
    }
    var point = TrackPoint(position: position)
    if let start = leg.from.altitude, let end = leg.to.altitude { point.altitude = start + (end - start) * part }
    point.speed = Self.speed
    let ahead = Geodesic.inverse(from: position, to: leg.to.position)
    point.course =
      ahead.distance > 0.01
      ? ahead.initialBearing : Geodesic.inverse(from: leg.from.position, to: position).finalBearing
    second += 1
    return Step(second: second, point: point)
  }
}
