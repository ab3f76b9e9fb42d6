import LocationCore

extension DTM: SentenceObject {
  func write(_ fields: SentenceFields, into line: inout JSONLine) {
    line.field("datum", datum?.description)
    line.field("subdivision", subdivision?.description)
    line.field("latOffset", latitudeOffset, decimals: 9)
    line.field("lonOffset", longitudeOffset, decimals: 9)
    line.metres("altOffset", altitudeOffset)
    line.field("reference", reference?.description)
  }

  func name(ofField number: Int, of count: Int) -> StaticString {
    pick(
      number, "datum", "subdivision", "latOffset", "latOffset", "lonOffset", "lonOffset", "altOffset", "reference")
  }
}
