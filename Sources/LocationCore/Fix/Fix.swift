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

/// How many dimensions a fix has; the raw values are gpsd's `mode`.
public enum FixMode: Int, Hashable, Comparable, Sendable {
  /// Position without a trustworthy altitude.
  case twoD = 2
  /// Position and altitude.
  case threeD = 3

  /// Orders by dimensions.
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// How a fix was made; the raw values are gpsd's `status` (gpsd_json(5)).
public enum FixStatus: Int, Hashable, Sendable {
  /// Autonomous GNSS.
  case normal = 1
  /// Differential or SBAS corrected.
  case dgps = 2
  /// Real-time kinematic, integer ambiguities.
  case rtkFixed = 3
  /// Real-time kinematic, float ambiguities.
  case rtkFloat = 4
  /// Dead reckoning: estimated without satellites.
  case deadReckoning = 5
  /// GNSS combined with dead reckoning.
  case gnssDeadReckoning = 6
  /// Surveyed-in or entered by hand.
  case surveyed = 7
  /// Simulated by the receiver.
  case simulated = 8
  /// Military code, precise positioning service.
  case pps = 9
}

/// A judged fix as it goes to subscribers: numbered, with its source and what just changed.
package struct PublishedFix: Hashable, Sendable {
  /// The fix.
  package var fix: Fix
  /// Number of this fix since the daemon started, from 1, without holes.
  package var seq: UInt64
  /// Index of the source in the configured order.
  package var source: Int
  /// What makes this fix pass a distance filter whatever the distance.
  package var changes: FixChanges

  /// A published fix.
  package init(fix: Fix, seq: UInt64, source: Int, changes: FixChanges = []) {
    self.fix = fix
    self.seq = seq
    self.source = source
    self.changes = changes
  }
}

/// What changed with a fix, seen over the whole stream and not by one subscriber.
package struct FixChanges: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// The rider came to a stop: speed < 0.5 m/s for 2 s; once per stop.
  package static let stopped = FixChanges(rawValue: 1 << 0)
  /// The rider started after a stop.
  package static let started = FixChanges(rawValue: 1 << 1)
  /// 2D ↔ 3D, debounced over two epochs.
  package static let mode = FixChanges(rawValue: 1 << 2)
  /// First fix after another source took the lead.
  package static let source = FixChanges(rawValue: 1 << 3)
  /// First fix after a loss.
  package static let regained = FixChanges(rawValue: 1 << 4)
  /// The fix was held as suspect and then accepted.
  package static let suspect = FixChanges(rawValue: 1 << 5)
}
