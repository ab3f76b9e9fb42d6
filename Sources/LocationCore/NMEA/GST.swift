/// GST, pseudorange noise statistics.
package struct GST: Hashable, Sendable {
  /// UTC time of day.
  @Compact package var time: TimeOfDay?
  /// 1 σ errors; `nil` when every value is absent.
  package var noise: PseudorangeNoise?
  /// The fields that were present and malformed or out of range.
  package var problems: SentenceProblems

  package init() {
    problems = []
  }
}

extension GST {
  /// Fewest fields on the wire.
  static let fieldCount = 8

  @inline(never)
  init(_ field: inout FieldCursor) {
    time = field.time()
    noise = field.noise()
    problems = field.problems
  }
}

extension FieldCursor {
  @inline(__always)
  fileprivate mutating func noise() -> PseudorangeNoise? {
    var noise = PseudorangeNoise()
    noise.rms = unsigned()
    noise.major = unsigned()
    noise.minor = unsigned()
    noise.orientation = course()
    noise.latitude = unsigned()
    noise.longitude = unsigned()
    noise.altitude = unsigned()
    return noise == PseudorangeNoise() ? nil : noise
  }
}
