/// The position solution of one epoch. An unknown value is `nil`, never 0.
package struct Fix: Hashable, Sendable {
  // The short values last: together they take no more than one of the others.
  package var position: Coordinate
  /// UTC time of the epoch; `nil` when the receiver sent no date.
  @Compact package var measured: UTCInstant?
  /// The epoch's time of day; `nil` when no sentence carried one.
  @Compact package var timeOfDay: TimeOfDay?
  /// Monotonic time of the epoch's last byte.
  package var received: MonotonicInstant
  /// Metres, above mean sea level or above the ellipsoid.
  @Compact private var altitude: Double?
  /// Geoid above ellipsoid, metres.
  @Compact package var geoidSeparation: Double?
  /// Speed over ground, m/s.
  @Compact package var speed: Double?
  /// Course over ground, degrees from true north, 0 ≤ course < 360.
  @Compact package var course: Double?
  /// Vertical speed, m/s, upwards positive: the receiver's, or from two altitudes (`FixRates`).
  @Compact package var climb: Double?
  /// Direction that the receiver points to, degrees from true north, 0 ≤ heading < 360.
  @Compact package var heading: Double?
  /// Magnetic variation, degrees, east positive.
  @Compact package var magneticVariation: Double?
  /// 95 % radius of the horizontal position error, metres.
  @Compact package var horizontalAccuracy: Double?
  /// 95 % error of the altitude, metres.
  @Compact package var verticalAccuracy: Double?
  /// 95 % errors along the meridian and the parallel, metres.
  @Compact package var latitudeError: Double?
  @Compact package var longitudeError: Double?
  /// 95 % error of the speed, m/s.
  @Compact package var speedAccuracy: Double?
  /// 95 % error of the course, degrees: the receiver's, or from two positions (`FixRates`).
  @Compact package var courseAccuracy: Double?
  /// 95 % error of the time, seconds, as the receiver states it.
  @Compact package var timeAccuracy: Double?
  @Compact package var hdop: Double?
  @Compact package var vdop: Double?
  @Compact package var pdop: Double?
  /// Age of the differential corrections, seconds.
  @Compact package var dgpsAge: Double?
  @Compact package var dgpsStation: Int?
  @Compact package var satellitesUsed: Int?
  package var mode: FixMode
  package var status: FixStatus
  /// What the errors of position and altitude follow from, if known.
  package var horizontalBasis: ErrorBasis?
  package var verticalBasis: ErrorBasis?
  package var isCourseAccuracyDerived = false
  private var isAboveEllipsoid = false

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

  /// Altitude above mean sea level, metres.
  package var altitudeMSL: Double? {
    get { isAboveEllipsoid ? nil : altitude }
    set { (altitude, isAboveEllipsoid) = (newValue, false) }
  }

  /// Altitude above the ellipsoid, metres, by the geoid separation. Set where the one above mean sea level is unknown.
  package var altitudeHAE: Double? {
    get {
      guard !isAboveEllipsoid, let altitude else { return altitude }
      return geoidSeparation.map { altitude + $0 }
    }
    set { (altitude, isAboveEllipsoid) = (newValue, newValue != nil) }
  }

  /// Takes an altitude above the ellipsoid for what it lacks of the other two.
  package mutating func complete(altitudeHAE: Double?) {
    guard let altitudeHAE else { return }
    geoidSeparation = geoidSeparation ?? altitudeMSL.map { altitudeHAE - $0 }
    altitudeMSL = altitudeMSL ?? geoidSeparation.map { altitudeHAE - $0 }
    if altitudeMSL == nil { self.altitudeHAE = altitudeHAE }
  }

  /// Whether it only continues the way, and nothing says how far that may be wrong: it decides nothing that lasts.
  package var isExtrapolated: Bool { status == .deadReckoning && horizontalAccuracy == nil }
}

package enum ErrorBasis: UInt8, Hashable, Sendable {
  /// The receiver's standard deviations in UBX messages.
  case ubx
  /// The receiver's statistics (GST).
  case gst
  /// A proprietary sentence: PUBX,00, PSRFEPE or PGRME.
  case proprietary
  /// A dilution of precision times a range error.
  case dilution
}

/// Dimensions of a fix; the raw values are gpsd's `mode`.
public enum FixMode: Int, Hashable, Comparable, Codable, Sendable {
  /// Position without a reliable altitude.
  case twoD = 2
  /// Position and altitude.
  case threeD = 3

  /// Orders by dimensions.
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// Method of a fix; the raw values are gpsd's `status` (gpsd_json(5)).
public enum FixStatus: Int, Hashable, Codable, Sendable {
  /// Autonomous GNSS.
  case normal = 1
  /// Differential or SBAS-corrected.
  case dgps = 2
  /// Real-time kinematic, integer ambiguities.
  case rtkFixed = 3
  /// Real-time kinematic, float ambiguities.
  case rtkFloat = 4
  /// Dead reckoning: estimated without satellites.
  case deadReckoning = 5
  /// GNSS combined with dead reckoning.
  case gnssDeadReckoning = 6
  /// Surveyed or entered manually.
  case surveyed = 7
  /// Simulated by the receiver.
  case simulated = 8
  /// Precise positioning service (military code).
  case pps = 9
}

enum SolutionStatus: Equatable {
  case unstated
  case void
  case valid(FixStatus)

  /// The worse status of two of one epoch; an estimate is worse than a measurement. Else the more specific first.
  func worse(_ other: SolutionStatus) -> SolutionStatus {
    switch (self, other) {
    case (.void, _), (_, .void): .void
    case (.unstated, _): other
    case (_, .unstated): self
    case (.valid, .valid(.deadReckoning)): other
    case (.valid, .valid): self
    }
  }
}

/// Identifies a source of the engine for as long as it runs: a configured one, or one of the sources of its recording.
package struct SourceID: Hashable, Sendable, ExpressibleByIntegerLiteral {
  /// Number of the configured source, from 0; never reused.
  package let configured: Int32
  /// Number of the source within its recording, from 0.
  package let recorded: Int32

  package init(configured: Int32, recorded: Int32 = 0) {
    self.configured = configured
    self.recorded = recorded
  }

  package init(integerLiteral value: Int32) { self.init(configured: value) }
}

package struct PublishedFix: Hashable, Sendable {
  package var fix: Fix
  /// Consecutive number since the daemon started, from 1.
  package var seq: UInt64
  package var source: SourceID
  package var changes: FixChanges
  /// Its age when it was published, if it arrived late.
  package var age: Duration?
  /// Curvature of the course ahead, 1/km to the right, in hundredths as on the wire; `nil` unless the rider is on it.
  @Compact package var bend: Double?
  package var sensed = SensedValues()

  package init(fix: Fix, seq: UInt64, source: SourceID, changes: FixChanges = []) {
    self.fix = fix
    self.seq = seq
    self.source = source
    self.changes = changes
  }
}

/// Changes that a fix brings in the whole stream, independent of subscribers.
package struct FixChanges: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The rider stopped, once per stop, see ``ChangeDetector``.
  package static let stopped = FixChanges(rawValue: 1 << 0)
  package static let started = FixChanges(rawValue: 1 << 1)
  /// Change between 2D and 3D, debounced over two epochs.
  package static let mode = FixChanges(rawValue: 1 << 2)
  /// First fix after a change of the leading source.
  package static let source = FixChanges(rawValue: 1 << 3)
  /// First fix after a loss, or after the receiver's clock was set back.
  package static let regained = FixChanges(rawValue: 1 << 4)
  /// The position jumped implausibly, and was accepted nevertheless.
  package static let suspect = FixChanges(rawValue: 1 << 5)
}
