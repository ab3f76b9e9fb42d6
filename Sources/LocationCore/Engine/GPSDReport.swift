/// One report of a gpsd about positions, in this project's terms; what was out of range is absent.
package enum GPSDReport: Hashable, Sendable {
  /// A `TPV`.
  case position(GPSDPosition)
  /// The satellites of a `SKY`, and the device they come from.
  case sky(device: String, Sky)
  /// The error estimates of a `GST`, and the device they come from.
  case noise(device: String, PseudorangeNoise)
}
