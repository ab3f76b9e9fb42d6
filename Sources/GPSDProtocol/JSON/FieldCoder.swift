import LocationCore

/// A request or report whose fields are listed once, for reading and for writing.
package protocol CodedFields: Hashable, Sendable {
  init()
  mutating func fields(_ coder: inout some FieldCoder)
}

/// What is done with each field of a request or report: `JSONLine` writes it, `JSONObject` and `RequestFields` read it.
/// A missing field is `nil`. A reader ignores the number of decimals; limits are checked in requests only.
package protocol FieldCoder {
  mutating func field(_ name: StaticString, _ value: inout Bool?)
  mutating func field<Whole: FixedWidthInteger>(_ name: StaticString, _ value: inout Whole?, upTo limit: Double)
  mutating func field(_ name: StaticString, _ value: inout String?)
  /// A string that is written at any length.
  mutating func field(_ name: StaticString, uncut value: inout String?)
  mutating func field(_ name: StaticString, _ value: inout UTCInstant?)
  mutating func field(_ name: StaticString, _ value: inout Double?, decimals: Int, trimmed: Bool)
  /// An array of objects; `nil` is not written.
  mutating func objects<Fields: CodedFields>(_ name: StaticString, _ list: inout [Fields]?)
  mutating func ignore(_ name: StaticString)
  /// Whether fields of other names are no mistake, unless they differ only in case.
  mutating func ignoreUnknown()
  func isText(_ name: StaticString) -> Bool
  mutating func noteMissing(_ name: StaticString)
  /// Notes what a field must be if it is not valid.
  mutating func check(_ name: StaticString, _ isValid: Bool, _ right: @autoclosure () -> String)
}

extension FieldCoder {
  package mutating func field(_ name: StaticString, uncut value: inout String?) { field(name, &value) }
  package mutating func objects<Fields: CodedFields>(_ name: StaticString, _ list: inout [Fields]?) {}
  package mutating func ignore(_ name: StaticString) {}
  package mutating func ignoreUnknown() {}
  package func isText(_ name: StaticString) -> Bool { false }
  package mutating func noteMissing(_ name: StaticString) {}
  package mutating func check(_ name: StaticString, _ isValid: Bool, _ right: @autoclosure () -> String) {}

  mutating func field(_ name: StaticString, _ value: inout (some FixedWidthInteger)?) {
    field(name, &value, upTo: 0x1p53)
  }

  mutating func field(_ name: StaticString, _ value: inout String?, bytes: ClosedRange<Int>) {
    field(name, &value)
    let isValid = value.map { bytes.contains($0.utf8.count) } ?? true
    check(name, isValid, "\(bytes.lowerBound) to \(bytes.upperBound) bytes long")
  }

  mutating func field(_ name: StaticString, _ value: inout Double?, decimals: Int) {
    field(name, &value, decimals: decimals, trimmed: true)
  }

  mutating func field(_ name: StaticString, _ value: inout Double?, decimals: Int, in range: ClosedRange<Double>) {
    field(name, &value, decimals: decimals)
    func text(_ bound: Double) -> String { Int(exactly: bound).map { "\($0)" } ?? "\(bound)" }
    check(name, value.map(range.contains) ?? true, "from \(text(range.lowerBound)) to \(text(range.upperBound))")
  }

  /// A flag that is sent only if it is set.
  mutating func flag(_ name: StaticString, _ value: inout Bool) {
    var isSet: Bool? = value ? true : nil
    field(name, &isSet)
    value = isSet ?? false
  }

  mutating func field(_ name: StaticString, _ value: inout Duration?, decimals: Int) {
    var seconds = value?.inSeconds
    field(name, &seconds, decimals: decimals)
    value = seconds.flatMap { Duration(finiteSeconds: $0) }
  }

  /// A place as `lat` and `lon`; `nil` unless both are sent and valid.
  mutating func field(_ coordinate: inout Coordinate?) {
    var (latitude, longitude) = (coordinate?.latitude, coordinate?.longitude)
    field("lat", &latitude, decimals: 9, trimmed: false)
    field("lon", &longitude, decimals: 9, trimmed: false)
    guard let latitude, let longitude else { return coordinate = nil }
    coordinate = Coordinate(latitude: latitude, longitude: longitude)
  }

  mutating func checkedField(_ position: inout Coordinate) {
    var place: Coordinate? = position
    _ = checkedField(&place, isRequired: true)
    position = place ?? position
  }

  /// A place as `lat` and `lon`, or neither if it may be missing; returns whether one of them was given.
  mutating func checkedField(_ place: inout Coordinate?, isRequired: Bool) -> Bool {
    var (latitude, longitude) = (place?.latitude, place?.longitude)
    field("lat", &latitude, decimals: 9, in: -90...90)
    if latitude == nil, isRequired { noteMissing("lat") }
    field("lon", &longitude, decimals: 9, in: -180...180)
    if longitude == nil, isRequired || latitude != nil { noteMissing("lon") }
    if latitude == nil, longitude != nil { noteMissing("lat") }
    place = latitude.flatMap { latitude in longitude.flatMap { Coordinate(latitude: latitude, longitude: $0) } }
    return latitude != nil || longitude != nil
  }

  mutating func field<Names>(_ name: StaticString, _ value: inout OpenName<Names>?) {
    var text = value?.rawValue
    field(name, &text)
    value = text.map { OpenName(rawValue: $0) }
  }

  mutating func field<Name: RawRepresentable<String>>(
    _ name: StaticString, _ value: inout Name?, bytes: ClosedRange<Int>, _ right: @autoclosure () -> String
  ) {
    var text = value?.rawValue
    field(name, &text, bytes: bytes)
    value = text.flatMap { Name(rawValue: $0) }
    check(name, text == nil || value != nil, right())
  }
}

extension CodedFields {
  init(_ object: inout JSONObject) {
    self.init()
    fields(&object)
  }

  func writeFields(into line: inout JSONLine) {
    var copy = self
    copy.fields(&line)
  }

  func writeObject(into line: inout JSONLine) {
    line.beginObject()
    writeFields(into: &line)
    line.endObject()
  }
}

package protocol CodedReport: CodedFields {
  static var reportClass: StaticString { get }
  func write(into line: inout JSONLine)
}

extension CodedReport {
  func begin(_ line: inout JSONLine) {
    line.begin(Self.reportClass)
    writeFields(into: &line)
  }

  func writeObject(into line: inout JSONLine) {
    begin(&line)
    line.endObject()
  }

  package func write(into line: inout JSONLine) {
    begin(&line)
    line.end()
  }
}

extension FieldCoder {
  mutating func field(_ name: StaticString, _ value: inout Bool) { require(name, &value) { $0.field(name, &$1) } }

  mutating func field(_ name: StaticString, _ value: inout some FixedWidthInteger) {
    require(name, &value) { $0.field(name, &$1) }
  }

  mutating func field(_ name: StaticString, _ value: inout String) { require(name, &value) { $0.field(name, &$1) } }

  mutating func field<Names>(_ name: StaticString, _ value: inout OpenName<Names>) {
    require(name, &value) { $0.field(name, &$1) }
  }

  mutating func field(_ name: StaticString, _ value: inout Double, decimals: Int) {
    require(name, &value) { $0.field(name, &$1, decimals: decimals) }
  }

  mutating func field(_ name: StaticString, _ value: inout Duration, decimals: Int) {
    require(name, &value) { $0.field(name, &$1, decimals: decimals) }
  }

  mutating func field(_ name: StaticString, _ value: inout String, bytes: ClosedRange<Int>) {
    require(name, &value) { $0.field(name, &$1, bytes: bytes) }
  }

  private mutating func require<Value>(
    _ name: StaticString, _ value: inout Value, _ code: (inout Self, inout Value?) -> Void
  ) {
    var optional: Value? = value
    code(&self, &optional)
    value = required(name, optional, or: value)
  }

  mutating func required<Value>(_ name: StaticString, _ value: Value?, or missing: Value) -> Value {
    if value == nil { noteMissing(name) }
    return value ?? missing
  }
}

extension JSONLine: FieldCoder {
  package mutating func field(_ name: StaticString, _ value: inout Bool?) { field(name, value) }

  package mutating func field<Whole: FixedWidthInteger>(
    _ name: StaticString, _ value: inout Whole?, upTo limit: Double
  ) {
    guard let value else { return }
    if value < 0 { field(name, Int(value)) } else { field(name, UInt64(value)) }
  }

  package mutating func field(_ name: StaticString, _ value: inout String?) { field(name, value) }
  package mutating func field(_ name: StaticString, uncut value: inout String?) {
    if let value { field(name, uncut: value) }
  }

  package mutating func field(_ name: StaticString, _ value: inout UTCInstant?) { field(name, value) }

  package mutating func field(_ name: StaticString, _ value: inout Double?, decimals: Int, trimmed: Bool) {
    field(name, value, decimals: decimals, trimmed: trimmed)
  }

  package mutating func objects<Fields: CodedFields>(_ name: StaticString, _ list: inout [Fields]?) {
    if let list { array(name, list) { $0.writeObject(into: &$1) } }
  }

  /// An object of what `write` writes; none without a value.
  package mutating func object<Value>(_ name: StaticString, _ value: Value?, _ write: (Value, inout JSONLine) -> Void) {
    guard let value else { return }
    beginObject(name)
    write(value, &self)
    endObject()
  }

  /// An array of what `write` writes for each element, up to the first that makes the buffer longer than `limit`.
  package mutating func array<Element>(
    _ name: StaticString, _ elements: some Sequence<Element>, limit: Int = .max,
    _ write: (Element, inout JSONLine) -> Void
  ) {
    beginArray(name)
    for element in elements {
      let mark = count
      write(element, &self)
      guard count <= limit else {
        truncate(to: mark)
        break
      }
    }
    endArray()
  }

  /// An array of objects of what `write` writes for each element.
  package mutating func objects<Element>(
    _ name: StaticString, _ elements: some Sequence<Element>, _ write: (Element, inout JSONLine) -> Void
  ) {
    array(name, elements) { element, line in
      line.beginObject()
      write(element, &line)
      line.endObject()
    }
  }
}

extension JSONObject: FieldCoder {
  mutating func field(_ name: StaticString, _ value: inout Bool?) { value = bool(name) }

  mutating func field<Whole: FixedWidthInteger>(_ name: StaticString, _ value: inout Whole?, upTo limit: Double) {
    value = integer(name)
  }

  mutating func field(_ name: StaticString, _ value: inout String?) { value = string(name) }
  mutating func field(_ name: StaticString, _ value: inout UTCInstant?) { value = time(name) }
  mutating func objects<Fields: CodedFields>(_ name: StaticString, _ list: inout [Fields]?) {
    list = objects(name) { Fields(&$0) }
  }

  mutating func field(_ name: StaticString, _ value: inout Double?, decimals: Int, trimmed: Bool) {
    value = double(name)
  }
}
