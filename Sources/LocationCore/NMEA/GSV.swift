/// GSV, satellites in view, one part of a set.
package struct GSV: Hashable, Sendable {
  /// How many parts the set has.
  package var parts: Int?
  /// This part's number, from 1.
  package var part: Int?
  /// Satellites in view in the whole set.
  package var total: Int?
  /// Up to four satellites.
  package var satellites: GSVSatellites?
  /// Signal id, from NMEA 4.1; hexadecimal on the wire.
  package var signalID: Int?
  /// The fields that were present and malformed or out of range.
  package var problems: SentenceProblems

  package init() {
    problems = []
  }
}
