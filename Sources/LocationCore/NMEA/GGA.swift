/// GGA, fix data with quality and altitude, or GNS, the same with one mode letter per satellite system.
package struct GGA: Hashable, Sendable {
  @Compact package var time: TimeOfDay?
  @Compact package var position: Coordinate?
  /// Of GGA.
  package var quality: GGAQuality?
  /// Of GNS.
  package var modes: PositioningModes?
  @Compact package var satellitesUsed: Int?
  @Compact package var hdop: Double?
  /// Metres above mean sea level.
  @Compact package var altitudeMSL: Double?
  /// Geoid separation: height of the geoid above the ellipsoid, metres.
  @Compact package var geoidSeparation: Double?
  /// Age of the corrections, seconds.
  @Compact package var dgpsAge: Double?
  @Compact package var dgpsStation: Int?
  package var problems: SentenceProblems = []

  package init() {}

  @inline(never) init(_ fields: some SentenceSource, isGNS: Bool) {
    var field = fields.reader
    time = field.time()
    position = field.position()
    if isGNS {
      modes = field.value("modes", { .text($0.map { $0 }) }, { $0.modes() })
    } else {
      quality = field.digit("quality")
    }
    satellitesUsed = field.integer("nSat", upTo: 255)
    hdop = field.dilution("hdop")
    // Without a unit in GNS.
    altitudeMSL = isGNS ? field.signed("altMSL") : field.metres("altMSL")
    geoidSeparation = isGNS ? field.signed("geoidSep") : field.metres("geoidSep")
    dgpsAge = field.unsigned("dgpsAge", 3)
    dgpsStation = field.integer("dgpsSta")
    if isGNS { field.letter("navStatus", NavStatus.self) }
    problems = field.problems
  }
}

package enum GGAQuality: UInt8, Hashable, Sendable {
  case notValid = 0
  case autonomous = 1
  /// 2, differential or SBAS.
  case differential = 2
  case pps = 3
  /// 4, real-time kinematic with integer ambiguities.
  case rtk = 4
  /// 5, real-time kinematic with float ambiguities.
  case floatRTK = 5
  /// 6, estimated: dead reckoning.
  case estimated = 6
  case manual = 7
  case simulator = 8
  /// 9, vendor-defined; a valid fix.
  case vendor = 9
}

extension FieldCursor {
  fileprivate mutating func modes() -> PositioningModes? { parse { Self.modes($0) } }

  /// Letters as capital ones; those of further systems (NMEA 4.1) are left out. `nil` if malformed.
  private static func modes(_ field: Field) -> PositioningModes? {
    var modes = PositioningModes(filler: 0)
    for index in 0..<min(field.count, 6) {
      let letter = field.start[index] & 0xDF
      guard 0x41...0x5A ~= letter else { return nil }
      modes.append(letter)
    }
    return modes
  }
}

/// The mode letters of GNS, one per system in the order GPS, GLONASS, Galileo, BeiDou, QZSS, NavIC.
package typealias PositioningModes = ShortList<6, UInt8>
