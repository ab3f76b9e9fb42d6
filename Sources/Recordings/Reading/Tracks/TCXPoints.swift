import GPSDProtocol
import LocationCore

/// A reader of the points of a TCX document: the track points of its activities or courses, and its course points.
struct TCXPoints: Sendable {
  static let root = "TrainingCenterDatabase"

  private struct Open {
    var latitude, longitude, altitude, speed: Double?
    var time: UTCInstant?
    var name, notes, kind: String?
  }

  private var open: Open?
  private var value = XMLValue()

  /// Whether a point is not complete.
  var isOpen: Bool { open != nil }

  /// Reads the next token; returns the point that it completes.
  mutating func take(_ token: XMLTokens.Token) -> TrackPoints.Found? {
    switch token {
    case .start(let tag):
      if !tag.isEmpty, tag.is("Trackpoint") || tag.is("CoursePoint") { open = Open() }
      value.clear()
    case .text(let part): if open != nil { value.append(part) }
    case .end(let tag):
      guard !tag.is("Trackpoint"), !tag.is("CoursePoint") else { return close(tag) }
      if value.isComplete { assign(tag) }
      value.clear()
    case .damage: break
    }
    return nil
  }

  private mutating func assign(_ tag: XMLTokens.Tag) {
    // A number that is none is out of range.
    if tag.is("LatitudeDegrees") { open?.latitude = value.number ?? .nan }
    if tag.is("LongitudeDegrees") { open?.longitude = value.number ?? .nan }
    if tag.is("AltitudeMeters") { open?.altitude = value.number }
    if tag.is("Time") { open?.time = UTCInstant(iso8601: value.text) }
    if tag.is("Speed") { open?.speed = value.number }
    if tag.is("Name") { open?.name = value.characters }
    if tag.is("Notes") { open?.notes = value.characters }
    if tag.is("PointType") { open?.kind = value.characters }
  }

  private mutating func close(_ tag: XMLTokens.Tag) -> TrackPoints.Found? {
    guard let closed = open else { return nil }
    open = nil
    // A pause of the recorder has no position.
    if closed.latitude == nil, closed.longitude == nil { return nil }
    guard let latitude = closed.latitude, let longitude = closed.longitude,
      let position = Coordinate(latitude: latitude, longitude: longitude)
    else { return .damage(.badPoint) }
    var point = TrackPoint(position: position)
    (point.time, point.altitude, point.speed) = (closed.time, closed.altitude, closed.speed)
    (point.name, point.kind) = (closed.notes ?? closed.name, closed.kind)
    return .point(tag.is("Trackpoint") ? .track : .waypoint, point)
  }
}
