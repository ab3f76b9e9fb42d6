import LocationCore

/// The receiver's own estimate of its errors, 1 σ in metres, as it came over the wire (gpsd's class `GST`).
public struct NoiseReport: Hashable, Sendable, Decodable {
  /// Path of the device.
  public var device: String?
  /// UTC of the epoch.
  public var time: UTCInstant?
  /// Standard deviation of the pseudoranges.
  public var rms: Double?
  /// Semi-major axis of the error ellipse.
  public var major: Double?
  /// Semi-minor axis of the error ellipse.
  public var minor: Double?
  /// Orientation of the semi-major axis, degrees from true north.
  public var orient: Double?
  /// Along the meridian.
  public var lat: Double?
  /// Along the parallel.
  public var lon: Double?
  /// Vertical.
  public var alt: Double?
}
