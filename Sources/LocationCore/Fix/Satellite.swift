/// One satellite in view.
package struct Satellite: Hashable, Sendable {
  /// The number as the receiver's NMEA gives it, mapped to gpsd's `PRN` numbering.
  package var prn: Int
  /// The system, when it can be told.
  package var gnss: GNSS?
  /// The number within its system, from 1.
  @Compact package var svid: Int?
  /// Elevation above the horizon, degrees.
  @Compact package var elevation: Double?
  /// Azimuth from true north, degrees, 0 ≤ azimuth < 360.
  @Compact package var azimuth: Double?
  /// Carrier to noise density, dBHz; `nil` when not tracked.
  @Compact package var signal: Double?
  /// Whether the solution uses it.
  package var used: Bool

  package init(
    prn: Int, gnss: GNSS? = nil, svid: Int? = nil, elevation: Double? = nil, azimuth: Double? = nil,
    signal: Double? = nil, used: Bool = false
  ) {
    self.prn = prn
    self.gnss = gnss
    self.svid = svid
    self.elevation = elevation
    self.azimuth = azimuth
    self.signal = signal
    self.used = used
  }
}
