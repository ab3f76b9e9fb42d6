/// GRS, range residuals of the satellites in use, in the order of the GSA before it.
package struct GRS: Hashable, Sendable {
  /// UTC time of day.
  @Compact package var time: TimeOfDay?
  /// 0: the residuals entered the position of the GGA; 1: computed after it.
  @Compact package var mode: Int?
  /// Residuals in metres.
  package var residuals: GRSResiduals
  /// GNSS system id, from NMEA 4.1.
  @Compact package var systemID: Int?
  /// Signal id, from NMEA 4.1.
  @Compact package var signalID: Int?
  /// The fields that were present and malformed or out of range.
  package var problems: SentenceProblems
}

extension GRS {
  /// Fewest fields on the wire.
  static let fieldCount = 14

  init(_ fields: SentenceFields) {
    var field = FieldCursor(fields)
    time = field.time()
    mode = field.integer(upTo: 1)
    residuals = GRSResiduals(&field)
    systemID = field.hexadecimal()
    signalID = field.hexadecimal()
    problems = field.problems
  }
}
