/// GNS, fix data with one mode letter per system.
package struct GNS: Hashable, Sendable {
  /// UTC time of day.
  @Compact package var time: TimeOfDay?
  /// Latitude and longitude; `nil` unless both are whole and in range.
  @Compact package var position: Coordinate?
  /// Mode letters: GPS, GLONASS, Galileo, BeiDou, QZSS, NavIC.
  package var modes: PositioningModes?
  /// Satellites in use.
  @Compact package var satellitesUsed: Int?
  /// Horizontal dilution of precision.
  @Compact package var hdop: Double?
  /// Metres above mean sea level.
  @Compact package var altitudeMSL: Double?
  /// Geoid above ellipsoid, metres.
  @Compact package var geoidSeparation: Double?
  /// Age of the corrections, seconds.
  @Compact package var dgpsAge: Double?
  /// Reference station.
  @Compact package var dgpsStation: Int?
  /// Navigational status, from NMEA 4.1.
  package var navStatus: NavStatus?
  /// The fields that were present and malformed or out of range.
  package var problems: SentenceProblems

  package init() {
    problems = []
  }
}

extension GNS {
  /// Fewest fields on the wire.
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
