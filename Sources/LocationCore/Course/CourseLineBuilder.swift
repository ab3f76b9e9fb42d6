/// A builder of a course's line from its points. Long legs are divided along the geodesic, so that each segment is
/// straight to a centimetre.
struct CourseLineBuilder {
  /// Metres within which two points are the same place.
  private static let sameness = 0.1
  /// Longest segment, metres.
  private static let longestSegment = 5000.0

  /// Of each vertex, if known.
  private(set) var elevations: [Double?] = []
  private var vertices: [CourseLine.Vertex] = []
  private var last: (position: Coordinate, place: EarthCentered)?
  /// Metres.
  private(set) var length = 0.0

  /// Number of the line's points.
  var count: Int { vertices.count }

  /// Adds points, all or none of them.
  mutating func append(_ points: [CoursePoint]) throws(CourseError) {
    var longer = self
    for point in points { try longer.append(point) }
    self = longer
  }

  /// The points of the line, to 4 mm.
  var points: [CoursePoint] { points(vertices.indices) }

  func points(_ range: Range<Int>) -> [CoursePoint] {
    range.compactMap { index in
      Coordinate(vertices[index].place).map { CoursePoint($0, elevation: elevations[index]) }
    }
  }

  private mutating func append(_ point: CoursePoint) throws(CourseError) {
    let place = EarthCentered(point.position)
    guard let last else { return try add(point.position, place, 0, point.elevation) }
    let chord = (place - last.place).length
    guard chord >= Self.sameness else { return }
    if chord > Self.longestSegment {
      let leg = Geodesic.inverse(from: last.position, to: point.position)
      guard length + leg.distance <= CourseLine.maximumLength else { throw .tooLong }
      let parts = (leg.distance / Self.longestSegment).rounded(.up)
      for part in 1..<Int(parts) {
        let way = leg.distance * Double(part) / parts
        guard let between = Geodesic.direct(from: last.position, bearing: leg.initialBearing, distance: way) else {
          continue
        }
        try add(between, EarthCentered(between), leg.distance / parts, nil)
      }
      try add(point.position, place, leg.distance / parts, point.elevation)
    } else {
      try add(point.position, place, chord, point.elevation)
    }
  }

  func line() throws(CourseError) -> CourseLine {
    guard vertices.count >= 2 else { throw .noLine }
    return CourseLine(vertices)
  }

  private mutating func add(
    _ position: Coordinate, _ place: EarthCentered, _ way: Double, _ elevation: Double?
  ) throws(CourseError) {
    guard vertices.count < CourseLine.maximumPoints else { throw .tooManyPoints }
    length += way
    guard length <= CourseLine.maximumLength else { throw .tooLong }
    vertices.append(CourseLine.Vertex(place, along: length))
    elevations.append(elevation)
    last = (position, place)
  }
}
