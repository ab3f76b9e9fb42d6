import GPSDProtocol
import LocationCore

/// A reader of the points of a GPX document, each `<trkpt>`, `<rtept>`, `<wpt>`, and Garmin's `<rpt>` between two of a
/// route, or of a TCX document: the track points of its activities or courses, and its course points. Unknown elements
/// are ignored, a point without coordinates is damage.
struct XMLPoints: Sendable {
  private struct Field: Sendable {
    let name: StaticString
    /// GPX 1.0 has some in the point, later files in various extensions.
    var isAnywhere = false
    let set: @Sendable (inout Open, XMLValue) -> Void
  }

  private static let gpx: [Field] = [
    Field(name: "time") { $0.point.time = UTCInstant(iso8601: $1.text) },
    Field(name: "ele") { $0.point.altitude = $1.number },
    Field(name: "name") { $0.point.name = $1.characters },
    Field(name: "desc") { $0.point.comment = $0.point.comment ?? $1.characters },
    Field(name: "cmt") { $0.point.comment = $0.point.comment ?? $1.characters },
    Field(name: "type") { $0.point.kind = $0.point.kind ?? $1.characters },
    Field(name: "sym") { $0.point.kind = $0.point.kind ?? $1.characters },
    Field(name: "fix") { $0.point.isVoid = $1.text.elementsEqual("none".utf8) },
    Field(name: "speed", isAnywhere: true) { $0.point.speed = $1.number },
    Field(name: "course", isAnywhere: true) {
      $0.point.course = $1.number.flatMap { (0...360).contains($0) ? $0 == 360 ? 0 : $0 : nil }
    },
  ]

  private static let tcx: [Field] = [
    // A number that is none is out of range.
    Field(name: "LatitudeDegrees", isAnywhere: true) { $0.latitude = $1.number ?? .nan },
    Field(name: "LongitudeDegrees", isAnywhere: true) { $0.longitude = $1.number ?? .nan },
    Field(name: "AltitudeMeters", isAnywhere: true) { $0.point.altitude = $1.number },
    Field(name: "Time", isAnywhere: true) { $0.point.time = UTCInstant(iso8601: $1.text) },
    Field(name: "Speed", isAnywhere: true) { $0.point.speed = $1.number },
    Field(name: "Name", isAnywhere: true) { $0.point.name = $0.point.name ?? $1.characters },
    // They say more than the name, which has ten characters at most.
    Field(name: "Notes", isAnywhere: true) { $0.point.name = $1.characters ?? $0.point.name },
    Field(name: "PointType", isAnywhere: true) { $0.point.kind = $1.characters },
  ]

  private struct Open {
    let kind: TrackPoint.Kind
    var latitude, longitude: Double?
    var point = TrackPoint(position: .origin)
    /// Number of open elements within.
    var depth = 0
  }

  /// The name of the first document, track, route or course that has one.
  private(set) var title: String?
  /// Whether the next element is the first of one of these, and whether it is its name.
  private var (mayBeTitle, isTitle) = (false, false)
  private let isTCX: Bool
  private var open: Open?
  /// Whether the next point is the first of a segment or a route.
  private var isPieceNew = false
  private var field: Field?
  private var value = XMLValue()

  init(_ format: TrackFormat) { isTCX = format == .tcx }
  var isOpen: Bool { open != nil }

  /// Reads the next token; returns the point that it completes.
  mutating func add(_ token: XMLTokens.Token) -> TrackPoints.Found? {
    switch token {
    case .start(let tag): return start(tag)
    case .end(let tag): return end(tag)
    case .text(let part): if field != nil || isTitle { value.append(part) }
    case .damage: break
    }
    return nil
  }

  private mutating func start(_ tag: XMLTokens.Tag) -> TrackPoints.Found? {
    isTitle = mayBeTitle && title == nil && tag.is(isTCX ? "Name" : "name")
    mayBeTitle = isTCX ? tag.is("Course") : tag.is("gpx") || tag.is("metadata") || tag.is("trk") || tag.is("rte")
    if isTitle { value.clear() }
    if tag.is("trkseg") || tag.is("rte") { isPieceNew = true }
    if let kind = kind(tag) {
      // The previous one was never closed.
      let before = close()
      var begun = Open(kind: kind)
      if !isTCX {
        begun.latitude = tag.attribute("lat").flatMap { Double(number: XMLValue.trimmed($0)) } ?? .nan
        begun.longitude = tag.attribute("lon").flatMap { Double(number: XMLValue.trimmed($0)) } ?? .nan
      }
      if kind != .waypoint {
        begun.point.beginsPiece = isPieceNew
        isPieceNew = false
      }
      open = begun
      return tag.isEmpty ? before ?? close() : before
    }
    guard let depth = open?.depth, !tag.isEmpty else { return nil }
    open?.depth = depth + 1
    value.clear()
    field = (isTCX ? Self.tcx : Self.gpx).first { tag.is($0.name) && (depth == 0 || $0.isAnywhere) }
    return nil
  }

  private mutating func end(_ tag: XMLTokens.Tag) -> TrackPoints.Found? {
    if isTitle, value.isComplete { title = value.characters }
    (isTitle, mayBeTitle) = (false, false)
    guard var point = open else { return nil }
    if kind(tag) != nil { return close() }
    if let field, value.isComplete { field.set(&point, value) }
    field = nil
    point.depth = max(0, point.depth - 1)
    open = point
    return nil
  }

  private mutating func close() -> TrackPoints.Found? {
    guard var closed = open else { return nil }
    open = nil
    field = nil
    // A pause of a TCX recorder has no position.
    if closed.latitude == nil, closed.longitude == nil { return nil }
    guard let latitude = closed.latitude, let longitude = closed.longitude,
      let position = Coordinate(latitude: latitude, longitude: longitude)
    else { return .damage(.badPoint) }
    closed.point.position = position
    return .point(closed.kind, closed.point)
  }

  private func kind(_ tag: XMLTokens.Tag) -> TrackPoint.Kind? {
    if isTCX { return tag.is("Trackpoint") ? .track : tag.is("CoursePoint") ? .waypoint : nil }
    return tag.is("trkpt") ? .track : tag.is("rtept") || tag.is("rpt") ? .route : tag.is("wpt") ? .waypoint : nil
  }
}
