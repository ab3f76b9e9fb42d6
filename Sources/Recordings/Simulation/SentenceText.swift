/// Writes one sentence, field after field, and its checksum.
struct SentenceText {
  private var bytes: [UInt8] = [UInt8(ascii: "$")]

  /// A sentence of that address.
  init(_ address: String) {
    bytes.append(contentsOf: address.utf8)
  }

  /// The sentence with checksum and line end.
  var line: [UInt8] {
    let checksum = bytes.dropFirst().reduce(0, ^)
    var line = bytes
    line.append(UInt8(ascii: "*"))
    line.append(hexByte: checksum)
    line.append(contentsOf: [0x0D, 0x0A])
    return line
  }

  /// Adds a field of text.
  mutating func text(_ text: String) {
    bytes.append(UInt8(ascii: ","))
    bytes.append(contentsOf: text.utf8)
  }

  /// Adds empty fields.
  mutating func empty(_ count: Int = 1) {
    for _ in 0..<count { bytes.append(UInt8(ascii: ",")) }
  }

  /// Adds a whole number, empty if there is none.
  mutating func number(_ number: Int?, width: Int = 1) {
    bytes.append(UInt8(ascii: ","))
    if let number { bytes.append(digits: UInt64(number.magnitude), width: width) }
  }

  /// Adds a number with decimals, empty if there is none.
  mutating func number(_ number: Double?, decimals: Int) {
    bytes.append(UInt8(ascii: ","))
    if let number { bytes.append(number, decimals: decimals) }
  }

  /// Adds `hhmmss.ss` of nanoseconds since midnight, cut off; empty if there is none.
  mutating func time(_ nanoseconds: Int64?, decimals: Int) {
    bytes.append(UInt8(ascii: ","))
    guard let nanoseconds else { return }
    let second = UInt64(nanoseconds / 1_000_000_000)
    for part in [second / 3600, second / 60 % 60, second % 60] { bytes.append(digits: part, width: 2) }
    guard decimals > 0 else { return }
    var unit: Int64 = 1_000_000_000
    for _ in 0..<decimals { unit /= 10 }
    bytes.append(UInt8(ascii: "."))
    bytes.append(digits: UInt64(nanoseconds % 1_000_000_000 / max(unit, 1)), width: decimals)
  }

  /// Adds latitude and longitude with their hemispheres, four empty fields if there are none.
  mutating func position(_ position: (latitude: Double, longitude: Double)?, decimals: Int) {
    guard let position else { return empty(4) }
    angle(position.latitude, degreeWidth: 2, decimals: decimals)
    text(position.latitude < 0 ? "S" : "N")
    angle(position.longitude, degreeWidth: 3, decimals: decimals)
    text(position.longitude < 0 ? "W" : "E")
  }

  /// `dddmm.mmmmm`. Rounded as a whole, so that there is never a minute 60.
  private mutating func angle(_ degrees: Double, degreeWidth: Int, decimals: Int) {
    var unit: UInt64 = 1
    for _ in 0..<decimals { unit *= 10 }
    let minutes = UInt64((min(abs(degrees), 180) * 60 * Double(unit)).rounded())
    bytes.append(UInt8(ascii: ","))
    bytes.append(digits: minutes / (60 * unit), width: degreeWidth)
    bytes.append(digits: minutes / unit % 60, width: 2)
    bytes.append(UInt8(ascii: "."))
    bytes.append(digits: minutes % unit, width: decimals)
  }
}

extension [UInt8] {
  /// Appends a number rounded to decimals; never `-0`.
  mutating func append(_ number: Double, decimals: Int) {
    var unit = 1.0
    for _ in 0..<decimals { unit *= 10 }
    let scaled = Int64(Swift.min(Swift.max((number * unit).rounded(), -9e18), 9e18))
    if scaled < 0 { append(UInt8(ascii: "-")) }
    append(digits: scaled.magnitude / UInt64(unit), width: 1)
    guard decimals > 0 else { return }
    append(UInt8(ascii: "."))
    append(digits: scaled.magnitude % UInt64(unit), width: decimals)
  }
}
