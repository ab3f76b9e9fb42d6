@testable import LocationCore

/// A copy of the event for one line.
struct SeenLine: Equatable, Sendable {
  var payload: NMEAEvent.Payload
  var talker: String
  var type: String
  var raw: [UInt8]
  var fields: [[UInt8]]
  /// The values of a decoded sentence.
  var values: [SentenceValue] = []
  /// Names of the values that are malformed.
  var malformed: [String] = []

  init(_ event: borrowing NMEAEvent) {
    payload = event.payload
    talker = event.talker.description
    type = event.type.description
    raw = [UInt8](event.raw)
    let all = event.fields
    fields = (0..<all.count).map { [UInt8](all[$0]) }
    if let named = SentenceValues(event) { (values, malformed) = (named.values, named.malformed) }
  }

  var sentence: Sentence? {
    guard case .sentence(let sentence) = payload else { return nil }
    return sentence
  }

  var rejection: SentenceRejection? {
    guard case .rejected(let rejection) = payload else { return nil }
    return rejection
  }

  /// The value with a name.
  subscript(_ name: String) -> FieldValue? { values.first { $0.name.description == name }?.value }

  var text: String { String(decoding: raw, as: UTF8.self) }
}

/// The events and counters for a complete input.
struct Seen: Equatable, Sendable {
  var lines: [SeenLine] = []
  var counters = NMEACounters()

  /// Decodes bytes split at the given positions, in order.
  init(_ bytes: [UInt8], cuts: [Int] = [], checksums: ChecksumPolicy = .require) {
    var decoder = NMEADecoder(checksums: checksums)
    bytes.withUnsafeBytes { all in
      var start = 0
      for end in cuts + [all.count] {
        decoder.decode(UnsafeRawBufferPointer(rebasing: all[start..<end])) { lines.append(SeenLine($0)) }
        start = end
      }
    }
    decoder.finish { lines.append(SeenLine($0)) }
    counters = decoder.counters
  }

  init(_ text: String, checksums: ChecksumPolicy = .require) {
    self.init([UInt8](text.utf8), checksums: checksums)
  }

  /// Decodes a line with `$`, checksum and line end added.
  init(framing content: String) {
    let sum = content.utf8.reduce(0, ^)
    let digits = String(sum, radix: 16, uppercase: true)
    self.init("$\(content)*\(sum < 16 ? "0" : "")\(digits)\r\n")
  }

  var sentences: [Sentence] { lines.compactMap(\.sentence) }
  var rejections: [SentenceRejection] { lines.compactMap(\.rejection) }
}

extension FieldValue {
  /// Characters, as a value.
  static func string(_ text: String) -> FieldValue { .text(Array(text.utf8)) }

  /// The number, if it is one.
  var number: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .decimal(let value, _), .coordinate(let value): value
    default: nil
    }
  }
}
