/// The position solution of one epoch. A missing value is `nil`, never 0.
package struct Fix: Hashable, Sendable {
  /// Where.
  package var position: Coordinate
  /// 2D or 3D.
  package var mode: FixMode
  /// Autonomous, differential, estimated …
  package var status: FixStatus
  /// UTC time of the epoch; `nil` when the receiver told no date.
  @Compact package var measured: UTCInstant?
  /// The epoch's time of day; `nil` when no sentence carried one.
  @Compact package var timeOfDay: TimeOfDay?
  /// Monotonic instant of the epoch's last byte.
  package var received: MonotonicInstant

  /// Altitude above mean sea level, metres.
  @Compact package var altitudeMSL: Double?
  /// Geoid above ellipsoid, metres.
  @Compact package var geoidSeparation: Double?
  /// Speed over ground, m/s.
  @Compact package var speed: Double?
  /// Course over ground, degrees from true north, 0 ≤ course < 360.
  @Compact package var course: Double?
  /// Magnetic variation, degrees, east positive.
  @Compact package var magneticVariation: Double?

  /// 95 % radius of the horizontal position error, metres.
  @Compact package var horizontalAccuracy: Double?
  /// 95 % error of the altitude, metres.
  @Compact package var verticalAccuracy: Double?
  /// 95 % error along the meridian, metres.
  @Compact package var latitudeError: Double?
  /// 95 % error along the parallel, metres.
  @Compact package var longitudeError: Double?
  /// 95 % error of the speed, m/s.
  @Compact package var speedAccuracy: Double?

  /// Horizontal dilution of precision.
  @Compact package var hdop: Double?
  /// Vertical dilution of precision.
  @Compact package var vdop: Double?
  /// Position dilution of precision.
  @Compact package var pdop: Double?
  /// Satellites used in the solution.
  @Compact package var satellitesUsed: Int?
  /// Age of the differential corrections, seconds.
  @Compact package var dgpsAge: Double?
  /// Differential reference station.
  @Compact package var dgpsStation: Int?

  /// A fix with nothing but the values that every fix has.
  package init(
    position: Coordinate, mode: FixMode, status: FixStatus = .normal, measured: UTCInstant? = nil,
    timeOfDay: TimeOfDay? = nil, received: MonotonicInstant
  ) {
    self.position = position
    self.mode = mode
    self.status = status
    self.measured = measured
    self.timeOfDay = timeOfDay
    self.received = received
  }

  /// Altitude above the ellipsoid, metres; needs the geoid separation.
  package var altitudeHAE: Double? {
    guard let altitudeMSL, let geoidSeparation else { return nil }
    return altitudeMSL + geoidSeparation
  }
}
