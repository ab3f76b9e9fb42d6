/// Identity of a satellite from its number in GSV or GSA: by system id, else talker, else range of the number. Receivers
/// number by system (NMEA 4.1), by range (NMEA 2.3 to 4.0) or by vendor-specific ranges, see ``SatelliteNumbering``.
package struct SatelliteIdentity: Hashable, Sendable {
  package var gnss: GNSS?
  /// The number within its system, from 1; the PRN for SBAS.
  package var svid: Int?
  /// gpsd's `PRN`, one numbering for all systems, or the number as received if it is in none.
  package var prn: Int

  /// A satellite in a sentence that states this system, or none.
  init(number: Int, in system: GNSS?) {
    let known = SatelliteNumbers.satellite(number, in: system)
    gnss = known?.gnss ?? system
    svid = known?.svid
    prn = known?.prn ?? number
  }

  /// A satellite of NAV-SAT by u-blox's system and number; `nil` if the number is not known.
  init?(ubxSystem: UInt8, number: UInt8) {
    guard let system = GNSS(rawValue: Int(ubxSystem)), number > 0, number != 255 else { return nil }
    gnss = system
    svid = Int(number)
    prn = SatelliteNumbers.prn(system, Int(number))
  }

  /// A satellite of NAV-SVINFO by u-blox's number for all systems; `nil` if the number is not known.
  init?(svinfo number: UInt8) {
    guard let known = SatelliteNumbers.satellite(svinfo: Int(number)) else { return nil }
    (gnss, svid, prn) = known
  }
}
