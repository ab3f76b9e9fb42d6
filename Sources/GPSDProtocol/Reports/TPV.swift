import LocationCore

/// Time, position, velocity of one epoch as it came over the wire (gpsd's class `TPV`). Which field means what: `gpsd_json(5)`.
public struct TPV: Hashable, Sendable, Decodable {
  /// Path of the device.
  public var device: String?
  /// 0 or 1 no fix, 2 or 3.
  public var mode: Int
  /// 1 plain, 2 differential, 3 and 4 RTK, 5 and 6 dead reckoning …
  public var status: Int?
  /// UTC of the epoch.
  public var time: UTCInstant?
  /// Latitude, degrees.
  public var lat: Double?
  /// Longitude, degrees.
  public var lon: Double?
  /// Altitude above the ellipsoid, metres.
  public var altHAE: Double?
  /// Altitude above mean sea level, metres.
  public var altMSL: Double?
  /// 95 % error along the parallel, metres.
  public var epx: Double?
  /// 95 % error along the meridian, metres.
  public var epy: Double?
  /// 95 % error of the altitude, metres.
  public var epv: Double?
  /// 95 % radius of the horizontal error, metres.
  public var eph: Double?
  /// Course over ground, degrees from true north.
  public var track: Double?
  /// Magnetic variation, degrees, east positive.
  public var magvar: Double?
  /// Speed over ground, m/s.
  public var speed: Double?
  /// 95 % error of the speed, m/s.
  public var eps: Double?
  /// Geoid above ellipsoid, metres.
  public var geoidSep: Double?
  /// Age of the differential corrections, seconds.
  public var dgpsAge: Double?
  /// Differential reference station.
  public var dgpsSta: Int?
  /// Number of the fix since the daemon started.
  public var seq: UInt64?
  /// Why it was delivered.
  public var reason: String?
  /// Seconds since it was received, in a snapshot.
  public var age: Double?
  /// Name of the source.
  public var source: String?
  /// Whether the fix was held as a jump before it was accepted.
  public var suspect: Bool?
}
