/// One satellite as a GSV sentence gives it.
package struct GSVSatellite: Hashable, Sendable {
  /// The number as received; 0 is none.
  package var number: Int? {
    get { storedNumber == 0 ? nil : Int(storedNumber) }
    set { storedNumber = newValue.flatMap { UInt16(exactly: $0) } ?? 0 }
  }
  /// Degrees above the horizon, to three decimals.
  package var elevation: Double? {
    get { storedElevation.value }
    set { storedElevation = Thousandths(newValue) }
  }
  /// Degrees from true north, 0 ≤ azimuth < 360, to three decimals.
  package var azimuth: Double? {
    get { storedAzimuth.value }
    set { storedAzimuth = Thousandths(newValue) }
  }
  /// Carrier to noise density, dBHz, to three decimals; `nil` when not tracked.
  package var signal: Double? {
    get { storedSignal.value }
    set { storedSignal = Thousandths(newValue) }
  }

  private var storedNumber: UInt16 = 0
  private var storedElevation = Thousandths.none
  private var storedAzimuth = Thousandths.none
  private var storedSignal = Thousandths.none

  package init() {}
}

extension GSVSatellite {
  @inline(__always)
  init(_ field: inout FieldCursor) {
    storedNumber = UInt16(truncatingIfNeeded: field.integer(upTo: 999) ?? 0)
    storedElevation = field.thousandths(from: -90, to: 90)
    storedAzimuth = field.thousandths(from: 0, to: 360).asCourse
    storedSignal = field.thousandths(from: 0, to: 99)
  }
}
