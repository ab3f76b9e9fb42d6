import LocationCore

extension GSA: SentenceObject {
  /// `satellites` are the numbers in use as received.
  func write(_ fields: SentenceFields, into line: inout JSONLine) {
    line.letter("selection", selection?.rawValue)
    line.field("mode", fix.map { Int($0.rawValue) })
    line.beginArray("satellites")
    if let satellites {
      for index in 0..<satellites.count { line.value(Int(satellites.numbers[index])) }
    }
    line.endArray()
    line.dilution("pdop", pdop)
    line.dilution("hdop", hdop)
    line.dilution("vdop", vdop)
    line.field("system", systemID)
  }

  func name(ofField number: Int, of count: Int) -> StaticString {
    switch number {
    case 1: "selection"
    case 2: "mode"
    case ...(2 + GSA.slots(fields: count)): "satellites"
    default: pick(number - 2 - GSA.slots(fields: count), "pdop", "hdop", "vdop", "system")
    }
  }
}
