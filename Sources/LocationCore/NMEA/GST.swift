/// GST, pseudorange noise statistics.
package struct GST: Hashable, Sendable {
  @Compact package var time: TimeOfDay?
  var estimates = PseudorangeNoise()

  package init() {}

  /// 1 σ errors; `nil` when all values are missing.
  package var noise: PseudorangeNoise? { estimates == PseudorangeNoise() ? nil : estimates }

  @inline(never) init(_ fields: some SentenceSource) {
    var field = fields.reader
    time = field.time()
    estimates.rms = field.unsigned("rms")
    estimates.major = field.unsigned("major")
    estimates.minor = field.unsigned("minor")
    estimates.orientation = field.course("orient")
    estimates.latitude = field.unsigned("lat")
    estimates.longitude = field.unsigned("lon")
    estimates.altitude = field.unsigned("alt")
  }
}
