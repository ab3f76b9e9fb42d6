import LocationCore

/// A decoded sentence that can be written as the fields of a JSON object.
protocol SentenceObject {
  /// The fields that were present and malformed or out of range.
  var problems: SentenceProblems { get }

  /// Writes the values that are there, in wire order. `fields` are those of the same event.
  func write(_ fields: SentenceFields, into line: inout JSONLine)

  /// The JSON name of the value that the wire's field `number`, from 1, belongs to, in a sentence of `count` fields.
  func name(ofField number: Int, of count: Int) -> StaticString
}

extension SentenceObject {
  /// The name at a wire number; the last one for what lies behind.
  func pick(_ number: Int, _ names: StaticString...) -> StaticString {
    names[min(max(number, 1), names.count) - 1]
  }
}
