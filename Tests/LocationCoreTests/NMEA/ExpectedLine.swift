import LocationCore

/// The expected result for a line of a vector, with factories for common sentences whose changes the vector states.
struct ExpectedLine: Sendable {
  let talker: String
  let type: String
  /// Whether a line is as expected.
  let isRight: @Sendable (SeenLine) -> Bool
  /// The expected payload, if it can be stated as a value.
  var payload: NMEAEvent.Payload?

  init(_ talker: String, _ type: String, _ sentence: Sentence) {
    self.init(talker, type, payload: .sentence(sentence))
  }

  init(_ talker: String, _ type: String, _ isRight: @escaping @Sendable (SeenLine) -> Bool) {
    self.talker = talker
    self.type = type
    self.isRight = isRight
  }

  private init(_ talker: String, _ type: String, payload: NMEAEvent.Payload) {
    self.talker = talker
    self.type = type
    self.payload = payload
    isRight = { $0.payload == payload }
  }

  static func rejected(_ reason: SentenceRejection, _ talker: String = "", _ type: String = "") -> ExpectedLine {
    ExpectedLine(talker, type, payload: .rejected(reason))
  }

  /// `4807.03800,N,01131.00000,E`.
  static let munich = Coordinate(latitude: 48.1173, longitude: 11.516666666666667)
  /// `123519.00`.
  static let noon = TimeOfDay(hour: 12, minute: 35, second: 19)
  /// `190326`.
  static let march = CalendarDate(year: 2026, month: 3, day: 19)

  static func unknown(_ talker: String, _ type: String) -> ExpectedLine {
    ExpectedLine(talker, type, .unknown)
  }

  /// `$GNRMC,123519.00,A,4807.03800,N,01131.00000,E,22.4,84.4,190326,,,A,V`, changed.
  static func rmc(_ change: (inout RMC) -> Void = { _ in }) -> ExpectedLine {
    var rmc = RMC()
    rmc.time = noon
    rmc.status = .valid
    rmc.position = munich
    rmc.speed = 22.4 * (1852.0 / 3600)
    rmc.course = 84.4
    rmc.date = march
    rmc.mode = .autonomous
    change(&rmc)
    return ExpectedLine("GN", "RMC", .rmc(rmc))
  }

  /// `$GNGGA,123519.00,4807.03800,N,01131.00000,E,1,12,0.84,545.4,M,46.9,M,,`, changed.
  static func gga(_ talker: String = "GN", _ change: (inout GGA) -> Void = { _ in }) -> ExpectedLine {
    var gga = GGA()
    gga.time = noon
    gga.position = munich
    gga.quality = .autonomous
    gga.satellitesUsed = 12
    gga.hdop = 0.84
    gga.altitudeMSL = 545.4
    gga.geoidSeparation = 46.9
    change(&gga)
    return ExpectedLine(talker, "GGA", .gga(gga))
  }

  static func gll(_ talker: String, _ change: (inout GLL) -> Void) -> ExpectedLine {
    var gll = GLL()
    change(&gll)
    return ExpectedLine(talker, "GLL", .gll(gll))
  }

  static func vtg(_ talker: String, _ change: (inout VTG) -> Void) -> ExpectedLine {
    var vtg = VTG()
    change(&vtg)
    return ExpectedLine(talker, "VTG", .vtg(vtg))
  }

  static func zda(_ talker: String, _ change: (inout ZDA) -> Void) -> ExpectedLine {
    var zda = ZDA()
    change(&zda)
    return ExpectedLine(talker, "ZDA", .zda(zda))
  }

  /// A GSA: the satellites, then changes.
  static func gsa(
    _ talker: String, _ fix: GSAFix, _ numbers: [UInt16], _ change: (inout GSA) -> Void
  ) -> ExpectedLine {
    var gsa = GSA()
    gsa.fix = fix
    var satellites = GSASatellites(filler: 0)
    for number in numbers { satellites.append(number) }
    gsa.satellites = satellites
    change(&gsa)
    return ExpectedLine(talker, "GSA", .gsa(gsa))
  }

  /// A GSV: part, parts, then (number, elevation, azimuth, signal) of each satellite.
  static func gsv(
    _ address: String, _ part: Int?, of parts: Int?,
    _ list: [(Int, Double?, Double?, Double?)] = [], _ change: (inout GSV) -> Void = { _ in }
  ) -> ExpectedLine {
    var gsv = GSV()
    gsv.part = part
    gsv.parts = parts
    var satellites = GSVSatellites(filler: GSVSatellite())
    for values in list {
      var satellite = GSVSatellite()
      satellite.storedNumber = UInt16(values.0)
      (_, satellite.elevation, satellite.azimuth, satellite.signal) = values
      satellites.append(satellite)
    }
    gsv.satellites = satellites
    change(&gsv)
    return address == "PQGSV"
      ? ExpectedLine("", "PQGSV", .gsv(gsv)) : ExpectedLine(String(address.prefix(2)), "GSV", .gsv(gsv))
  }
}
