/// How receivers name the satellites of one system: the numbers in sentences and in NAV-SVINFO, and gpsd's `PRN`. The
/// manual prints this table, and a test compares both. Sources: NMEA 0183 4.11; u-blox's interface descriptions, appendix
/// on satellite numbering; Quectel's and SkyTraq's manuals for 101 to 136 and 201 to 264.
struct SatelliteNumbering: Sendable {
  /// Numbers in a row, and the number of the first within its system; of SBAS, its PRN.
  struct Block: Hashable, Sendable {
    let numbers: ClosedRange<Int>
    let first: Int

    init(_ numbers: ClosedRange<Int>, from first: Int = 1) {
      self.numbers = numbers
      self.first = first
    }
  }

  let system: GNSS
  /// The id in NMEA 4.1 and later, and the talkers.
  var systemID: Int?
  var talkers: [Talker] = []
  /// What is added to the number within the system for gpsd's `PRN`.
  var offset = 0
  /// In sentences that state the system.
  var stated: [Block] = []
  /// In sentences that state none, or where the stated system does not have the number.
  var bare: [Block] = []
  /// In NAV-SVINFO, before the numbers above.
  var svinfo: [Block] = []

  static let table = [
    SatelliteNumbering(
      system: .gps, systemID: 1, talkers: [Talker("G", "P")], bare: [Block(1...32)]),
    SatelliteNumbering(
      system: .sbas, bare: [Block(33...64, from: 120), Block(120...158, from: 120)]),
    SatelliteNumbering(
      system: .glonass, systemID: 2, talkers: [Talker("G", "L")], offset: 64,
      stated: [Block(1...32), Block(65...99)], bare: [Block(65...96)]),
    SatelliteNumbering(
      system: .imes, offset: 172, bare: [Block(173...182)]),
    SatelliteNumbering(
      system: .qzss, systemID: 5, talkers: [Talker("G", "Q"), Talker("Q", "Z")], offset: 192,
      stated: [Block(1...10)], bare: [Block(193...202)]),
    SatelliteNumbering(
      system: .galileo, systemID: 3, talkers: [Talker("G", "A")], offset: 300,
      stated: [Block(1...36), Block(101...136)], bare: [Block(301...336)], svinfo: [Block(211...246)]),
    SatelliteNumbering(
      system: .beidou, systemID: 4, talkers: [Talker("G", "B"), Talker("B", "D")], offset: 400,
      stated: [Block(1...64), Block(201...264), Block(401...464)], bare: [Block(203...264, from: 3), Block(401...464)],
      svinfo: [Block(33...64, from: 6), Block(159...163)]),
    SatelliteNumbering(
      system: .navic, systemID: 6, talkers: [Talker("G", "I")], offset: 500, stated: [Block(1...14)]),
  ]
}

/// The table by number: what a satellite is costs one look-up, for each signal of each satellite in each epoch.
enum SatelliteNumbers {
  private static let size = 512
  private static let offsets: [Int] = {
    var offsets = [Int](repeating: 0, count: 8)
    for row in SatelliteNumbering.table { offsets[row.system.rawValue] = row.offset }
    return offsets
  }()
  /// For no system, each stated system, and NAV-SVINFO: `PRN` in two bytes, below system and number within it in a byte
  /// each; 0 where none.
  private static let known: [UInt32] = {
    var known = [UInt32](repeating: 0, count: size * 10)
    for place in 0..<10 {
      for row in SatelliteNumbering.table { enter(row.bare, of: row, at: place, into: &known) }
      for row in SatelliteNumbering.table {
        if row.system.rawValue == place - 1 { enter(row.stated, of: row, at: place, into: &known) }
        if place == 9 { enter(row.svinfo, of: row, at: place, into: &known) }
      }
    }
    return known
  }()

  private static func enter(
    _ blocks: [SatelliteNumbering.Block], of row: SatelliteNumbering, at place: Int, into known: inout [UInt32]
  ) {
    for block in blocks {
      for (svid, number) in zip(block.first..., block.numbers) {
        known[place * size + number] = UInt32(row.system.rawValue << 24 | svid << 16 | row.offset + svid)
      }
    }
  }

  typealias Satellite = (gnss: GNSS, svid: Int, prn: Int)

  private static func satellite(_ number: Int, at place: Int) -> Satellite? {
    guard (0..<size).contains(number) else { return nil }
    let satellite = known[place * size + number]
    guard satellite != 0, let gnss = GNSS(rawValue: Int(satellite >> 24)) else { return nil }
    return (gnss, Int(satellite >> 16 & 0xFF), Int(satellite & 0xFFFF))
  }

  static func satellite(_ number: Int, in system: GNSS?) -> Satellite? {
    satellite(number, at: system.map { $0.rawValue + 1 } ?? 0)
  }

  /// In NAV-SVINFO, 255 is none.
  static func satellite(svinfo number: Int) -> Satellite? { number == 255 ? nil : satellite(number, at: 9) }

  static func prn(_ gnss: GNSS, _ svid: Int) -> Int { offsets[gnss.rawValue] + svid }

  // Without the arrays of the table's rows, which would be counted as references.
  private static let systems = SatelliteNumbering.table.compactMap { row in row.systemID.map { ($0, row.system) } }
  private static let talkers = SatelliteNumbering.table.flatMap { row in row.talkers.map { ($0, row.system) } }

  static func system(id: Int?) -> GNSS? { id.flatMap { id in systems.first { $0.0 == id }?.1 } }
  static func system(of talker: Talker) -> GNSS? { talkers.first { $0.0 == talker }?.1 }
}

extension GNSS {
  /// By the id of NMEA 4.11, else by the talker; `nil` for `GN`, and for talkers that are not GNSS receivers.
  init?(systemID: Int?, talker: Talker) {
    guard let system = SatelliteNumbers.system(id: systemID) ?? SatelliteNumbers.system(of: talker) else { return nil }
    self = system
  }
}
