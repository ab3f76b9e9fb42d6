/// A receiver that many riders have, as it speaks when nobody has configured it (or only its rate).
package enum ReceiverModel: String, CaseIterable, Sendable {
  /// u-blox 8, GPS and GLONASS, 9600 bit/s.
  case ublox1Hz = "ublox-1hz"
  /// u-blox 10, three systems, 115,200 bit/s.
  case ublox5Hz = "ublox-5hz"
  /// u-blox 10, two systems, on USB.
  case ublox10Hz = "ublox-10hz"
  /// MediaTek MT3333, GPS and GLONASS, 9600 bit/s: the clock of 1980 before it knows better.
  case mtk
  /// SiRFstar III, GPS alone, NMEA 2.1 without modes, 4800 bit/s.
  case sirf
  /// Garmin GPS 18x, GPS alone, 4800 bit/s, whole seconds, and its own sentence for the errors.
  case garmin

  /// How it speaks.
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
