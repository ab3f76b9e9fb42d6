/// Parser of the fields of one sentence, in wire order. Each method consumes the next field or fields. An empty or
/// missing field gives `nil`; a malformed or out-of-range field gives `nil` and is added to `problems`.
struct FieldCursor {
  /// The bytes of one field; `start` is undefined when `count` is 0.
  struct Field {
    let start: UnsafePointer<UInt8>
    let count: Int
  }

  /// The byte of the map's first bit.
  private let first: UnsafePointer<UInt8>
  private let map: CommaMap
  let count: Int
  /// Remaining marks of the map's current word.
  private var ahead: UInt64
  /// The map's second word until it becomes the current one, then 0.
  private var later: UInt64
  /// The byte of the current word's first bit.
  private var origin: UnsafePointer<UInt8>
  private var start: UnsafePointer<UInt8>

  @inline(__always) init(_ fields: SentenceFields) {
    first = fields.base + 1
    map = fields.map
    count = fields.count
    ahead = map[0]
    later = map[1]
    origin = first
    start = first
    _ = next()
  }

  var problems: SentenceProblems { map.problems }

  /// An empty field at the end. Not inlined: with cold caches, larger code costs more than the calls.
  @inline(never) mutating func next() -> Field {
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

  @inline(never) private static func turn(_ map: CommaMap, _ place: Int) -> (UInt64, Int) { map.next(after: place) }

  mutating func skip(_ fields: Int = 1) {
    for _ in 0..<fields { _ = next() }
  }

  private var hasMore: Bool { ahead != 0 || later != 0 || Self.turn(map, origin - first).0 != 0 }

  mutating func rest() -> Field {
    let first = next()
    var end = first.start + first.count
    while hasMore {
      let field = next()
      end = field.start + field.count
    }
    return Field(start: first.start, count: end - first.start)
  }

  /// The three digits in the address after `characters` characters.
  func addressNumber(after characters: Int) -> Int? { Digits.short(first + characters, 3) }

  /// Registers the next field, if any, as a problem.
  @inline(__always) mutating func noteSurplus() {
    if hasMore { _ = fail(next(), Int.self) }
  }

  @inline(__always) func fail<Value>(_ field: Field, _: Value.Type = Value.self) -> Value? {
    Self.note(map, field.start - first + 1)
    return nil
  }

  @inline(never) private static func note(_ map: CommaMap, _ offset: Int) { map.note(offset) }

  /// Consumes a field and parses it; one that is malformed, in its plain form (see `again`).
  @inline(__always) mutating func parse<Value>(
    isSigned: Bool = false, isWhole: Bool = false, isWord: Bool = false, _ read: (Field) -> Value?
  ) -> Value? {
    let field = next()
    if field.count == 0 { return nil }
    return read(field) ?? again(field, isSigned: isSigned, isWhole: isWhole, isWord: isWord, read)
  }

  /// An unsigned number times `scale`, at most `limit`.
  @inline(never) mutating func unsigned(scale: Double = 1, upTo limit: Double = 1e15) -> Double? {
    parse { field in
      let value = Self.value(field) * scale
      return value <= limit ? value : nil
    }
  }

  /// A number with an optional minus sign, from `-limit` to `limit`.
  @inline(never) mutating func signed(upTo limit: Double = 1e15) -> Double? {
    parse(isSigned: true) { field in
      let value = Self.signedValue(field)
      return abs(value) <= limit ? value : nil
    }
  }

  /// The value of an unsigned number; NaN if malformed.
  @inline(never) static func value(_ field: Field) -> Double { Decimal(field.start, field.count)?.value ?? .nan }

  /// The value of a number with an optional minus sign; NaN if malformed. `field` is not empty.
  @inline(never) static func signedValue(_ field: Field) -> Double {
    guard field.start[0] == 0x2D else { return value(field) }
    return -value(Field(start: field.start + 1, count: field.count &- 1))
  }

  /// Digits only, from `lowest` to `limit`.
  @inline(never) mutating func integer(from lowest: Int = 0, upTo limit: Int = 1_000_000_000) -> Int? {
    parse(isWhole: true) { field in
      let value = Self.integer(field)
      return value >= lowest && value <= limit ? value : nil
    }
  }

  /// The value of digits; -1 for other characters. `field` is not empty.
  @inline(__always) private static func integer(_ field: Field) -> Int {
    if field.count <= 4 { return Digits.short(field.start, field.count) ?? -1 }
    return Digits.value(field.start, field.count).map { Int(truncatingIfNeeded: $0) } ?? -1
  }

  /// A number with three decimals from `lowest` to `highest`; a minus sign is valid if `lowest` is negative.
  @inline(never) mutating func thousandths(from lowest: Int, to highest: Int) -> Thousandths {
    let number: Thousandths? = parse(isSigned: lowest < 0) { field in
      let value = Self.thousandths(field)
      return value.isIn(lowest, highest) ? value : nil
    }
    return number ?? Thousandths.none
  }

  /// A number with three decimals, `none` if malformed. `field` is not empty.
  @inline(__always) private static func thousandths(_ field: Field) -> Thousandths {
    if field.count <= 3, let whole = Digits.short(field.start, field.count) { return Thousandths(whole: whole) }
    let minus = field.start[0] == 0x2D ? 1 : 0
    guard let number = Decimal(field.start + minus, field.count &- minus) else { return .none }
    return Thousandths(number, isNegative: minus == 1) ?? .none
  }

  /// One or two hexadecimal digits.
  @inline(never) mutating func hexadecimal() -> Int? {
    parse { field in
      guard field.count <= 2, let first = Hexadecimal.value(field.start[0]) else { return nil }
      if field.count == 1 { return Int(first) }
      return Hexadecimal.value(field.start[1]).map { Int(first << 4 | $0) }
    }
  }

  @inline(__always) mutating func letter<Letter: RawRepresentable>(_: Letter.Type = Letter.self) -> Letter?
  where Letter.RawValue == UInt8 {
    // Some are small ones: PUBX,03 has `e`.
    parse { field in
      guard field.count == 1 else { return nil }
      return Letter(rawValue: field.start[0]) ?? Letter(rawValue: Self.capital(field.start[0]))
    }
  }

  @inline(__always)
  mutating func digit<Digit: RawRepresentable>(_: Digit.Type = Digit.self) -> Digit? where Digit.RawValue == UInt8 {
    parse(isWord: true) { $0.count == 1 ? Digit(rawValue: $0.start[0] &- 0x30) : nil }
  }
}
