/// A writer of NMEA sentences, each field with the comma before it. Allocates nothing but room in the output.
package struct SentenceWriter {
  package static let knotsPerMetrePerSecond = 3600.0 / 1852

  private var output: [UInt8] = []
  private var start = 0

  package static func append(to output: inout [UInt8], _ body: (inout Self) -> Void) {
    var writer = Self()
    swap(&writer.output, &output)
    body(&writer)
    swap(&writer.output, &output)
  }

  package mutating func begin(_ address: StaticString) {
    text("$")
    start = output.count
    text(address)
  }

  package mutating func begin(_ talker: String, _ type: StaticString) {
    begin("")
    output.append(contentsOf: talker.utf8)
    text(type)
  }

  /// Ends the sentence with its checksum, and CR LF.
  package mutating func end() {
    var checksum: UInt8 = 0
    for index in start..<output.count { checksum ^= output[index] }
    text("*")
    output.append(Hexadecimal.digit(checksum >> 4))
    output.append(Hexadecimal.digit(checksum & 0xF))
    text("\r\n")
  }

  /// Continues the newest field.
  package mutating func text(_ text: StaticString) {
    output.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  package mutating func field(_ text: StaticString) {
    self.text(",")
    self.text(text)
  }

  mutating func field(letter: UInt8) {
    text(",")
    output.append(letter)
  }

  package mutating func emptyFields(_ count: Int) {
    for _ in 0..<max(count, 0) { text(",") }
  }

  /// A number ≥ 0 in at least `width` digits.
  package mutating func field(_ value: Int?, width: Int) {
    text(",")
    if let value { digits(value, width: width) }
  }

  /// A number with at least `width` digits before its decimals; nothing if it is too large for any field.
  package mutating func field(_ value: Double?, decimals: Int, width: Int = 1) {
    text(",")
    guard let value, value.magnitude < 1e9 else { return }
    let unit = Int(UInt64.powerOfTen(decimals))
    let scaled = Int((value.magnitude * Double(unit)).rounded())
    if value < 0, scaled > 0 { text("-") }
    digits(scaled / unit, width: width)
    fraction(scaled % unit, decimals)
  }

  mutating func fields(_ first: Double?, _ second: Double?, _ third: Double?, decimals: Int) {
    field(first, decimals: decimals)
    field(second, decimals: decimals)
    field(third, decimals: decimals)
  }

  /// `hhmmss.ss`, from nanoseconds of the day, truncated. The second after the day's last is 23:59:60.
  package mutating func field(time nanoseconds: Int64?, decimals: Int) {
    text(",")
    guard let nanoseconds else { return }
    let second = Int(nanoseconds / 1_000_000_000)
    let minute = min(second / 60, 24 * 60 - 1)
    digits(minute / 60, width: 2)
    digits(minute % 60, width: 2)
    digits(second - minute * 60, width: 2)
    fraction(Int(nanoseconds % 1_000_000_000) / Int(UInt64.powerOfTen(9 - decimals)), decimals)
  }

  /// `ddmmyy`
  package mutating func field(date: CalendarDate?) {
    text(",")
    guard let date else { return }
    digits(date.day, width: 2)
    digits(date.month, width: 2)
    digits(date.year % 100, width: 2)
  }

  /// The magnetic variation, degrees east, and its side.
  package mutating func fields(variation: Double?, width: Int = 1) {
    field(variation.map(\.magnitude), decimals: 1, width: width)
    text(",")
    if let variation { text(variation < 0 ? "W" : "E") }
  }

  /// Latitude and longitude with their hemispheres, in minutes with so many decimals.
  package mutating func fields(position: (latitude: Double, longitude: Double)?, decimals: Int) {
    guard let (latitude, longitude) = position else { return emptyFields(4) }
    angle(latitude, width: 2, decimals: decimals)
    text(latitude < 0 ? ",S" : ",N")
    angle(longitude, width: 3, decimals: decimals)
    text(longitude < 0 ? ",W" : ",E")
  }

  /// `dddmm.mmmmm`, rounded as a whole, so that there is no minute 60.
  private mutating func angle(_ degrees: Double, width: Int, decimals: Int) {
    let unit = Int(UInt64.powerOfTen(decimals))
    let minutes = Int((min(degrees.magnitude, 180) * 60 * Double(unit)).rounded())
    text(",")
    digits(minutes / (60 * unit), width: width)
    digits(minutes / unit % 60, width: 2)
    fraction(minutes % unit, decimals)
  }

  private mutating func fraction(_ value: Int, _ decimals: Int) {
    guard decimals > 0 else { return }
    text(".")
    digits(value, width: decimals)
  }

  private mutating func digits(_ value: Int, width: Int) {
    var rest = max(value, 0)
    let begin = output.count
    repeat {
      output.append(UInt8(ascii: "0") + UInt8(rest % 10))
      rest /= 10
    } while rest > 0 || output.count - begin < width
    output.withUnsafeMutableBufferPointer { $0[begin...].reverse() }
  }
}
