import GPSDProtocol
import LocationCore

/// A reader of the lines in a GeoJSON text (RFC 7946), joined in their order: of a geometry, a feature or a collection.
struct GeoJSONRoute {
  private static let maximumDepth = 8

  private let bytes: UnsafeBufferPointer<UInt8>
  private var vertices: [RouteVertex] = []
  /// Indices of the points with which a line begins.
  private var pieces: Set<Int> = []

  /// The first name, of the whole or of a feature.
  private var title: String?

  static func vertices(
    of text: [UInt8]
  ) throws(CourseFileError) -> ([RouteVertex], pieces: Set<Int>, title: String?) {
    try text.withUnsafeBufferPointer { bytes throws(CourseFileError) in
      var route = GeoJSONRoute(bytes: bytes)
      try route.object(in: nil, depth: 0)
      return (route.vertices, route.pieces, route.title)
    }
  }

  private static let broken = CourseFileError("is not valid JSON; export it again")

  private mutating func object(in range: Range<Int>?, depth: Int) throws(CourseFileError) {
    guard depth < Self.maximumDepth else { throw CourseFileError("is nested too deeply; export the route alone") }
    guard var members = JSONCursor(bytes, in: range) else { throw Self.broken }
    var coordinates: Range<Int>?
    var nesting: Int?
    var children: [Range<Int>] = []
    while let (name, value) = members.member() {
      switch value {
      case .string(let text) where members.is(name, "type"):
        if members.is(text, "LineString") { nesting = 0 }
        if members.is(text, "MultiLineString") { nesting = 1 }
      case .string(let text) where members.is(name, "name"): title = title ?? members.text(text)
      case .object(let range) where members.is(name, "properties"):
        var properties = JSONCursor(bytes, in: range)
        while let (name, value) = properties?.member() {
          if case .string(let text) = value, members.is(name, "name") { title = title ?? members.text(text) }
        }
      case .array(let range) where members.is(name, "coordinates"): coordinates = range
      case .array(let range) where members.is(name, "features") || members.is(name, "geometries"):
        for element in try elements(in: range) {
          guard case .object(let child) = element else { throw Self.broken }
          children.append(child)
        }
      case .object(let range) where members.is(name, "geometry"): children.append(range)
      default: break
      }
    }
    if members.isBroken { throw Self.broken }
    if let nesting {
      guard let coordinates else { throw CourseFileError("has a line without coordinates; export it again") }
      try line(in: coordinates, nesting: nesting)
    }
    for child in children { try object(in: child, depth: depth + 1) }
  }

  private func elements(in range: Range<Int>) throws(CourseFileError) -> [JSONCursor.Value] {
    guard var cursor = JSONCursor(bytes, in: range) else { throw Self.broken }
    var elements: [JSONCursor.Value] = []
    while let element = cursor.element() {
      guard elements.count + vertices.count < RouteFile.mostPoints else { throw RouteFile.tooLong }
      elements.append(element)
    }
    if cursor.isBroken { throw Self.broken }
    return elements
  }

  private mutating func line(in range: Range<Int>, nesting: Int) throws(CourseFileError) {
    if nesting == 0 { pieces.insert(vertices.count) }
    for element in try elements(in: range) {
      guard case .array(let range) = element else { throw Self.broken }
      if nesting > 0 { try line(in: range, nesting: nesting - 1) } else { vertices.append(try position(in: range)) }
    }
  }

  /// A position: longitude, latitude and optional altitude.
  private func position(in range: Range<Int>) throws(CourseFileError) -> RouteVertex {
    guard var elements = JSONCursor(bytes, in: range) else { throw Self.broken }
    var numbers: [Double] = []
    while let element = elements.element() {
      guard case .number(let text) = element, let number = elements.number(text) else { throw Self.broken }
      numbers.append(number)
    }
    if elements.isBroken { throw Self.broken }
    guard numbers.count >= 2, let position = Coordinate(latitude: numbers[1], longitude: numbers[0]) else {
      throw CourseFileError("has a point with invalid coordinates; positions are longitude, latitude in degrees")
    }
    return RouteVertex(position, altitude: numbers.count > 2 ? numbers[2] : nil)
  }
}
