/// What a GST sentence says: 1 σ errors, metres (gpsd's class `GST`).
package struct PseudorangeNoise: Hashable, Sendable {
  /// RMS of the pseudorange residuals.
  package var rms: Double?
  /// Semi-major axis of the error ellipse.
  package var major: Double?
  /// Semi-minor axis of the error ellipse.
  package var minor: Double?
  /// Orientation of the semi-major axis, degrees from true north.
  package var orientation: Double?
  /// 1 σ of the latitude.
  package var latitude: Double?
  /// 1 σ of the longitude.
  package var longitude: Double?
  /// 1 σ of the altitude.
  package var altitude: Double?

  package init() {}
}
