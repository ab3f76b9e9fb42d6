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

/// Factors from 1 σ to 95 % (and to 50 %), for normally distributed errors.
package enum Confidence {
  /// For an error in one dimension: 95 % of a normal distribution lie within this many σ.
  package static let line = 1.959_964
  /// For a radius whose two dimensions have the same σ: √(−2 ln 0.05) of it.
  package static let circle = 2.447_747
  /// For an error in one dimension: half of a normal distribution lies within this many σ.
  package static let halfLine = 0.674_490
  /// For a radius whose two dimensions have the same σ: half of all errors lie within √(2 ln 2) of it.
  package static let halfCircle = 1.177_410
  /// For a radius, of the distance root mean square √(σ² + σ²) that a horizontal dilution of precision
  /// gives: `circle` ÷ √2.
  package static let distance = 1.730_818

  /// The 95 % error of a 1 σ along one line; `nil` when that is 0, which stands for unknown.
  package static func error(_ sigma: Double?) -> Double? {
    guard let sigma, sigma > 0 else { return nil }
    return sigma * line
  }

  /// The radius that holds 95 % of an error with these σ along two axes at right angles, in their unit.
  ///
  /// A cubic through the exact values, from `line` for an error along one axis to `circle` for equal ones;
  /// within 0.2 % of the integral.
  package static func radius(_ first: Double, _ second: Double) -> Double {
    let larger = max(first, second)
    guard larger > 0 else { return 0 }
    let ratio = min(first, second) / larger
    return larger * (1.960_790 + ratio * (0.004_071 + ratio * (0.114_276 + ratio * 0.371_625)))
  }
}

extension PseudorangeNoise {
  /// The 95 % radius of the horizontal error, metres: of the error ellipse when it is known, else of latitude
  /// and longitude; `nil` when neither is whole. Errors of 0 stand for unknown ones.
  package var horizontalRadius: Double? {
    if let major, let minor, max(major, minor) > 0 { return Confidence.radius(major, minor) }
    guard let latitude, let longitude, max(latitude, longitude) > 0 else { return nil }
    return Confidence.radius(latitude, longitude)
  }
}
