/// An optional in the size of its value, one bit pattern for `nil`: sentences, fixes and skies are passed by value.
@propertyWrapper
package struct Compact<Value: Compactable>: Hashable, Sendable {
  private var pattern: Value.BitPattern

  package init(wrappedValue: Value?) { pattern = wrappedValue?.bitPattern ?? Value.missing }

  package var wrappedValue: Value? {
    get { pattern == Value.missing ? nil : Value(bitPattern: pattern) }
    set { pattern = newValue?.bitPattern ?? Value.missing }
  }
}

package protocol Compactable: Sendable {
  associatedtype BitPattern: Hashable, Sendable
  static var missing: BitPattern { get }
  /// The pattern of the value; `missing` when it cannot be stored.
  var bitPattern: BitPattern { get }
  /// The value of a pattern that is not `missing`.
  init(bitPattern: BitPattern)
}

extension Double: Compactable {
  package static var missing: UInt64 { .max }
}

extension Float: Compactable {
  package static var missing: UInt32 { .max }
}

extension Int: Compactable {
  package static var missing: Int32 { .min }
  package var bitPattern: Int32 { Int32(exactly: self) ?? .min }
  package init(bitPattern: Int32) { self.init(bitPattern) }
}

extension TimeOfDay: Compactable {
  package static var missing: Int64 { -1 }
  package var bitPattern: Int64 { nanoseconds }
  package init(bitPattern: Int64) { nanoseconds = bitPattern }
}

extension UTCInstant: Compactable {
  package static var missing: Int64 { .min }
  package var bitPattern: Int64 { nanosecondsSince1970 }
  package init(bitPattern: Int64) { self.init(nanosecondsSince1970: bitPattern) }
}

extension CalendarDate: Compactable {
  package static var missing: UInt32 { 0 }
  package var bitPattern: UInt32 {
    UInt32(truncatingIfNeeded: year) << 16 | UInt32(truncatingIfNeeded: month) << 8 | UInt32(truncatingIfNeeded: day)
  }
  package init(bitPattern: UInt32) {
    (year, month, day) = (Int(bitPattern >> 16), Int(bitPattern >> 8 & 0xFF), Int(bitPattern & 0xFF))
  }
}

extension Coordinate: Compactable {
  package static var missing: CoordinatePattern { CoordinatePattern(latitude: .max, longitude: .max) }
  package var bitPattern: CoordinatePattern {
    CoordinatePattern(latitude: latitude.bitPattern, longitude: longitude.bitPattern)
  }
  package init(bitPattern: CoordinatePattern) {
    latitude = Double(bitPattern: bitPattern.latitude)
    longitude = Double(bitPattern: bitPattern.longitude)
  }
}
/// Stored form of an optional coordinate: the bits of its degrees, those of NaN for `nil`.
package struct CoordinatePattern: Hashable, Sendable {
  let latitude: UInt64
  let longitude: UInt64
}

/// A list of at most `bound` values, stored in place.
package struct ShortList<let bound: Int, Element: Hashable & Sendable>: Hashable, Sendable {
  /// The values; only the first `count` are defined.
  private var elements: [bound of Element]
  private var storedCount: UInt8 = 0

  /// An empty list; `filler` takes the places of values to come.
  package init(filler: Element) { elements = .init(repeating: filler) }

  package var count: Int { Int(storedCount) }
  package subscript(index: Int) -> Element { elements[index] }

  /// Appends a value; without effect on a full list.
  @inline(__always) package mutating func append(_ element: Element) {
    guard count < bound else { return }
    elements[count] = element
    storedCount &+= 1
  }

  package func map<Result>(_ transform: (Element) -> Result) -> [Result] {
    (0..<count).map { transform(elements[$0]) }
  }

  package static func == (left: Self, right: Self) -> Bool {
    left.count == right.count && (0..<left.count).allSatisfy { left.elements[$0] == right.elements[$0] }
  }

  package func hash(into hasher: inout Hasher) {
    for index in 0..<count { hasher.combine(elements[index]) }
  }
}
