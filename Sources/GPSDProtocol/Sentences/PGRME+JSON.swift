import LocationCore

extension PGRME: SentenceObject {
  func write(_ fields: SentenceFields, into line: inout JSONLine) {
    line.metres("eph", horizontal)
    line.metres("epv", vertical)
    line.metres("sep", spherical)
  }

  func name(ofField number: Int, of count: Int) -> StaticString {
    pick(number, "eph", "eph", "epv", "epv", "sep", "sep")
  }
}
