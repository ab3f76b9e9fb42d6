import LocationCore

/// The receiver's own estimate of its errors, 1 σ (gpsd's class `GST`).
///
/// | field | unit |
/// |---|---|
/// | `device` | path |
/// | `time` | UTC |
/// | `rms` | metres, standard deviation of the pseudoranges |
/// | `major` `minor` `orient` | metres, semi-axes of the error ellipse; degrees from true north |
/// | `lat` `lon` `alt` | metres, standard deviation along the meridian, the parallel, the vertical |
package struct GST: Hashable, Sendable {
  /// Path of the device.
  package var device: String?
  /// UTC of the epoch.
  package var time: UTCInstant?
  /// Standard deviation of the pseudoranges, metres.
  package var rms: Double?
  /// Semi-major axis of the error ellipse, metres.
  package var major: Double?
  /// Semi-minor axis of the error ellipse, metres.
  package var minor: Double?
  /// Orientation of the semi-major axis, degrees from true north.
  package var orient: Double?
  /// Standard deviation along the meridian, metres.
  package var lat: Double?
  /// Standard deviation along the parallel, metres.
  package var lon: Double?
  /// Standard deviation of the altitude, metres.
  package var alt: Double?

  /// A report without values.
  package init(device: String? = nil) {
    self.device = device
  }

  init(_ object: inout JSONObject) {
    device = object.string("device")
    time = object.time("time")
    rms = object.double("rms")
    major = object.double("major")
    minor = object.double("minor")
    orient = object.double("orient")
    lat = object.double("lat")
    lon = object.double("lon")
    alt = object.double("alt")
  }
}

// MARK: - Writing

extension GST {
  /// Writes the whole line.
  package static func write(_ noise: PseudorangeNoise, time: UTCInstant?, device: String?, into line: inout JSONLine) {
    object(noise, time: time, device: device, into: &line)
    line.endLine()
  }

  /// Writes the object without a line end.
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
