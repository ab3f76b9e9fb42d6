/// RMC, recommended minimum navigation information (NMEA 0183 v4.11).
package struct RMC: Hashable, Sendable {
  /// UTC time of day.
  @Compact package var time: TimeOfDay?
  /// A valid, V void, D differential (Unicore).
  package var status: RMCStatus?
  /// Position; `nil` unless both coordinates are complete and in range.
  @Compact package var position: Coordinate?
  /// Speed over ground, m/s.
  @Compact package var speed: Double?
  /// Course over ground, degrees true, 0 ≤ course < 360.
  @Compact package var course: Double?
  /// UTC date; two-digit years pivot at 80.
  @Compact package var date: CalendarDate?
  /// Degrees, east positive.
  @Compact package var magneticVariation: Double?
  /// Mode letter, from NMEA 2.3.
  package var mode: PositioningMode?
  /// Navigational status, from NMEA 4.1.
  package var navStatus: NavStatus?
  /// Malformed or out-of-range fields.
  package var problems: SentenceProblems

  package init() {
    problems = []
  }
}

extension RMC {
  /// Minimum number of fields.
  static let fieldCount = 11
  /// The problem of an unknown status letter.
  static let statusField = SentenceProblems(field: 2)

  @inline(never)
  init(_ fields: SentenceFields) {
    var field = FieldCursor(fields)
    time = field.time()
    status = field.letter()
    position = field.position()
    speed = field.knots()
    course = field.course()
    date = field.date()
    magneticVariation = field.variation()
    mode = field.letter()
    navStatus = field.letter()
    problems = field.problems
  }
}

/// GLL, geographic position.
package struct GLL: Hashable, Sendable {
  /// Position; `nil` unless both coordinates are complete and in range.
  @Compact package var position: Coordinate?
  /// UTC time of day.
  @Compact package var time: TimeOfDay?
  /// A valid, V void.
  package var status: RMCStatus?
  /// Mode letter, from NMEA 2.3.
  package var mode: PositioningMode?
  /// Malformed or out-of-range fields.
  package var problems: SentenceProblems

  package init() {
    problems = []
  }
}

extension GLL {
  /// Minimum number of fields.
  static let fieldCount = 6
  /// The problem of an unknown status letter.
  static let statusField = SentenceProblems(field: 6)

  @inline(never)
  init(_ fields: SentenceFields) {
    var field = FieldCursor(fields)
    position = field.position()
    time = field.time()
    status = field.letter()
    mode = field.letter()
    problems = field.problems
  }
}

/// Status letter of RMC and GLL.
package enum RMCStatus: UInt8, Hashable, Sendable {
  /// A, valid.
  case valid = 0x41
  /// V, void: navigation receiver warning.
  case void = 0x56
  /// D, valid and differential; Unicore receivers only.
  case differential = 0x44
}

/// Mode letter of RMC, GLL, VTG and GNS. Letters outside the standard become `nil`, and the status decides.
package enum PositioningMode: UInt8, Hashable, Sendable {
  /// N, no fix.
  case notValid = 0x4E
  /// A, autonomous.
  case autonomous = 0x41
  /// D, differential or SBAS.
  case differential = 0x44
  /// E, estimated: dead reckoning.
  case estimated = 0x45
  /// F, real-time kinematic with float ambiguities.
  case floatRTK = 0x46
  /// R, real-time kinematic with integer ambiguities.
  case rtk = 0x52
  /// P, precise.
  case precise = 0x50
  /// M, manual input.
  case manual = 0x4D
  /// S, simulator.
  case simulator = 0x53
}

/// Navigational status of RMC and GNS, NMEA 4.1. V does not invalidate a fix: it means that the receiver provides no
/// such status.
package enum NavStatus: UInt8, Hashable, Sendable {
  /// S, safe.
  case safe = 0x53
  /// C, caution.
  case caution = 0x43
  /// U, unsafe.
  case unsafe = 0x55
  /// V, not provided.
  case notProvided = 0x56
}
