/// One satellite as a GSV sentence gives it.
package struct GSVSatellite: Hashable, Sendable {
  /// The number as received.
  package var number: Int?
  /// Degrees above the horizon.
  package var elevation: Double?
  /// Degrees from true north, 0 ≤ azimuth < 360.
  package var azimuth: Double?
  /// Carrier to noise density, dBHz; `nil` when not tracked.
  package var signal: Double?

  package init() {}
}
