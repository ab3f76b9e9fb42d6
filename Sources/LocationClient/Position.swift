import GPSDProtocol
import LocationCore

/// One fix as it was delivered. A missing value is `nil`, never 0.
public struct Position: Hashable, Sendable {
  /// Where.
  public var coordinate: Coordinate
  /// 2D or 3D.
  public var mode: FixMode
  /// Autonomous, differential, estimated …; `nil` for a kind that this release does not know.
  public var status: FixStatus?
  /// UTC time of the epoch; `nil` when the receiver told no date.
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
  /// Number of the fix since the daemon started; `nil` from a daemon that does not count.
  public var seq: UInt64?
  /// Why it was delivered: `first`, `moved`, `stopped`, `started`, `mode`, `source`, `regained`, `heartbeat`, `requested`, `snapshot`.
  public var reason: String?
  /// Seconds since it was received, when it is not new.
  public var age: Double?
  /// Name of the source.
  public var source: String?
  /// Path of the device.
  public var device: String?
  /// Whether it was held as a jump before it was accepted.
  public var isSuspect: Bool

  /// The position in a report, or `nil` when there was no fix.
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
    reason = tpv.reason
    age = tpv.age
    source = tpv.source
    device = tpv.device
    isSuspect = tpv.suspect ?? false
  }
}
