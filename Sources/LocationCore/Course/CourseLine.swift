/// The line of a course: its points with their distances from the start and elevations. 21 bytes a point.
package struct CourseLine: Sendable {
  package static let maximumPoints = 100_000
  /// Metres.
  package static let maximumLength = 20_000_000.0

  /// A point in whole parts of a metre: 1/256 m in space, 1/128 m along the line.
  struct Vertex: Hashable, Sendable {
    private static let parts = (place: 256.0, along: 128.0)
    private let x, y, z: Int32
    private let station: UInt32

    init(_ place: EarthCentered, along: Double) {
      (x, y, z) = (Self.whole(place.x), Self.whole(place.y), Self.whole(place.z))
      station = UInt32((min(max(along, 0), CourseLine.maximumLength) * Self.parts.along).rounded())
    }

    var place: EarthCentered {
      EarthCentered(x: Double(x) / Self.parts.place, y: Double(y) / Self.parts.place, z: Double(z) / Self.parts.place)
    }
    /// Metres from the start of the line.
    var along: Double { Double(station) / Self.parts.along }
    private static func whole(_ metres: Double) -> Int32 { Int32((metres * parts.place).rounded()) }
  }

  /// Two or more, of which no neighbours are in the same place.
  private(set) var vertices: [Vertex] = []
  /// Of each vertex, metres above mean sea level; NaN if unknown.
  private(set) var elevations: [Float] = []
  /// The last point, and metres from the start to it.
  private var end: (position: Coordinate, place: EarthCentered, along: Double)?
  private(set) var index = CourseIndex()

  /// Metres.
  package var length: Double { vertices[vertices.count - 1].along }

  /// The points of the line, to 4 mm and with elevations to a tenth of a metre.
  package func points(_ range: Range<Int>) -> [CoursePoint] {
    range.compactMap { index in
      let elevation = elevations[index].isNaN ? nil : (Double(elevations[index]) * 10).rounded() / 10
      return vertices[index].place.coordinate.map { CoursePoint($0, elevation: elevation) }
    }
  }

  func segment(at along: Double) -> Int {
    var (low, high) = (0, vertices.count - 1)
    while high - low > 1 {
      let middle = (low + high) / 2
      if vertices[middle].along <= along { low = middle } else { high = middle }
    }
    return low
  }

  package func coordinate(at along: Double) -> Coordinate? {
    place(at: along, from: segment(at: along)).coordinate
  }

  /// The place that many metres along the line, which is near a segment.
  func place(at along: Double, from segment: Int) -> EarthCentered {
    var segment = segment
    while segment > 0, vertices[segment].along > along { segment -= 1 }
    while segment < vertices.count - 2, vertices[segment + 1].along < along { segment += 1 }
    let (start, end) = (vertices[segment], vertices[segment + 1])
    let part = min(max((along - start.along) / max(end.along - start.along, 1e-3), 0), 1)
    return start.place.moved(part, towards: end.place)
  }

  /// The place that many metres along the line, ridden in a direction, and the course there; `nil` beyond its ends.
  func place(_ along: Double, _ direction: Double, from segment: Int) -> (position: Coordinate, course: Double)? {
    guard 0...length ~= along else { return nil }
    let here = place(at: along, from: segment)
    let behind = place(at: min(max(along - direction * 5, 0), length), from: segment)
    guard let position = here.coordinate, let course = behind.coordinate?.bearing(to: position) else { return nil }
    return (position, course)
  }
}

// Points that are added. Long legs are divided along the geodesic, so that each segment is straight to a centimetre.
extension CourseLine {
  /// Metres within which two points are the same place.
  private static let sameness = 0.1
  /// Longest segment, metres.
  private static let longestSegment = 5000.0

  /// Adds points, all or none of them.
  mutating func append(_ points: [CoursePoint]) throws(CourseError) {
    let (count, before) = (vertices.count, end)
    do throws(CourseError) {
      for point in points { try append(point) }
    } catch {
      vertices.removeLast(vertices.count - count)
      elevations.removeLast(elevations.count - count)
      end = before
      throw error
    }
    index.extend(to: vertices)
  }

  private mutating func append(_ point: CoursePoint) throws(CourseError) {
    let place = EarthCentered(point.position)
    guard let last = end else { return try add(point.position, place, 0, point.elevation) }
    let chord = (place - last.place).length
    guard chord >= Self.sameness else { return }
    guard chord > Self.longestSegment else { return try add(point.position, place, chord, point.elevation) }
    let leg = Geodesic.inverse(from: last.position, to: point.position)
    guard last.along + leg.distance <= Self.maximumLength else { throw .tooLong }
    let parts = (leg.distance / Self.longestSegment).rounded(.up)
    for part in 1..<Int(parts) {
      let way = leg.distance * Double(part) / parts
      guard let between = last.position.moved(by: way, bearing: leg.initialBearing) else { continue }
      try add(between, EarthCentered(between), leg.distance / parts, nil)
    }
    try add(point.position, place, leg.distance / parts, point.elevation)
  }

  private mutating func add(
    _ position: Coordinate, _ place: EarthCentered, _ way: Double, _ elevation: Double?
  ) throws(CourseError) {
    guard vertices.count < Self.maximumPoints else { throw .tooManyPoints }
    let along = (end?.along ?? 0) + way
    guard along <= Self.maximumLength else { throw .tooLong }
    vertices.append(Vertex(place, along: along))
    elevations.append(elevation.map { Float($0) } ?? .nan)
    end = (position, place, along)
  }
}

extension EarthCentered {
  func moved(_ part: Double, towards end: Self) -> Self {
    let way = end - self
    return EarthCentered(x: x + part * way.x, y: y + part * way.y, z: z + part * way.z)
  }
}
