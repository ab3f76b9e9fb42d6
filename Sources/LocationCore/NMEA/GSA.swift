/// GSA, active satellites and dilutions of precision.
package struct GSA: Hashable, Sendable {
  package var fix: GSAFix?
  package var satellites: GSASatellites?
  /// Position dilution of precision; `nil` for 0 and ≥ 99.
  @Compact package var pdop: Double?
  @Compact package var hdop: Double?
  @Compact package var vdop: Double?
  /// GNSS system id, from NMEA 4.1.
  @Compact package var systemID: Int?

  package init() {}

  @inline(never) init(_ fields: some SentenceSource) {
    var field = fields.reader
    field.letter("selection", GSASelection.self)
    fix = field.digit("mode")
    // 12 slots, or 24 in longer sentences.
    let slots = field.count < 29 ? 12 : 24
    let satellites = field.read("satellites") { field in
      // Without empty slots and zeros.
      var satellites = GSASatellites(filler: 0)
      for _ in 0..<slots {
        guard let number = field.integer(upTo: 999), number > 0 else { continue }
        satellites.append(UInt16(truncatingIfNeeded: number))
      }
      return satellites
    }
    field.show("satellites", .list(satellites.map { .integer(Int($0)) }))
    self.satellites = satellites
    pdop = field.dilution("pdop")
    hdop = field.dilution("hdop")
    vdop = field.dilution("vdop")
    systemID = field.hexadecimal("system")
  }
}

enum GSASelection: UInt8, Hashable, Sendable {
  case manual = 0x4D  // M
  case automatic = 0x41  // A
}

package enum GSAFix: UInt8, Hashable, Sendable {
  case noFix = 1
  case twoD = 2
  case threeD = 3
}

package typealias GSASatellites = ShortList<24, UInt16>
