/// GSA, active satellites and dilutions of precision.
package struct GSA: Hashable, Sendable {
  /// M manual or A automatic 2D/3D.
  package var selection: GSASelection?
  /// 1 none, 2 two-dimensional, 3 three-dimensional.
  package var fix: GSAFix?
  /// Numbers of the satellites in use; unused slots left out.
  package var satellites: GSASatellites?
  /// Position dilution of precision; 0 and ≥ 99 are `nil`.
  package var pdop: Double?
  /// Horizontal dilution of precision.
  package var hdop: Double?
  /// Vertical dilution of precision.
  package var vdop: Double?
  /// GNSS system id, from NMEA 4.1.
  package var systemID: Int?
  /// The fields that were present and malformed or out of range.
  package var problems: SentenceProblems

  package init() {
    problems = []
  }
}
