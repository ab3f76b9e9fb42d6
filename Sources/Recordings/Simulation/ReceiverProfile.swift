import LocationCore

/// How a simulated receiver speaks.
package struct ReceiverProfile: Hashable, Sendable {
  /// A satellite system that the receiver uses.
  package struct Constellation: Hashable, Sendable {
    /// Of its GSV sentences.
    let talker: String
    /// The system id in GSA, NMEA 4.11.
    let system: Int
    /// The numbers of its satellites.
    let numbers: ClosedRange<Int>
    /// How many satellites are over the horizon.
    let visible: Int
    /// The mode letter comes in this place of GNS.
    static let gnsPlaces = 4

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

  /// What a receiver says of the time before it knows it.
  package enum UnsetClock: Hashable, Sendable {
    /// Nothing.
    case empty
    /// A clock that runs from midnight, 6 January 1980.
    case since1980
  }

  /// Epochs a second: a divisor of 1000.
  package var rate: Int
  /// The sentences of an epoch, in their order.
  package var sentences: [SentenceKind]
  /// GSA and GSV come in every so many epochs.
  package var skyEvery = 1
  /// The talker of the solution: `GN`, or `GP` of a receiver for GPS alone.
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
  /// Digits before the decimal point of speed and course, at least.
  package var motionWidth = 1
  /// Decimals of the dilutions of precision.
  package var dilutionDecimals = 2
  /// The dilution of precision that stands for none; `nil` leaves it empty.
  package var unknownDilution: Double? = 99.99
  /// Digits of the counts of satellites, at least.
  package var countWidth = 2
  /// The station of the differential corrections that it names without having any.
  package var differentialStation = ""
  /// Degrees to the east, as RMC gives it; `nil` leaves it empty.
  package var magneticVariation: Double?
  /// From NMEA 2.3 on RMC, VTG and GLL end with a mode.
  package var hasModes = true
  /// What it says of the time before it knows it.
  package var unsetClock = UnsetClock.empty
  /// From NMEA 4.1 on RMC has a navigational status and GSA a system id, from 4.11 on GSV a signal id.
  package var hasSystemIdentifiers = true
  /// Below this speed the course stays empty, m/s.
  package var slowestCourse = 0.3
  /// From the epoch's instant to its first byte, milliseconds.
  package var latency = 60
  /// Bytes in one read.
  package var readSize = 4096
  /// Line speed, bit/s; `nil` on USB. A byte takes ten bits.
  package var lineSpeed: Int?
  /// Seconds from switching on to the first fix; 0 for one that runs already.
  package var coldStart = 0.0
  /// From the first satellites after a loss to the fix, seconds.
  package var reacquisition = 2.5

  /// A receiver.
  package init(rate: Int, sentences: [SentenceKind], constellations: [Constellation]) {
    self.rate = rate
    self.sentences = sentences
    self.constellations = constellations
  }
}
