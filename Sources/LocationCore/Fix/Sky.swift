/// The satellites of one epoch, all systems.
package struct Sky: Hashable, Sendable {
  @Compact package var measured: UTCInstant?
  package var satellites: [Satellite]
  /// Number of satellites that the fix uses, as stated beside the list; those that it marks are counted in any case.
  @Compact package var statedUsed: Int?
  /// Dilutions of precision; `nil` when unknown.
  @Compact package var hdop: Double?
  @Compact package var vdop: Double?
  @Compact package var pdop: Double?

  package init(measured: UTCInstant? = nil, satellites: [Satellite] = []) {
    self.measured = measured
    self.satellites = satellites
  }

  /// Number of satellites that the fix uses, also those that the receiver does not list in view.
  package var used: Int { max(statedUsed ?? 0, satellites.count { $0.used }) }
}

package struct Satellite: Hashable, Sendable {
  /// Number in gpsd's `PRN` numbering.
  package var prn: Int
  package var gnss: GNSS?
  /// The number within its system, from 1.
  @Compact package var svid: Int?
  /// Elevation above the horizon, degrees.
  @Compact package var elevation: Double?
  /// Azimuth from true north, degrees, 0 ≤ azimuth < 360.
  @Compact package var azimuth: Double?
  /// Carrier to noise density, dBHz; `nil` when not tracked.
  @Compact package var signal: Double?
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

/// A satellite system; the raw values are gpsd's and u-blox's `gnssid`.
package enum GNSS: Int, Hashable, Sendable {
  case gps = 0
  /// Satellite-based augmentation: WAAS, EGNOS, MSAS, GAGAN.
  case sbas = 1
  case galileo = 2
  case beidou = 3
  case imes = 4
  case qzss = 5
  case glonass = 6
  /// NavIC, formerly IRNSS (India).
  case navic = 7
}
