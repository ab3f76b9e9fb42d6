/// GSV, satellites in view: one part of a set.
package struct GSV: Hashable, Sendable {
  @Compact package var parts: Int?
  /// Number of this part, from 1.
  @Compact package var part: Int?
  package var satellites: GSVSatellites?
  /// Signal id, from NMEA 4.1; hexadecimal on the wire.
  @Compact package var signalID: Int?
  /// GNSS system id, in Quectel's PQGSV only.
  @Compact package var systemID: Int?

  package init() {}

  @inline(never) init(_ fields: some SentenceSource) {
    var field = fields.reader
    let parts = field.read("parts") { $0.integer(from: 1, upTo: 255) }
    self.parts = parts
    part = field.value("part", FieldValue.integer) { $0.integer(from: 1, upTo: parts ?? 255) }
    field.show("parts", parts.map(FieldValue.integer))
    field.integer("nSat", upTo: 255)
    let satellites = field.read("satellites") { field in
      // Groups of four fields; a group without a number is an empty slot.
      var satellites = GSVSatellites(filler: GSVSatellite())
      for _ in 0..<min((field.count &- 3) / 4, GSVSatellites.bound) {
        let satellite = GSVSatellite(&field)
        if satellite.number != nil { satellites.append(satellite) }
      }
      return satellites
    }
    field.show("satellites", .list(satellites.map(\.object)))
    self.satellites = satellites
    signalID = field.hexadecimal("signal")
    systemID = field.hexadecimal("system")
    field.read("satellites") { $0.noteSurplus() }
  }
}

package struct GSVSatellite: Hashable, Sendable {
  /// The number as received; `nil` for 0.
  package var number: Int? { storedNumber == 0 ? nil : Int(storedNumber) }
  /// Degrees above the horizon.
  @Thousandths package var elevation: Double?
  /// Degrees from true north, 0 ≤ azimuth < 360.
  @Thousandths package var azimuth: Double?
  /// Carrier to noise density, dBHz; `nil` when not tracked.
  @Thousandths package var signal: Double?
  package var storedNumber: UInt16 = 0

  fileprivate var object: FieldValue {
    .fields([
      ("PRN", number.map(FieldValue.integer)), ("el", elevation.map { .decimal($0, places: 3) }),
      ("az", azimuth.map { .decimal($0, places: 3) }), ("ss", signal.map { .decimal($0, places: 3) }),
    ])
  }

  package init() {}

  @inline(__always) init(_ field: inout FieldCursor) {
    storedNumber = UInt16(truncatingIfNeeded: field.integer(upTo: 999) ?? 0)
    _elevation = field.thousandths(from: -90, to: 90)
    _azimuth = field.thousandths(from: 0, to: 360).asCourse
    _signal = field.thousandths(from: 0, to: 99)
  }
}

package typealias GSVSatellites = ShortList<4, GSVSatellite>
