/// GGA, fix data with quality and altitude.
package struct GGA: Hashable, Sendable {
  /// UTC time of day.
  @Compact package var time: TimeOfDay?
  /// Position; `nil` unless both coordinates are complete and in range.
  @Compact package var position: Coordinate?
  /// Method of the position.
  package var quality: GGAQuality?
  /// Number of satellites in use.
  @Compact package var satellitesUsed: Int?
  /// Horizontal dilution of precision.
  @Compact package var hdop: Double?
  /// Metres above mean sea level.
  @Compact package var altitudeMSL: Double?
  /// Geoid separation: height of the geoid above the ellipsoid, metres.
  @Compact package var geoidSeparation: Double?
  /// Age of the corrections, seconds.
  @Compact package var dgpsAge: Double?
  /// Reference station.
  @Compact package var dgpsStation: Int?
  /// Malformed or out-of-range fields.
  package var problems: SentenceProblems

  package init() {
    problems = []
  }
}

extension GGA {
  /// Minimum number of fields.
  static let fieldCount = 13

  @inline(never)
  init(_ fields: SentenceFields) {
    var field = FieldCursor(fields)
    time = field.time()
    position = field.position()
    quality = field.digit()
    satellitesUsed = field.integer(upTo: 255)
    hdop = field.dilution()
    altitudeMSL = field.metres()
    geoidSeparation = field.metres()
    dgpsAge = field.unsigned()
    dgpsStation = field.integer()
    problems = field.problems
  }
}

/// The quality indicator of GGA.
package enum GGAQuality: UInt8, Hashable, Sendable {
  /// 0, no fix.
  case notValid = 0
  /// 1, autonomous.
  case autonomous = 1
  /// 2, differential or SBAS.
  case differential = 2
  /// 3, precise positioning service.
  case pps = 3
  /// 4, real-time kinematic with integer ambiguities.
  case rtk = 4
  /// 5, real-time kinematic with float ambiguities.
  case floatRTK = 5
  /// 6, estimated: dead reckoning.
  case estimated = 6
  /// 7, manual input.
  case manual = 7
  /// 8, simulator.
  case simulator = 8
  /// 9, vendor-defined; a valid fix.
  case vendor = 9
}

/// GNS, fix data with one mode letter per satellite system.
package struct GNS: Hashable, Sendable {
  /// UTC time of day.
  @Compact package var time: TimeOfDay?
  /// Position; `nil` unless both coordinates are complete and in range.
  @Compact package var position: Coordinate?
  /// Mode letters: GPS, GLONASS, Galileo, BeiDou, QZSS, NavIC.
  package var modes: PositioningModes?
  /// Number of satellites in use.
  @Compact package var satellitesUsed: Int?
  /// Horizontal dilution of precision.
  @Compact package var hdop: Double?
  /// Metres above mean sea level.
  @Compact package var altitudeMSL: Double?
  /// Geoid separation: height of the geoid above the ellipsoid, metres.
  @Compact package var geoidSeparation: Double?
  /// Age of the corrections, seconds.
  @Compact package var dgpsAge: Double?
  /// Reference station.
  @Compact package var dgpsStation: Int?
  /// Navigational status, from NMEA 4.1.
  package var navStatus: NavStatus?
  /// Malformed or out-of-range fields.
  package var problems: SentenceProblems

  package init() {
    problems = []
  }
}

extension GNS {
  /// Minimum number of fields.
  static let fieldCount = 12

  @inline(never)
  init(_ fields: SentenceFields) {
    var field = FieldCursor(fields)
    time = field.time()
    position = field.position()
    modes = field.modes()
    satellitesUsed = field.integer(upTo: 255)
    hdop = field.dilution()
    altitudeMSL = field.signed()
    geoidSeparation = field.signed()
    dgpsAge = field.unsigned()
    dgpsStation = field.integer()
    navStatus = field.letter()
    problems = field.problems
  }
}

extension FieldCursor {
  /// One to six capital letters.
  fileprivate mutating func modes() -> PositioningModes? {
    let field = next()
    if field.count == 0 { return nil }
    guard field.count <= 6 else { return fail(field) }
    var modes = PositioningModes()
    for index in 0..<field.count {
      guard 0x41...0x5A ~= field.start[index] else { return fail(field) }
      modes.letters[index] = field.start[index]
    }
    modes.count = field.count
    return modes
  }
}

/// The mode letters of GNS, one per system in the order GPS, GLONASS, Galileo, BeiDou, QZSS, NavIC.
package struct PositioningModes: Hashable, Sendable {
  /// The letters as received; absent ones are 0.
  package var letters: [6 of UInt8]
  /// Number of letters in the sentence.
  package var count: Int

  package init() {
    letters = .init(repeating: 0)
    count = 0
  }

  package static func == (left: Self, right: Self) -> Bool {
    left.count == right.count && left.letters.indices.allSatisfy { left.letters[$0] == right.letters[$0] }
  }

  package func hash(into hasher: inout Hasher) {
    for index in letters.indices { hasher.combine(letters[index]) }
  }
}
