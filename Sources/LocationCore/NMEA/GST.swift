/// GST, pseudorange noise statistics.
package struct GST: Hashable, Sendable {
  /// UTC time of day.
  @Compact package var time: TimeOfDay?
  @Compact var rms: Double?
  @Compact var major: Double?
  @Compact var minor: Double?
  @Compact var orientation: Double?
  @Compact var latitude: Double?
  @Compact var longitude: Double?
  @Compact var altitude: Double?
  /// The fields that were present and malformed or out of range.
  package var problems: SentenceProblems

  package init() {
    problems = []
  }

  /// 1 σ errors; `nil` when every value is absent.
  package var noise: PseudorangeNoise? {
    get {
      var noise = PseudorangeNoise()
      noise.rms = rms
      noise.major = major
      noise.minor = minor
      noise.orientation = orientation
      noise.latitude = latitude
      noise.longitude = longitude
      noise.altitude = altitude
      return noise == PseudorangeNoise() ? nil : noise
    }
    set {
      rms = newValue?.rms
      major = newValue?.major
      minor = newValue?.minor
      orientation = newValue?.orientation
      latitude = newValue?.latitude
      longitude = newValue?.longitude
      altitude = newValue?.altitude
    }
  }
}

extension GST {
  /// Fewest fields on the wire.
  static let fieldCount = 8

  @inline(never)
  init(_ fields: SentenceFields) {
    var field = FieldCursor(fields)
    time = field.time()
    rms = field.unsigned()
    major = field.unsigned()
    minor = field.unsigned()
    orientation = field.course()
    latitude = field.unsigned()
    longitude = field.unsigned()
    altitude = field.unsigned()
    problems = field.problems
  }
}
