import LocationCore

extension ZDA: SentenceObject {
  /// `zone` is in minutes east of UTC.
  func write(_ fields: SentenceFields, into line: inout JSONLine) {
    line.field("time", time)
    line.field("date", date)
    line.field("zone", zoneMinutes)
  }

  func name(ofField number: Int, of count: Int) -> StaticString {
    pick(number, "time", "date", "date", "date", "zone")
  }
}
