/// PSTI,030, recommended minimum with three-dimensional velocity (SkyTraq).
package struct PSTI030: Hashable, Sendable {
  /// UTC time of day.
  @Compact package var time: TimeOfDay?
  /// A valid, V void.
  package var status: RMCStatus?
  /// Position; `nil` unless both coordinates are complete and in range.
  @Compact package var position: Coordinate?
  /// Metres above mean sea level.
  @Compact package var altitudeMSL: Double?
  /// Velocity to the east, m/s.
  @Compact package var velocityEast: Double?
  /// Velocity to the north, m/s.
  @Compact package var velocityNorth: Double?
  /// Velocity upwards, m/s.
  @Compact package var velocityUp: Double?
  /// UTC date.
  @Compact package var date: CalendarDate?
  /// Mode letter.
  package var mode: PositioningMode?
  /// Age of the corrections, seconds.
  @Compact package var rtkAge: Double?
  /// Ratio factor of the ambiguity validation.
  @Compact package var rtkRatio: Double?
  /// Malformed or out-of-range fields.
  package var problems: SentenceProblems
}

extension PSTI030 {
  /// Minimum number of fields, including the message number.
  static let fieldCount = 13

  init(_ fields: SentenceFields) {
    var field = FieldCursor(fields)
    field.skip()
    time = field.time()
    status = field.letter()
    position = field.position()
    altitudeMSL = field.signed()
    velocityEast = field.signed(upTo: FieldCursor.fastest)
    velocityNorth = field.signed(upTo: FieldCursor.fastest)
    velocityUp = field.signed(upTo: FieldCursor.fastest)
    date = field.date()
    mode = field.letter()
    rtkAge = field.unsigned()
    rtkRatio = field.unsigned()
    problems = field.problems
  }
}

/// PSRFEPE, estimated errors (SiRF).
package struct PSRFEPE: Hashable, Sendable {
  /// UTC time of day.
  @Compact package var time: TimeOfDay?
  /// A valid, V void.
  package var status: RMCStatus?
  /// Horizontal dilution of precision.
  @Compact package var hdop: Double?
  /// Estimated horizontal position error, metres.
  @Compact package var horizontal: Double?
  /// Estimated vertical position error, metres.
  @Compact package var vertical: Double?
  /// Estimated horizontal velocity error, m/s.
  @Compact package var velocity: Double?
  /// Estimated heading error, degrees.
  @Compact package var heading: Double?
  /// Malformed or out-of-range fields.
  package var problems: SentenceProblems
}

extension PSRFEPE {
  /// Minimum number of fields.
  static let fieldCount = 7

  init(_ fields: SentenceFields) {
    var field = FieldCursor(fields)
    time = field.time()
    status = field.letter()
    hdop = field.dilution()
    horizontal = field.unsigned()
    vertical = field.unsigned()
    velocity = field.unsigned()
    heading = field.unsigned(upTo: 360)
    problems = field.problems
  }
}

/// PMTK and three digits, status messages of a MediaTek receiver.
package struct PMTK: Hashable, Sendable {
  /// Packet number, the last three digits of the address.
  @Compact package var packet: Int?
  /// Packet 001, acknowledgement: the acknowledged command.
  @Compact package var command: Int?
  /// Packet 001: 0 invalid, 1 unsupported, 2 failed, 3 done.
  @Compact package var result: Int?
  /// Packet 010, system message: 0 unknown, 1 start-up, 2 notification, 3 normal.
  @Compact package var message: Int?
  /// Malformed or out-of-range fields.
  package var problems: SentenceProblems
}

extension PMTK {
  /// Minimum number of fields.
  static let fieldCount = 0

  init(_ fields: SentenceFields) {
    var field = FieldCursor(fields)
    let packet = field.addressNumber(after: 4)
    self.packet = packet
    command = packet == 1 ? field.integer(upTo: 999) : nil
    result = packet == 1 ? field.integer(upTo: 9) : nil
    message = packet == 10 ? field.integer(upTo: 999) : nil
    problems = field.problems
  }
}
