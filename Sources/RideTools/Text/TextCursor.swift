import Glibc
import LocationCore
import Recordings

/// A place in memory at which text is written without checking for room: `[UInt8].append(atMost:)` has reserved it.
struct TextCursor {
  /// Largest size of a number with sign and decimals, bytes.
  static let longestNumber = 20
  /// Largest size of an instant, bytes.
  static let longestInstant = 24

  fileprivate private(set) var place: UnsafeMutablePointer<UInt8>
  private let end: UnsafeMutablePointer<UInt8>

  fileprivate init(_ place: UnsafeMutablePointer<UInt8>, room: Int) {
    self.place = place
    end = place + room
  }

  @inline(__always)
  mutating func put(_ text: StaticString) {
    assert(end - place >= text.utf8CodeUnitCount)
    memcpy(place, text.utf8Start, text.utf8CodeUnitCount)
    place += text.utf8CodeUnitCount
  }

  @inline(__always)
  mutating func put(_ byte: UInt8) {
    assert(place < end)
    place.pointee = byte
    place += 1
  }

  mutating func put(decimal number: Int64) {
    if number < 0 { put(UInt8(ascii: "-")) }
    put(number.magnitude, places: Self.places(of: number.magnitude))
  }

  /// Writes a finite number, see `Array.append(fixed:decimals:trimmed:)`.
  mutating func put(fixed number: Double, decimals: Int, trimmed: Bool = true, width: Int = 1) {
    // With a constant unit the compiler replaces the division.
    switch decimals {
    case 2: put(number, 2, unit: 100, trimmed, width)
    case 3: put(number, 3, unit: 1000, trimmed, width)
    case 9...: put(number, 9, unit: 1_000_000_000, trimmed, width)
    default:
      var unit: UInt64 = 1
      for _ in 0..<max(decimals, 0) { unit *= 10 }
      put(number, max(decimals, 0), unit: unit, trimmed, width)
    }
  }

  /// Writes an instant, see `Array.append(iso8601:)`.
  mutating func put(iso8601 instant: UTCInstant) {
    let date = instant.date
    put(UInt64(truncatingIfNeeded: date.year), places: 4)
    put(UInt8(ascii: "-"))
    put(UInt64(truncatingIfNeeded: date.month), places: 2)
    put(UInt8(ascii: "-"))
    put(UInt64(truncatingIfNeeded: date.day), places: 2)
    put(UInt8(ascii: "T"))
    let milliseconds = UInt64(truncatingIfNeeded: instant.nanosecondsOfDay) / 1_000_000
    let seconds = milliseconds / 1000
    put(seconds / 3600, places: 2)
    put(UInt8(ascii: ":"))
    put(seconds / 60 % 60, places: 2)
    put(UInt8(ascii: ":"))
    put(seconds % 60, places: 2)
    if milliseconds % 1000 > 0 {
      put(UInt8(ascii: "."))
      put(milliseconds % 1000, places: 3)
    }
    put(UInt8(ascii: "Z"))
  }

  @inline(__always)
  private mutating func put(_ number: Double, _ decimals: Int, unit: UInt64, _ trimmed: Bool, _ width: Int) {
    let bounded = number.isFinite ? min(max(number, -9e8), 9e8) : 0
    let scaled = (bounded * Double(unit)).rounded()
    if scaled < 0 { put(UInt8(ascii: "-")) }
    var (whole, fraction) = UInt64(scaled.magnitude).quotientAndRemainder(dividingBy: unit)
    put(whole, places: max(width, Self.places(of: whole)))
    var decimals = decimals
    if trimmed {
      while decimals > 0 {
        let (rest, digit) = fraction.quotientAndRemainder(dividingBy: 10)
        guard digit == 0 else { break }
        fraction = rest
        decimals -= 1
      }
    }
    guard decimals > 0 else { return }
    put(UInt8(ascii: "."))
    put(fraction, places: decimals)
  }

  /// Writes the last digits of a number.
  @inline(__always)
  private mutating func put(_ number: UInt64, places: Int) {
    assert(end - place >= places)
    var rest = number
    var left = places
    while left >= 2 {
      left -= 2
      let pair = Int(truncatingIfNeeded: rest % 100) * 2
      rest /= 100
      place[left] = Self.pairs.utf8Start[pair]
      place[left + 1] = Self.pairs.utf8Start[pair + 1]
    }
    if left > 0 { place[0] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10) }
    place += places
  }

  @inline(__always)
  private static func places(of number: UInt64) -> Int {
    var places = 1
    var rest = number
    while rest >= 10 {
      rest /= 10
      places += 1
    }
    return places
  }

  private static var pairs: StaticString {
    """
    0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849\
    5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899
    """
  }
}

extension [UInt8] {
  /// Appends what `write` writes, at most `room` bytes.
  @inline(__always)
  mutating func append(atMost room: Int, _ write: (inout TextCursor) -> Void) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: room) { buffer in
      guard let start = buffer.baseAddress else { return }
      var text = TextCursor(start, room: room)
      write(&text)
      append(contentsOf: UnsafeBufferPointer(start: start, count: text.place - start))
    }
  }

  /// Appends a finite number rounded to `decimals` places (0 to 9), half away from zero, without trailing zeros if
  /// `trimmed`, with at least `width` (up to 9) digits before the point. No exponent: larger numbers become ± 9 × 10⁸.
  package mutating func append(fixed number: Double, decimals: Int, trimmed: Bool = true, width: Int = 1) {
    append(atMost: TextCursor.longestNumber) {
      $0.put(fixed: number, decimals: decimals, trimmed: trimmed, width: width)
    }
  }

  /// Appends an instant as `YYYY-MM-DDThh:mm:ss[.sss]Z`, truncated to milliseconds, without decimals on a full second.
  package mutating func append(iso8601 instant: UTCInstant) {
    append(atMost: TextCursor.longestInstant) { $0.put(iso8601: instant) }
  }

  package mutating func append(_ text: StaticString) { text.withUTF8Buffer { append(contentsOf: $0) } }
}

extension String {
  /// A number as `[UInt8].append(fixed:decimals:trimmed:width:)` writes it.
  init(fixed number: Double, decimals: Int, trimmed: Bool = true) {
    var bytes: [UInt8] = []
    bytes.append(fixed: number, decimals: decimals, trimmed: trimmed)
    self.init(decoding: bytes, as: UTF8.self)
  }

  init(iso8601 instant: UTCInstant) {
    var bytes: [UInt8] = []
    bytes.append(iso8601: instant)
    self.init(decoding: bytes, as: UTF8.self)
  }

  init(xml text: String) {
    var bytes: [UInt8] = []
    bytes.append(xml: text)
    self.init(decoding: bytes, as: UTF8.self)
  }
}

extension [UInt8] {
  /// Appends text as XML character data or attribute value; characters that XML forbids become `?`.
  package mutating func append(xml text: String) {
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": append("&amp;")
      case "<": append("&lt;")
      case ">": append("&gt;")
      case "\"": append("&quot;")
      case "\u{9}", "\u{A}", "\u{D}": append(UInt8(ascii: " "))
      case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": append(UInt8(ascii: "?"))
      default: append(contentsOf: String(scalar).utf8)
      }
    }
  }

  /// Appends text as a JSON string, quotes included.
  package mutating func append(json text: String) {
    append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        append(UInt8(ascii: "\\"))
        append(byte)
      case 0..<0x20, 0x7F:
        append("\\u00")
        append(hexByte: byte)
      default: append(byte)
      }
    }
    append(UInt8(ascii: "\""))
  }
}
