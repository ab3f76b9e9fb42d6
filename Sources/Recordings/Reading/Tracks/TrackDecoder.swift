import LocationCore

/// A decoder of GPX, TCX and FIT files, fed in pieces of any size: each point is a report at its time. Pure, in bounded
/// memory. Tracks are decoded; a file without tracks gives its routes, one without routes its waypoints. If one of them
/// has a time, every point comes at its own, in the order of the times (``TrackOrder``), and one without a time is
/// damage. Otherwise the points are connected at 15 m/s with a report every second, which have no time.
struct TrackDecoder: Sendable {
  /// Largest number of route points, and of waypoints, kept until the end shows that there is no track.
  static let maximumHeld = 20_000
  /// Largest number of points of a track before the first one with a time; more have none.
  static let maximumUntimed = 1000

  private var reader: TrackPoints
  /// Whether the points have times; `nil` before the first time.
  private var isTimed: Bool?
  /// The points of a track before the first one with a time.
  private var untimed: [TrackPoint] = []
  private var queue: ArraySlice<TrackPoint> = []
  private var order: TrackOrder
  private var ordered: ArraySlice<TrackPoint> = []
  private var repeated = 0
  private var walk = RouteWalk()
  private var hasTrack = false
  /// Whether the document is over, and what was kept until then is in the queue.
  private var isRead = false
  private var routes: [TrackPoint] = []
  private var waypoints: [TrackPoint] = []
  /// Whether points without times span more than ``RouteWalk/longest``: nothing more is decoded.
  private(set) var isTooLong = false

  init(_ format: TrackFormat) {
    reader = TrackPoints(format)
    order = TrackOrder(format)
  }

  mutating func feed(_ bytes: UnsafeBufferPointer<UInt8>) { reader.feed(bytes) }
  mutating func end() { reader.end() }

  /// The next item; `nil` when more bytes are needed, at the end, or when the file ``isTooLong``.
  mutating func next() -> RecordingItem? {
    while !isTooLong {
      if let step = walk.next() { return item(step) }
      if repeated > 0 {
        repeated -= 1
        return .damage(.repeatedPoint)
      }
      if let point = ordered.popFirst() { return point.time.map { item(point, at: $0) } }
      if let point = queue.popFirst() {
        if let item = play(point) { return item }
        continue
      }
      if isRead {
        if let step = walk.finish() { return item(step) }
        guard !order.isEmpty else { return nil }
        playOrdered()
      } else if let found = reader.next() {
        if let item = add(found) { return item }
      } else {
        guard reader.isEnded else { return nil }
        isRead = true
        let points = routes.isEmpty ? waypoints : routes
        if isTimed == nil { playUntimed(points.contains { $0.time != nil }) }
        queue += points
      }
    }
    return nil
  }

  private mutating func add(_ found: TrackPoints.Found) -> RecordingItem? {
    switch found {
    case .damage(let damage): return .damage(damage)
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
    guard let isTimed else {
      untimed.append(point)
      if point.time != nil || untimed.count > Self.maximumUntimed { playUntimed(point.time != nil) }
      return nil
    }
    guard isTimed else {
      var point = point
      point.time = nil
      let step = walk.go(to: point)
      isTooLong = walk.length > RouteWalk.longest
      return step.map { item($0) }
    }
    guard let time = point.time else { return .damage(.badPoint) }
    guard !order.isOver else { return item(point, at: time) }
    if order.add(point, at: time) { playOrdered() }
    return nil
  }

  private mutating func playOrdered() {
    let (points, repeated) = order.take()
    (ordered, self.repeated) = (points[...], repeated)
  }

  /// Plays the points that have waited for the first time.
  private mutating func playUntimed(_ isTimed: Bool) {
    self.isTimed = isTimed
    queue = untimed[...]
    untimed = []
  }

  private func item(_ point: TrackPoint, at time: UTCInstant) -> RecordingItem {
    let stamp = RecordingStamp(instant: MonotonicInstant(nanoseconds: time.nanosecondsSince1970), utc: time)
    return .point(RecordedPoint(stamp: stamp, point: point, format: reader.format))
  }

  private func item(_ step: RouteWalk.Step) -> RecordingItem {
    let stamp = RecordingStamp(instant: .zero + .seconds(step.second))
    return .point(RecordedPoint(stamp: stamp, point: step.point, format: reader.format))
  }
}

/// A walk along points without times at a steady speed: a point a second, fewer on a way of an hour, the last one.
struct RouteWalk: Sendable {
  /// 54 km/h, in m/s.
  static let speed = 15.0
  /// Largest length, metres: four days of a point a second. A few points far apart would otherwise give millions.
  static let longest = 5_000_000.0
  /// Most points between two of the file.
  private static let mostSteps = 3600.0

  struct Step: Hashable, Sendable {
    var second: Int64
    var point: TrackPoint
  }

  private struct Leg {
    var from: TrackPoint
    var to: TrackPoint
    var bearing: Double
    var length: Double
    /// Seconds from a step to the next.
    var pause: Int64
    /// Distance of the next step from its beginning, metres.
    var next: Double

    var stride: Double { RouteWalk.speed * Double(pause) }
  }

  /// The length of all legs so far, metres.
  private(set) var length = 0.0
  private var second: Int64 = 0
  private var last: TrackPoint?
  private var leg: Leg?
  /// Distance from the last step to the end of the completed leg, metres.
  private var rest = 0.0

  /// Continues to another point; to be called when ``next()`` has returned `nil`.
  mutating func go(to point: TrackPoint) -> Step? {
    guard let last else {
      last = point
      return Step(second: second, point: point)
    }
    let line = Geodesic.inverse(from: last.position, to: point.position)
    length += line.distance
    let pause = max(1, Int64((line.distance / Self.speed / Self.mostSteps).rounded(.up)))
    var leg = Leg(
      from: last, to: point, bearing: line.initialBearing, length: line.distance, pause: pause, next: 0)
    leg.next = leg.stride - rest
    self.leg = leg
    self.last = point
    return nil
  }

  /// The next step towards the newest point; `nil` when that is less than a second ahead.
  mutating func next() -> Step? {
    guard var leg else { return nil }
    guard leg.next <= leg.length else {
      rest = min(leg.length - (leg.next - leg.stride), Self.speed)
      self.leg = nil
      return nil
    }
    let distance = leg.next
    leg.next += leg.stride
    self.leg = leg
    return step(leg, at: distance)
  }

  /// The last point, unless the last step was there.
  mutating func finish() -> Step? {
    guard var point = last, rest > 0, leg == nil else { return nil }
    rest = 0
    point.speed = point.speed ?? Self.speed
    second += 1
    return Step(second: second, point: point)
  }

  private mutating func step(_ leg: Leg, at distance: Double) -> Step? {
    let part = distance / leg.length
    guard let position = leg.from.position.moved(by: distance, bearing: leg.bearing) else { return nil }
    var point = TrackPoint(position: position)
    if let start = leg.from.altitude, let end = leg.to.altitude { point.altitude = start + (end - start) * part }
    point.speed = Self.speed
    let ahead = Geodesic.inverse(from: position, to: leg.to.position)
    point.course =
      ahead.distance > 0.01
      ? ahead.initialBearing : Geodesic.inverse(from: leg.from.position, to: position).finalBearing
    second += leg.pause
    return Step(second: second, point: point)
  }
}
