import LocationCore

/// One NMEA sentence, or one rejected line, as a JSON object.
///
/// | line | object |
/// |---|---|
/// | decoded | `{"type":"RMC","talker":"GN",` its values in wire order, `"problems":["lat"]}` |
/// | not decoded | `{"type":"XYZ","talker":"GP","fields":["1","2"]}` |
/// | UBX message | `{"type":"UBX-NAV-PVT",` its values, `"problems":["length"]}` |
/// | UBX message that is not decoded | `{"type":"UBX-02-13","length":24}`: class and id, bytes of the payload |
/// | rejected | `{"rejected":"checksum","expected":"49","found":"00","raw":"$GNGGA,…"}` |
///
/// Names and units are gpsd's where gpsd has them: degrees, metres, m/s, seconds, UTC. A missing value has no field.
/// `problems` are the names of values that are malformed or out of range. A proprietary sentence has no talker.
package enum SentenceLine {
  /// Writes the object, without a line end.
  package static func write(_ event: borrowing NMEAEvent, into line: inout JSONLine) {
    line.beginObject()
    if case .rejected(let reason) = event.payload {
      write(reason, event.raw, into: &line)
    } else if case .ubx = event.payload {
      if let frame = UBXFrame(event.raw) { write(frame, into: &line) }
    } else if let sentence = SentenceValues(event) {
      line.field("type", event.type.description)
      if event.talker.code != 0 { line.field("talker", event.talker.description) }
      write(sentence.values, problems: sentence.malformed, into: &line)
    } else {
      writeFields(event, into: &line)
    }
    line.endObject()
  }

  private static func write(_ frame: UBXFrame, into line: inout JSONLine) {
    line.field("type", frame.name)
    if let message = UBXValues(frame) {
      write(message.values, problems: message.malformed, into: &line)
    } else {
      line.field("length", frame.count)
    }
  }

  private static func write(_ values: [SentenceValue], problems: [String], into line: inout JSONLine) {
    for value in values { write(value.value, name: value.name, into: &line) }
    guard !problems.isEmpty else { return }
    line.array("problems", problems) { $1.value($0) }
  }

  private static func write(_ value: FieldValue, name: StaticString, into line: inout JSONLine) {
    switch value {
    case .integer(let value): line.field(name, value)
    case .decimal(let value, let places): line.field(name, value, decimals: places)
    case .coordinate(let degrees): line.field(name, degrees, decimals: 9, trimmed: false)
    case .text(let bytes): line.field(name, bytes: bytes.span)
    case .time(let time): line.field(name, time)
    case .date(let date): line.field(name, date)
    case .flag(let value): line.field(name, value)
    case .list(let elements):
      line.array(name, elements) { write($0, into: &$1) }
    case .object(let values): line.object(name, values) { write($0, problems: [], into: &$1) }
    }
  }

  /// Writes an element of a list: a number, an object, or `null` for a missing one.
  private static func write(_ element: FieldValue?, into line: inout JSONLine) {
    switch element {
    case .integer(let value): line.value(value)
    case .decimal(let value, let places): line.value(value, decimals: places)
    case .object(let values):
      line.beginObject()
      write(values, problems: [], into: &line)
      line.endObject()
    default:
      line.separate()
      line.literal("null")
    }
  }

  private static func writeFields(_ event: borrowing NMEAEvent, into line: inout JSONLine) {
    let address = event.fields.address.dropFirst(event.talker.code == 0 ? 0 : 2)
    line.field("type", String(decoding: address, as: UTF8.self))
    if event.talker.code != 0 { line.field("talker", event.talker.description) }
    line.beginArray("fields")
    for index in 0..<event.fields.count {
      line.value(bytes: event.fields[index].assumingMemoryBound(to: UInt8.self).span)
    }
    line.endArray()
  }

  private static func write(_ reason: SentenceRejection, _ raw: UnsafeRawBufferPointer, into line: inout JSONLine) {
    line.field("rejected", String(reason.name))
    if case .checksum(let expected, let found) = reason {
      line.field("expected", Hexadecimal.text([expected]).uppercased())
      line.field("found", Hexadecimal.text([found]).uppercased())
    }
    line.field("raw", bytes: raw.assumingMemoryBound(to: UInt8.self).span)
  }
}
