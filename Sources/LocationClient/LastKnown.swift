import GPSDProtocol
import LocationCore

/// Where the rider was when a fix was last had: told with an error, never as a new position.
public struct LastKnown: Hashable, Sendable {
  /// Where.
  public var coordinate: Coordinate
  /// Seconds since that fix was received.
  public var age: Double
  /// UTC time of that fix.
  public var time: UTCInstant?
  /// 95 % radius of its horizontal error, metres.
  public var horizontalAccuracy: Double?
  /// Its number.
  public var seq: UInt64?
  /// Name of its source.
  public var source: String?

  /// The last known position in an error, or `nil` when it carries none.
  package init?(_ report: ErrorReport) {
    guard let latitude = report.lat, let longitude = report.lon, let age = report.age,
      let coordinate = Coordinate(latitude: latitude, longitude: longitude)
    else { return nil }
    self.coordinate = coordinate
    self.age = age
    time = report.time
    horizontalAccuracy = report.eph
    seq = report.seq
    source = report.source
  }
}
