/// PUBX,00, position, velocity and accuracies (u-blox M8 protocol).
package struct PUBX00: Hashable, Sendable {
  @Compact package var time: TimeOfDay?
  @Compact package var position: Coordinate?
  /// Altitude above the ellipsoid, metres.
  @Rounded package var altitudeHAE: Double?
  package var status: PUBXStatus?
  /// Estimated horizontal error, metres.
  @Rounded package var horizontalAccuracy: Double?
  /// Estimated vertical error, metres.
  @Rounded package var verticalAccuracy: Double?
  /// Speed over ground, m/s.
  @Compact package var speed: Double?
  /// Course over ground, degrees true, 0 ≤ course < 360.
  @Compact package var course: Double?
  /// Vertical velocity, m/s, down positive.
  @Rounded package var velocityDown: Double?
  /// Age of the corrections, seconds.
  @Rounded package var dgpsAge: Double?
  @Rounded package var hdop: Double?
  @Rounded package var vdop: Double?
  @Rounded package var tdop: Double?
  @Compact package var satellitesUsed: Int?
  package var deadReckoning: Bool?
  package var problems: SentenceProblems = []

  /// Minimum number of fields, including the message number.
  static let fieldCount = 20

  init(_ fields: some SentenceSource) {
    var field = fields.reader
    field.skip()
    time = field.time()
    position = field.position()
    altitudeHAE = field.rounded("altHAE", 4) { $0.signed(upTo: Thousandths.limit) }
    status = field.value("status", { .text($0.text) }, { $0.pubxStatus() })
    horizontalAccuracy = field.rounded("eph", 4) { $0.unsigned(upTo: Thousandths.limit) }
    verticalAccuracy = field.rounded("epv", 4) { $0.unsigned(upTo: Thousandths.limit) }
    speed = field.number("speed", 3) { $0.kilometresPerHour() }
    course = field.course("track")
    velocityDown = field.rounded("velD", 3) { $0.signed(upTo: FieldCursor.fastest) }
    dgpsAge = field.rounded("dgpsAge", 3) { $0.unsigned(upTo: Thousandths.limit) }
    hdop = field.rounded("hdop", 3) { $0.dilution() }
    vdop = field.rounded("vdop", 3) { $0.dilution() }
    tdop = field.rounded("tdop", 3) { $0.dilution() }
    satellitesUsed = field.integer("nSat", upTo: 255)
    field.skip()
    deadReckoning = field.value("deadReckoning", FieldValue.flag) { $0.integer(upTo: 1).map { $0 == 1 } }
    problems = field.problems
  }
}

extension SentenceReader {
  fileprivate mutating func rounded(
    _ name: StaticString, _ places: Int, _ fields: (inout FieldCursor) -> Double?
  ) -> Double? {
    number(name, places) { Thousandths(fields(&$0)).value }
  }
}

/// Navigation status of PUBX,00: two characters, packed big-endian.
package enum PUBXStatus: UInt16, Hashable, Sendable {
  case noFix = 0x4E46  // NF
  case deadReckoning = 0x4452  // DR, dead reckoning only
  case twoD = 0x4732  // G2, stand-alone, two-dimensional
  case threeD = 0x4733  // G3, stand-alone, three-dimensional
  case differentialTwoD = 0x4432  // D2, differential, two-dimensional
  case differentialThreeD = 0x4433  // D3, differential, three-dimensional
  case gnssDeadReckoning = 0x524B  // RK, GNSS combined with dead reckoning
  case timeOnly = 0x5454  // TT

  fileprivate var text: [UInt8] { [UInt8(rawValue >> 8), UInt8(rawValue & 0xFF)] }
}

extension FieldCursor {
  fileprivate mutating func pubxStatus() -> PUBXStatus? {
    let field = next()
    if field.count == 0 { return nil }
    guard field.count == 2, let status = PUBXStatus(rawValue: UInt16(field.start[0]) << 8 | UInt16(field.start[1]))
    else { return fail(field) }
    return status
  }
}

/// PSRFEPE, estimated errors (SiRF).
package struct PSRFEPE: Hashable, Sendable {
  @Compact package var time: TimeOfDay?
  package var status: RMCStatus?
  @Compact package var hdop: Double?
  /// Estimated horizontal position error, metres.
  @Compact package var horizontal: Double?
  /// Estimated vertical position error, metres.
  @Compact package var vertical: Double?
  /// Estimated horizontal velocity error, m/s.
  @Compact package var velocity: Double?
  /// Estimated heading error, degrees.
  @Compact package var heading: Double?
  package var problems: SentenceProblems = []

  static let fieldCount = 7

  init(_ fields: some SentenceSource) {
    var field = fields.reader
    time = field.time()
    status = field.letter("status")
    hdop = field.dilution("hdop")
    horizontal = field.unsigned("eph")
    vertical = field.unsigned("epv")
    velocity = field.unsigned("eps", 3)
    heading = field.unsigned("epd", upTo: 360)
    problems = field.problems
  }
}

/// PGRME, estimated position errors (Garmin).
package struct PGRME: Hashable, Sendable {
  /// Horizontal error, metres.
  @Compact package var horizontal: Double?
  /// Vertical error, metres.
  @Compact package var vertical: Double?
  /// Spherical error, metres.
  @Compact package var spherical: Double?
  package var problems: SentenceProblems = []

  static let fieldCount = 6

  init(_ fields: some SentenceSource) {
    var field = fields.reader
    horizontal = field.number("eph", 4) { $0.distance() }
    vertical = field.number("epv", 4) { $0.distance() }
    spherical = field.number("sep", 4) { $0.distance() }
    problems = field.problems
  }
}

extension FieldCursor {
  /// Unsigned metres, with an optional unit `M`.
  fileprivate mutating func distance() -> Double? {
    let value = unsigned()
    return unit(0x4D) ? value : nil
  }
}
