import LocationCore
import Testing

@Suite("Fields")
struct FieldTests {
  private static func rmc(_ content: String) throws -> RMC {
    guard case .rmc(let rmc) = try #require(Seen(framing: content).sentences.first) else {
      throw WrongSentence()
    }
    return rmc
  }

  private struct WrongSentence: Error {}

  private static func latitude(_ field: String, _ hemisphere: String = "N") throws -> Double? {
    try rmc("GPRMC,,A,\(field),\(hemisphere),00000.000,E,,,,,").position?.latitude
  }

  @Test(
    arguments: [
      ("4807.038", 48.1173), ("0000.000001", 1.6666666666666667e-08), ("8959.99999999", 89.99999999983333),
      ("9000", 90), ("5", 5.0 / 60), ("59.5", 59.5 / 60), ("00100.0", 1), ("0107.", 1.1166666666666667),
      ("4807.03800000001", 48.117300000000164), ("4807.038000000000000009", 48.1173),
    ] as [(String, Double)]
  )
  func `Degrees are split at the dot and rounded once`(_ field: String, _ expected: Double) throws {
    #expect(try Self.latitude(field) == expected)
    #expect(try Self.latitude(field, "S") == -expected)
  }

  @Test(
    arguments: [
      "9000.001", "9100.0", "4860.0", "4899.9", "+4807.0", "-4807.0", "48 07.0", "48O7.0", "4807..0", ".5",
      ".",
      "4807.03e1", "inf", "nan", "0x10", "999999.0", "4807.03800x", "4807.038000000000x", "48:07",
    ]
  )
  func `A malformed angle gives no position`(_ field: String) throws {
    let rmc = try Self.rmc("GPRMC,,A,\(field),N,00000.000,E,,,,,")
    #expect(rmc.position == nil)
    #expect(rmc.problems == SentenceProblems(field: 3))
  }

  @Test func `An unusual form that leaves no doubt is read`() throws {
    for form in ["05", "005", " 5", "5 ", " 05 "] {
      let seen = Seen(framing: "GPGGA,174815.40,4241.46474,N,00949.77225,W,\(form),08,1.24,11.8,M,50.5,M,,")
      guard case .gga(let gga) = try #require(seen.sentences.first) else { throw WrongSentence() }
      #expect(gga.quality == .floatRTK && gga.problems == [], "\(form)")
    }
    for form in [
      "12,0.8,+545.4,m", " 12,0.8,545.4 ,M", "12.0,0.80, 545.4, ", "012,00.8,0545.40,M", "12.00, 0.8 ,+0545.4, m",
    ] {
      let seen = Seen(framing: "GPGGA,174815.40 , 4241.46474,n,00949.77225 ,w,1,\(form),50.5,M,,")
      guard case .gga(let gga) = try #require(seen.sentences.first) else { throw WrongSentence() }
      #expect(gga.satellitesUsed == 12 && gga.hdop == 0.8 && gga.altitudeMSL == 545.4, "\(form)")
      #expect(gga.position?.longitude == -(9 + 49.77225 / 60) && gga.time != nil, "\(form)")
      #expect(gga.problems == [], "\(form)")
    }
    let rmc = try Self.rmc("GPRMC, 123519,a,4807.038,N,01131.000,E, 22.4,84.4 ,190326 ,3.1,w,d")
    #expect(rmc.status == .valid && rmc.mode == .differential && rmc.date != nil && rmc.problems == [])
    #expect(rmc.magneticVariation == -3.1 && rmc.course == 84.4 && rmc.speed != nil)
    #expect(try Self.rmc("GPRMC,   ,A,   ,N,  ,E,,,,,").problems.isEmpty)
  }

  @Test(arguments: ["5.5", "1 5", "-5", "+5", "0x5", "5e0", "V", "050", "00000000000000005x"])
  func `An unusual form that leaves a doubt is a problem of its field alone`(_ quality: String) throws {
    let seen = Seen(framing: "GPGGA,174815.40,4241.46474,N,00949.77225,W,\(quality),08,1.24,11.8,M,50.5,M,,")
    guard case .gga(let gga) = try #require(seen.sentences.first) else { throw WrongSentence() }
    #expect(gga.quality == nil && gga.problems == SentenceProblems(field: 6))
    #expect(gga.position != nil && gga.altitudeMSL == 11.8)
  }

  @Test(
    arguments: [("", "N"), ("N", ""), ("N", " "), ("NN", "E"), ("N", "N"), ("X", "E")] as [(String, String)]
  )
  func `Both hemispheres must be valid`(_ latitude: String, _ longitude: String) throws {
    let rmc = try Self.rmc("GPRMC,,A,4807.038,\(latitude),01131.000,\(longitude),,,,,")
    #expect(rmc.position == nil)
    #expect(!rmc.problems.isEmpty)
  }

  @Test(
    arguments: [("17959.9999", 179.99999833333334), ("18000.0000", 180), ("01131", 11.516666666666667)]
      as [(String, Double)]
  )
  func `Longitudes reach 180°`(_ field: String, _ expected: Double) throws {
    let rmc = try Self.rmc("GPRMC,,A,0000.0,N,\(field),W,,,,,")
    #expect(rmc.position?.longitude == -expected)
    #expect(try Self.rmc("GPRMC,,A,0000.0,N,18000.0001,W,,,,,").position == nil)
  }

  @Test(
    arguments: [
      ("000000", 0), ("235959.999999999", 86_399_999_999_999), ("123519.", 45_319_000_000_000),
      ("123519.00000000000", 45_319_000_000_000), ("123519.9999999999", 45_319_999_999_999),
      ("235960.5", 86_400_500_000_000),
    ] as [(String, Int64)]
  )
  func `Times keep nanoseconds`(_ field: String, _ nanoseconds: Int64) throws {
    let time = try #require(try Self.rmc("GPRMC,\(field),A,,,,,,,,,").time)
    #expect(time.nanoseconds == nanoseconds)
  }

  @Test(
    arguments: [
      "1235", "12351", "1235190", "123519:00", "123519.0x", "123519.00000000x", "126019", "240000", "235961",
      "225960", "+12351", "12 519", "12351 ", "-12351", "1e3519",
    ]
  )
  func `A malformed time is nil`(_ field: String) throws {
    let rmc = try Self.rmc("GPRMC,\(field),A,,,,,,,,,")
    #expect(rmc.time == nil)
    #expect(rmc.problems == SentenceProblems(field: 1))
  }

  @Test(
    arguments: [
      ("311299", 1999, 12, 31), ("010180", 1980, 1, 1), ("311279", 2079, 12, 31), ("290224", 2024, 2, 29),
      ("070180", 1980, 1, 7),
    ] as [(String, Int, Int, Int)]
  )
  func `Two-digit years pivot at 80`(_ field: String, _ year: Int, _ month: Int, _ day: Int) throws {
    #expect(try Self.rmc("GPRMC,,A,,,,,,,\(field),,").date == CalendarDate(year: year, month: month, day: day))
  }

  @Test(arguments: ["060180", "290225", "310426", "000126", "010026", "011326", "19032", "1903260", "19 326", "-10326"])
  func `An invalid date is nil`(_ field: String) throws {
    let rmc = try Self.rmc("GPRMC,,A,,,,,,,\(field),,")
    #expect(rmc.date == nil)
    #expect(rmc.problems == SentenceProblems(field: 9))
  }

  @Test(
    arguments: [
      ("0", 0), ("000.0", 0), (".5", 0.5), ("5.", 5), ("1943.5", 1943.5), ("0.123456789012345", 0.123456789012345),
      ("00000000000022.4", 22.4),
    ] as [(String, Double)]
  )
  func `Speeds are converted from knots`(_ field: String, _ knots: Double) throws {
    let speed = try #require(try Self.rmc("GPRMC,,A,,,,,\(field),,,,").speed)
    #expect(abs(speed - knots * 1852 / 3600) < 1e-12)
  }

  @Test(
    arguments: [
      "-0.1", "-", "+1", "1e1", "0x1", "inf", "nan", "1.2.3", ".", "1 1", "1944", "99999999999999999999",
      "1.0000000000000000000000000x",
    ]
  )
  func `A malformed speed is nil`(_ field: String) throws {
    let rmc = try Self.rmc("GPRMC,,A,,,,,\(field),,,,")
    #expect(rmc.speed == nil)
    #expect(rmc.problems == SentenceProblems(field: 7))
  }

  @Test(arguments: [("0", 0), ("359.99", 359.99), ("360", 0), ("360.0", 0), ("7", 7)] as [(String, Double)])
  func `A course is below 360°`(_ field: String, _ course: Double) throws {
    #expect(try Self.rmc("GPRMC,,A,,,,,,\(field),,,").course == course)
  }

  @Test(arguments: [("3.1,E", 3.1), ("3.1,W", -3.1), ("0.0,W", 0), ("180,E", 180)] as [(String, Double)])
  func `The direction gives the sign of the variation`(_ fields: String, _ variation: Double) throws {
    #expect(try Self.rmc("GPRMC,,A,,,,,,,,\(fields)").magneticVariation == variation)
  }

  @Test(arguments: [("3.1,", 11), ("3.1,N", 11), ("-3.1,E", 10), ("181,E", 10)] as [(String, Int)])
  func `A variation without a valid direction is nil`(_ fields: String, _ problem: Int) throws {
    let rmc = try Self.rmc("GPRMC,,A,,,,,,,,\(fields)")
    #expect(rmc.magneticVariation == nil)
    #expect(rmc.problems == SentenceProblems(field: problem))
  }

  @Test(
    arguments: [
      ("45.25", 45.25), ("45.1234567890123456", 45.123), ("0.00000012345678901", 0), ("0.001000000000000000", 0.001),
      ("5.9999999999999999999", 5.999), ("100000000000000", nil), ("99999999999999999", nil),
    ] as [(String, Double?)]
  )
  func `A satellite's angle is truncated to three decimals`(_ field: String, _ expected: Double?) throws {
    let seen = Seen(framing: "GPGSV,1,1,01,08,\(field),248,28")
    guard case .gsv(let gsv) = try #require(seen.sentences.first) else { throw WrongSentence() }
    #expect(gsv.satellites?[0].elevation == expected)
  }

  @Test func `Each malformed field is counted`() {
    let seen = Seen(framing: "GPRMC,x,x,x,N,x,E,x,x,x,x,E,x,x")
    #expect(seen.counters.malformedFields == 10)
  }

  @Test(
    arguments: [
      ("GPRMC", 11), ("GPGGA", 13), ("GPGLL", 6), ("GPVTG", 8), ("GPZDA", 4), ("GPGNS", 12), ("GPGST", 8),
      ("GPGSA", 17),
      ("GPGSV", 3), ("GPGBS", 8), ("GPGRS", 14), ("GPDTM", 8), ("GPTXT", 4), ("GPHDT", 1), ("GPTHS", 2), ("PGRME", 6),
      ("PGRMZ", 2), ("PSRFEPE", 7), ("PQGSV", 3), ("PQGSA", 17),
    ] as [(String, Int)]
  )
  func `Too few fields are rejected`(_ address: String, _ fewest: Int) {
    let enough = address + String(repeating: ",", count: fewest)
    #expect(Seen(framing: enough).rejections.isEmpty)
    let seen = Seen(framing: String(enough.dropLast()))
    #expect(seen.rejections == [.fieldCount])
    #expect(seen.counters.fieldCount == 1)
  }

  @Test(
    arguments: [("PUBX,00", 20), ("PUBX,03", 2), ("PUBX,04", 9), ("PSTI,030", 13), ("PTNL,GGK", 12)] as [(String, Int)])
  func `Too few fields of a numbered message are rejected`(_ address: String, _ fewest: Int) {
    let enough = address + String(repeating: ",", count: fewest - 1)
    #expect(Seen(framing: enough).rejections.isEmpty)
    #expect(Seen(framing: String(enough.dropLast())).rejections == [.fieldCount])
  }

  /// Later versions of the standard append fields.
  @Test func `Additional fields are not an error`() {
    #expect(Seen(framing: "GPRMC,,V,,,,,,,,,,N,V,1,2,3").sentences.count == 1)
  }
}
