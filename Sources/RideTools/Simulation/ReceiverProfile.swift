import LocationCore

/// The output of a simulated receiver: sentences, formats and timing.
package struct ReceiverProfile: Hashable, Sendable {
  /// A satellite system.
  package struct Constellation: Hashable, Sendable {
    /// Talker of its GSV sentences.
    let talker: String
    /// System id in GSA, NMEA 4.11.
    let system: Int
    /// Numbers of its satellites.
    let numbers: ClosedRange<Int>
    /// Number of satellites above the horizon.
    let visible: Int
    /// Number of mode letters in GNS.
    static let gnsModeCount = 4

    /// 1–32.
    package static let gps = Constellation(talker: "GP", system: 1, numbers: 1...32, visible: 10)
    /// 65–88.
    package static let glonass = Constellation(talker: "GL", system: 2, numbers: 65...88, visible: 7)
    /// 1–36.
    package static let galileo = Constellation(talker: "GA", system: 3, numbers: 1...36, visible: 7)
    /// 1–46.
    package static let beidou = Constellation(talker: "GB", system: 4, numbers: 6...46, visible: 9)
  }

  /// One sentence type of its output.
  package enum SentenceKind: Hashable, Sendable {
    case rmc, vtg, gga, gsa, gsv, gll, gst, gns, zda
    /// Garmin's estimated errors.
    case pgrme
  }

  /// The time that a receiver reports before it has one.
  package enum UnsetClock: Hashable, Sendable {
    /// None.
    case empty
    /// A clock that starts at midnight, 6 January 1980.
    case since1980
  }

  /// Epochs per second: a divisor of 1000.
  package var rate: Int
  /// The sentences of an epoch, in order.
  package var sentences: [SentenceKind]
  /// Number of epochs from one GSA and GSV to the next.
  package var skyEvery = 1
  /// Talker of the solution: `GN`, or `GP` for GPS only.
  package var talker = "GN"
  /// The satellite systems.
  package var constellations: [Constellation]
  /// Decimals of the minutes.
  package var minuteDecimals = 5
  /// Decimals of the seconds.
  package var secondDecimals = 2
  /// Decimals of the speeds.
  package var speedDecimals = 3
  /// Decimals of the course.
  package var courseDecimals = 2
  /// Smallest number of digits before the decimal point of speed and course.
  package var motionWidth = 1
  /// Decimals of the dilutions of precision.
  package var dilutionDecimals = 2
  /// Dilution of precision without a fix; `nil` for an empty field.
  package var unknownDilution: Double? = 99.99
  /// Smallest number of digits of satellite counts.
  package var countWidth = 2
  /// Station id of differential corrections, reported without having any.
  package var differentialStation = ""
  /// Magnetic variation in RMC, degrees east; `nil` for an empty field.
  package var magneticVariation: Double?
  /// Whether RMC, VTG and GLL end with a mode (NMEA 2.3).
  package var hasModes = true
  /// The time before the receiver has one.
  package var unsetClock = UnsetClock.empty
  /// Whether RMC has a navigational status and GSA a system id (NMEA 4.1), and GSV a signal id (4.11).
  package var hasSystemIdentifiers = true
  /// Lowest speed with a course, m/s.
  package var slowestCourse = 0.3
  /// From the epoch to its first byte, milliseconds.
  package var latency = 60
  /// Largest number of bytes in one read.
  package var readSize = 4096
  /// Line speed, bit/s; `nil` for USB. A byte takes ten bits.
  package var lineSpeed: Int?
  /// Seconds from power-on to the first fix; 0 if the receiver is running already.
  package var coldStart = 0.0
  /// Longest time from the first satellites after a loss to the fix, seconds.
  package var reacquisition = 2.5

  /// A receiver with the default formats.
  package init(rate: Int, sentences: [SentenceKind], constellations: [Constellation]) {
    self.rate = rate
    self.sentences = sentences
    self.constellations = constellations
  }
}

/// A common receiver in its default configuration, except for its rate.
package enum ReceiverModel: String, CaseIterable, Sendable {
  /// u-blox 8, GPS and GLONASS, 9600 bit/s.
  case ublox1Hz = "ublox-1hz"
  /// u-blox 10, three systems, 115,200 bit/s.
  case ublox5Hz = "ublox-5hz"
  /// u-blox 10, two systems, on USB.
  case ublox10Hz = "ublox-10hz"
  /// MediaTek MT3333, GPS and GLONASS, 9600 bit/s; its clock starts in 1980.
  case mtk
  /// SiRFstar III, GPS only, NMEA 2.1 without modes, 4800 bit/s.
  case sirf
  /// Garmin GPS 18x, GPS only, 4800 bit/s, whole seconds, and a proprietary sentence for the errors.
  case garmin

  /// Its output.
  package var profile: ReceiverProfile {
    switch self {
    case .ublox1Hz, .ublox5Hz, .ublox10Hz: ublox
    case .mtk: Self.mediaTek
    case .sirf: Self.sirfStar
    case .garmin: Self.garmin18
    }
  }

  private var ublox: ReceiverProfile {
    let rate =
      switch self {
      case .ublox10Hz: 10
      case .ublox5Hz: 5
      default: 1
      }
    var receiver = ReceiverProfile(
      rate: rate, sentences: [.rmc, .vtg, .gga, .gsa, .gsv, .gll],
      constellations: rate == 5 ? [.gps, .glonass, .galileo] : rate == 10 ? [.gps, .galileo] : [.gps, .glonass])
    receiver.hasSystemIdentifiers = rate > 1
    switch rate {
    case 1: (receiver.lineSpeed, receiver.readSize, receiver.latency) = (9600, 32, 70)
    case 5: (receiver.lineSpeed, receiver.readSize, receiver.latency) = (115_200, 128, 45)
    default: receiver.latency = 35
    }
    return receiver
  }

  private static var mediaTek: ReceiverProfile {
    var receiver = ReceiverProfile(
      rate: 1, sentences: [.gga, .gsa, .gsv, .rmc, .vtg], constellations: [.gps, .glonass])
    receiver.skyEvery = 5
    receiver.minuteDecimals = 4
    receiver.secondDecimals = 3
    receiver.speedDecimals = 2
    receiver.countWidth = 1
    receiver.unknownDilution = nil
    receiver.unsetClock = .since1980
    receiver.hasSystemIdentifiers = false
    receiver.slowestCourse = 0
    (receiver.lineSpeed, receiver.readSize, receiver.latency) = (9600, 32, 180)
    return receiver
  }

  private static var sirfStar: ReceiverProfile {
    var receiver = ReceiverProfile(rate: 1, sentences: [.gga, .gsa, .gsv, .rmc], constellations: [.gps])
    receiver.skyEvery = 5
    receiver.talker = "GP"
    receiver.minuteDecimals = 4
    receiver.secondDecimals = 3
    receiver.speedDecimals = 2
    receiver.dilutionDecimals = 1
    receiver.unknownDilution = 50
    receiver.differentialStation = "0000"
    receiver.hasModes = false
    receiver.hasSystemIdentifiers = false
    receiver.slowestCourse = 0
    (receiver.lineSpeed, receiver.readSize, receiver.latency) = (4800, 16, 120)
    return receiver
  }

  private static var garmin18: ReceiverProfile {
    var receiver = ReceiverProfile(rate: 1, sentences: [.rmc, .gga, .gsa, .gsv, .pgrme], constellations: [.gps])
    receiver.skyEvery = 2
    receiver.talker = "GP"
    receiver.minuteDecimals = 4
    receiver.secondDecimals = 0
    receiver.speedDecimals = 1
    receiver.courseDecimals = 1
    receiver.motionWidth = 3
    receiver.dilutionDecimals = 1
    receiver.unknownDilution = nil
    receiver.magneticVariation = 3.1
    receiver.hasSystemIdentifiers = false
    receiver.slowestCourse = 0
    (receiver.lineSpeed, receiver.readSize, receiver.latency) = (4800, 16, 100)
    return receiver
  }
}
