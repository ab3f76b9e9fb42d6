/// GNS, fix data with one mode letter per system.
package struct GNS: Hashable, Sendable {
  /// UTC time of day.
  package var time: TimeOfDay?
  /// Latitude and longitude; `nil` unless both are whole and in range.
  package var position: Coordinate?
  /// Mode letters: GPS, GLONASS, Galileo, BeiDou, QZSS, NavIC.
  package var modes: PositioningModes?
  /// Satellites in use.
  package var satellitesUsed: Int?
  /// Horizontal dilution of precision.
  package var hdop: Double?
  /// Metres above mean sea level.
  package var altitudeMSL: Double?
  /// Geoid above ellipsoid, metres.
  package var geoidSeparation: Double?
  /// Age of the corrections, seconds.
  package var dgpsAge: Double?
  /// Reference station.
  package var dgpsStation: Int?
  /// Navigational status, from NMEA 4.1.
  package var navStatus: NavStatus?
  /// The fields that were present and malformed or out of range.
  package var problems: SentenceProblems

  package init() {
    problems = []
  }
}
