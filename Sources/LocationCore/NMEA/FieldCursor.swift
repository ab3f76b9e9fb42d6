/// Reads the fields of one sentence in wire order.
///
/// Every reading takes the next field or fields. An empty or missing field is `nil`. A malformed one, or one
/// out of range, is `nil` and noted in `problems`. Nothing else ends in `nil`, so no reading needs an error.
struct FieldCursor {
  /// The bytes of one field; `start` is meaningless when `count` is 0.
  struct Field {
    let start: UnsafePointer<UInt8>
    let count: Int
  }

  /// The byte that the map's first bit stands for.
  private let first: UnsafePointer<UInt8>
  private let map: CommaMap
  /// Number of fields.
  let count: Int

  /// Marks of the map's current word that lie ahead.
  private var ahead: UInt64
  /// The map's second word, until it is the current one.
  private var later: UInt64
  /// The byte that the current word's first bit stands for.
  private var origin: UnsafePointer<UInt8>
  /// Where the next field begins.
  private var start: UnsafePointer<UInt8>

  @inline(__always)
  init(_ fields: SentenceFields) {
    first = fields.base + 1
    map = fields.map
    count = fields.count
    ahead = map[0]
    later = map[1]
    origin = first
    start = first
    _ = next()
  }

  /// What has been noted so far.
  var problems: SentenceProblems { map.problems }

  /// Takes the next field, which is empty when there is none.
  ///
  /// It is called and not inlined: ten times the code costs more than the calls where a receiver speaks ten times a
  /// second and each epoch finds the caches cold.
  @inline(never)
  mutating func next() -> Field {
    if ahead == 0 {
      if later != 0 {
        ahead = later
        later = 0
        origin += CommaMap.wordSize
      } else {
        let (marks, place) = Self.turn(map, origin - first)
        if marks == 0 { return Field(start: first, count: 0) }
        ahead = marks
        origin = first + place
      }
    }
    let end = origin + ahead.trailingZeroBitCount
    let field = Field(start: start, count: end - start)
    ahead &= ahead &- 1
    start = end + 1
    return field
  }

  @inline(never)
  private static func turn(_ map: CommaMap, _ place: Int) -> (UInt64, Int) {
    map.next(after: place)
  }

  /// Passes fields by.
  mutating func skip(_ fields: Int = 1) {
    for _ in 0..<fields { _ = next() }
  }

  /// Whether fields are left.
  private var hasMore: Bool { ahead != 0 || later != 0 || Self.turn(map, origin - first).0 != 0 }

  /// Takes all fields that are left as one text, commas included.
  mutating func rest() -> Field {
    let first = next()
    var end = first.start + first.count
    while hasMore {
      let field = next()
      end = field.start + field.count
    }
    return Field(start: first.start, count: end - first.start)
  }

  /// The three digits in the address behind so many characters.
  func addressNumber(behind characters: Int) -> Int? {
    Digits.short(first + characters, 3)
  }

  /// Notes the next field, if there is one, as a problem.
  @inline(__always)
  mutating func noteSurplus() {
    if hasMore { _ = fail(next(), Int.self) }
  }

  /// Notes a field as malformed or out of range.
  @inline(__always)
  func fail<Value>(_ field: Field, _: Value.Type = Value.self) -> Value? {
    Self.note(map, field.start - first + 1)
    return nil
  }

  @inline(never)
  private static func note(_ map: CommaMap, _ offset: Int) {
    map.note(offset)
  }
}

extension FieldCursor {
  /// A number without a sign, of which `scale` units make one of the unit wanted, up to `limit`.
  @inline(never)
  mutating func unsigned(scale: Double = 1, upTo limit: Double = 1e15) -> Double? {
    let field = next()
    if field.count == 0 { return nil }
    let value = Self.value(field) * scale
    return value <= limit ? value : fail(field)
  }

  /// A number with or without a minus, between `-limit` and `limit`.
  @inline(never)
  mutating func signed(upTo limit: Double = 1e15) -> Double? {
    let field = next()
    if field.count == 0 { return nil }
    let value = Self.signedValue(field)
    return abs(value) <= limit ? value : fail(field)
  }

  /// The value of a number without a sign, NaN when it is none.
  @inline(never)
  static func value(_ field: Field) -> Double {
    Decimal(field.start, field.count)?.value ?? .nan
  }

  /// The value of a number with or without a minus, NaN when it is none. `field` is not empty.
  @inline(never)
  static func signedValue(_ field: Field) -> Double {
    guard field.start[0] == 0x2D else { return value(field) }
    return -value(Field(start: field.start + 1, count: field.count &- 1))
  }

  /// Digits only, from `lowest` to `limit`.
  @inline(never)
  mutating func integer(from lowest: Int = 0, upTo limit: Int = 1_000_000_000) -> Int? {
    let field = next()
    if field.count == 0 { return nil }
    let value = Self.integer(field)
    return value >= lowest && value <= limit ? value : fail(field)
  }

  /// The value of digits, -1 when there are others. `field` is not empty.
  @inline(__always)
  private static func integer(_ field: Field) -> Int {
    if field.count <= 4 { return Digits.short(field.start, field.count) ?? -1 }
    return Digits.value(field.start, field.count).map { Int(truncatingIfNeeded: $0) } ?? -1
  }

  /// A number to three decimals between `lowest` and `highest`; a minus is legal when `lowest` is negative.
  @inline(never)
  mutating func thousandths(from lowest: Int, to highest: Int) -> Thousandths {
    let field = next()
    if field.count == 0 { return .none }
    let value = Self.thousandths(field)
    return value.isIn(lowest, highest) ? value : fail(field) ?? .none
  }

  /// A number to three decimals, none when it is no number. `field` is not empty.
  @inline(__always)
  private static func thousandths(_ field: Field) -> Thousandths {
    if field.count <= 3, let whole = Digits.short(field.start, field.count) { return Thousandths(whole: whole) }
    let minus = field.start[0] == 0x2D ? 1 : 0
    guard let number = Decimal(field.start + minus, field.count &- minus) else { return .none }
    return Thousandths(number, isNegative: minus == 1) ?? .none
  }

  /// One hexadecimal digit, or two.
  @inline(never)
  mutating func hexadecimal() -> Int? {
    let field = next()
    if field.count == 0 { return nil }
    let value = Self.hexadecimal(field)
    return value >= 0 ? value : fail(field)
  }

  /// The value of one or two hexadecimal digits, -1 for anything else. `field` is not empty.
  @inline(__always)
  private static func hexadecimal(_ field: Field) -> Int {
    guard field.count <= 2, let first = Hexadecimal.value(field.start[0]) else { return -1 }
    if field.count == 1 { return Int(first) }
    guard let second = Hexadecimal.value(field.start[1]) else { return -1 }
    return Int(first << 4 | second)
  }

  /// One character that stands for a value.
  @inline(__always)
  mutating func letter<Letter: RawRepresentable>(_: Letter.Type = Letter.self) -> Letter?
  where Letter.RawValue == UInt8 {
    let field = next()
    if field.count == 0 { return nil }
    guard field.count == 1, let letter = Letter(rawValue: field.start[0]) else { return fail(field) }
    return letter
  }

  /// One digit that stands for a value.
  @inline(__always)
  mutating func digit<Digit: RawRepresentable>(_: Digit.Type = Digit.self) -> Digit? where Digit.RawValue == UInt8 {
    let field = next()
    if field.count == 0 { return nil }
    guard field.count == 1, let digit = Digit(rawValue: field.start[0] &- 0x30) else { return fail(field) }
    return digit
  }
}
