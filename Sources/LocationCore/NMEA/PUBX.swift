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

/// The navigation status of PUBX,00: two characters, packed as a number.
package enum PUBXStatus: UInt16, Hashable, Sendable {
  /// NF, no fix.
  case noFix = 0x4E46
  /// DR, dead reckoning only.
  case deadReckoning = 0x4452
  /// G2, stand-alone, two-dimensional.
  case twoD = 0x4732
  /// G3, stand-alone, three-dimensional.
  case threeD = 0x4733
  /// D2, differential, two-dimensional.
  case differentialTwoD = 0x4432
  /// D3, differential, three-dimensional.
  case differentialThreeD = 0x4433
  /// RK, GNSS combined with dead reckoning.
  case gnssDeadReckoning = 0x524B
  /// TT, time only.
  case timeOnly = 0x5454
}

extension FieldCursor {
  mutating func pubxStatus() -> PUBXStatus? {
    let field = next()
    if field.count == 0 { return nil }
    guard field.count == 2, let status = PUBXStatus(rawValue: UInt16(field.start[0]) << 8 | UInt16(field.start[1]))
    else { return fail(field) }
    return status
  }
}

/// PUBX,03, satellites (u-blox M8 protocol).
package struct PUBX03: Hashable, Sendable {
  /// How many satellites the sentence announces.
  @Compact package var total: Int?
  /// The fields that were present and malformed or out of range.
  package var problems: SentenceProblems
}

extension PUBX03 {
  /// Fewest fields on the wire, the message number included.
  static let fieldCount = 2

  init(_ fields: SentenceFields) {
    var field = FieldCursor(fields)
    field.skip()
    total = field.integer(upTo: 255)
    for _ in 0..<(field.count - 2) / 6 { _ = PUBXSatellite(&field) }
    problems = field.problems
  }

  /// The satellites among a PUBX,03's fields; slots without a number are left out.
  package static func satellites(in fields: SentenceFields) -> [PUBXSatellite] {
    var cursor = FieldCursor(fields)
    cursor.skip(2)
    var satellites: [PUBXSatellite] = []
    for _ in 0..<max(cursor.count - 2, 0) / 6 {
      let satellite = PUBXSatellite(&cursor)
      if satellite.number != nil { satellites.append(satellite) }
    }
    return satellites
  }
}

/// One satellite as PUBX,03 gives it.
package struct PUBXSatellite: Hashable, Sendable {
  /// Whether the solution uses it.
  package enum Use: UInt8, Hashable, Sendable {
    /// -, not used.
    case unused = 0x2D
    /// U, used.
    case used = 0x55
    /// e, not used, ephemeris at hand.
    case ephemeris = 0x65
  }

  /// The number in u-blox's numbering; 0 is none.
  package var number: Int?
  /// Whether it is used.
  package var use: Use?
  /// Degrees from true north, 0 ≤ azimuth < 360.
  package var azimuth: Double?
  /// Degrees above the horizon.
  package var elevation: Double?
  /// Carrier to noise density, dBHz; `nil` when not tracked.
  package var signal: Double?
  /// Seconds of continuous carrier lock, 64 for more.
  package var lock: Int?
}

extension PUBXSatellite {
  init(_ field: inout FieldCursor) {
    number = field.integer(upTo: 999).flatMap { $0 > 0 ? $0 : nil }
    use = field.letter()
    azimuth = field.course()
    elevation = field.signed(upTo: 90)
    signal = field.unsigned(upTo: 99)
    lock = field.integer(upTo: 255)
  }
}

/// PUBX,04, time of day and clock (u-blox M8 protocol).
package struct PUBX04: Hashable, Sendable {
  /// UTC time of day.
  @Compact package var time: TimeOfDay?
  /// UTC date.
  @Compact package var date: CalendarDate?
  /// Seconds since the beginning of the week in UTC.
  @Compact package var timeOfWeek: Double?
  /// GPS week.
  @Compact package var week: Int?
  /// Leap seconds between GPS time and UTC.
  @Compact package var leapSeconds: Int?
  /// Whether the leap seconds came from a satellite; false for the firmware's own number.
  package var leapSecondsReceived: Bool?
  /// Receiver clock bias, nanoseconds.
  @Compact package var clockBias: Double?
  /// Receiver clock drift, nanoseconds per second.
  @Compact package var clockDrift: Double?
  /// Granularity of the time pulse, nanoseconds.
  @Compact package var pulseGranularity: Double?
  /// The fields that were present and malformed or out of range.
  package var problems: SentenceProblems
}

extension PUBX04 {
  /// Fewest fields on the wire, the message number included.
  static let fieldCount = 9

  init(_ fields: SentenceFields) {
    var field = FieldCursor(fields)
    field.skip()
    time = field.time()
    date = field.date()
    timeOfWeek = field.unsigned(upTo: 604_800)
    week = field.integer(upTo: 99_999)
    (leapSeconds, leapSecondsReceived) = field.leapSeconds()
    clockBias = field.signed()
    clockDrift = field.signed()
    pulseGranularity = field.signed()
    problems = field.problems
  }
}

extension FieldCursor {
  /// A number, with a `D` behind it while it is the firmware's default.
  fileprivate mutating func leapSeconds() -> (Int?, Bool?) {
    let field = next()
    if field.count == 0 { return (nil, nil) }
    let isDefault = field.start[field.count - 1] == 0x44
    let digits = field.count - (isDefault ? 1 : 0)
    guard digits > 0, let seconds = Digits.value(field.start, digits), seconds <= 255 else { return (fail(field), nil) }
    return (Int(truncatingIfNeeded: seconds), !isDefault)
  }
}
