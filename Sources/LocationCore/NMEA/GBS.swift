/// GBS, satellite fault detection: expected errors and the satellite most likely to be faulty.
package struct GBS: Hashable, Sendable {
  /// UTC time of day.
  @Compact package var time: TimeOfDay?
  /// Expected error of the latitude, metres.
  @Compact package var latitudeError: Double?
  /// Expected error of the longitude, metres.
  @Compact package var longitudeError: Double?
  /// Expected error of the altitude, metres.
  @Compact package var altitudeError: Double?
  /// Number of the satellite that most likely failed.
  @Compact package var failedSatellite: Int?
  /// Probability that its failure is missed.
  @Compact package var missedProbability: Double?
  /// Estimated bias of its pseudorange, metres.
  @Compact package var bias: Double?
  /// Standard deviation of that estimate, metres.
  @Compact package var biasDeviation: Double?
  /// GNSS system id, from NMEA 4.1.
  @Compact package var systemID: Int?
  /// Signal id, from NMEA 4.1.
  @Compact package var signalID: Int?
  /// The fields that were present and malformed or out of range.
  package var problems: SentenceProblems
}

extension GBS {
  /// Fewest fields on the wire.
  static let fieldCount = 8

  init(_ fields: SentenceFields) {
    var field = FieldCursor(fields)
    time = field.time()
    latitudeError = field.unsigned()
    longitudeError = field.unsigned()
    altitudeError = field.unsigned()
    failedSatellite = field.integer(upTo: 999)
    missedProbability = field.unsigned()
    bias = field.signed()
    biasDeviation = field.unsigned()
    systemID = field.hexadecimal()
    signalID = field.hexadecimal()
    problems = field.problems
  }
}
