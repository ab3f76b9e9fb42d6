/// Identity of a satellite from its number in GSV or GSA: by system id, else talker, else range of the number.
/// Receivers number by system (NMEA 4.1), by range (NMEA 2.3 to 4.0) or by vendor-specific ranges.
package struct SatelliteIdentity: Hashable, Sendable {
  package var gnss: GNSS?
  /// The number within its system, from 1; the PRN for SBAS.
  package var svid: Int?
  /// gpsd's `PRN`, one numbering for all systems: 1–32 GPS, 65–96 GLONASS, 120–158 SBAS, 193–202 QZSS,
  /// 301–336 Galileo, 401–464 BeiDou, 501–514 NavIC; otherwise the number as received.
  package var prn: Int

  package init(number: Int, systemID: Int?, talker: Talker) {
    let system = systemID.flatMap(GNSS.init(systemID:)) ?? GNSS(talker: talker)
    let known = system.flatMap { Self.resolve(number, in: $0) } ?? Self.resolve(number)
    gnss = known?.gnss ?? system
    svid = known?.svid
    prn = known.map { Self.prn($0.gnss, $0.svid) } ?? number
  }

  /// A satellite of NAV-SAT by u-blox's system and number; `nil` if the number is not known.
  init?(ubxSystem: UInt8, number: UInt8) {
    guard let system = GNSS(rawValue: Int(ubxSystem)), number > 0, number != 255 else { return nil }
    gnss = system
    svid = Int(number)
    prn = Self.prn(system, Int(number))
  }

  /// A satellite of NAV-SVINFO by u-blox's number for all systems; `nil` if the number is not known.
  init?(svinfo number: UInt8) {
    let known: Known? =
      switch Int(number) {
      case 33...64: (.beidou, Int(number) - 27)
      case 159...163: (.beidou, Int(number) - 158)
      case 173...182: (.imes, Int(number) - 172)
      case 211...246: (.galileo, Int(number) - 210)
      case 255: nil
      case let other: Self.resolve(other)
      }
    guard let known else { return nil }
    (gnss, svid, prn) = (known.gnss, known.svid, Self.prn(known.gnss, known.svid))
  }

  private typealias Known = (gnss: GNSS, svid: Int)

  private static func resolve(_ number: Int, in system: GNSS) -> Known? {
    switch (system, number) {
    case (.glonass, 1...32): (.glonass, number)
    case (.glonass, 65...99): (.glonass, number - 64)
    case (.galileo, 1...36): (.galileo, number)
    case (.galileo, 101...136): (.galileo, number - 100)
    case (.beidou, 1...64): (.beidou, number)
    case (.beidou, 201...264): (.beidou, number - 200)
    case (.beidou, 401...464): (.beidou, number - 400)
    case (.qzss, 1...10): (.qzss, number)
    case (.navic, 1...14): (.navic, number)
    default: nil
    }
  }

  private static func resolve(_ number: Int) -> Known? {
    switch number {
    case 1...32: (.gps, number)
    case 33...64: (.sbas, number + 87)
    case 65...96: (.glonass, number - 64)
    case 120...158: (.sbas, number)
    case 193...202: (.qzss, number - 192)
    case 203...264: (.beidou, number - 200)
    case 301...336: (.galileo, number - 300)
    case 401...464: (.beidou, number - 400)
    default: nil
    }
  }

  private static func prn(_ gnss: GNSS, _ svid: Int) -> Int {
    switch gnss {
    case .gps, .sbas, .imes: svid
    case .glonass: 64 + svid
    case .qzss: 192 + svid
    case .galileo: 300 + svid
    case .beidou: 400 + svid
    case .navic: 500 + svid
    }
  }
}

extension GNSS {
  /// The system with this id in NMEA 4.11.
  init?(systemID: Int) {
    switch systemID {
    case 1: self = .gps
    case 2: self = .glonass
    case 3: self = .galileo
    case 4: self = .beidou
    case 5: self = .qzss
    case 6: self = .navic
    default: return nil
    }
  }

  /// The system of a talker; `nil` for `GN` and for talkers that are not GNSS receivers.
  init?(talker: Talker) {
    switch talker {
    case Talker("G", "P"): self = .gps
    case Talker("G", "L"): self = .glonass
    case Talker("G", "A"): self = .galileo
    case Talker("G", "B"), Talker("B", "D"): self = .beidou
    case Talker("G", "Q"), Talker("Q", "Z"): self = .qzss
    case Talker("G", "I"): self = .navic
    default: return nil
    }
  }
}
