import GPSDProtocol
import LocationCore
import RideTools
import Testing

@testable import LocationDaemon

/// A fix is out with the byte that completes it, on lines that are no faster than they must be.
@Suite("Rides over a slow line")
struct WiredRideTests {
  /// A receiver on a line.
  struct Line: CustomTestStringConvertible, Sendable {
    let name: String
    let receiver: ReceiverProfile
    let speed: Int

    var testDescription: String { "\(name) at \(speed) bit/s" }

    init(_ model: ReceiverModel, _ speed: Int, only sentences: [ReceiverProfile.SentenceKind]? = nil) {
      name = model.rawValue
      var receiver = model.profile
      if let sentences { receiver.sentences = sentences }
      self.receiver = receiver
      self.speed = speed
    }

    init(_ ride: BundledRide, _ speed: Int) {
      name = "\(ride.rawValue) ride"
      var receiver = ride.receiver
      receiver.coldStart = 0
      self.receiver = receiver
      self.speed = speed
    }
  }

  /// Ten epochs a second fit 38,400 bit/s without the satellites in view only.
  static let lines = [
    Line(.ublox1Hz, 9600), Line(.ublox5Hz, 115_200), Line(.ublox10Hz, 115_200),
    Line(.ublox10Hz, 38_400, only: [.rmc, .gga, .gsa]), Line(.mtk, 9600), Line(.sirf, 4800), Line(.garmin, 4800),
    Line(.city, 9600), Line(.motorway, 9600), Line(.mountain, 115_200),
  ]

  /// Epochs from which a receiver's order is learned.
  private static let learning = 3

  @Test("the last byte that a fix needs publishes it, whole", arguments: lines)
  func latency(line: Line) throws {
    let ride = try WiredRide(line.receiver, speed: line.speed, epochs: 24)
    #expect(ride.epochs.count == 24)
    for heard in ride.epochs.dropFirst(Self.learning) {
      let published = try #require(heard.published.first)
      #expect(heard.published.count == 1)
      #expect(published.fix.time == heard.epoch.measured)
      #expect(published.bytes == heard.needed)
      let (fix, whole) = (published.fix, try #require(heard.whole))
      #expect(fix.mode == whole.mode.rawValue && fix.status == whole.status.rawValue)
      let pairs = [
        (fix.lat, whole.position.latitude), (fix.lon, whole.position.longitude), (fix.altMSL, whole.altitudeMSL),
        (fix.speed, whole.speed), (fix.track, whole.course), (fix.eph, whole.horizontalAccuracy),
        (fix.epv, whole.verticalAccuracy), (fix.epx, whole.longitudeError), (fix.epy, whole.latitudeError),
        (fix.geoidSep, whole.geoidSeparation), (fix.magvar, whole.magneticVariation),
      ]
      for (told, known) in pairs { #expect(told == nil ? known == nil : abs((told ?? 0) - (known ?? .nan)) < 0.001) }
      #expect(fix.lat != nil && fix.altMSL != nil && fix.speed != nil && fix.eph != nil)
    }
    #expect(ride.counters.late == 0)
    #expect(ride.counters.closedByOrder >= UInt64(24 - Self.learning))
  }
}
