/// PUBX,03, satellites (u-blox M8 protocol).
package struct PUBX03: Hashable, Sendable {
  /// How many satellites the sentence announces.
  @Compact package var total: Int?
  /// The satellites.
  package var satellites: PUBXSatellites
  /// The fields that were present and malformed or out of range.
  package var problems: SentenceProblems
}

extension PUBX03 {
  /// Fewest fields on the wire, the message number included.
  static let fieldCount = 2

  init(_ field: inout FieldCursor) {
    field.skip()
    total = field.integer(upTo: 255)
    satellites = PUBXSatellites(&field)
    problems = field.problems
  }
}
