import GPSDProtocol
import LocationCore

/// One point of a GPX file: a `<trkpt>`, `<rtept>` or `<wpt>`.
struct TrackPoint: Hashable, Sendable {
  /// Where.
  var position: Coordinate
  /// UTC; `nil` when the file does not tell.
  var time: UTCInstant?
  /// Altitude above mean sea level, metres.
  var altitude: Double?
  /// Speed over ground, m/s, where an extension tells it.
  var speed: Double?
  /// Course over ground, degrees from true north, where an extension tells it.
  var course: Double?
  /// Whether the receiver had no fix there: `<fix>none</fix>`.
  var isVoid = false

  /// The point as gpsd would report it, one line with its end.
  ///
  /// A report and not sentences: it holds every digit of the file, and a point without a time.
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
