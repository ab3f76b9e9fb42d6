import LocationCore

/// The receiver's own estimate of its errors, 1 σ (gpsd's class `GST`). In metres: `rms` of the pseudoranges, `major`
/// and `minor` semi-axes of the error ellipse, `lat`, `lon`, `alt` along the meridian, the parallel, the vertical.
/// `orient` is the direction of the major axis, degrees from true north.
package struct GSTReport: Hashable, Sendable, CodedReport {
  package static let reportClass: StaticString = "GST"
  package var device: String?
  package var noise = PseudorangeNoise()

  package init() {}

  /// The estimates of a fix; `time` is that of the fix.
  package init(_ noise: PseudorangeNoise, time: UTCInstant?, device: String?) {
    self.device = device
    self.noise = noise
    self.noise.measured = noise.measured ?? time
  }

  package mutating func fields(_ coder: inout some FieldCoder) {
    coder.field("device", &device)
    coder.field("time", &noise.measured)
    coder.field("rms", &noise.rms, decimals: 3)
    coder.field("major", &noise.major, decimals: 3)
    coder.field("minor", &noise.minor, decimals: 3)
    coder.field("orient", &noise.orientation, decimals: 3)
    coder.field("lat", &noise.latitude, decimals: 3)
    coder.field("lon", &noise.longitude, decimals: 3)
    coder.field("alt", &noise.altitude, decimals: 3)
  }
}
