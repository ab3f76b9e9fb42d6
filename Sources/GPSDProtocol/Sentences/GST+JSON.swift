import LocationCore

extension LocationCore.GST: SentenceObject {
  func write(_ fields: SentenceFields, into line: inout JSONLine) {
    line.field("time", time)
    line.metres("rms", noise?.rms)
    line.metres("major", noise?.major)
    line.metres("minor", noise?.minor)
    line.degrees("orient", noise?.orientation)
    line.metres("lat", noise?.latitude)
    line.metres("lon", noise?.longitude)
    line.metres("alt", noise?.altitude)
  }

  func name(ofField number: Int, of count: Int) -> StaticString {
    pick(number, "time", "rms", "major", "minor", "orient", "lat", "lon", "alt")
  }
}
