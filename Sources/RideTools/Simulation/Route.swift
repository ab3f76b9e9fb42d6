import LocationCore

/// The line that a simulated ride follows, as points a metre or two apart.
package struct Route: Hashable, Sendable {
  /// What stands around a stretch of road.
  package enum Surroundings: Hashable, Sendable {
    /// Free sky.
    case open
    /// High houses: few satellites, and echoes of them.
    case canyon
    /// No sky.
    case tunnel
  }

  /// A place on the line.
  package struct Point: Hashable, Sendable {
    /// Degrees.
    package var latitude: Double
    /// Degrees.
    package var longitude: Double
    /// Above mean sea level, metres.
    package var altitude: Double
    /// The way from the start, metres.
    package var station: Double
    /// Where the road leads, degrees from true north.
    package var course: Double
    /// The fastest that one rides here, m/s.
    package var speedLimit: Double
    /// Seconds that the rider stands here; 0 for no stop.
    package var stop: Double
    /// What stands around.
    package var surroundings: Surroundings
  }

  /// The places in order: at least two, each at least a millimetre behind the one before it.
  package internal(set) var points: [Point]

  /// A route; `nil` for fewer than two points.
  init?(points: [Point]) {
    guard points.count >= 2 else { return nil }
    self.points = points
  }

  /// The whole way, metres.
  package var length: Double { points[points.count - 1].station }
}

/// The two radii of curvature of the ellipsoid at a latitude, for steps of a few metres.
struct LocalScale {
  /// Metres in a degree of latitude.
  let metresPerDegreeNorth: Double
  /// Metres in a degree of longitude; never less than a micrometre.
  let metresPerDegreeEast: Double

  init(latitude: Double) {
    let (sine, cosine) = ExactMath.sineCosine(degrees: latitude)
    let root = 1 - WGS84.eccentricitySquared * sine * sine
    let transverse = WGS84.semiMajorAxis / root.squareRoot()
    metresPerDegreeNorth = transverse * (1 - WGS84.eccentricitySquared) / root * ExactMath.pi / 180
    metresPerDegreeEast = max(transverse * cosine * ExactMath.pi / 180, 1e-6)
  }
}

extension Route {
  /// Puts houses, a tunnel or free sky around a stretch, metres from the start.
  package mutating func surround(_ stretch: ClosedRange<Double>, with surroundings: Surroundings) {
    for index in points.indices where stretch.contains(points[index].station) {
      points[index].surroundings = surroundings
    }
  }

  /// Lets the rider stand at the start and at the end for at least so many seconds.
  package mutating func stand(atStart: Double, atEnd: Double) {
    points[0].stop = max(points[0].stop, atStart)
    points[points.count - 1].stop = max(points[points.count - 1].stop, atEnd)
  }

  /// Puts up traffic lights, one in about every `distance` metres; three in five of them are red, for 6 to 40 s. None is
  /// put up right beside a stop.
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
}
