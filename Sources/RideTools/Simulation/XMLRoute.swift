import GPSDProtocol
import LocationCore
import Recordings

/// A reader of a planned line and its named points from an XML document.
protocol XMLRoute {
  var vertices: [Route.Vertex] { get }
  var notes: [RouteFile.Note] { get }
  /// Whether the document is cut off within a point, or a point has no valid coordinates.
  var hasDamage: Bool { get }

  mutating func take(_ token: XMLTokens.Token)
}

/// A reader of GPX: the points of its tracks, else of its routes, and the named points of its routes and waypoints.
struct GPXRoute: XMLRoute {
  private var reader = TrackPointReader()
  private var tracks: [Route.Vertex] = []
  private var routes: [Route.Vertex] = []
  private(set) var notes: [RouteFile.Note] = []
  private var isDamaged = false

  var vertices: [Route.Vertex] { tracks.isEmpty ? routes : tracks }

  var hasDamage: Bool {
    var reader = self.reader
    return isDamaged || reader.finish() != nil
  }

  mutating func take(_ token: XMLTokens.Token) {
    switch reader.take(token) {
    case nil: break
    case .damage: isDamaged = true
    case .point(let kind, let point):
      let vertex = Route.Vertex(point.position, altitude: point.altitude)
      if kind == .track { tracks.append(vertex) }
      if kind == .route { routes.append(vertex) }
      guard kind != .track else { return }
      // Some planners name a turn by its kind, and describe it.
      let isPlain = point.name.map { $0.lowercased() == point.kind?.lowercased() } ?? true
      guard let text = isPlain ? point.comment ?? point.name : point.name else { return }
      notes.append(RouteFile.Note(position: point.position, text: text, kind: point.kind))
    }
  }
}

/// A reader of TCX: the track points of its courses or activities, and its course points with their notes.
struct TCXRoute: XMLRoute {
  private static let longestValue = 256

  private struct Point {
    var latitude, longitude, altitude: Double?
    var name, notes, kind: String?
    var coordinate: Coordinate? {
      latitude.flatMap { latitude in longitude.flatMap { Coordinate(latitude: latitude, longitude: $0) } }
    }
  }

  private(set) var vertices: [Route.Vertex] = []
  private(set) var notes: [RouteFile.Note] = []
  private var isDamaged = false
  private var point: Point?
  private var text: [UInt8] = []

  var hasDamage: Bool { isDamaged || point != nil }

  mutating func take(_ token: XMLTokens.Token) {
    switch token {
    case .start(let tag):
      if !tag.isEmpty, tag.is("Trackpoint") || tag.is("CoursePoint") { point = Point() }
      text.removeAll(keepingCapacity: true)
    case .end(let tag): end(tag)
    case .text(let part): if text.count <= Self.longestValue { text.append(contentsOf: part.prefix(Self.longestValue)) }
    case .damage: isDamaged = true
    }
  }

  private mutating func end(_ tag: XMLTokens.Tag) {
    let value = TrackPointReader.trimmed(text[...])
    // A number that is none is out of range.
    if tag.is("LatitudeDegrees") { point?.latitude = Double(number: value) ?? .nan }
    if tag.is("LongitudeDegrees") { point?.longitude = Double(number: value) ?? .nan }
    if tag.is("AltitudeMeters") { point?.altitude = Double(number: value) }
    if tag.is("Name") { point?.name = XMLTokens.characters(value) }
    if tag.is("Notes") { point?.notes = XMLTokens.characters(value) }
    if tag.is("PointType") { point?.kind = XMLTokens.characters(value) }
    guard tag.is("Trackpoint") || tag.is("CoursePoint"), let point else { return }
    self.point = nil
    guard let position = point.coordinate else {
      // A pause of the recorder has no position.
      isDamaged = isDamaged || point.latitude != nil || point.longitude != nil
      return
    }
    if tag.is("Trackpoint") {
      vertices.append(Route.Vertex(position, altitude: point.altitude))
    } else if let text = point.notes ?? point.name {
      notes.append(RouteFile.Note(position: position, text: text, kind: point.kind))
    }
  }
}
