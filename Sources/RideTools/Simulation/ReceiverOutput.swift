import LocationCore
import Recordings

/// The messages of an epoch, from its values: metres, m/s, degrees from true north.
struct ReceiverOutput {
  let receiver: ReceiverProfile
  let measured: UTCInstant
  /// Whether this is the second 23:59:60, which has the same instant as its successor.
  let isLeapSecond: Bool
  /// Nanoseconds since power-on.
  let uptime: Int64
  /// Milliseconds of the GPS week, which has no leap seconds.
  let timeOfWeek: Int
  let solution: SimulatedEpoch.Solution
  let position: (latitude: Double, longitude: Double)?
  let altitude: Double
  let speed: Double
  let course: Double
  /// Upwards.
  let climb: Double
  let sigma: Double
  /// The standard deviations of its errors.
  let deviations: PositionNoise.Deviations
  let satellites: [[SimulatedSky.Satellite]]
  let hasSky: Bool

  private static let knotsPerMetrePerSecond = 3600.0 / 1852
  static let geoidSeparation = 46.9

  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    for message in receiver.messages {
      for fields in sentences(message) {
        let text = fields.joined(separator: ",")
        bytes.append("$")
        bytes += text.utf8
        bytes.append("*")
        bytes.append(hexByte: text.utf8.reduce(0, ^))
        bytes.append("\r\n")
      }
      bytes += frame(message)
    }
    return bytes
  }

  /// The fields of each sentence of a kind.
  private func sentences(_ message: ReceiverProfile.Message) -> [[String]] {
    let talker = receiver.talker
    let place = Self.position(position, decimals: receiver.minuteDecimals)
    let mode = receiver.hasModes ? [hasFix ? "A" : "N"] : []
    let navigationalStatus = receiver.hasSystemIdentifiers ? ["V"] : []
    switch message {
    case .rmc:
      let velocity = [fixed(knots, decimals: receiver.speedDecimals, width: receiver.motionWidth), track]
      return [["\(talker)RMC", time, status, place] + velocity + [date, variation] + mode + navigationalStatus]
    case .vtg:
      let knots = fixed(knots, decimals: receiver.speedDecimals)
      return [
        ["\(talker)VTG", track, "T,,M", knots, "N", fixed(speed * 3.6, decimals: receiver.speedDecimals), "K"] + mode
      ]
    case .gga:
      let heights = "\(fixed(altitude, decimals: 1)),M,\(fixed(Self.geoidSeparation, decimals: 1)),M"
      let count = Self.digits(min(usedCount, 12), width: receiver.countWidth)
      return [
        [
          "\(talker)GGA", time, place, hasFix ? "1" : "0", count, dilution(1), hasFix ? heights : ",,,", "",
          receiver.differentialStation,
        ]
      ]
    case .gll: return [["\(talker)GLL", place, time, status] + mode]
    case .gst: return [["\(talker)GST", time, error(0.9), ",,", error(0.95), error(1.05), error(1.6)]]
    case .gns:
      let modes = (1...ReceiverProfile.Constellation.gnsModeCount).map { system in
        let index = receiver.constellations.firstIndex { $0.system == system }
        return hasFix && index.map { satellites[$0].contains { $0.isUsed } } ?? false ? "A" : "N"
      }
      let heights = [fixed(altitude, decimals: 1), fixed(Self.geoidSeparation, decimals: 1)]
      let count = Self.digits(usedCount, width: receiver.countWidth)
      return [
        ["\(talker)GNS", time, place, modes.joined(), count, dilution(1)] + heights + [","] + navigationalStatus
      ]
    case .zda:
      let date = clock.map { [Self.digits($0.date.day), Self.digits($0.date.month), "\($0.date.year)", "00", "00"] }
      return [["\(talker)ZDA", time] + (date ?? [",,,,"])]
    case .pgrme: return [["PGRME", error(1.2), "M", error(1.2), "M", error(1.6), "M"]]
    case .gsa: return hasSky ? zip(receiver.constellations, satellites).map(gsa) : []
    case .gsv: return hasSky ? zip(receiver.constellations, satellites).flatMap(gsv) : []
    case .navPVT, .navDOP, .navSAT, .navEOE: return []
    }
  }

  private func gsa(_ constellation: ReceiverProfile.Constellation, _ satellites: [SimulatedSky.Satellite]) -> [String] {
    let mode =
      switch solution {
      case .fix(.threeD): "3"
      case .fix: "2"
      case .nothing, .time: "1"
      }
    let used = satellites.filter(\.isUsed).prefix(12).map { Self.digits($0.prn) }
    let system = receiver.hasSystemIdentifiers ? ["\(constellation.system)"] : []
    return ["\(receiver.talker)GSA", "A", mode] + used + Array(repeating: "", count: 12 - used.count)
      + [dilution(1.8), dilution(1), dilution(1.5)] + system
  }

  private func gsv(_ constellation: ReceiverProfile.Constellation, _ satellites: [SimulatedSky.Satellite]) -> [[String]]
  {
    let parts = max(1, (satellites.count + 3) / 4)
    return (0..<parts).map { part in
      let shown = satellites.dropFirst(part * 4).prefix(4).flatMap {
        [
          Self.digits($0.prn), Self.digits($0.elevation), Self.digits($0.azimuth, width: 3),
          $0.strength.map { Self.digits($0) } ?? "",
        ]
      }
      return ["\(constellation.talker)GSV", "\(parts)", "\(part + 1)", Self.digits(satellites.count)] + shown
        + (receiver.hasSystemIdentifiers ? ["1"] : [])
    }
  }

  var hasFix: Bool { position != nil }
  private var status: String { hasFix ? "A" : "V" }
  var usedCount: Int { satellites.reduce(0) { $0 + $1.count { $0.isUsed } } }
  private var knots: Double { speed * Self.knotsPerMetrePerSecond }

  /// The time in the sentences: a date and nanoseconds of that day; `nil` for empty fields.
  var clock: (date: CalendarDate, time: Int64)? {
    if solution == .nothing {
      // Its clock starts at midnight, 6 January 1980.
      return receiver.startsIn1980 ? (CalendarDate(daysSince1970: 3657), uptime % TimeOfDay.day) : nil
    }
    guard isLeapSecond else { return (measured.date, measured.nanosecondsOfDay) }
    return ((measured + .seconds(-1)).date, TimeOfDay.day + measured.nanosecondsOfDay)
  }

  /// `hhmmss.ss`, truncated. The second after the day's last is 23:59:60.
  private var time: String {
    guard let nanoseconds = clock?.time else { return "" }
    let second = Int(nanoseconds / 1_000_000_000)
    let minute = min(second / 60, 24 * 60 - 1)
    let text = Self.digits(minute / 60) + Self.digits(minute % 60) + Self.digits(second - minute * 60)
    let decimals = receiver.secondDecimals
    guard decimals > 0 else { return text }
    return "\(text).\(Self.digits(Int(nanoseconds % 1_000_000_000), width: 9).prefix(decimals))"
  }

  private var date: String {
    clock.map { Self.digits($0.date.day) + Self.digits($0.date.month) + Self.digits($0.date.year % 100) } ?? ""
  }

  private var variation: String {
    guard let variation = receiver.magneticVariation else { return "," }
    return Self.number(abs(variation), decimals: 1, width: 3) + (variation < 0 ? ",W" : ",E")
  }

  private var track: String {
    guard speed >= receiver.slowestCourse else { return "" }
    return fixed(course, decimals: receiver.courseDecimals, width: receiver.motionWidth)
  }

  /// The horizontal dilution of precision: the standard deviation divided by a range error of 1.3 m.
  var horizontalDilution: Double { min(max(sigma / 1.3, 0.5), 20) }

  /// The horizontal dilution of precision times a factor.
  private func dilution(_ factor: Double) -> String {
    let value = hasFix ? horizontalDilution * factor : receiver.unknownDilution
    return value.map { Self.number($0, decimals: receiver.dilutionDecimals) } ?? ""
  }

  private func error(_ factor: Double) -> String { fixed(sigma * factor, decimals: 1) }

  /// A number, or nothing without a fix.
  private func fixed(_ number: Double, decimals: Int, width: Int = 1) -> String {
    hasFix ? Self.number(number, decimals: decimals, width: width) : ""
  }

  private static func number(_ number: Double, decimals: Int, width: Int = 1) -> String {
    let text = String(fixed: number, decimals: decimals, trimmed: false)
    return String(repeating: "0", count: max(width - text.prefix { $0 != "." }.count, 0)) + text
  }

  private static func digits(_ number: Int, width: Int = 2) -> String {
    String { $0.append(digits: UInt64(number.magnitude), width: width) }
  }

  /// Latitude and longitude with their hemispheres, or four empty fields.
  static func position(_ position: (latitude: Double, longitude: Double)?, decimals: Int) -> String {
    guard let (latitude, longitude) = position else { return ",,," }
    return angle(latitude, degreeWidth: 2, decimals: decimals) + (latitude < 0 ? ",S," : ",N,")
      + angle(longitude, degreeWidth: 3, decimals: decimals) + (longitude < 0 ? ",W" : ",E")
  }

  /// `dddmm.mmmmm`, rounded as a whole so that there is no minute 60.
  private static func angle(_ degrees: Double, degreeWidth: Int, decimals: Int) -> String {
    let unit = (0..<decimals).reduce(1) { unit, _ in unit * 10 }
    let minutes = Int((min(abs(degrees), 180) * 60 * Double(unit)).rounded())
    return digits(minutes / (60 * unit), width: degreeWidth) + digits(minutes / unit % 60)
      + "." + digits(minutes % unit, width: decimals)
  }
}
