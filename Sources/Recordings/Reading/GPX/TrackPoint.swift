import GPSDProtocol
import LocationCore

/// A point of a GPX file: a `<trkpt>`, `<rtept>` or `<wpt>`, or one of Garmin's `<rpt>` between two of a route.
package struct TrackPoint: Hashable, Sendable {
  package var position: Coordinate
  var time: UTCInstant?
  /// Altitude above mean sea level, metres, if known.
  package var altitude: Double?
  /// What a planner calls it, says about it, and what it is: `<name>`, the first of `<desc>` and `<cmt>`, of `<type>` and
  /// `<sym>`.
  package var name: String?
  package var comment: String?
  package var kind: String?
  /// Speed over ground, m/s, from an extension.
  var speed: Double?
  /// Course over ground, degrees from true north, from an extension.
  var course: Double?
  /// Whether the receiver had no fix: `<fix>none</fix>`.
  var isVoid = false

  /// The point as a line of gpsd, a TPV. Unlike sentences it keeps every digit of the file, and needs no time.
  var report: [UInt8] {
    var line = Array(#"{"class":"TPV","device":"gpx","mode":"#.utf8)
    line.append(contentsOf: (isVoid ? "1" : altitude == nil ? "2" : "3").utf8)
    if let time {
      line.append(contentsOf: #","time":""#.utf8)
      time.write(into: &line)
      line.append(UInt8(ascii: "\""))
    }
    for (name, value) in [
      ("lat", position.latitude), ("lon", position.longitude), ("altMSL", altitude), ("track", course),
      ("speed", speed),
    ] {
      guard let value else { continue }
      line.append(contentsOf: ",\"\(name)\":\(value)".utf8)
    }
    line.append(contentsOf: "}\n".utf8)
    return line
  }
}

/// A reader of the points of a GPX document. Unknown elements are ignored, a point without coordinates is damage.
package struct TrackPointReader: Sendable {
  package enum Kind: Hashable, Sendable { case track, route, waypoint }

  package enum Found: Hashable, Sendable {
    case point(Kind, TrackPoint)
    case damage
  }

  private enum Field { case time, altitude, name, comment, kind, fix, speed, course }

  private struct Open {
    let kind: Kind
    /// `nil` without valid coordinates.
    var point: TrackPoint?
    /// Number of open elements within.
    var depth = 0
  }

  private static let altitudes = -1e5...1e7
  private static let longestValue = 256

  private var open: Open?
  private var field: Field?
  private var text: [UInt8] = []

  package init() {}

  /// Reads the next token; returns the point that it completes.
  package mutating func take(_ token: XMLTokens.Token) -> Found? {
    switch token {
    case .start(let tag): return start(tag)
    case .end(let tag): return end(tag)
    case .text(let part):
      if field != nil, text.count <= Self.longestValue { text.append(contentsOf: part.prefix(Self.longestValue + 1)) }
      return nil
    case .damage: return .damage
    }
  }

  /// Damage if the file ended within a point.
  package mutating func finish() -> Found? {
    defer { open = nil }
    return open == nil ? nil : .damage
  }

  private mutating func start(_ tag: XMLTokens.Tag) -> Found? {
    if let kind = Self.kind(tag) {
      // The previous one was never closed.
      let before = close()
      let latitude = tag.attribute("lat").flatMap { Double(value: $0) }
      let longitude = tag.attribute("lon").flatMap { Double(value: $0) }
      let position = latitude.flatMap { latitude in longitude.flatMap { Coordinate(latitude: latitude, longitude: $0) }
      }
      open = Open(kind: kind, point: position.map { TrackPoint(position: $0) })
      return tag.isEmpty ? before ?? close() : before
    }
    guard let depth = open?.depth, !tag.isEmpty else { return nil }
    open?.depth = depth + 1
    field = nil
    text.removeAll(keepingCapacity: true)
    if depth == 0 {
      if tag.is("time") { field = .time }
      if tag.is("ele") { field = .altitude }
      if tag.is("name") { field = .name }
      if tag.is("desc") || tag.is("cmt") { field = .comment }
      if tag.is("type") || tag.is("sym") { field = .kind }
      if tag.is("fix") { field = .fix }
    }
    // GPX 1.0 has them in the point, later files in various extensions.
    if tag.is("speed") { field = .speed }
    if tag.is("course") { field = .course }
    return nil
  }

  private mutating func end(_ tag: XMLTokens.Tag) -> Found? {
    guard open != nil else { return nil }
    if Self.kind(tag) != nil { return close() }
    if let field {
      assign(field)
      self.field = nil
    }
    if let depth = open?.depth, depth > 0 { open?.depth = depth - 1 }
    return nil
  }

  private mutating func assign(_ field: Field) {
    guard var point = open?.point, text.count <= Self.longestValue else { return }
    switch field {
    case .time: point.time = UTCInstant(iso8601: Self.trimmed(text[...]))
    case .altitude: point.altitude = value(in: Self.altitudes)
    case .name: point.name = XMLTokens.characters(Self.trimmed(text[...]))
    case .comment: point.comment = point.comment ?? XMLTokens.characters(Self.trimmed(text[...]))
    case .kind: point.kind = point.kind ?? XMLTokens.characters(Self.trimmed(text[...]))
    case .fix: point.isVoid = Self.trimmed(text[...]).elementsEqual("none".utf8)
    case .speed: point.speed = value(in: 0...1e4)
    case .course: point.course = value(in: 0...360).map { $0 == 360 ? 0 : $0 }
    }
    open?.point = point
  }

  private func value(in range: ClosedRange<Double>) -> Double? {
    Double(value: text[...]).flatMap { range.contains($0) ? $0 : nil }
  }

  private mutating func close() -> Found? {
    guard let closed = open else { return nil }
    open = nil
    field = nil
    return closed.point.map { .point(closed.kind, $0) } ?? .damage
  }

  private static func kind(_ tag: XMLTokens.Tag) -> Kind? {
    tag.is("trkpt") ? .track : tag.is("rtept") || tag.is("rpt") ? .route : tag.is("wpt") ? .waypoint : nil
  }

  package static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let rest = text.drop(while: XMLTokens.isBlank)
    guard let last = rest.lastIndex(where: { !XMLTokens.isBlank($0) }) else { return [] }
    return rest[...last]
  }
}

extension Double {
  /// The number in an attribute or element, surrounding blanks allowed.
  fileprivate init?(value: ArraySlice<UInt8>) { self.init(number: TrackPointReader.trimmed(value)) }
}
