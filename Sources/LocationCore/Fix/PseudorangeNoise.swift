/// What a GST sentence says: 1 σ errors, metres (gpsd's class `GST`).
package struct PseudorangeNoise: Hashable, Sendable {
  /// RMS of the pseudorange residuals.
  @Compact package var rms: Double?
  /// Semi-major axis of the error ellipse.
  @Compact package var major: Double?
  /// Semi-minor axis of the error ellipse.
  @Compact package var minor: Double?
  /// Orientation of the semi-major axis, degrees from true north.
  @Compact package var orientation: Double?
  /// 1 σ of the latitude.
  @Compact package var latitude: Double?
  /// 1 σ of the longitude.
  @Compact package var longitude: Double?
  /// 1 σ of the altitude.
  @Compact package var altitude: Double?

  package init() {}
}
