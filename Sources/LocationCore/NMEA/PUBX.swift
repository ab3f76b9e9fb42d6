/// PUBX,00, position, velocity and accuracies (u-blox M8 protocol).
package struct PUBX00: Hashable, Sendable {
  /// UTC time of day.
  @Compact package var time: TimeOfDay?
  /// Position; `nil` unless both coordinates are complete and in range.
  @Compact package var position: Coordinate?
  /// Altitude above the ellipsoid, metres.
  @Rounded package var altitudeHAE: Double?
  /// Method of the position.
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
  /// Number of satellites in use.
  @Compact package var satellitesUsed: Int?
  /// Whether dead reckoning is in use.
  package var deadReckoning: Bool?
  /// Malformed or out-of-range fields.
  package var problems: SentenceProblems
}

extension PUBX00 {
  /// Minimum number of fields, including the message number.
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

/// Navigation status of PUBX,00: two characters, packed big-endian.
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
  /// Number of satellites, as stated.
  @Compact package var total: Int?
  /// Malformed or out-of-range fields.
  package var problems: SentenceProblems
}

extension PUBX03 {
  /// Minimum number of fields, including the message number.
  static let fieldCount = 2

  init(_ fields: SentenceFields) {
    var field = FieldCursor(fields)
    field.skip()
    total = field.integer(upTo: 255)
    for _ in 0..<(field.count - 2) / 6 { _ = PUBXSatellite(&field) }
    problems = field.problems
  }

  /// The satellites in the fields of a PUBX,03, without empty slots.
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

/// One satellite of PUBX,03.
package struct PUBXSatellite: Hashable, Sendable {
  /// Use of the satellite in the solution.
  package enum Use: UInt8, Hashable, Sendable {
    /// -, not used.
    case unused = 0x2D
    /// U, used.
    case used = 0x55
    /// e, not used, ephemeris available.
    case ephemeris = 0x65
  }

  /// Number in u-blox's numbering; `nil` for 0.
  package var number: Int?
  /// Use in the solution.
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
  /// Whether the leap seconds were received from a satellite; false for the firmware's default.
  package var leapSecondsReceived: Bool?
  /// Receiver clock bias, nanoseconds.
  @Compact package var clockBias: Double?
  /// Receiver clock drift, nanoseconds per second.
  @Compact package var clockDrift: Double?
  /// Granularity of the time pulse, nanoseconds.
  @Compact package var pulseGranularity: Double?
  /// Malformed or out-of-range fields.
  package var problems: SentenceProblems
}

extension PUBX04 {
  /// Minimum number of fields, including the message number.
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
  /// A number, followed by `D` if it is the firmware's default.
  fileprivate mutating func leapSeconds() -> (Int?, Bool?) {
    let field = next()
    if field.count == 0 { return (nil, nil) }
    let isDefault = field.start[field.count - 1] == 0x44
    let digits = field.count - (isDefault ? 1 : 0)
    guard digits > 0, let seconds = Digits.value(field.start, digits), seconds <= 255 else { return (fail(field), nil) }
    return (Int(truncatingIfNeeded: seconds), !isDefault)
  }
}
