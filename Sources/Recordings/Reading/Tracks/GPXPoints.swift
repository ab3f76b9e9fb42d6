import GPSDProtocol
import LocationCore

/// A reader of the points of a GPX document: each `<trkpt>`, `<rtept>`, `<wpt>`, and Garmin's `<rpt>` between two of a
/// route. Unknown elements are ignored, a point without coordinates is damage.
struct GPXPoints: Sendable {
  /// An element of a point.
  private struct Field: Sendable {
    let name: StaticString
    /// GPX 1.0 has some in the point, later files in various extensions.
    var isAnywhere = false
    let set: @Sendable (inout TrackPoint, XMLValue) -> Void
  }

  private static let fields: [Field] = [
    Field(name: "time") { $0.time = UTCInstant(iso8601: $1.text) }, Field(name: "ele") { $0.altitude = $1.number },
    Field(name: "name") { $0.name = $1.characters },
    Field(name: "desc") { $0.comment = $0.comment ?? $1.characters },
    Field(name: "cmt") { $0.comment = $0.comment ?? $1.characters },
    Field(name: "type") { $0.kind = $0.kind ?? $1.characters },
    Field(name: "sym") { $0.kind = $0.kind ?? $1.characters },
    Field(name: "fix") { $0.isVoid = $1.text.elementsEqual("none".utf8) },
    Field(name: "speed", isAnywhere: true) { $0.speed = $1.number },
    Field(name: "course", isAnywhere: true) {
      $0.course = $1.number.flatMap { (0...360).contains($0) ? $0 == 360 ? 0 : $0 : nil }
    },
  ]

  private struct Open {
    let kind: TrackPoint.Kind
    /// `nil` without valid coordinates.
    var point: TrackPoint?
    /// Number of open elements within.
    var depth = 0
  }

  private var open: Open?
  /// Whether the next point is the first of a segment or a route.
  private var isPieceNew = false
  private var field: Field?
  private var value = XMLValue()

  /// Whether a point is not complete.
  var isOpen: Bool { open != nil }

  /// Reads the next token; returns the point that it completes.
  mutating func take(_ token: XMLTokens.Token) -> TrackPoints.Found? {
    switch token {
    case .start(let tag): return start(tag)
    case .end(let tag): return end(tag)
    case .text(let part): if field != nil { value.append(part) }
    case .damage: break
    }
    return nil
  }

  private mutating func start(_ tag: XMLTokens.Tag) -> TrackPoints.Found? {
    if tag.is("trkseg") || tag.is("rte") { isPieceNew = true }
    if let kind = Self.kind(tag) {
      // The previous one was never closed.
      let before = close()
      let latitude = tag.attribute("lat").flatMap { Double(number: XMLValue.trimmed($0)) }
      let longitude = tag.attribute("lon").flatMap { Double(number: XMLValue.trimmed($0)) }
      let position = latitude.flatMap { latitude in longitude.flatMap { Coordinate(latitude: latitude, longitude: $0) }
      }
      open = Open(kind: kind, point: position.map { TrackPoint(position: $0) })
      if kind != .waypoint {
        open?.point?.beginsPiece = isPieceNew
        isPieceNew = false
      }
      return tag.isEmpty ? before ?? close() : before
    }
    guard let depth = open?.depth, !tag.isEmpty else { return nil }
    open?.depth = depth + 1
    value.clear()
    field = Self.fields.first { tag.is($0.name) && (depth == 0 || $0.isAnywhere) }
    return nil
  }

  private mutating func end(_ tag: XMLTokens.Tag) -> TrackPoints.Found? {
    guard open != nil else { return nil }
    if Self.kind(tag) != nil { return close() }
    if let field, var point = open?.point, value.isComplete {
      field.set(&point, value)
      open?.point = point
    }
    field = nil
    if let depth = open?.depth, depth > 0 { open?.depth = depth - 1 }
    return nil
  }

  private mutating func close() -> TrackPoints.Found? {
    guard let closed = open else { return nil }
    open = nil
    field = nil
    return closed.point.map { .point(closed.kind, $0) } ?? .damage(.badPoint)
  }

  private static func kind(_ tag: XMLTokens.Tag) -> TrackPoint.Kind? {
    tag.is("trkpt") ? .track : tag.is("rtept") || tag.is("rpt") ? .route : tag.is("wpt") ? .waypoint : nil
  }
}
