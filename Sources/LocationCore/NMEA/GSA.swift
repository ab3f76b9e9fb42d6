/// GSA, active satellites and dilutions of precision.
package struct GSA: Hashable, Sendable {
  /// M manual or A automatic 2D/3D.
  package var selection: GSASelection?
  /// 1 none, 2 two-dimensional, 3 three-dimensional.
  package var fix: GSAFix?
  /// Numbers of the satellites in use; unused slots left out.
  package var satellites: GSASatellites?
  /// Position dilution of precision; 0 and ≥ 99 are `nil`.
  @Compact package var pdop: Double?
  /// Horizontal dilution of precision.
  @Compact package var hdop: Double?
  /// Vertical dilution of precision.
  @Compact package var vdop: Double?
  /// GNSS system id, from NMEA 4.1.
  @Compact package var systemID: Int?
  /// The fields that were present and malformed or out of range.
  package var problems: SentenceProblems

  package init() {
    problems = []
  }
}

extension GSA {
  /// Fewest fields on the wire.
  static let fieldCount = 17

  /// Slots for satellites: 12, or 24 in sentences of that length.
  package static func slots(fields count: Int) -> Int { count < 29 ? 12 : 24 }

  @inline(never)
  init(_ fields: SentenceFields) {
    var field = FieldCursor(fields)
    selection = field.letter()
    fix = field.digit()
    satellites = field.satellitesUsed(slots: Self.slots(fields: field.count))
    pdop = field.dilution()
    hdop = field.dilution()
    vdop = field.dilution()
    systemID = field.hexadecimal()
    problems = field.problems
  }
}

extension FieldCursor {
  /// The numbers in that many slots, without the empty ones and zeros.
  @inline(always)
  fileprivate mutating func satellitesUsed(slots: Int) -> GSASatellites {
    var satellites = GSASatellites()
    for _ in 0..<slots {
      guard let number = integer(upTo: 999), number > 0 else { continue }
      satellites.numbers[satellites.count] = UInt16(truncatingIfNeeded: number)
      satellites.count &+= 1
    }
    return satellites
  }
}
