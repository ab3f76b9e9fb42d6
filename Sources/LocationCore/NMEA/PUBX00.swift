/// PUBX,00, position, velocity and accuracies (u-blox M8 protocol). What the wire gives to three decimals is kept to three.
package struct PUBX00: Hashable, Sendable {
  /// UTC time of day.
  @Compact package var time: TimeOfDay?
  /// Latitude and longitude; `nil` unless both are whole and in range.
  @Compact package var position: Coordinate?
  /// Altitude above the ellipsoid, metres.
  @Rounded package var altitudeHAE: Double?
  /// How the position was made.
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
  /// Horizontal dilution of precision.
  @Rounded package var hdop: Double?
  /// Vertical dilution of precision.
  @Rounded package var vdop: Double?
  /// Time dilution of precision.
  @Rounded package var tdop: Double?
  /// Satellites in use.
  @Compact package var satellitesUsed: Int?
  /// Whether dead reckoning is in use.
  package var deadReckoning: Bool?
  /// The fields that were present and malformed or out of range.
  package var problems: SentenceProblems
}

extension PUBX00 {
  /// Fewest fields on the wire, the message number included.
  static let fieldCount = 20

  init(_ fields: SentenceFields) {
    var field = FieldCursor(fields)
    field.skip()
    time = field.time()
    position = field.position()
    altitudeHAE = field.signed(upTo: Thousandths.limit)
    status = field.pubxStatus()
    horizontalAccuracy = field.unsigned(upTo: Thousandths.limit)
    verticalAccuracy = field.unsigned(upTo: Thousandths.limit)
    speed = field.kilometresPerHour()
    course = field.course()
    velocityDown = field.signed(upTo: FieldCursor.fastest)
    dgpsAge = field.unsigned(upTo: Thousandths.limit)
    hdop = field.dilution()
    vdop = field.dilution()
    tdop = field.dilution()
    satellitesUsed = field.integer(upTo: 255)
    field.skip()
    deadReckoning = field.integer(upTo: 1).map { $0 == 1 }
    problems = field.problems
  }
}
