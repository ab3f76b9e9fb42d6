import LocationCore

extension PUBX04: SentenceObject {
  /// `tow` is in seconds of the UTC week, `clockBias` and `granularity` in ns, `clockDrift` in ns/s.
  func write(_ fields: SentenceFields, into line: inout JSONLine) {
    line.field("time", time)
    line.field("date", date)
    line.field("tow", timeOfWeek, decimals: 3)
    line.field("week", week)
    line.field("leapseconds", leapSeconds)
    line.field("leapReceived", leapSecondsReceived)
    line.field("clockBias", clockBias, decimals: 3)
    line.field("clockDrift", clockDrift, decimals: 3)
    line.field("granularity", pulseGranularity, decimals: 3)
  }

  func name(ofField number: Int, of count: Int) -> StaticString {
    pick(
      number, "message", "time", "date", "tow", "week", "leapseconds", "clockBias", "clockDrift", "granularity")
  }
}
