import GPSDProtocol
import LocationCore

/// One delivered fix. A missing value is `nil`, never 0.
public struct Position: Hashable, Sendable {
  /// The place.
  public var coordinate: Coordinate
  /// 2D or 3D.
  public var mode: FixMode
  /// Autonomous, differential, estimated …; `nil` for a kind unknown to this release.
  public var status: FixStatus?
  /// UTC of the epoch; `nil` when the receiver sent no date.
  public var time: UTCInstant?
  /// Altitude above mean sea level, metres.
  public var altitudeMSL: Double?
  /// Altitude above the ellipsoid, metres.
  public var altitudeHAE: Double?
  /// Geoid above ellipsoid, metres.
  public var geoidSeparation: Double?
  /// Speed over ground, m/s.
  public var speed: Double?
  /// Course over ground, degrees from true north.
  public var course: Double?
  /// Magnetic variation, degrees, east positive.
  public var magneticVariation: Double?
  /// 95 % radius of the horizontal error, metres.
  public var horizontalAccuracy: Double?
  /// 95 % error of the altitude, metres.
  public var verticalAccuracy: Double?
  /// 95 % error of the speed, m/s.
  public var speedAccuracy: Double?
  /// Number of the fix since the daemon started; `nil` from a daemon that does not number fixes.
  public var seq: UInt64?
  /// Why it was delivered; `nil` for a reason unknown to this release.
  public var reason: DeliveryReason?
  /// Seconds since it was received, or should have been; `nil` for a new fix.
  public var age: Double?
  /// Name of the source.
  public var source: String?
  /// Path of the device.
  public var device: String?
  /// Whether it was held as a jump before it was accepted.
  public var isSuspect: Bool

  /// The position in a report; `nil` without a fix.
  package init?(_ tpv: TPV) {
    guard let mode = FixMode(rawValue: tpv.mode), let latitude = tpv.lat, let longitude = tpv.lon,
      let coordinate = Coordinate(latitude: latitude, longitude: longitude)
    else { return nil }
    self.coordinate = coordinate
    self.mode = mode
    status = tpv.status.flatMap(FixStatus.init)
    time = tpv.time
    altitudeMSL = tpv.altMSL
    altitudeHAE = tpv.altHAE
    geoidSeparation = tpv.geoidSep
    speed = tpv.speed
    course = tpv.track
    magneticVariation = tpv.magvar
    horizontalAccuracy = tpv.eph
    verticalAccuracy = tpv.epv
    speedAccuracy = tpv.eps
    seq = tpv.seq
    reason = tpv.reason.flatMap(DeliveryReason.init)
    age = tpv.age
    source = tpv.source
    device = tpv.device
    isSuspect = tpv.suspect ?? false
  }
}

/// The last known position. It is part of an error and never reported as a new position.
public struct LastKnown: Hashable, Sendable {
  /// The place.
  public var coordinate: Coordinate
  /// Seconds since that fix was received.
  public var age: Double
  /// UTC time of that fix.
  public var time: UTCInstant?
  /// 95 % radius of the horizontal error, metres.
  public var horizontalAccuracy: Double?
  /// Number of that fix.
  public var seq: UInt64?
  /// Name of the source.
  public var source: String?

  /// The last known position in an error; `nil` when it has none.
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
