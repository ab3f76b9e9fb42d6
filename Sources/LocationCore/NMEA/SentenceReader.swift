/// A reader of the fields of a sentence in wire order: the cursor, which reads the values alone, and the recorder of
/// ``SentenceValues``, which also takes their names (gpsd's where it has them) and units.
protocol SentenceReader {
  var count: Int { get }
  var problems: SentenceProblems { get }

  /// Consumes the fields of a value; a problem in one of them is a problem of that value.
  mutating func read<Value>(_ name: StaticString, _ fields: (inout FieldCursor) -> Value) -> Value
  /// Takes a value to be shown; `nil` for a missing one.
  mutating func show(_ name: StaticString, _ value: @autoclosure () -> FieldValue?)
  /// Reads a list; an element is shown if `element` returns true.
  mutating func list(_ name: StaticString, count: Int, _ element: (inout Self) -> Bool)
}

extension FieldCursor: SentenceReader {
  @inline(__always)
  mutating func read<Value>(_: StaticString, _ fields: (inout FieldCursor) -> Value) -> Value { fields(&self) }
  @inline(__always) func show(_: StaticString, _ value: @autoclosure () -> FieldValue?) {}

  mutating func list(_: StaticString, count: Int, _ element: (inout Self) -> Bool) {
    for _ in 0..<count { _ = element(&self) }
  }
}

extension SentenceReader {
  @inline(__always) @discardableResult
  mutating func value<Value>(
    _ name: StaticString, _ shown: (Value) -> FieldValue, _ fields: (inout FieldCursor) -> Value?
  ) -> Value? {
    let value = read(name, fields)
    show(name, value.map(shown))
    return value
  }

  /// Reads a number that is shown with up to `places` decimals.
  @inline(__always) @discardableResult
  mutating func number(_ name: StaticString, _ places: Int, _ fields: (inout FieldCursor) -> Double?) -> Double? {
    value(name, { .decimal($0, places: places) }, fields)
  }

  @inline(__always) mutating func skip() { read("message") { $0.skip(1) } }
  @inline(__always) @discardableResult
  mutating func time() -> TimeOfDay? { value("time", FieldValue.time) { $0.time() } }
  @inline(__always) @discardableResult
  mutating func date() -> CalendarDate? { value("date", FieldValue.date) { $0.date() } }

  /// Latitude, hemisphere, longitude, hemisphere; `nil` unless all four are valid.
  @inline(__always) @discardableResult
  mutating func position() -> Coordinate? {
    let latitude = read("lat") { $0.angle(upTo: 90, positive: 0x4E, negative: 0x53) }
    let longitude = read("lon") { $0.angle(upTo: 180, positive: 0x45, negative: 0x57) }
    guard let latitude, let longitude else { return nil }
    let position = Coordinate(latitude: latitude, longitude: longitude)
    show("lat", (position?.latitude).map(FieldValue.coordinate))
    show("lon", (position?.longitude).map(FieldValue.coordinate))
    return position
  }

  @inline(__always) @discardableResult
  mutating func letter<Letter: RawRepresentable>(_ name: StaticString, _: Letter.Type = Letter.self) -> Letter?
  where Letter.RawValue == UInt8 {
    value(name, { .text([$0.rawValue]) }, { $0.letter() })
  }

  @inline(__always) @discardableResult
  mutating func digit<Digit: RawRepresentable>(_ name: StaticString, _: Digit.Type = Digit.self) -> Digit?
  where Digit.RawValue == UInt8 {
    value(name, { .integer(Int($0.rawValue)) }, { $0.digit() })
  }

  @inline(__always) @discardableResult
  mutating func integer(_ name: StaticString, upTo limit: Int = 1_000_000_000) -> Int? {
    value(name, FieldValue.integer) { $0.integer(upTo: limit) }
  }

  @inline(__always) @discardableResult
  mutating func hexadecimal(_ name: StaticString) -> Int? { value(name, FieldValue.integer) { $0.hexadecimal() } }
  mutating func shortText(_ name: StaticString) { value(name, { .text(Array($0)) }) { $0.shortText() } }
  @inline(__always) @discardableResult
  mutating func dilution(_ name: StaticString) -> Double? { number(name, 3) { $0.dilution() } }

  /// An unsigned number, shown with four decimals as metres and degrees are.
  @inline(__always) @discardableResult
  mutating func unsigned(_ name: StaticString, _ places: Int = 4, upTo limit: Double = 1e15) -> Double? {
    number(name, places) { $0.unsigned(upTo: limit) }
  }

  /// A number with an optional minus sign, shown with four decimals as metres and degrees are.
  @inline(__always) @discardableResult
  mutating func signed(_ name: StaticString, _ places: Int = 4, upTo limit: Double = 1e15) -> Double? {
    number(name, places) { $0.signed(upTo: limit) }
  }

  @inline(__always) @discardableResult
  mutating func course(_ name: StaticString) -> Double? { number(name, 4) { $0.course() } }

  /// A course with an optional unit in the next field.
  @inline(__always) @discardableResult
  mutating func course(_ name: StaticString, unit letter: UInt8) -> Double? {
    number(name, 4) { field in
      let value = field.course()
      return field.unit(letter) ? value : nil
    }
  }

  @inline(__always) @discardableResult
  mutating func metres(_ name: StaticString) -> Double? { number(name, 4) { $0.metres() } }
}

protocol SentenceSource {
  associatedtype Reader: SentenceReader
  var count: Int { get }
  var reader: Reader { get }
}

extension SentenceFields: SentenceSource {
  @inline(__always) var reader: FieldCursor { FieldCursor(self) }
}

package struct SentenceValue: Equatable, Sendable {
  package let name: StaticString
  package let value: FieldValue

  package static func == (left: Self, right: Self) -> Bool {
    left.name.description == right.name.description && left.value == right.value
  }
}

package enum FieldValue: Equatable, Sendable {
  case integer(Int)
  /// A number, and its decimals at most.
  case decimal(Double, places: Int)
  /// Degrees of latitude or longitude.
  case coordinate(Double)
  case text([UInt8])
  case time(TimeOfDay)
  case date(CalendarDate)
  case flag(Bool)
  case list([FieldValue?])
  case object([SentenceValue])

  static func fields(_ values: [(name: StaticString, value: FieldValue?)]) -> FieldValue {
    .object(values.compactMap { name, value in value.map { SentenceValue(name: name, value: $0) } })
  }
}

package struct SentenceValues: Sendable {
  /// The values that are present, in wire order.
  package let values: [SentenceValue]
  /// Names of the values that are malformed or out of range, in wire order; a value of several fields is named once.
  package let malformed: [String]

  /// Reads the sentence of an event; `nil` when its type is not decoded.
  package init?(_ event: borrowing NMEAEvent) {
    switch event.payload {
    case .sentence(.unknown), .rejected, .ubx, .casic: return nil
    case .sentence: break
    }
    let type = event.type
    let recorder = Recorder(event.fields)
    withUnsafeTemporaryAllocation(of: NMEAEvent.Payload.self, capacity: 1) { payload in
      guard let payload = payload.baseAddress else { return }
      _ = recorder.decode(type, into: payload)
    }
    (values, malformed) = (recorder.values, recorder.malformed)
  }

  package subscript(_ name: String) -> FieldValue? { values.first { $0.name.description == name }?.value }

  private final class Recorder: SentenceReader, SentenceSource {
    private var cursor: FieldCursor
    private(set) var values: [SentenceValue] = []
    private(set) var malformed: [String] = []
    private var list: StaticString?

    init(_ fields: SentenceFields) {
      fields.map.clearProblems()
      cursor = FieldCursor(fields)
    }

    var count: Int { cursor.count }
    var problems: SentenceProblems { cursor.problems }
    var reader: Recorder { self }

    func read<Value>(_ name: StaticString, _ fields: (inout FieldCursor) -> Value) -> Value {
      let before = problems
      let value = fields(&cursor)
      let name = (list ?? name).description
      if problems != before, malformed.last != name { malformed.append(name) }
      return value
    }

    func show(_ name: StaticString, _ value: @autoclosure () -> FieldValue?) {
      if let value = value() { values.append(SentenceValue(name: name, value: value)) }
    }

    func list(_ name: StaticString, count: Int, _ element: (inout Recorder) -> Bool) {
      let before = values
      var elements: [FieldValue?] = []
      list = name
      var field = self
      for _ in 0..<count {
        values = []
        if element(&field) { elements.append(.object(values)) }
      }
      list = nil
      values = before
      show(name, .list(elements))
    }
  }
}
