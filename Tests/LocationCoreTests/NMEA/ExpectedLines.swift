@testable import LocationCore

/// The expected result of each vector, written by hand from its description.
enum ExpectedLines {
  static let byVector: [String: [ExpectedLine]] = framing.merging(values) { first, _ in first }
    .merging(satellites) { first, _ in first }
    .merging(others) { first, _ in first }

  private static let ns = 1_000_000

  private static func clock(_ hour: Int, _ minute: Int, _ second: Int, _ nanosecond: Int = 0) -> TimeOfDay? {
    TimeOfDay(hour: hour, minute: minute, second: second, nanosecond: nanosecond)
  }

  private static func day(_ year: Int, _ month: Int, _ day: Int) -> CalendarDate? {
    CalendarDate(year: year, month: month, day: day)
  }

  private static let framing: [String: [ExpectedLine]] = [
    "F01": [.gga()],
    "F03": [.gga(), .rmc()],
    "F05": [.gga()],
    "F06": [.rejected(.noChecksum)],
    "F08": [.rejected(.badChecksumFormat)],
    "F10": [.gga()],
    "F11": [.gga(), .rmc()],
    "F13": [.rmc()],
    "F31": [.gga(), .rejected(.notASCII), .rmc(), .gll("GN", muc)],
    "F15": [.rejected(.notASCII)],
    "F17": [.gga()],
    "F19": [.unknown("", "PMTKCHN")],
    "F20": [.rejected(.overlong), .gga()],
    "F22": [.rmc()],
    "F24": [.rmc()],
    "F25": [text("GN", "ANT=OK, SBAS*", identifier: 2)],
    "F27": [.rejected(.fieldCount, "GP", "GSA")],
    "F29": [.unknown("gn", "gga")],
    "F30": [.rmc()],
  ]

  private static func muc(_ gll: inout GLL) {
    gll.position = ExpectedLine.munich
    gll.time = ExpectedLine.noon
    gll.status = .valid
    gll.mode = .autonomous
  }

  /// A TXT in one part.
  private static func text(_ talker: String, _ text: String, identifier: Int) -> ExpectedLine {
    .init(talker, "TXT") { line in
      line.shows([
        ("part", .integer(1)), ("parts", .integer(1)), ("id", .integer(identifier)), ("text", .string(text)),
      ])
    }
  }

  private static let values: [String: [ExpectedLine]] = [
    "T01": [.rmc()],
    "T03": [.rmc { $0.time = clock(12, 35, 19, 100 * ns) }],
    "T05": [.rmc { $0.time = clock(12, 35, 19, 123 * ns) }],
    "T06": [.rmc { $0.time = clock(12, 35, 19, 123_400_000) }],
    "T08": [.rmc { $0.time = clock(12, 35, 19, 123_456_789) }],
    "T10": [.rmc { $0.time = clock(23, 59, 60) }],
    "T11": [.rmc(without(\.time, problem: 1))],
    "T13": [.rmc(without(\.time, problem: 1))],
    "T15": [.rmc(without(\.time, problem: 1))],
    "T16": [.rmc(without(\.time, problem: 1))],
    "T18": [.rmc(without(\.time, problem: 1))],
    "D01": [.rmc { $0.date = nil }],
    "D03": [.rmc(without(\.date, problem: 9))],
    "D05": [.rmc { $0.date = day(2028, 2, 29) }],
    "D06": [.rmc { $0.date = day(2000, 1, 1) }],
    "D08": [.rmc(without(\.date, problem: 9))],
    "D10": [.rmc { $0.date = day(1999, 8, 22) }],
    "D11": [.rmc { $0.date = day(2019, 8, 7) }],
    "D13": [.rmc(without(\.date, problem: 9))],
    "D15": [.rmc(without(\.date, problem: 9))],
    "D16": [.rmc(without(\.date, problem: 9))],
    "Z01": [.zda("GN") { ($0.time, $0.date) = (ExpectedLine.noon, ExpectedLine.march) }],
    "Z03": [.zda("GP") { ($0.time, $0.date) = (ExpectedLine.noon, ExpectedLine.march) }],
    "Z05": [.zda("GP") { _ in }],
    "Z06": [.zda("GP") { ($0.time, $0.date) = (clock(0, 0, 0), ExpectedLine.march) }],
    "P01": [.rmc { $0.position = Coordinate(latitude: 90, longitude: 11.516666666666667) }],
    "P03": [.rmc { $0.position = Coordinate(latitude: 48.1173, longitude: 180) }],
    "P05": [.rmc(without(\.position, problem: 3))],
    "P06": [.rmc(without(\.position, problem: 4))],
    "P08": [.rmc(without(\.position, problem: 4))],
    "P10": [.rmc { $0.position = nil }],
    "P11": [.rmc { $0.position = Coordinate(latitude: 48.11666666666667, longitude: 11.516666666666667) }],
    "P13": [.rmc { $0.position = Coordinate(latitude: 0, longitude: 0) }],
    "P15": [.rmc()],
    "P16": [.rmc()],
    "P18": [.rmc(without(\.position, problem: 3))],
    "P20": [.rmc(without(\.position, problem: 3))],
    "P21": [.rmc()],
    "K01": [
      .rmc {
        $0.speed = nil
        $0.course = nil
      }
    ],
    "K03": [.rmc(without(\.speed, problem: 7))],
    "K05": [.rmc(without(\.course, problem: 8))],
    "K06": [.rmc(without(\.speed, problem: 7))],
    "K08": [.rmc { $0.speed = 0.5 * (1852.0 / 3600) }],
    "K10": [.rmc { $0.magneticVariation = -3.1 }],
    "K11": [.rmc()],
    "V01": [
      .vtg("GP") {
        $0.course = 54.7
        $0.speed = 5.5 * (1852.0 / 3600)
      }
    ],
    "V03": [.vtg("GN") { _ in }],
    "V05": [
      .vtg("GN") {
        $0.course = 84.4
        $0.speed = 22.4 * (1852.0 / 3600)
      }
    ],
    "S01": [
      .rmc {
        $0.status = .void
        $0.mode = .notValid
      }
    ],
    "S03": [
      .rmc {
        $0 = RMC()
        $0.status = .void
        $0.mode = .notValid
      }
    ],
    "S05": [.rmc(without(\.status, problem: 2))],
    "S06": [.rmc { $0.mode = nil }],
    "S08": [.rmc()],
    "S10": [.rmc()],
    "S11": [.rmc()],
    "S13": [
      .rmc {
        $0.status = .void
        $0.mode = .estimated
      }
    ],
    "S15": [.rmc(without(\.mode, problem: 12))],
    "M_A": [.rmc()],
    "M_E": [.rmc { $0.mode = .estimated }],
    "M_R": [.rmc { $0.mode = .rtk }],
    "M_F": [.rmc { $0.mode = .floatRTK }],
    "M_P": [.rmc { $0.mode = .precise }],
    "Q_0": [.gga { $0.quality = .notValid }],
    "Q_2": [.gga { $0.quality = .differential }],
    "Q_4": [.gga { $0.quality = .rtk }],
    "Q_5": [.gga { $0.quality = .floatRTK }],
    "Q_7": [.gga { $0.quality = .manual }],
    "Q_9": [.gga { $0.quality = .vendor }],
    "Q_empty": [.gga { $0.quality = nil }],
    "Q_13f": [
      .gga("GP") {
        let (time, position) = ($0.time, $0.position)
        $0 = GGA()
        ($0.time, $0.position, $0.quality) = (time, position, .differential)
      }
    ],
    "N_1": [.init("GN", "GNS", .gns(gns))],
  ]

  /// Changes an RMC as a malformed field does: no value, and a problem with the field's number.
  private static func without<Value>(
    _ value: WritableKeyPath<RMC, Value?>, problem number: Int
  ) -> (inout RMC) -> Void {
    {
      $0[keyPath: value] = nil
      $0.problems = SentenceProblems(field: number)
    }
  }

  private static var gns: GGA {
    var gns = GGA()
    gns.time = ExpectedLine.noon
    gns.position = ExpectedLine.munich
    var modes = PositioningModes(filler: 0)
    for letter in "AANN".utf8 { modes.append(letter) }
    gns.modes = modes
    gns.satellitesUsed = 15
    gns.hdop = 0.74
    gns.altitudeMSL = 545.4
    gns.geoidSeparation = 46.9
    return gns
  }

  private static let satellites: [String: [ExpectedLine]] = [
    "GSV1": [.gsv("GPGSV", 1, of: 1, [(8, 56, 248, 28)]) { $0.signalID = 1 }],
    "GSV3": [.gsv("GPGSV", 1, of: 1)],
    "GSV5": [
      .gsv("GBGSV", 1, of: 1, [(14, 55, 175, 46), (40, 29, 43, 18)]) { $0.signalID = 11 }
    ],
    "GSV6": [
      .gsv("GPGSV", 1, of: 3, [(8, 56, 248, 28.5), (2, 14, 62, nil), (18, 36, 198, 38), (19, 12, 102, nil)])
    ],
    "GSV8": [.gsv("GPGSV", 1, of: 1, [(8, -5, 248, 28), (2, 14, 0, 22)])],
    "GSV10": [
      .gsv("PQGSV", 1, of: 2, [(6, 21, 118, 31), (11, nil, nil, nil), (12, 35, 140, nil), (14, 7, 50, 29)]) {
        $0.signalID = 0
        $0.systemID = 4
      }
    ],
    "GSV11": [.gsv("BDGSV", 1, of: 1, [(201, 55, 175, 46), (214, 29, 43, 18)])],
    "GSV13": [
      .gsv("GPGSV", 98, of: 99, [(8, 56, 248, 28), (2, 14, 62, 22), (18, 36, 198, 38), (19, 1, 2, 3)])
    ],
    "GSV15": [.gsv("GPGSV", nil, of: 1, [(8, 56, 248, 28)])],
    "GSV16": [
      .gsv("GPGSV", 4, of: 4, [(40, 27, 150, 46), (43, nil, nil, 41)]) { $0.signalID = 0 }
    ],
    "GSVseq2": [
      .gsv("GPGSV", 1, of: 2, [(8, 56, 248, 28), (2, 14, 62, 22), (18, 36, 198, 38), (19, 1, 2, 33)]) {
        $0.signalID = 1
      },
      .gsv("GPGSV", 1, of: 2, [(8, 56, 248, 21), (2, 14, 62, 22), (18, 36, 198, 38), (19, 1, 2, 30)]) {
        $0.signalID = 6
      },
      .gsv("GPGSV", 2, of: 2, [(22, 11, 99, 30)]) { $0.signalID = 1 },
      .gsv("GPGSV", 2, of: 2, [(22, 11, 99, 25)]) { $0.signalID = 6 },
    ],
    "GSVseq4": (0..<5).map { part in
      let numbers = part < 4 ? (4 * part + 1)...(4 * part + 4) : 17...17
      return .gsv("GPGSV", part + 1, of: 5, numbers.map { ($0, 10, 20, 30) })
    },
    "GSA1": [
      .gsa("GN", .threeD, [8, 10, 23, 27, 32, 24, 28, 21, 44, 48, 18]) {
        ($0.pdop, $0.hdop, $0.vdop, $0.systemID) = (1.05, 0.69, 0.79, 1)
      }
    ],
    "GSA3": [.gsa("GN", .threeD, [65, 66]) { ($0.pdop, $0.hdop, $0.vdop) = (1.05, 0.69, 0.79) }],
    "GSA5": [.rejected(.fieldCount, "GP", "GSA")],
    "GSA6": [.gsa("GP", .noFix, []) { _ in }],
    "GSA8": [.gsa("GP", .threeD, [1, 4, 7, 11, 13, 16, 20, 23, 25]) { _ in }],
  ]

  private static let others: [String: [ExpectedLine]] = [
    "GST1": [.init("GN", "GST", .gst(gst))],
    "GRS1": [
      .init("GN", "GRS") { line in
        line.shows([
          ("time", ExpectedLine.noon.map(FieldValue.time)), ("mode", .integer(1)),
          ("residuals", .list([.decimal(0.5, places: 3), .decimal(-0.2, places: 3)])),
          ("system", .integer(1)), ("signal", .integer(1)),
        ])
      }
    ],
    "GLL1": [
      .gll("GP") {
        muc(&$0)
        $0.mode = nil
      }
    ],
    "GLL2": [.gll("GP") { ($0.status, $0.mode) = (.void, .notValid) }],
    "TXT2": [text("GP", "ANTENNA OPEN", identifier: 1)],
    "PUBX03": [
      .init("", "PUBX,03") { line in
        line.shows([
          ("nSat", .integer(2)),
          (
            "satellites",
            .list([
              satellite([
                ("PRN", .integer(23)), ("use", .string("U")), ("az", 205), ("el", 41), ("ss", 42),
                ("lock", .integer(25)),
              ]),
              satellite([("PRN", .integer(5)), ("use", .string("-")), ("az", 21), ("el", 3), ("lock", .integer(0))]),
            ])
          ),
        ])
      }
    ],
    "PUBX04": [
      .init("", "PUBX,04") { line in
        line.shows([
          ("time", ExpectedLine.noon.map(FieldValue.time)), ("date", ExpectedLine.march.map(FieldValue.date)),
          ("tow", 390_919), ("week", .integer(2410)), ("leapseconds", .integer(18)), ("leapReceived", .flag(false)),
          ("clockBias", 1_930_035), ("clockDrift", -2660.664), ("granularity", 43),
        ])
      }
    ],
    "PGRMZ": [
      .init("", "PGRMZ") {
        $0.shows([("altMSL", .decimal(1789 * 0.3048, places: 4)), ("source", .integer(3))])
      }
    ],
    "PMTK010": [
      .init("", "PMTK") { $0.shows([("packet", .integer(10)), ("message", .integer(1))]) }
    ],
    "PSTM": [.unknown("", "PSTMANTE")],
    "PCAS": [.unknown("", "PCAS60")],
    "PAIR": [.unknown("", "PAIR001")],
    "PSRF": [.unknown("", "PSRF150")],
    "PERD": [.unknown("", "PERDCRZ")],
  ]

  private static var gst: GST {
    var gst = GST()
    gst.time = ExpectedLine.noon
    var noise = PseudorangeNoise()
    noise.rms = 22.3
    noise.latitude = 1.4
    noise.longitude = 1.1
    noise.altitude = 2.6
    gst.estimates = noise
    return gst
  }

  private static func satellite(_ values: [(StaticString, FieldValue)]) -> FieldValue {
    .object(values.map { SentenceValue(name: $0, value: $1) })
  }
}

extension SeenLine {
  /// Whether the line is a well-formed sentence of a type that never reaches a fix, with exactly these values in order.
  fileprivate func shows(_ expected: [(StaticString, FieldValue?)]) -> Bool {
    sentence == .other && malformed.isEmpty
      && values == expected.compactMap { name, value in value.map { SentenceValue(name: name, value: $0) } }
  }
}

extension FieldValue: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
  /// A number with three decimals.
  public init(integerLiteral value: Int) { self = .decimal(Double(value), places: 3) }
  /// The same.
  public init(floatLiteral value: Double) { self = .decimal(value, places: 3) }
}
