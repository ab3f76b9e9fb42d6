import Libc
import LocationCore

/// A simulated ride with a course, whose truth is known: pieces on the line and off it, at a steady speed.
package struct CourseRide: Sendable {
  package enum Piece: Sendable {
    /// On the line, from one place along it to another; backwards if that is less.
    case line(from: Double, to: Double, beside: Double = 0)
    /// Off the line, through points in metres east and north of the origin.
    case detour([SIMD2<Double>])
    case stand(seconds: Double)
    /// On the line without a fix, as in a tunnel or on a ferry.
    case hidden(from: Double, to: Double, speed: Double? = nil)
  }

  /// The planned points in metres east and north of the origin.
  package var plan: [SIMD2<Double>]
  /// The points as a planner drew them, if that is another line.
  package var drawn: [SIMD2<Double>]?
  package var pieces: [Piece]
  package var speed = 6.0
  package var rate = 1.0
  package var noise = 1.0
  /// Whether there are reflections between high buildings: a standard deviation of 5.5 m.
  package var isCity = false
  package var hasCourse = true
  package var hasSpeed = true
  package var seed: UInt64 = 1
  package var origin = here
  package var name = "course"

  /// A moment of the truth: metres along the line, or `nil` off it.
  package struct Moment: Sendable {
    package var time: Double
    package var place: SIMD2<Double>
    package var along: Double?
    package var isReverse: Bool
    package var speed: Double
    package var course: Double
    package var isVisible: Bool
    package var piece: Int

    package init(
      time: Double, place: SIMD2<Double>, along: Double?, isReverse: Bool, speed: Double, course: Double,
      isVisible: Bool, piece: Int
    ) {
      (self.time, self.place, self.along, self.isReverse) = (time, place, along, isReverse)
      (self.speed, self.course, self.isVisible, self.piece) = (speed, course, isVisible, piece)
    }
  }

  private static func stations(_ plan: [SIMD2<Double>]) -> [Double] {
    var sums = [0.0]
    for index in plan.indices.dropFirst() { sums.append(sums[index - 1] + (plan[index] - plan[index - 1]).metres) }
    return sums
  }

  package var length: Double { Self.stations(plan)[plan.count - 1] }

  package func coordinate(_ place: SIMD2<Double>) -> Coordinate { origin.offset(north: place.y, east: place.x) }

  /// Metres east and north of the origin.
  package func place(_ coordinate: Coordinate) -> SIMD2<Double> {
    let (way, bearing) = (origin.distance(to: coordinate), origin.bearing(to: coordinate) ?? 0)
    return way * SIMD2(sin(bearing * .pi / 180), cos(bearing * .pi / 180))
  }

  package func course() throws -> Course {
    try Course(name: name, points: (drawn ?? plan).map { CoursePoint(coordinate($0)) })
  }

  /// The place of the line as it was drawn that is nearest to another, of those whose direction agrees with a movement.
  package func nearest(
    to place: SIMD2<Double>, agreeing: (SIMD2<Double>) -> Bool = { _ in true }
  ) -> (distance: Double, along: Double, direction: SIMD2<Double>)? {
    let line = drawn ?? plan
    var best: (distance: Double, along: Double, direction: SIMD2<Double>)?
    var along = 0.0
    for index in line.indices.dropFirst() {
      let (start, way) = (line[index - 1] - place, line[index] - line[index - 1])
      let part = min(max(-(start * way).sum() / (way * way).sum(), 0), 1)
      let distance = (start + part * way).metres
      let direction = way / way.metres
      if distance < best?.distance ?? .infinity, agreeing(direction) {
        best = (distance, along + part * way.metres, direction)
      }
      along += way.metres
    }
    return best
  }

  /// The whole truth, epoch by epoch.
  package func moments() -> [Moment] {
    let stations = Self.stations(plan)
    let stretch = drawn.map { Self.stations($0)[$0.count - 1] / length } ?? 1
    func place(_ along: Double) -> (SIMD2<Double>, SIMD2<Double>) {
      let index = max(1, stations.firstIndex { $0 >= along } ?? plan.count - 1)
      let way = plan[index] - plan[index - 1]
      let part = (along - stations[index - 1]) / (stations[index] - stations[index - 1])
      return (plan[index - 1] + part * way, way / way.metres)
    }
    var moments: [Moment] = []
    var (epoch, time) = (0, 0.0)
    var at = SIMD2(0.0, 0)
    func add(_ duration: Double, _ body: (Double) -> Moment) {
      while Double(epoch) / rate <= time + duration {
        moments.append(body(Double(epoch) / rate - time))
        epoch += 1
      }
      time += duration
    }
    for (number, piece) in pieces.enumerated() {
      switch piece {
      case .line(let from, let to, _), .hidden(let from, let to, _):
        var (speed, beside, isVisible) = (speed, 0.0, true)
        if case .line(_, _, let shift) = piece { beside = shift }
        if case .hidden(_, _, let other) = piece { (speed, isVisible) = (other ?? speed, false) }
        let start = time
        let sign = to > from ? 1.0 : -1
        add(abs(to - from) / speed) { seconds in
          let along = from + sign * seconds * speed
          let (point, way) = place(along)
          let direction = sign * way
          return Moment(
            time: start + seconds, place: point + beside * SIMD2(direction.y, -direction.x), along: along * stretch,
            isReverse: sign < 0, speed: speed, course: degrees(direction),
            isVisible: isVisible, piece: number)
        }
        at = place(to).0
      case .detour(let points):
        for point in points {
          let (from, way, start) = (at, point - at, time)
          add(way.metres / speed) { seconds in
            Moment(
              time: start + seconds, place: from + seconds * speed / way.metres * way, along: nil, isReverse: false,
              speed: speed, course: degrees(way), isVisible: true, piece: number)
          }
          at = point
        }
      case .stand(let seconds):
        guard var last = moments.last else { continue }
        (last.speed, last.piece) = (0, number)
        let start = time
        add(seconds) {
          last.time = start + $0
          return last
        }
      }
    }
    return moments
  }

  /// A ride of the whole plan, unless other pieces are named.
  package init(plan: [SIMD2<Double>], drawn: [SIMD2<Double>]? = nil, pieces: [Piece]) {
    (self.plan, self.drawn, self.pieces) = (plan, drawn, pieces)
  }

  /// Plays the ride with the daemon's own progress.
  package func play(from kept: KeptProgress? = nil) throws -> CourseOutcome {
    var progress = CourseProgress(try course(), from: kept)
    var outcome = play { progress.published($0, at: $0.fix.received) }
    outcome.kept = progress.kept
    return outcome
  }

  /// Plays the ride with any method.
  package func play(_ follow: (PublishedFix) -> CourseStatus) -> CourseOutcome {
    var random = SeededNoise(seed: seed)
    var errors = [1.0, 1, isCity ? 5.5 : 0, isCity ? 5.5 : 0].map { $0 * noise * random.normal() }
    let deviation = noise * (isCity ? 5.59 : 1)
    var outcome = CourseOutcome(ride: self)
    for (number, moment) in moments().enumerated() {
      for axis in 0..<4 {
        let (sigma, memory) = axis < 2 ? (noise, 120.0) : (isCity ? 5.5 * noise : 0, 7)
        let kept = 1 - 1 / memory / rate
        errors[axis] = errors[axis] * kept + sigma * (1 - kept * kept).squareRoot() * random.normal()
      }
      let error = SIMD2(errors[0] + errors[2] + 0.04 * random.normal(), errors[1] + errors[3] + 0.04 * random.normal())
      let (drift, slip) = ((isCity ? 0.25 : 0.05) * noise * random.normal(), 0.05 * noise * random.normal())
      guard moment.isVisible else { continue }
      var fix = Fix(position: coordinate(moment.place + error), mode: .threeD, received: at(moment.time))
      fix.horizontalAccuracy = max(Confidence.circle * deviation, 0.5)
      if hasSpeed { fix.speed = abs(moment.speed + slip) }
      if hasCourse, moment.speed > 0.3 {
        fix.course = (moment.course + atan2(drift, moment.speed) * 180 / .pi + 360).truncatingRemainder(dividingBy: 360)
      }
      let published = PublishedFix(fix: fix, seq: UInt64(number + 1), source: 0)
      outcome.fixes.append(published)
      outcome.add(follow(published), at: moment, error: error)
    }
    return outcome
  }
}

/// Degrees from north.
private func degrees(_ way: SIMD2<Double>) -> Double {
  (atan2(way.x, way.y) * 180 / .pi + 360).truncatingRemainder(dividingBy: 360)
}

extension SIMD2<Double> {
  fileprivate var metres: Double { hypot(x, y) }
}
