import LocationCore

extension JSONLine {
  package mutating func field(_ name: StaticString, _ value: Int?) {
    guard let value else { return }
    field(name, room: 21) { Self.number(value, at: $0) }
  }

  package mutating func field(_ name: StaticString, _ value: UInt64?) {
    guard let value else { return }
    field(name, room: 20) { Self.digits(value, atLeast: 1, at: $0) }
  }

  /// A number rounded to `decimals` places (0 to 9), half away from zero, without trailing zeros unless `trimmed` is
  /// false. NaN and infinities write nothing.
  @inline(__always)
  package mutating func field(_ name: StaticString, _ value: Double?, decimals: Int, trimmed: Bool = true) {
    if let value { number(name, value, decimals: decimals, trimmed: trimmed) }
  }

  /// Apart, so that a missing value, of which a line has many, costs no call.
  @inline(never)
  private mutating func number(_ name: StaticString, _ value: Double, decimals: Int, trimmed: Bool) {
    guard value.isFinite else { return }
    guard Self.fits(value, decimals) else {
      key(name)
      return text(value.description)
    }
    field(name, room: Self.numberRoom) { Self.number(value, decimals: decimals, trimmed: trimmed, at: $0) }
  }

  package mutating func value(_ value: Int) {
    separate()
    write(room: 21) { Self.number(value, at: $0) }
  }

  /// An element of an array; NaN and infinities write nothing.
  package mutating func value(_ value: Double, decimals: Int, trimmed: Bool = true) {
    guard value.isFinite else { return }
    separate()
    guard Self.fits(value, decimals) else { return text(value.description) }
    write(room: Self.numberRoom) { Self.number(value, decimals: decimals, trimmed: trimmed, at: $0) }
  }

  @inline(__always)
  private static func number(_ value: Int, at place: UnsafeMutablePointer<UInt8>) -> Int {
    guard value < 0 else { return digits(UInt64(value), atLeast: 1, at: place) }
    place[0] = Byte.minus
    return 1 + digits(UInt64(value.magnitude), atLeast: 1, at: place + 1)
  }

  /// Whether a number in units of its last decimal fits 63 bits. Another has no decimals to lose.
  @inline(__always)
  private static func fits(_ value: Double, _ decimals: Int) -> Bool {
    value.magnitude < 9e9 || (value * Double(UInt64.powerOfTen(min(max(decimals, 0), 9)))).magnitude < 0x1p63
  }

  /// A sign, 19 digits, a dot and 9 decimals.
  package static let numberRoom = 32

  /// Writes a number that fits, and returns how many bytes it takes; it may overwrite all of `numberRoom`.
  @inline(never)
  package static func number(
    _ value: Double, decimals: Int, trimmed: Bool, at start: UnsafeMutablePointer<UInt8>
  ) -> Int {
    let decimals = min(max(decimals, 0), 9)
    let unit = UInt64.powerOfTen(decimals)
    let scaled = value * Double(unit)
    // As `rounded()`, on x86-64 a library call. Adding a half would itself round just below 0.5 and from 2^52 on.
    var units = UInt64(scaled.magnitude)
    if scaled.magnitude - Double(units) >= 0.5 { units += 1 }
    let (whole, fraction) = units.quotientAndRemainder(dividingBy: unit)
    var place = start
    if scaled < 0, units > 0 {
      place[0] = Byte.minus
      place += 1
    }
    place += digits(whole, atLeast: 1, at: place)
    guard trimmed ? fraction > 0 : decimals > 0 else { return place - start }
    let (first, ninth) = (fraction &* .powerOfTen(9 &- decimals)).quotientAndRemainder(dividingBy: 10)
    let eight = eightDigits(first)
    place[0] = Byte.dot
    store(eight, plus: asciiZeros, at: place + 1)
    place[9] = Byte.zero &+ UInt8(truncatingIfNeeded: ninth)
    let significant = ninth > 0 ? 9 : 8 &- eight.leadingZeroBitCount / 8
    return place - start + 1 + (trimmed ? significant : decimals)
  }

  /// Writes the digits with leading zeros up to `width` (9 at most); returns their number. May overwrite eight bytes.
  @inline(never)
  package static func digits(_ value: UInt64, atLeast width: Int, at place: UnsafeMutablePointer<UInt8>) -> Int {
    guard value < 100_000_000, width <= 8 else {
      let (high, low) = value.quotientAndRemainder(dividingBy: 100_000_000)
      let count = digits(high, atLeast: max(width - 8, 1), at: place)
      store(eightDigits(low), plus: asciiZeros, at: place + count)
      return count + 8
    }
    let eight = eightDigits(value)
    let surplus = min(eight.trailingZeroBitCount / 8, 8 &- width)
    store(eight &>> UInt64(truncatingIfNeeded: surplus &* 8), plus: asciiZeros, at: place)
    return 8 &- surplus
  }

  /// The eight digits of a number below 10^8, a byte each, the first one lowest. Each step halves all groups at once,
  /// with a reciprocal that is exact for their size.
  @inline(__always)
  private static func eightDigits(_ value: UInt64) -> UInt64 {
    let fours = value / 10_000 | (value % 10_000) << 32
    let hundreds = (fours &* 10_486) >> 20 & 0x7F_0000_007F
    let twos = hundreds | (fours &- hundreds &* 100) << 16
    let tens = (twos &* 103) >> 10 & 0xF_000F_000F_000F
    return tens | (twos &- tens &* 10) << 8
  }

  private static let asciiZeros: UInt64 = 0x3030_3030_3030_3030

  @inline(__always)
  private static func store(_ digits: UInt64, plus base: UInt64, at place: UnsafeMutablePointer<UInt8>) {
    UnsafeMutableRawPointer(place).storeBytes(of: (digits &+ base).littleEndian, as: UInt64.self)
  }

  /// An instant as `YYYY-MM-DDThh:mm:ss.sssZ`, cut to the millisecond.
  package mutating func field(_ name: StaticString, _ instant: UTCInstant?) {
    guard let instant else { return }
    quoted(name, room: Self.dateRoom + Self.clockRoom + 2) { Self.instant(instant, decimals: 3, &$0) }
  }

  /// A time of day as `hh:mm:ss.sss`, cut to the millisecond; a leap second is `23:59:60`.
  package mutating func field(_ name: StaticString, _ time: TimeOfDay?) {
    guard let time else { return }
    quoted(name, room: Self.clockRoom) { Self.clock(time.nanoseconds, decimals: 3, &$0) }
  }

  /// A date as `YYYY-MM-DD`.
  package mutating func field(_ name: StaticString, _ day: CalendarDate?) {
    guard let day else { return }
    quoted(name, room: Self.dateRoom) { Self.date(day, &$0) }
  }

  @inline(__always)
  private mutating func quoted(_ name: StaticString, room: Int, _ body: (inout UnsafeMutablePointer<UInt8>) -> Void) {
    field(name, room: room + 2) { start in
      var place = start
      Self.put(Byte.quote, &place)
      body(&place)
      Self.put(Byte.quote, &place)
      return place - start
    }
  }

  /// More bytes than any date takes: three numbers of up to 20 digits and two hyphens.
  fileprivate static let dateRoom = 62
  /// The same for a time of day with four numbers.
  fileprivate static let clockRoom = 83

  @inline(__always)
  private static func put(_ byte: UInt8, _ place: inout UnsafeMutablePointer<UInt8>) {
    place[0] = byte
    place += 1
  }

  @inline(__always)
  private static func put(_ value: UInt64, atLeast width: Int, _ place: inout UnsafeMutablePointer<UInt8>) {
    place += digits(value, atLeast: width, at: place)
  }

  @inline(__always)
  fileprivate static func instant(_ instant: UTCInstant, decimals: Int, _ place: inout UnsafeMutablePointer<UInt8>) {
    date(instant.date, &place)
    put(UInt8(ascii: "T"), &place)
    clock(instant.nanosecondsOfDay, decimals: decimals, &place)
    put(UInt8(ascii: "Z"), &place)
  }

  private static func date(_ date: CalendarDate, _ place: inout UnsafeMutablePointer<UInt8>) {
    let (century, year) = UInt64(date.year).quotientAndRemainder(dividingBy: 100)
    put(century, atLeast: 2, &place)
    put(year, UInt64(date.month), UInt64(date.day), separator: Byte.minus, &place)
  }

  @inline(__always)
  private static func clock(_ nanosecondsOfDay: Int64, decimals: Int, _ place: inout UnsafeMutablePointer<UInt8>) {
    let unit = UInt64.powerOfTen(decimals)
    let (seconds, fraction) = (UInt64(nanosecondsOfDay) / .powerOfTen(9 - decimals)).quotientAndRemainder(
      dividingBy: unit)
    // The second after 23:59:59 is 23:59:60 and not 24:00:00.
    let minutes = min(seconds / 60, 24 * 60 - 1)
    put(minutes / 60, minutes % 60, seconds - minutes * 60, separator: Byte.colon, &place)
    guard decimals > 0 else { return }
    put(Byte.dot, &place)
    put(fraction, atLeast: decimals, &place)
  }

  /// Writes three numbers of two digits; the separators take the places of zeros between them.
  @inline(__always)
  private static func put(
    _ first: UInt64, _ second: UInt64, _ third: UInt64, separator: UInt8, _ place: inout UnsafeMutablePointer<UInt8>
  ) {
    let base = asciiZeros &+ (UInt64(separator) &- UInt64(Byte.zero)) &* 0x100_0001_0000
    store(eightDigits(first * 1_000_000 + second * 1000 + third), plus: base, at: place)
    place += 8
  }
}

extension UTCInstant {
  /// Appends `YYYY-MM-DDThh:mm:ss[.s…]Z` with as many decimals as the instant has, nine at most.
  package func write(into bytes: inout [UInt8]) {
    var decimals = 9
    var rest = nanosecondsOfDay
    while decimals > 0, rest.isMultiple(of: 10) {
      rest /= 10
      decimals -= 1
    }
    write(into: &bytes, decimals: decimals)
  }

  /// Appends the same with so many decimals, the rest cut.
  package func write(into bytes: inout [UInt8], decimals: Int) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: JSONLine.dateRoom + JSONLine.clockRoom + 2) { buffer in
      guard let start = buffer.baseAddress else { return }
      var place = start
      JSONLine.instant(self, decimals: decimals, &place)
      bytes.append(contentsOf: UnsafeBufferPointer(start: start, count: place - start))
    }
  }
}
