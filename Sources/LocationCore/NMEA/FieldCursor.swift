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

  @inline(always)
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
  @inline(always)
  mutating func noteSurplus() {
    if hasMore { _ = fail(next(), Int.self) }
  }

  /// Notes a field as malformed or out of range.
  @inline(always)
  func fail<Value>(_ field: Field, _: Value.Type = Value.self) -> Value? {
    Self.note(map, field.start - first + 1)
    return nil
  }

  @inline(never)
  private static func note(_ map: CommaMap, _ offset: Int) {
    map.note(offset)
  }
}
