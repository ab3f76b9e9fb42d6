/// One satellite as a GSV sentence gives it, kept small: a sentence holds four.
package struct GSVSatellite: Hashable, Sendable {
  /// The number as received.
  package var number: Int? {
    get { storedNumber == 0 ? nil : Int(storedNumber) }
    set { storedNumber = newValue.flatMap { UInt16(exactly: $0) } ?? 0 }
  }
  /// Degrees above the horizon.
  package var elevation: Double? {
    get { storedElevation.value }
    set { storedElevation = Thousandths(newValue) }
  }
  /// Degrees from true north, 0 ≤ azimuth < 360.
  package var azimuth: Double? {
    get { storedAzimuth.value }
    set { storedAzimuth = Thousandths(newValue) }
  }
  /// Carrier to noise density, dBHz; `nil` when not tracked.
  package var signal: Double? {
    get { storedSignal.value }
    set { storedSignal = Thousandths(newValue) }
  }

  private var storedNumber: UInt16 = 0
  private var storedElevation = Thousandths(nil)
  private var storedAzimuth = Thousandths(nil)
  private var storedSignal = Thousandths(nil)

  package init() {}
}
