/// Factors from 1 σ to 95 % and 50 % for normally distributed errors.
package enum Confidence {
  /// 95 % in one dimension, and the radius in two dimensions of equal σ: √(−2 ln 0.05).
  package static let line = 1.959_964
  package static let circle = 2.447_747
  /// 50 % in one dimension, and the radius in two dimensions of equal σ: √(2 ln 2).
  package static let halfLine = 0.674_490
  package static let halfCircle = 1.177_410
  /// 95 % radius from the distance root mean square √(σ² + σ²), which HDOP times the range error is: `circle` ÷ √2.
  package static let distance = 1.730_818

  /// The 95 % error of a one-dimensional σ, or by `factor` of 95 % and `part` of what is stated; `nil` for 0: unknown.
  package static func error(_ stated: Double?, _ factor: Double = Self.line, of part: Double = 1) -> Double? {
    guard let stated, stated > 0 else { return nil }
    return stated * factor / part
  }

  /// The 95 % radius for σ along two axes: a cubic from `line` (one axis only) to `circle` (equal), within 0.2 %.
  package static func radius(_ first: Double, _ second: Double) -> Double {
    let larger = max(first, second)
    guard larger > 0 else { return 0 }
    let ratio = min(first, second) / larger
    return larger * (1.960_790 + ratio * (0.004_071 + ratio * (0.114_276 + ratio * 0.371_625)))
  }
}

/// Error estimates of a GST sentence, 1 σ, metres (gpsd's class `GST`).
package struct PseudorangeNoise: Hashable, Sendable {
  /// UTC of the estimates, if it may differ from that of the fix with which they are published.
  @Compact package var measured: UTCInstant?
  @Compact package var rms: Double?
  @Compact package var major: Double?
  @Compact package var minor: Double?
  /// Orientation of the semi-major axis, degrees from true north.
  @Compact package var orientation: Double?
  @Compact package var latitude: Double?
  @Compact package var longitude: Double?
  @Compact package var altitude: Double?

  package init() {}

  /// 95 % radius, metres, of the error ellipse or else latitude and longitude; `nil` without a pair. 0 is unknown.
  package var horizontalRadius: Double? {
    if let major, let minor, max(major, minor) > 0 { return Confidence.radius(major, minor) }
    guard let latitude, let longitude, max(latitude, longitude) > 0 else { return nil }
    return Confidence.radius(latitude, longitude)
  }
}
