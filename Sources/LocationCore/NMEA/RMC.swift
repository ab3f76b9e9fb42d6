/// RMC, recommended minimum navigation information (NMEA 0183 v4.11).
package struct RMC: Hashable, Sendable {
  @Compact package var time: TimeOfDay?
  package var status: RMCStatus?
  @Compact package var position: Coordinate?
  /// Speed over ground, m/s.
  @Compact package var speed: Double?
  /// Course over ground, degrees true, 0 ≤ course < 360.
  @Compact package var course: Double?
  /// UTC date; two-digit years pivot at 80.
  @Compact package var date: CalendarDate?
  /// Degrees, east positive.
  @Compact package var magneticVariation: Double?
  package var mode: PositioningMode?
  package var problems: SentenceProblems = []

  package init() {}

  @inline(never) init(_ fields: some SentenceSource) {
    var field = fields.reader
    time = field.time()
    status = field.letter("status")
    position = field.position()
    speed = field.number("speed", 3) { $0.knots() }
    course = field.course("track")
    date = field.date()
    magneticVariation = field.number("magvar", 4) { $0.variation() }
    mode = field.letter("mode")
    field.letter("navStatus", NavStatus.self)
    problems = field.problems
  }
}

/// GLL, geographic position.
package struct GLL: Hashable, Sendable {
  @Compact package var position: Coordinate?
  @Compact package var time: TimeOfDay?
  package var status: RMCStatus?
  package var mode: PositioningMode?
  package var problems: SentenceProblems = []

  package init() {}

  @inline(never) init(_ fields: some SentenceSource) {
    var field = fields.reader
    position = field.position()
    time = field.time()
    status = field.letter("status")
    mode = field.letter("mode")
    problems = field.problems
  }
}

package enum RMCStatus: UInt8, Hashable, Sendable {
  case valid = 0x41  // A
  case void = 0x56  // V, void: navigation receiver warning
  case differential = 0x44  // D, valid and differential; Unicore receivers only
}

/// Mode letter of RMC, GLL, VTG and GNS. Letters outside the standard become `nil`, and the status decides.
package enum PositioningMode: UInt8, Hashable, Sendable {
  case notValid = 0x4E  // N
  case autonomous = 0x41  // A
  case differential = 0x44  // D, differential or SBAS
  case estimated = 0x45  // E, estimated: dead reckoning
  case floatRTK = 0x46  // F, real-time kinematic with float ambiguities
  case rtk = 0x52  // R, real-time kinematic with integer ambiguities
  case precise = 0x50  // P
  case manual = 0x4D  // M
  case simulator = 0x53  // S
}

/// Navigational status of RMC and GNS, NMEA 4.1. V does not invalidate a fix: the receiver provides no such status.
enum NavStatus: UInt8, Hashable, Sendable {
  case safe = 0x53  // S
  case caution = 0x43  // C
  case unsafe = 0x55  // U
  case notProvided = 0x56  // V
}
