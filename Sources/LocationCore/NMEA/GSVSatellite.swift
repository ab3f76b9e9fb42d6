/// One satellite as a GSV sentence gives it.
package struct GSVSatellite: Hashable, Sendable {
  /// The number as received; 0 is none.
  package var number: Int? {
    get { storedNumber == 0 ? nil : Int(storedNumber) }
    set { storedNumber = newValue.flatMap { UInt16(exactly: $0) } ?? 0 }
  }
  /// Degrees above the horizon.
  @Rounded package var elevation: Double?
  /// Degrees from true north, 0 ≤ azimuth < 360.
  @Rounded package var azimuth: Double?
  /// Carrier to noise density, dBHz; `nil` when not tracked.
  @Rounded package var signal: Double?

  private var storedNumber: UInt16 = 0

  package init() {
    elevation = nil
    azimuth = nil
    signal = nil
  }
}

extension GSVSatellite {
  @inline(always)
  init(_ field: inout FieldCursor) {
    storedNumber = UInt16(truncatingIfNeeded: field.integer(upTo: 999) ?? 0)
    _elevation = Rounded(field.thousandths(from: -90, to: 90))
    _azimuth = Rounded(field.thousandths(from: 0, to: 360).asCourse)
    _signal = Rounded(field.thousandths(from: 0, to: 99))
  }
}
