import GPSDProtocol
import LocationCore

/// A point of a track, a route or a course, or a named place beside it.
package struct TrackPoint: Hashable, Sendable {
  package enum Kind: Hashable, Sendable { case track, route, waypoint }

  private static let altitudes = -1e5...1e7
  private static let speeds = 0...1e4

  package var position: Coordinate
  package var time: UTCInstant?
  /// Altitude above mean sea level, metres, if known.
  package var altitude: Double? { didSet { if altitude.map(Self.altitudes.contains) == false { altitude = nil } } }
  /// Name, description and kind, as the planner wrote them.
  package var name: String?
  package var comment: String?
  package var kind: String?
  /// Speed over ground, m/s.
  var speed: Double? { didSet { if speed.map(Self.speeds.contains) == false { speed = nil } } }
  /// Course over ground, degrees from true north.
  var course: Double?
  /// Whether a track, a segment of one or a route begins with it.
  package internal(set) var beginsPiece = false
  /// Whether the receiver had no fix.
  var isVoid = false

  /// The point as a line of gpsd, a TPV.
  func report(of format: TrackFormat) -> [UInt8] {
    var line = Array("{\"class\":\"TPV\",\"device\":\"\(format.rawValue)\",\"mode\":".utf8)
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

/// A format of files that hold points instead of what a receiver sent.
package enum TrackFormat: String, Hashable, Sendable {
  case gpx, tcx, fit
}
