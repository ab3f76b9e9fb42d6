import LocationCore

/// The receiver's own estimate of its errors, 1 σ (gpsd's class `GST`). In metres: `rms` of the pseudoranges, `major`
/// and `minor` semi-axes of the error ellipse, `lat`, `lon`, `alt` along the meridian, the parallel, the vertical.
/// `orient` is the direction of the major axis, degrees from true north.
package struct GSTReport: Hashable, Sendable {
  package var device: String?
  package var time: UTCInstant?
  package var rms, major, minor, orient, lat, lon, alt: Double?

  package init(device: String? = nil) { self.device = device }

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

extension GSTReport {
  package static func write(_ noise: PseudorangeNoise, time: UTCInstant?, device: String?, into line: inout JSONLine) {
    object(noise, time: time, device: device, into: &line)
    line.endLine()
  }

  static func object(_ noise: PseudorangeNoise, time: UTCInstant?, device: String?, into line: inout JSONLine) {
    line.begin("GST")
    line.field("device", device)
    line.field("time", noise.measured ?? time)
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
