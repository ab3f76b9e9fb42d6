import LocationCore

/// The output of a simulated receiver: messages, formats and timing.
package struct ReceiverProfile: Hashable, Sendable {
  package struct Constellation: Hashable, Sendable {
    let talker: String
    /// System id in GSA, NMEA 4.11.
    let system: Int
    let numbers: ClosedRange<Int>
    let visible: Int
    /// Its number in UBX, and what its satellites' numbers there are lower by.
    let gnss: GNSS
    var offset = 0
    static let gnsModeCount = 4
    package static let gps = Constellation(talker: "GP", system: 1, numbers: 1...32, visible: 10, gnss: .gps)
    package static let glonass = Constellation(
      talker: "GL", system: 2, numbers: 65...88, visible: 7, gnss: .glonass, offset: 64)
    package static let galileo = Constellation(
      talker: "GA", system: 3, numbers: 1...36, visible: 7, gnss: .galileo)
    package static let beidou = Constellation(
      talker: "GB", system: 4, numbers: 6...46, visible: 9, gnss: .beidou)
  }

  package enum Message: Hashable, Sendable {
    case rmc, vtg, gga, gsa, gsv, gll, gst, gns, zda
    case pgrme
    /// UBX: the solution, the dilutions of precision, the satellites, the end of the epoch.
    case navPVT, navDOP, navSAT, navEOE
  }

  /// Epochs per second: a divisor of 1000.
  package var rate: Int
  package var messages: [Message]
  /// Number of epochs from one GSA, GSV and NAV-SAT to the next.
  package var skyEvery = 1
  /// Talker of the solution: `GN`, or `GP` for GPS only.
  package var talker = "GN"
  package var constellations: [Constellation]
  package var minuteDecimals = 5
  package var secondDecimals = 2
  package var speedDecimals = 3
  package var courseDecimals = 2
  /// Smallest number of digits before the decimal point of speed and course.
  package var motionWidth = 1
  package var dilutionDecimals = 2
  /// Dilution of precision without a fix; `nil` for an empty field.
  package var unknownDilution: Double? = 99.99
  /// Smallest number of digits of satellite counts.
  package var countWidth = 2
  /// Station id of differential corrections, reported without having any.
  package var differentialStation: Int?
  /// Magnetic variation in RMC, degrees east; `nil` for an empty field.
  package var magneticVariation: Double?
  /// Whether RMC, VTG and GLL end with a mode (NMEA 2.3).
  package var hasModes = true
  /// Whether its clock starts at midnight, 6 January 1980; otherwise it has no time until the satellites give it.
  package var startsIn1980 = false
  /// Whether RMC has a navigational status and GSA a system id (NMEA 4.1), and GSV a signal id (4.11).
  package var hasSystemIdentifiers = true
  /// Lowest speed with a course, m/s.
  package var slowestCourse = 0.3
  /// From the epoch to its first byte, milliseconds.
  package var latency = 60
  package var readSize = 4096
  /// Line speed, bit/s; `nil` for USB. A byte takes ten bits.
  package var lineSpeed: Int?
  /// Seconds from power-on to the first fix; 0 if the receiver is running already.
  package var coldStart = 0.0
  /// Longest time from the first satellites after a loss to the fix, seconds.
  package var reacquisition = 2.5
}

/// A common receiver in its default configuration, except for its rate.
package enum ReceiverModel: String, CaseIterable, Sendable {
  /// u-blox 8, GPS and GLONASS, 9600 bit/s.
  case ublox1Hz = "ublox-1hz"
  /// u-blox 10, three systems, 115,200 bit/s.
  case ublox5Hz = "ublox-5hz"
  /// u-blox 10, two systems, on USB.
  case ublox10Hz = "ublox-10hz"
  /// u-blox 8, UBX without the end of the epoch, 38,400 bit/s.
  case ubloxUBX5Hz = "ublox-ubx-5hz"
  /// u-blox 10, UBX, two systems, 38,400 bit/s.
  case ubloxUBX10Hz = "ublox-ubx-10hz"
  /// u-blox 10, UBX and sentences about the same epochs, on USB.
  case ubloxMixed10Hz = "ublox-mixed-10hz"
  /// MediaTek MT3333, GPS and GLONASS, 9600 bit/s; its clock starts in 1980.
  case mtk
  /// SiRFstar III, GPS only, NMEA 2.1 without modes, 4800 bit/s.
  case sirf
  /// Garmin GPS 18x, GPS only, 4800 bit/s, whole seconds, and a proprietary sentence for the errors.
  case garmin

  package var profile: ReceiverProfile {
    switch self {
    case .ublox1Hz:
      ReceiverProfile(
        rate: 1, messages: Self.ubloxSentences, constellations: [.gps, .glonass], hasSystemIdentifiers: false,
        latency: 70, readSize: 32, lineSpeed: 9600)
    case .ublox5Hz:
      ReceiverProfile(
        rate: 5, messages: Self.ubloxSentences, constellations: [.gps, .glonass, .galileo], latency: 45,
        readSize: 128, lineSpeed: 115_200)
    case .ublox10Hz:
      ReceiverProfile(rate: 10, messages: Self.ubloxSentences, constellations: [.gps, .galileo], latency: 35)
    case .ubloxUBX5Hz:
      ReceiverProfile(
        rate: 5, messages: [.navPVT, .navSAT, .navDOP], skyEvery: 5, constellations: [.gps, .glonass], latency: 55,
        readSize: 64, lineSpeed: 38_400)
    case .ubloxUBX10Hz:
      ReceiverProfile(
        rate: 10, messages: [.navPVT, .navSAT, .navDOP, .navEOE], skyEvery: 10, constellations: [.gps, .galileo],
        latency: 35, readSize: 64, lineSpeed: 38_400)
    case .ubloxMixed10Hz:
      ReceiverProfile(
        rate: 10, messages: [.navPVT] + Self.ubloxSentences + [.navSAT, .navDOP, .navEOE], skyEvery: 10,
        constellations: [.gps, .galileo], latency: 35)
    case .mtk:
      ReceiverProfile(
        rate: 1, messages: [.gga, .gsa, .gsv, .rmc, .vtg], skyEvery: 5, constellations: [.gps, .glonass],
        minuteDecimals: 4, secondDecimals: 3, speedDecimals: 2, unknownDilution: nil, countWidth: 1,
        startsIn1980: true, hasSystemIdentifiers: false, slowestCourse: 0, latency: 180, readSize: 32, lineSpeed: 9600)
    case .sirf:
      ReceiverProfile(
        rate: 1, messages: [.gga, .gsa, .gsv, .rmc], skyEvery: 5, talker: "GP", constellations: [.gps],
        minuteDecimals: 4, secondDecimals: 3, speedDecimals: 2, dilutionDecimals: 1, unknownDilution: 50,
        differentialStation: 0, hasModes: false, hasSystemIdentifiers: false, slowestCourse: 0, latency: 120,
        readSize: 16, lineSpeed: 4800)
    case .garmin:
      ReceiverProfile(
        rate: 1, messages: [.rmc, .gga, .gsa, .gsv, .pgrme], skyEvery: 2, talker: "GP", constellations: [.gps],
        minuteDecimals: 4, secondDecimals: 0, speedDecimals: 1, courseDecimals: 1, motionWidth: 3, dilutionDecimals: 1,
        unknownDilution: nil, magneticVariation: 3.1, hasSystemIdentifiers: false, slowestCourse: 0, latency: 100,
        readSize: 16, lineSpeed: 4800)
    }
  }

  private static let ubloxSentences: [ReceiverProfile.Message] = [.rmc, .vtg, .gga, .gsa, .gsv, .gll]
}
