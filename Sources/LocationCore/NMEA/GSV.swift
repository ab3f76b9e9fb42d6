/// GSV, satellites in view, one part of a set.
package struct GSV: Hashable, Sendable {
  /// How many parts the set has.
  @Compact package var parts: Int?
  /// This part's number, from 1.
  @Compact package var part: Int?
  /// Satellites in view in the whole set.
  @Compact package var total: Int?
  /// Up to four satellites.
  package var satellites: GSVSatellites?
  /// Signal id, from NMEA 4.1; hexadecimal on the wire.
  @Compact package var signalID: Int?
  /// GNSS system id, in Quectel's PQGSV only.
  @Compact package var systemID: Int?
  /// The fields that were present and malformed or out of range.
  package var problems: SentenceProblems

  package init() {
    problems = []
  }
}

extension GSV {
  /// Fewest fields on the wire.
  static let fieldCount = 3

  @inline(never)
  init(_ fields: SentenceFields) {
    var field = FieldCursor(fields)
    let parts = field.integer(from: 1, upTo: 255)
    self.parts = parts
    part = field.integer(from: 1, upTo: parts ?? 255)
    total = field.integer(upTo: 255)
    satellites = field.satellitesInView()
    signalID = field.hexadecimal()
    systemID = field.hexadecimal()
    field.noteSurplus()
    problems = field.problems
  }
}

extension FieldCursor {
  /// The groups of four fields; a group without a number is an empty slot.
  @inline(always)
  fileprivate mutating func satellitesInView() -> GSVSatellites {
    var satellites = GSVSatellites()
    for _ in 0..<min((count &- 3) / 4, GSVSatellites.bound) {
      let satellite = GSVSatellite(&self)
      if satellite.number != nil { satellites.append(satellite) }
    }
    return satellites
  }
}
