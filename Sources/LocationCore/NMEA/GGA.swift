/// GGA, fix data with quality and altitude.
package struct GGA: Hashable, Sendable {
  /// UTC time of day.
  @Compact package var time: TimeOfDay?
  /// Latitude and longitude; `nil` unless both are whole and in range.
  @Compact package var position: Coordinate?
  /// How the position was made.
  package var quality: GGAQuality?
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
  /// The fields that were present and malformed or out of range.
  package var problems: SentenceProblems

  package init() {
    problems = []
  }
}

extension GGA {
  /// Fewest fields on the wire.
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
