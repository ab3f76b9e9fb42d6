import LocationCore

/// One NMEA sentence, or one line that was rejected, as a JSON object.
///
/// | line | object |
/// |---|---|
/// | decoded | `{"type":"RMC","talker":"GN",` its values in wire order, `"problems":["lat"]}` |
/// | not decoded | `{"type":"XYZ","talker":"GP","fields":["1","2"]}` |
/// | rejected | `{"rejected":"checksum","expected":"49","found":"00","raw":"$GNGGA,…"}` |
///
/// Names and units are gpsd's where gpsd has them: degrees, metres, m/s, seconds, UTC. A missing value has no field.
/// `problems` names the values that were present and malformed or out of range. A proprietary sentence has no talker.
package enum SentenceLine {
  /// Writes the object, without a line end.
  package static func write(_ event: borrowing NMEAEvent, into line: inout JSONLine) {
    switch event.payload {
    case .sentence(let sentence): write(sentence, event, into: &line)
    case .rejected(let reason): write(reason, event.raw, into: &line)
    }
  }

  private static func write(_ sentence: Sentence, _ event: borrowing NMEAEvent, into line: inout JSONLine) {
    switch sentence {
    case .rmc(let rmc): write(rmc, event, into: &line)
    case .gga(let gga): write(gga, event, into: &line)
    case .gll(let gll): write(gll, event, into: &line)
    case .gns(let gns): write(gns, event, into: &line)
    case .vtg(let vtg): write(vtg, event, into: &line)
    case .zda(let zda): write(zda, event, into: &line)
    case .gst(let gst): write(gst, event, into: &line)
    case .gsa(let gsa): write(gsa, event, into: &line)
    case .gsv(let gsv): write(gsv, event, into: &line)
    case .gbs(let gbs): write(gbs, event, into: &line)
    case .grs(let grs): write(grs, event, into: &line)
    case .dtm(let dtm): write(dtm, event, into: &line)
    case .txt(let txt): write(txt, event, into: &line)
    case .hdt(let hdt): write(hdt, event, into: &line)
    case .ths(let ths): write(ths, event, into: &line)
    case .pubx00(let pubx): write(pubx, event, into: &line)
    case .pubx03(let pubx): write(pubx, event, into: &line)
    case .pubx04(let pubx): write(pubx, event, into: &line)
    case .pgrme(let pgrme): write(pgrme, event, into: &line)
    case .pgrmz(let pgrmz): write(pgrmz, event, into: &line)
    case .pmtk(let pmtk): write(pmtk, event, into: &line)
    case .psti030(let psti): write(psti, event, into: &line)
    case .ptnlGGK(let ptnl): write(ptnl, event, into: &line)
    case .psrfepe(let psrf): write(psrf, event, into: &line)
    case .encapsulated, .unknown: writeFields(event, into: &line)
    }
  }

  private static func write(
    _ sentence: some SentenceObject, _ event: borrowing NMEAEvent, into line: inout JSONLine
  ) {
    line.beginObject()
    line.field("type", event.type.description)
    if event.talker.code != 0 { line.field("talker", event.talker.description) }
    sentence.write(event.fields, into: &line)
    writeProblems(of: sentence, fields: event.fields.count, into: &line)
    line.endObject()
  }

  /// Values that take several fields are named once.
  private static func writeProblems(of sentence: some SentenceObject, fields: Int, into line: inout JSONLine) {
    guard !sentence.problems.isEmpty else { return }
    line.beginArray("problems")
    var last = ""
    for number in 1...63 where sentence.problems.contains(SentenceProblems(field: number)) {
      let name = sentence.name(ofField: number, of: fields).description
      if name != last { line.value(name) }
      last = name
    }
    line.endArray()
  }

  private static func writeFields(_ event: borrowing NMEAEvent, into line: inout JSONLine) {
    let address = event.fields.address
    let talker = event.talker.code == 0 ? 0 : 2
    line.beginObject()
    line.field("type", raw: UnsafeRawBufferPointer(rebasing: address.dropFirst(talker)))
    if talker > 0 { line.field("talker", event.talker.description) }
    line.beginArray("fields")
    for index in 0..<event.fields.count { line.value(raw: event.fields[index]) }
    line.endArray()
    line.endObject()
  }

  private static func write(
    _ reason: SentenceRejection, _ raw: UnsafeRawBufferPointer, into line: inout JSONLine
  ) {
    line.beginObject()
    line.field("rejected", "\(reason.name)")
    if case .checksum(let expected, let found) = reason {
      line.field("expected", hexadecimal(expected))
      line.field("found", hexadecimal(found))
    }
    line.field("raw", raw: raw)
    line.endObject()
  }

  private static func hexadecimal(_ byte: UInt8) -> String {
    (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
  }
}
