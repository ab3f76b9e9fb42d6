import LocationCore

/// One NMEA sentence, or one rejected line, as a JSON object.
///
/// | line | object |
/// |---|---|
/// | decoded | `{"type":"RMC","talker":"GN",` its values in wire order, `"problems":["lat"]}` |
/// | not decoded | `{"type":"XYZ","talker":"GP","fields":["1","2"]}` |
/// | rejected | `{"rejected":"checksum","expected":"49","found":"00","raw":"$GNGGA,…"}` |
///
/// Names and units are gpsd's where gpsd has them: degrees, metres, m/s, seconds, UTC. A missing value has no field.
/// `problems` are the names of values that are malformed or out of range. A proprietary sentence has no talker.
package enum SentenceLine {
  /// Writes the object, without a line end.
  package static func write(_ event: borrowing NMEAEvent, into line: inout JSONLine) {
    switch event.payload {
    case .sentence(let sentence): write(sentence, event, into: &line)
    case .rejected(let reason): write(reason, event.raw, into: &line)
    }
  }

  /// Names of the values that are malformed or out of range, in wire order; a value of several fields is named once.
  package static func problems(of event: borrowing NMEAEvent) -> [String] {
    guard case .sentence(let sentence) = event.payload, let object = object(of: sentence) else { return [] }
    return problems(of: object, fields: event.fields.count)
  }

  private static func write(_ sentence: Sentence, _ event: borrowing NMEAEvent, into line: inout JSONLine) {
    if let object = object(of: sentence) {
      write(object, event, into: &line)
    } else {
      writeFields(event, into: &line)
    }
  }

  /// The decoded sentence; `nil` when only its fields are known.
  private static func object(of sentence: Sentence) -> (any SentenceObject)? {
    switch sentence {
    case .rmc(let rmc): rmc
    case .gga(let gga): gga
    case .gll(let gll): gll
    case .gns(let gns): gns
    case .vtg(let vtg): vtg
    case .zda(let zda): zda
    case .gst(let gst): gst
    case .gsa(let gsa): gsa
    case .gsv(let gsv): gsv
    case .gbs(let gbs): gbs
    case .grs(let grs): grs
    case .dtm(let dtm): dtm
    case .txt(let txt): txt
    case .hdt(let hdt): hdt
    case .ths(let ths): ths
    case .pubx00(let pubx): pubx
    case .pubx03(let pubx): pubx
    case .pubx04(let pubx): pubx
    case .pgrme(let pgrme): pgrme
    case .pgrmz(let pgrmz): pgrmz
    case .pmtk(let pmtk): pmtk
    case .psti030(let psti): psti
    case .ptnlGGK(let ptnl): ptnl
    case .psrfepe(let psrf): psrf
    case .encapsulated, .unknown: nil
    }
  }

  private static func write(
    _ sentence: some SentenceObject, _ event: borrowing NMEAEvent, into line: inout JSONLine
  ) {
    line.beginObject()
    line.field("type", event.type.description)
    if event.talker.code != 0 { line.field("talker", event.talker.description) }
    sentence.write(event.fields, into: &line)
    let problems = problems(of: sentence, fields: event.fields.count)
    if !problems.isEmpty {
      line.beginArray("problems")
      for name in problems { line.value(name) }
      line.endArray()
    }
    line.endObject()
  }

  private static func problems(of sentence: some SentenceObject, fields: Int) -> [String] {
    guard !sentence.problems.isEmpty else { return [] }
    var names: [String] = []
    for number in 1...63 where sentence.problems.contains(SentenceProblems(field: number)) {
      let name = sentence.name(ofField: number, of: fields).description
      if name != names.last { names.append(name) }
    }
    return names
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

/// A decoded sentence that writes its values as fields of a JSON object.
protocol SentenceObject {
  /// The fields that are malformed or out of range.
  var problems: SentenceProblems { get }

  /// Writes the present values in wire order. `fields` are those of the same event.
  func write(_ fields: SentenceFields, into line: inout JSONLine)

  /// The JSON name of the value of field `number`, from 1, in a sentence of `count` fields.
  func name(ofField number: Int, of count: Int) -> StaticString
}

extension SentenceObject {
  /// The name of a field number; the last one for every higher number.
  func pick(_ number: Int, _ names: StaticString...) -> StaticString {
    names[min(max(number, 1), names.count) - 1]
  }
}

extension JSONLine {
  /// `lat` and `lon`, degrees.
  mutating func position(_ position: Coordinate?) {
    field("lat", position?.latitude, decimals: 9, trimmed: false)
    field("lon", position?.longitude, decimals: 9, trimmed: false)
  }

  /// A letter as received.
  mutating func letter(_ name: StaticString, _ letter: UInt8?) {
    guard let letter else { return }
    field(name, String(Unicode.Scalar(letter)))
  }

  /// Bytes as received.
  mutating func field(_ name: StaticString, raw: UnsafeRawBufferPointer) {
    field(name, bytes: raw.assumingMemoryBound(to: UInt8.self).span)
  }

  /// An element of an array: bytes as received.
  mutating func value(raw: UnsafeRawBufferPointer) {
    value(bytes: raw.assumingMemoryBound(to: UInt8.self).span)
  }

  /// Degrees.
  mutating func degrees(_ name: StaticString, _ value: Double?) { field(name, value, decimals: 4) }

  /// Metres.
  mutating func metres(_ name: StaticString, _ value: Double?) { field(name, value, decimals: 4) }

  /// m/s.
  mutating func speed(_ name: StaticString, _ value: Double?) { field(name, value, decimals: 3) }

  /// A dilution of precision.
  mutating func dilution(_ name: StaticString, _ value: Double?) { field(name, value, decimals: 3) }

  /// Seconds.
  mutating func seconds(_ name: StaticString, _ value: Double?) { field(name, value, decimals: 3) }
}
