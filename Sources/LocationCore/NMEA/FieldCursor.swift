/// Reads the fields of one sentence in wire order.
///
/// Every reading takes the next field or fields. An empty or missing field is `nil`. A malformed one, or one
/// out of range, is `nil` and noted in `problems`. Nothing else ends in `nil`, so no reading needs an error.
struct FieldCursor {
  /// The bytes of one field; `start` is meaningless when `count` is 0.
  struct Field {
    let start: UnsafePointer<UInt8>
    let count: Int
    /// Wire number, 1 for the one behind the address.
    let number: Int
  }

  let fields: SentenceFields
  /// Number of fields.
  let count: Int
  /// Fields taken so far.
  private(set) var taken = 0
  private(set) var problems: SentenceProblems = []

  @inline(__always)
  init(_ fields: SentenceFields) {
    self.fields = fields
    count = fields.count
  }

  /// How many fields are left.
  var left: Int { count &- taken }

  /// Takes the next field, which is empty when there is none.
  @inline(__always)
  mutating func next() -> Field {
    let number = taken &+ 1
    guard number <= count else { return Field(start: fields.base, count: 0, number: number) }
    taken = number
    let start = Int(fields.bounds[number &- 1]) &+ 1
    return Field(start: fields.base + start, count: Int(fields.bounds[number]) &- start, number: number)
  }

  /// Passes fields by.
  mutating func skip(_ fields: Int = 1) {
    taken = min(taken + fields, count)
  }

  /// Takes all fields that are left as one text, commas included.
  mutating func rest() -> Field {
    let first = next()
    taken = count
    let end = fields.base + Int(fields.bounds[count])
    return Field(start: first.start, count: max(end - first.start, 0), number: first.number)
  }

  /// Notes the next field, if there is one, as a problem.
  mutating func noteSurplus() {
    if left > 0 { _ = fail(next(), Int.self) }
  }

  /// Notes a field as malformed or out of range.
  @inline(never)
  mutating func fail<Value>(_ field: Field, _: Value.Type = Value.self) -> Value? {
    problems.insert(SentenceProblems(field: field.number))
    return nil
  }
}
