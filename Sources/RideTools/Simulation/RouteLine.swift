import LocationCore

/// The points of a route through given corners, each computed from those next to it, so that errors do not accumulate.
struct RouteLine {
  struct Corner {
    var position: Coordinate
    var altitude: Double
    /// The part of the planned line that leads to it; `nil` off that line.
    var stretch: Stretch?
  }

  /// A part of a planned line within one leg, metres along it; backwards if it ends before it begins.
  struct Stretch {
    var leg: Int
    var begin: Double
    var end: Double

    func place(_ fraction: Double) -> Route.Planned {
      Route.Planned(leg: leg, along: begin + (end - begin) * fraction, isReverse: end < begin)
    }
  }

  /// Points closer than this count as one, metres.
  static let shortestLeg = 0.2
  /// Distance of a rounded corner from its point, metres: that of a right angle with a radius of 10 m.
  static let cornerMiss = 4.142
  /// Smallest radius, metres, if the legs are long enough.
  static let smallestRadius = 3.0
  /// From this angle on, degrees, the rider stops and turns on the spot.
  private static let aboutTurn = 150.0
  /// Metres between two points; more on routes of more than 200 km, which bounds their number.
  private static let spacing = 2.0
  private static let maximumPoints = 100_000.0

  private(set) var points: [Route.Point] = []
  private let corners: [Corner]
  private let legs: [Leg]
  private let speedLimit: Double
  private let lateralAcceleration: Double
  private let spacing: Double

  struct Leg {
    let course: Double
    let length: Double

    init(from start: Coordinate, to end: Coordinate) {
      self.init(from: (start.latitude, start.longitude), to: (end.latitude, end.longitude))
    }

    init(from start: (latitude: Double, longitude: Double), to end: (latitude: Double, longitude: Double)) {
      let scale = LocalScale(latitude: (start.latitude + end.latitude) / 2)
      let east = ExactMath.halfTurn(end.longitude - start.longitude) * scale.metresPerDegreeEast
      let north = (end.latitude - start.latitude) * scale.metresPerDegreeNorth
      course = ExactMath.course(east: east, north: north)
      length = (east * east + north * north).squareRoot()
    }
  }

  init(along corners: [Corner], speedLimit: Double, lateralAcceleration: Double) {
    self.corners = corners
    self.speedLimit = speedLimit
    self.lateralAcceleration = lateralAcceleration
    legs = zip(corners, corners.dropFirst()).map { Leg(from: $0.position, to: $1.position) }
    spacing = max(Self.spacing, legs.reduce(0) { $0 + $1.length } / Self.maximumPoints)
  }

  mutating func draw() {
    put(
      latitude: corners[0].position.latitude, longitude: corners[0].position.longitude, altitude: corners[0].altitude,
      planned: corners[1].stretch?.place(0))
    var used = 0.0
    for index in legs.indices {
      guard index + 1 < legs.count else {
        straight(index, from: used, to: legs[index].length)
        break
      }
      let turn = ExactMath.halfTurn(legs[index + 1].course - legs[index].course)
      let bend = bend(turn, between: legs[index].length, and: legs[index + 1].length)
      straight(index, from: used, to: legs[index].length - bend.cut)
      arc(around: index + 1, turn: turn, radius: bend.radius, cut: bend.cut)
      used = bend.cut
    }
  }

  /// The radius of a corner and the length that it takes of each leg, metres.
  private func bend(_ turn: Double, between before: Double, and after: Double) -> (radius: Double, cut: Double) {
    let (sine, cosine) = ExactMath.sineCosine(degrees: abs(turn) / 2)
    guard sine > 1e-6, abs(turn) < Self.aboutTurn else { return (0, 0) }
    let radius = max(Self.cornerMiss * cosine / (1 - cosine), Self.smallestRadius)
    let cut = min(radius * sine / cosine, before / 2, after / 2)
    return (cut * cosine / sine, cut)
  }

  private mutating func straight(_ leg: Int, from begin: Double, to end: Double) {
    let length = legs[leg].length
    guard end - begin > 1e-3, length > 0 else { return }
    let steps = max(1, ((end - begin) / spacing).rounded(.up))
    let (start, goal) = (corners[leg], corners[leg + 1])
    let way = ExactMath.halfTurn(goal.position.longitude - start.position.longitude)
    for step in 1...Int(min(steps, 1e7)) {
      let fraction = (begin + (end - begin) * Double(step) / steps) / length
      put(
        latitude: start.position.latitude + (goal.position.latitude - start.position.latitude) * fraction,
        longitude: start.position.longitude + way * fraction,
        altitude: start.altitude + (goal.altitude - start.altitude) * fraction, planned: goal.stretch?.place(fraction))
    }
  }

  /// Draws the arc from the end of one straight to the beginning of the next, in the plane around the corner.
  private mutating func arc(around corner: Int, turn: Double, radius: Double, cut: Double) {
    guard cut > 1e-3 else {
      if abs(turn) >= Self.aboutTurn { points[points.count - 1].speedLimit = 0 }
      return
    }
    let centre = corners[corner]
    let scale = LocalScale(latitude: centre.position.latitude)
    let length = abs(turn) * ExactMath.pi / 180 * radius
    let steps = max(min((abs(turn) / 15).rounded(.up), (length / 0.1).rounded(.up)), (length / spacing).rounded(.up), 1)
    let limit = min(speedLimit, (lateralAcceleration * radius).squareRoot())
    points[points.count - 1].speedLimit = min(points[points.count - 1].speedLimit, limit)
    let (sine, cosine) = ExactMath.sineCosine(degrees: legs[corner - 1].course)
    // The beginning of the arc, then chords.
    var (east, north) = (-sine * cut, -cosine * cut)
    let chord = 2 * radius * ExactMath.sineCosine(degrees: abs(turn) / steps / 2).sine
    let (before, after) = (cut / legs[corner - 1].length, cut / legs[corner].length)
    for step in 1...Int(min(steps, 1e6)) {
      let half = 2 * Double(step) / steps - 1
      let heading = legs[corner - 1].course + turn * (Double(step) - 0.5) / steps
      let (sine, cosine) = ExactMath.sineCosine(degrees: heading)
      east += sine * chord
      north += cosine * chord
      put(
        latitude: centre.position.latitude + north / scale.metresPerDegreeNorth,
        longitude: centre.position.longitude + east / scale.metresPerDegreeEast, altitude: centre.altitude,
        planned: half <= 0
          ? centre.stretch?.place(1 + before * half) : corners[corner + 1].stretch?.place(after * half), limit: limit)
    }
  }

  private mutating func put(
    latitude: Double, longitude: Double, altitude: Double, planned: Route.Planned?, limit: Double? = nil
  ) {
    var point = Route.Point(
      latitude: latitude, longitude: ExactMath.halfTurn(longitude), altitude: altitude, station: 0,
      course: legs[0].course, speedLimit: limit ?? speedLimit, stop: 0, surroundings: .open, planned: planned)
    if let last = points.last {
      let leg = Leg(from: (last.latitude, last.longitude), to: (point.latitude, point.longitude))
      guard leg.length >= 1e-3 else { return }
      point.station = last.station + leg.length
      point.course = leg.course
    }
    points.append(point)
  }
}
