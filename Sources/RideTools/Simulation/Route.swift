import LocationCore

/// The line of a simulated ride: points a metre or two apart.
package struct Route: Hashable, Sendable {
  package enum Surroundings: Hashable, Sendable {
    case open
    /// High buildings: few satellites, and reflections of their signals.
    case canyon
    case tunnel
  }

  /// A point of the line: degrees, metres, m/s, seconds.
  package struct Point: Hashable, Sendable {
    package var latitude: Double
    package var longitude: Double
    /// Above mean sea level, metres.
    package var altitude: Double
    /// Distance from the start along the line, metres.
    package var station: Double
    /// Direction of the road, degrees from true north.
    package var course: Double
    /// Highest speed here, m/s.
    package var speedLimit: Double
    /// Duration of the stop here, seconds; 0 for none.
    package var stop: Double
    package var surroundings: Surroundings
    /// Where this is on the line of a file; `nil` off it, or if the route is not from a file.
    package var planned: Planned?
  }

  package struct Planned: Hashable, Sendable {
    /// Index of the file's point at which the leg begins.
    package var leg: Int
    /// Distance from the start along the course that ``CourseFile`` makes of the file, metres.
    package var along: Double
    package var isReverse: Bool
  }

  /// The points in order: at least two, each at least a millimetre after its predecessor.
  package internal(set) var points: [Point]

  init?(points: [Point]) {
    guard points.count >= 2 else { return nil }
    self.points = points
  }

  package var length: Double { points[points.count - 1].station }

  /// Puts surroundings around a stretch, metres from the start.
  package mutating func surround(_ stretch: ClosedRange<Double>, with surroundings: Surroundings) {
    for index in points.indices where stretch.contains(points[index].station) {
      points[index].surroundings = surroundings
    }
  }

  /// Adds stops at the start and at the end of at least so many seconds.
  package mutating func stand(atStart: Double, atEnd: Double) {
    points[0].stop = max(points[0].stop, atStart)
    points[points.count - 1].stop = max(points[points.count - 1].stop, atEnd)
  }

  /// Adds traffic lights about `distance` metres apart, none beside a stop; three in five are red, for 6 to 40 s.
  package mutating func putLights(every distance: Double, seed: UInt64) {
    var random = SeededRandom(seed: seed, stream: 5)
    var next = distance * random.uniform(0.5...1.5)
    for index in points.indices.dropLast() where points[index].station >= next && next < length - 20 {
      let (chance, seconds) = (random.uniform(), random.uniform(6...40).rounded())
      let isBesideStop = points[max(index - 1, 0)].stop > 0 || points[index + 1].stop > 0
      if chance < 0.6, !isBesideStop, points[index].surroundings != .tunnel {
        points[index].stop = max(points[index].stop, seconds)
      }
      next = points[index].station + distance * random.uniform(0.5...1.5)
    }
  }

  /// Ends the route so many metres (more than 0) from its start; a shorter one stays as it is.
  mutating func cut(to length: Double) {
    guard self.length > length, let index = points.indices.dropFirst().first(where: { points[$0].station >= length })
    else { return }
    let (before, after) = (points[index - 1], points[index])
    let way = after.station - before.station
    var end = before.moved(towards: after, by: (length - before.station) / way)
    end.stop = 0
    // Points lie at least a millimetre apart.
    points.removeSubrange((length - before.station < 0.001 && index > 1 ? index - 1 : index)...)
    points.append(end)
  }
}

extension Route.Point {
  /// The point a fraction of the way to the next one, with its limit, stop and surroundings.
  func moved(towards next: Route.Point, by fraction: Double) -> Route.Point {
    var point = next
    point.latitude = latitude + (next.latitude - latitude) * fraction
    point.longitude = ExactMath.halfTurn(longitude + ExactMath.halfTurn(next.longitude - longitude) * fraction)
    point.altitude = altitude + (next.altitude - altitude) * fraction
    point.station = station + (next.station - station) * fraction
    point.course = ExactMath.fullTurn(course + ExactMath.halfTurn(next.course - course) * fraction)
    // A shortcut of no length leads from one place of the line to another.
    if let from = planned?.along, let to = next.planned?.along, abs(to - from) < 4 * (next.station - station) {
      point.planned?.along = from + (to - from) * fraction
    }
    return point
  }
}

/// The radii of curvature of the ellipsoid at a latitude, for steps of a few metres.
struct LocalScale {
  let metresPerDegreeNorth: Double
  /// Metres in a degree of longitude, at least a micrometre.
  let metresPerDegreeEast: Double

  init(latitude: Double) {
    let (sine, cosine) = ExactMath.sineCosine(degrees: latitude)
    let root = 1 - WGS84.eccentricitySquared * sine * sine
    let transverse = WGS84.semiMajorAxis / root.squareRoot()
    metresPerDegreeNorth = transverse * (1 - WGS84.eccentricitySquared) / root * ExactMath.pi / 180
    metresPerDegreeEast = max(transverse * cosine * ExactMath.pi / 180, 1e-6)
  }
}
