import GPSDProtocol
import LocationCore
import NIOCore
import RideTools
import Testing

@testable import LocationDaemon

/// A fix is published with the byte that completes it, on lines of the lowest sufficient speed.
@Suite("Latency of a serial line")
struct LineLatencyTests {
  /// A receiver on a line.
  struct Line: CustomTestStringConvertible, Sendable {
    let name: String
    let receiver: ReceiverProfile
    let speed: Int

    var testDescription: String { "\(name) at \(speed) bit/s" }

    init(_ model: ReceiverModel, _ speed: Int, only sentences: [ReceiverProfile.Message]? = nil) {
      name = model.rawValue
      var receiver = model.profile
      if let sentences { receiver.messages = sentences }
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

  /// Ten epochs per second fit 38,400 bit/s only without the satellites in view.
  static let lines = [
    Line(.ublox1Hz, 9600), Line(.ublox5Hz, 115_200), Line(.ublox10Hz, 115_200),
    Line(.ublox10Hz, 38_400, only: [.rmc, .gga, .gsa]), Line(.mtk, 9600), Line(.sirf, 4800), Line(.garmin, 4800),
    Line(.city, 9600), Line(.motorway, 9600), Line(.mountain, 115_200),
  ]

  /// Number of epochs needed to learn a receiver's order.
  private static let learning = 3

  @Test(arguments: lines)
  func `The last byte that a fix needs publishes it, complete`(line: Line) throws {
    let ride = try SerialLineRide(line.receiver, speed: line.speed, epochs: 24)
    #expect(ride.epochs.count == 24)
    for epoch in ride.epochs.dropFirst(Self.learning) {
      let published = try #require(epoch.published.first)
      #expect(epoch.published.count == 1)
      #expect(published.fix.time == epoch.epoch.measured)
      #expect(published.bytes == epoch.needed)
      let (fix, whole) = (published.fix, try #require(epoch.whole))
      #expect(fix.mode == whole.mode.rawValue && fix.status == whole.status.rawValue)
      let pairs = [
        (fix.lat, whole.position.latitude), (fix.lon, whole.position.longitude), (fix.altMSL, whole.altitudeMSL),
        (fix.speed, whole.speed), (fix.track, whole.course), (fix.eph, whole.horizontalAccuracy),
        (fix.epv, whole.verticalAccuracy), (fix.epx, whole.longitudeError), (fix.epy, whole.latitudeError),
        (fix.geoidSep, whole.geoidSeparation), (fix.magvar, whole.magneticVariation),
      ]
      for (value, known) in pairs { #expect(value == nil ? known == nil : abs((value ?? 0) - (known ?? .nan)) < 0.001) }
      #expect(fix.lat != nil && fix.altMSL != nil && fix.speed != nil && fix.eph != nil)
    }
    #expect(ride.counters.late == 0)
  }
}

/// A simulated ride through the daemon on virtual time, over a line that delivers one byte at a time.
struct SerialLineRide {
  /// A fix and the byte that published it.
  struct Published {
    let fix: TPV
    /// The number of the epoch's bytes received so far; negative if published by a timeout.
    let bytes: Int
  }

  /// An epoch as sent by the receiver, and what the daemon published.
  struct EpochOutput {
    let epoch: SimulatedEpoch
    /// The fixes published before the first byte of the next epoch.
    let published: [Published]
  }

  private(set) var epochs: [EpochOutput] = []
  /// The daemon's counters.
  let counters: ReceiverCounters

  /// Runs `count` epochs of a receiver over a line of `speed` bit/s.
  init(_ receiver: ReceiverProfile, speed: Int, epochs count: Int) throws {
    var options = try SimulationOptions(named: "tour")
    try options.set(.seed, to: "21")
    try options.set(.length, to: "3000")
    var ride = try options.ride()
    ride.receiver = receiver
    ride.receiver.lineSpeed = speed
    ride.receiver.readSize = 1
    let daemon = try VirtualDaemon()
    daemon.open()
    let client = try daemon.watch(filter: 0)
    let start = daemon.now + .seconds(1)
    var feed = RideFeed(ride)
    var bytes = 0
    var published: [Published] = []
    while epochs.count < count, let item = feed.next() {
      switch item {
      case .event: break
      case .read(let read, let offset):
        // Fixes published by a timeout before this byte.
        daemon.advance((start + offset - daemon.now).inSeconds)
        published += try client.take().fixes.map { Published(fix: $0, bytes: -bytes) }
        bytes += read.count
        daemon.inlet().receive(ByteBuffer(bytes: read), at: daemon.now)
        published += try client.take().fixes.map { Published(fix: $0, bytes: bytes) }
      case .epoch(let epoch):
        epochs.append(EpochOutput(epoch: epoch, published: published.filter { $0.fix.reason != "snapshot" }))
        published = []
        bytes = 0
      }
    }
    counters = daemon.engineLoop.engine.sources[0].counters
  }
}

extension SerialLineRide.EpochOutput {
  /// Sentences that repeat other ones or do not contribute to a fix.
  private static let repeating: Set = ["VTG", "GLL", "ZDA", "GSV"]

  /// Number of bytes up to the checksum of the last sentence that the fix needs.
  var needed: Int? {
    var end: Int?
    var start = 0
    for line in epoch.bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      let text = String(decoding: line, as: UTF8.self)
      if !Self.repeating.contains(String(text.prefix(6).suffix(3))), let star = line.firstIndex(of: UInt8(ascii: "*")) {
        end = start + (star - line.startIndex) + 3
      }
      start += line.count + 1
    }
    return end
  }

  /// The fix of all sentences of the epoch.
  var whole: Fix? {
    var receiver = NMEAReceiver()
    var fix: Fix?
    epoch.bytes.withUnsafeBytes { receiver.receive($0, at: .zero) { _ in } }
    receiver.endOfInput(at: .zero) { if case .fix(let one, _) = $0.outcome { fix = one } }
    return fix
  }
}
