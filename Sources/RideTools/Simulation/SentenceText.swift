import LocationCore
import Recordings

/// A writer of sentences, field by field, with checksums.
struct SentenceText {
  private(set) var bytes: [UInt8] = []
  private var begin = 0

  init() { bytes.reserveCapacity(1024) }

  mutating func begin(_ talker: String, _ type: String) {
    begin = bytes.count
    bytes.append(UInt8(ascii: "$"))
    bytes.append(contentsOf: talker.utf8)
    bytes.append(contentsOf: type.utf8)
  }

  mutating func end() {
    var checksum: UInt8 = 0
    for byte in bytes[(begin + 1)...] { checksum ^= byte }
    bytes.append(UInt8(ascii: "*"))
    bytes.append(hexByte: checksum)
    bytes.append(0x0D)
    bytes.append(0x0A)
  }

  mutating func text(_ text: String) {
    bytes.append(UInt8(ascii: ","))
    bytes.append(contentsOf: text.utf8)
  }

  mutating func empty(_ count: Int = 1) {
    for _ in 0..<count { bytes.append(UInt8(ascii: ",")) }
  }

  mutating func number(_ number: Int?, width: Int = 1) {
    bytes.append(UInt8(ascii: ","))
    if let number { bytes.append(digits: UInt64(number.magnitude), width: width) }
  }

  mutating func number(_ number: Double?, decimals: Int, width: Int = 1) {
    bytes.append(UInt8(ascii: ","))
    if let number { bytes.append(fixed: number, decimals: decimals, trimmed: false, width: width) }
  }

  /// Adds nanoseconds since midnight as `hhmmss.ss`, truncated. The second after the day's last is 23:59:60.
  mutating func time(_ nanoseconds: Int64?, decimals: Int) {
    bytes.append(UInt8(ascii: ","))
    guard let nanoseconds else { return }
    let second = UInt64(nanoseconds / 1_000_000_000)
    let leap: UInt64 = second < 86_400 ? 0 : 1
    let minute = (second - leap) / 60
    bytes.append(digits: minute / 60, width: 2)
    bytes.append(digits: minute % 60, width: 2)
    bytes.append(digits: second - minute * 60, width: 2)
    guard decimals > 0 else { return }
    var unit: Int64 = 1_000_000_000
    for _ in 0..<decimals { unit /= 10 }
    bytes.append(UInt8(ascii: "."))
    bytes.append(digits: UInt64(nanoseconds % 1_000_000_000 / max(unit, 1)), width: decimals)
  }

  mutating func date(_ date: CalendarDate) {
    bytes.append(UInt8(ascii: ","))
    bytes.append(digits: UInt64(date.day), width: 2)
    bytes.append(digits: UInt64(date.month), width: 2)
    bytes.append(digits: UInt64(date.year % 100), width: 2)
  }

  /// Adds latitude and longitude with their hemispheres, or four empty fields.
  mutating func position(_ position: (latitude: Double, longitude: Double)?, decimals: Int) {
    guard let position else { return empty(4) }
    angle(position.latitude, degreeWidth: 2, decimals: decimals)
    text(position.latitude < 0 ? "S" : "N")
    angle(position.longitude, degreeWidth: 3, decimals: decimals)
    text(position.longitude < 0 ? "W" : "E")
  }

  /// Adds `dddmm.mmmmm`, rounded as a whole so that there is no minute 60.
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
