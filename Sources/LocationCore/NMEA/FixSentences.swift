/// The sentences of one epoch made from its fix, as a receiver with NMEA 4.11 sends them: RMC, GGA, GSA, GSV and GST.
/// For readers of sentences behind a receiver that sends none. A missing value is an empty field. Nothing is allocated
/// but the room in the output.
package struct FixSentences {
  private var output: [UInt8]
  /// Where the open sentence begins, behind its `$`.
  private var start = 0

  private static let knotsPerMetrePerSecond = 3600.0 / 1852

  private init(_ output: inout [UInt8]) {
    self.output = []
    swap(&self.output, &output)
  }

  /// Appends the sentences of a fix, each with CR LF. GSA and GSV describe `sky`, GSV only if it is due (`showsSky`).
  package static func write(
    _ fix: Fix, _ sky: Sky?, showsSky: Bool, noise: PseudorangeNoise?, into output: inout [UInt8]
  ) {
    var writer = FixSentences(&output)
    writer.rmc(fix)
    writer.gga(fix)
    writer.gsa(
      sky, mode: fix.mode == .threeD ? 3 : 2, (fix.pdop ?? sky?.pdop, fix.hdop ?? sky?.hdop, fix.vdop ?? sky?.vdop))
    if showsSky, let sky { writer.gsv(sky) }
    writer.gst(fix, noise)
    swap(&output, &writer.output)
  }

  /// Appends the sentences of an epoch without a fix: its time, if known, and its satellites.
  package static func write(noFixAt time: UTCInstant?, _ sky: Sky?, into output: inout [UInt8]) {
    var writer = FixSentences(&output)
    writer.begin("GNRMC")
    writer.text(",")
    writer.time(time.map(\.nanosecondsOfDay))
    writer.text(",V,,,,,,,")
    if let time { writer.date(time.date) }
    writer.text(",,,N,V")
    writer.end()
    writer.begin("GNGGA")
    writer.text(",")
    writer.time(time.map(\.nanosecondsOfDay))
    writer.text(",,,,,0,00,,,,,,,")
    writer.end()
    writer.gsa(sky, mode: 1, (nil, nil, nil))
    if let sky { writer.gsv(sky) }
    swap(&output, &writer.output)
  }

  private mutating func rmc(_ fix: Fix) {
    begin("GNRMC")
    text(",")
    time(fix)
    text(",A,")
    position(fix.position)
    text(",")
    number(fix.speed.map { $0 * Self.knotsPerMetrePerSecond }, decimals: 3)
    text(",")
    number(fix.course, decimals: 3)
    text(",")
    if let date = Self.date(of: fix) { self.date(date) }
    text(",")
    number(fix.magneticVariation.map(\.magnitude), decimals: 1)
    text(",")
    if let variation = fix.magneticVariation { text(variation < 0 ? "W" : "E") }
    text(",")
    text(Self.mode(fix.status))
    text(",V")
    end()
  }

  private mutating func gga(_ fix: Fix) {
    begin("GNGGA")
    text(",")
    time(fix)
    text(",")
    position(fix.position)
    text(",")
    text(Self.quality(fix.status))
    text(",")
    if let count = fix.satellitesUsed { digits(count, width: 2) }
    text(",")
    number(fix.hdop, decimals: 2)
    text(",")
    number(fix.altitudeMSL, decimals: 3)
    text(",M,")
    number(fix.geoidSeparation, decimals: 3)
    text(",M,")
    number(fix.dgpsAge, decimals: 1)
    text(",")
    if let station = fix.dgpsStation { digits(station, width: 4) }
    end()
  }

  /// One GSA a system, more where it has more than 12 satellites in use; one without a system if none is in use.
  private mutating func gsa(_ sky: Sky?, mode: Int, _ dilution: (p: Double?, h: Double?, v: Double?)) {
    var isEmpty = true
    for system in System.all {
      var count = 0
      for satellite in sky?.satellites ?? [] where satellite.used && system.contains(satellite) {
        guard let number = system.number(of: satellite) else { continue }
        if count % 12 == 0 {
          if count > 0 { endGSA(12, dilution, system) }
          begin("GNGSA")
          text(",A,")
          digits(mode, width: 1)
        }
        text(",")
        digits(number, width: 2)
        count += 1
      }
      guard count > 0 else { continue }
      isEmpty = false
      endGSA((count - 1) % 12 + 1, dilution, system)
    }
    guard isEmpty else { return }
    begin("GNGSA")
    text(",A,")
    digits(mode, width: 1)
    endGSA(0, dilution, nil)
  }

  private mutating func endGSA(
    _ count: Int, _ dilution: (p: Double?, h: Double?, v: Double?), _ system: System?
  ) {
    for _ in count..<12 { text(",") }
    text(",")
    number(dilution.p, decimals: 2)
    text(",")
    number(dilution.h, decimals: 2)
    text(",")
    number(dilution.v, decimals: 2)
    text(",")
    if let system { digits(system.id, width: 1) }
    end()
  }

  /// The set of each system that is in view; an empty one without any.
  private mutating func gsv(_ sky: Sky) {
    var isEmpty = true
    for system in System.all {
      let total = sky.satellites.count { system.number(of: $0) != nil }
      guard total > 0 else { continue }
      isEmpty = false
      var index = 0
      for satellite in sky.satellites {
        guard let number = system.number(of: satellite) else { continue }
        if index % 4 == 0 {
          if index > 0 { endGSV() }
          beginGSV(system.talker, parts: (total + 3) / 4, part: index / 4 + 1, total)
        }
        text(",")
        digits(number, width: 2)
        text(",")
        self.number(satellite.elevation, decimals: 0, width: 2)
        text(",")
        self.number(satellite.azimuth.map { $0 < 359.5 ? $0 : 0 }, decimals: 0, width: 3)
        text(",")
        self.number(satellite.signal, decimals: 0, width: 2)
        index += 1
      }
      endGSV()
    }
    guard isEmpty else { return }
    beginGSV("GPGSV", parts: 1, part: 1, 0)
    endGSV()
  }

  private mutating func beginGSV(_ talker: StaticString, parts: Int, part: Int, _ total: Int) {
    begin(talker)
    text(",")
    digits(parts, width: 1)
    text(",")
    digits(part, width: 1)
    text(",")
    digits(total, width: 2)
  }

  /// Signal 0: the strongest of all signals.
  private mutating func endGSV() {
    text(",0")
    end()
  }

  /// The standard deviations: the receiver's, else those of which the fix states the 95 % errors; no sentence without.
  private mutating func gst(_ fix: Fix, _ noise: PseudorangeNoise?) {
    let circle = fix.horizontalAccuracy.map { $0 / Confidence.circle }
    let latitude = noise?.latitude ?? fix.latitudeError.map { $0 / Confidence.line } ?? circle
    let longitude = noise?.longitude ?? fix.longitudeError.map { $0 / Confidence.line } ?? circle
    let altitude = noise?.altitude ?? fix.verticalAccuracy.map { $0 / Confidence.line }
    guard latitude != nil || longitude != nil || altitude != nil else { return }
    begin("GNGST")
    text(",")
    time(fix)
    text(",")
    number(noise?.rms, decimals: 3)
    text(",")
    number(noise?.major, decimals: 3)
    text(",")
    number(noise?.minor, decimals: 3)
    text(",")
    number(noise?.orientation, decimals: 1)
    text(",")
    number(latitude, decimals: 3)
    text(",")
    number(longitude, decimals: 3)
    text(",")
    number(altitude, decimals: 3)
    end()
  }

  private static func mode(_ status: FixStatus) -> StaticString {
    switch status {
    case .normal, .gnssDeadReckoning: "A"
    case .dgps: "D"
    case .rtkFixed: "R"
    case .rtkFloat: "F"
    case .deadReckoning: "E"
    case .surveyed: "M"
    case .simulated: "S"
    case .pps: "P"
    }
  }

  private static func quality(_ status: FixStatus) -> StaticString {
    switch status {
    case .normal, .gnssDeadReckoning: "1"
    case .dgps: "2"
    case .pps: "3"
    case .rtkFixed: "4"
    case .rtkFloat: "5"
    case .deadReckoning: "6"
    case .surveyed: "7"
    case .simulated: "8"
    }
  }
}

/// A satellite system in NMEA 4.11.
private struct System {
  let gnss: GNSS
  let id: Int
  let talker: StaticString

  static let all = [
    System(gnss: .gps, id: 1, talker: "GPGSV"), System(gnss: .glonass, id: 2, talker: "GLGSV"),
    System(gnss: .galileo, id: 3, talker: "GAGSV"), System(gnss: .beidou, id: 4, talker: "GBGSV"),
    System(gnss: .qzss, id: 5, talker: "GQGSV"), System(gnss: .navic, id: 6, talker: "GIGSV"),
  ]

  /// Whether a satellite is listed with this system; those of SBAS are with GPS.
  func contains(_ satellite: Satellite) -> Bool {
    satellite.gnss == gnss || satellite.gnss == .sbas && gnss == .gps
  }

  /// The number of a satellite that is listed with this system, from 1; `nil` for another.
  func number(of satellite: Satellite) -> Int? {
    guard contains(satellite), let number = satellite.svid, (1...999).contains(number) else { return nil }
    switch satellite.gnss {
    case .sbas: return (120...151).contains(number) ? number - 87 : number
    case .glonass: return number + 64
    default: return number
    }
  }
}

// The fields.
extension FixSentences {
  private mutating func begin(_ address: StaticString) {
    text("$")
    start = output.count
    text(address)
  }

  private mutating func end() {
    var checksum: UInt8 = 0
    for index in start..<output.count { checksum ^= output[index] }
    text("*")
    hexadecimal(checksum >> 4)
    hexadecimal(checksum & 0xF)
    text("\r\n")
  }

  private mutating func hexadecimal(_ nibble: UInt8) {
    output.append(nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "A") + nibble - 10)
  }

  private mutating func text(_ text: StaticString) {
    output.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// A number ≥ 0 in at least `width` digits.
  private mutating func digits(_ value: Int, width: Int) {
    var rest = max(value, 0)
    let begin = output.count
    var count = 0
    repeat {
      output.append(UInt8(ascii: "0") + UInt8(rest % 10))
      rest /= 10
      count += 1
    } while rest > 0 || count < width
    var (low, high) = (begin, output.count - 1)
    while low < high {
      output.swapAt(low, high)
      (low, high) = (low + 1, high - 1)
    }
  }

  /// A number with at least `width` digits before its decimals; nothing if it is missing, or too large for any field.
  private mutating func number(_ value: Double?, decimals: Int, width: Int = 1) {
    guard let value, value.magnitude < 1e9 else { return }
    var unit = 1
    for _ in 0..<decimals { unit *= 10 }
    let scaled = Int((value.magnitude * Double(unit)).rounded())
    if value < 0, scaled > 0 { text("-") }
    digits(scaled / unit, width: width)
    guard decimals > 0 else { return }
    text(".")
    digits(scaled % unit, width: decimals)
  }

  private mutating func time(_ fix: Fix) {
    time(fix.timeOfDay.map(\.nanoseconds) ?? fix.measured.map(\.nanosecondsOfDay))
  }

  /// `hhmmss.sss`, truncated. The second after the day's last is 23:59:60.
  private mutating func time(_ nanoseconds: Int64?) {
    guard let nanoseconds else { return }
    let second = Int(nanoseconds / 1_000_000_000)
    let minute = min(second / 60, 24 * 60 - 1)
    digits(minute / 60, width: 2)
    digits(minute % 60, width: 2)
    digits(second - minute * 60, width: 2)
    text(".")
    digits(Int(nanoseconds % 1_000_000_000 / 1_000_000), width: 3)
  }

  /// In a leap second the instant has the date of the day after it.
  private static func date(of fix: Fix) -> CalendarDate? {
    guard let measured = fix.measured else { return nil }
    guard let time = fix.timeOfDay, time.nanoseconds >= TimeOfDay.day, measured.nanosecondsOfDay < 1_000_000_000 else {
      return measured.date
    }
    return (measured + .seconds(-1)).date
  }

  private mutating func date(_ date: CalendarDate) {
    digits(date.day, width: 2)
    digits(date.month, width: 2)
    digits(date.year % 100, width: 2)
  }

  /// Latitude and longitude with their hemispheres.
  private mutating func position(_ position: Coordinate) {
    angle(position.latitude, width: 2)
    text(position.latitude < 0 ? ",S," : ",N,")
    angle(position.longitude, width: 3)
    text(position.longitude < 0 ? ",W" : ",E")
  }

  /// `dddmm.mmmmmmm`, 0.2 mm; rounded as a whole, so that there is no minute 60.
  private mutating func angle(_ degrees: Double, width: Int) {
    let unit = 10_000_000
    let minutes = Int((min(degrees.magnitude, 180) * Double(60 * unit)).rounded())
    digits(minutes / (60 * unit), width: width)
    digits(minutes / unit % 60, width: 2)
    text(".")
    digits(minutes % unit, width: 7)
  }
}
