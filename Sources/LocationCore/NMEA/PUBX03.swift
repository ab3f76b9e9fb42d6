/// PUBX,03, satellites (u-blox M8 protocol).
package struct PUBX03: Hashable, Sendable {
  /// How many satellites the sentence announces.
  @Compact package var total: Int?
  /// The fields that were present and malformed or out of range.
  package var problems: SentenceProblems
}

extension PUBX03 {
  /// Fewest fields on the wire, the message number included.
  static let fieldCount = 2

  init(_ fields: SentenceFields) {
    var field = FieldCursor(fields)
    field.skip()
    total = field.integer(upTo: 255)
    for _ in 0..<(field.count - 2) / 6 { _ = PUBXSatellite(&field) }
    problems = field.problems
  }

  /// The satellites among a PUBX,03's fields; slots without a number are left out.
  package static func satellites(in fields: SentenceFields) -> [PUBXSatellite] {
    var cursor = FieldCursor(fields)
    cursor.skip(2)
    var satellites: [PUBXSatellite] = []
    for _ in 0..<max(cursor.count - 2, 0) / 6 {
      let satellite = PUBXSatellite(&cursor)
      if satellite.number != nil { satellites.append(satellite) }
    }
    return satellites
  }
}
