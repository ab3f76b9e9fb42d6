import LocationCore

/// The `GST` line: the receiver's own estimate of its errors, 1 σ in metres.
///
/// | field | unit |
/// |---|---|
/// | `device` | path |
/// | `time` | UTC |
/// | `rms` | standard deviation of the pseudoranges |
/// | `major` `minor` `orient` | semi-axes of the error ellipse; degrees from true north |
/// | `lat` `lon` `alt` | standard deviation along the meridian, the parallel, the vertical |
package enum GSTLine {
  /// Writes the whole line.
  package static func write(_ noise: PseudorangeNoise, time: UTCInstant?, device: String?, into line: inout JSONLine) {
    object(noise, time: time, device: device, into: &line)
    line.endLine()
  }

  /// Writes the object, which may stand within another one.
  static func object(_ noise: PseudorangeNoise, time: UTCInstant?, device: String?, into line: inout JSONLine) {
    line.begin("GST")
    line.field("device", device)
    line.field("time", time)
    line.field("rms", noise.rms, decimals: 3)
    line.field("major", noise.major, decimals: 3)
    line.field("minor", noise.minor, decimals: 3)
    line.field("orient", noise.orientation, decimals: 3)
    line.field("lat", noise.latitude, decimals: 3)
    line.field("lon", noise.longitude, decimals: 3)
    line.field("alt", noise.altitude, decimals: 3)
    line.endObject()
  }
}
