import LocationCore

extension GBS: SentenceObject {
  func write(_ fields: SentenceFields, into line: inout JSONLine) {
    line.field("time", time)
    line.metres("epy", latitudeError)
    line.metres("epx", longitudeError)
    line.metres("epv", altitudeError)
    line.field("failed", failedSatellite)
    line.field("probability", missedProbability, decimals: 9)
    line.metres("bias", bias)
    line.metres("deviation", biasDeviation)
    line.field("system", systemID)
    line.field("signal", signalID)
  }

  func name(ofField number: Int, of count: Int) -> StaticString {
    pick(
      number, "time", "epy", "epx", "epv", "failed", "probability", "bias", "deviation", "system", "signal")
  }
}
