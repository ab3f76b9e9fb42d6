import LocationCore
import Testing

@testable import RideTools

/// The output of every receiver model, read by the daemon's decoder.
struct ReceiverModelTests {
  private static let hard: [SimulationKey: String] = [
    .length: "1200", .coldStart: "6", .tunnel: "500-620", .canyon: "700-900",
  ]

  private static func ride(_ model: ReceiverModel, seed: Int, _ more: [SimulationKey: String] = [:]) throws
    -> SimulatedRide
  {
    let own: [SimulationKey: String] = [.receiver: model.rawValue, .seed: String(seed)]
    return try .described("tour", hard.merging(own) { $1 }.merging(more) { $1 })
  }

  /// The models that send sentences.
  private static let ofSentences = ReceiverModel.allCases.filter { $0.profile.messages.contains(.rmc) }

  @Test(arguments: ofSentences)
  func `No sentence is rejected, and no field is malformed`(
    model: ReceiverModel
  ) throws {
    var decoder = NMEADecoder()
    for epoch in try Self.ride(model, seed: 1).epochs {
      epoch.bytes.withUnsafeBytes { bytes in
        decoder.decode(bytes) { event in
          if case .ubx = event.payload { return }
          guard case .sentence(let sentence) = event.payload else {
            Issue.record("rejected: \(String(decoding: event.raw, as: UTF8.self))")
            return
          }
          let malformed = SentenceValues(event)?.malformed
          switch sentence {
          // The decoder does not accept the date of an unset clock.
          case .rmc(let rmc): #expect(rmc.problems.isEmpty || model == .mtk && epoch.solution == .nothing)
          case .gga(let gga): #expect(gga.problems.isEmpty)
          case .gll(let gll): #expect(gll.problems.isEmpty)
          case .gsa, .vtg, .pgrme: #expect(malformed == [])
          case .gsv: break
          default: Issue.record("not of this receiver: \(String(decoding: event.raw, as: UTF8.self))")
          }
        }
      }
    }
    #expect(decoder.counters.sentences > 100)
  }

  @Test(arguments: ReceiverModel.allCases)
  func `An epoch fits on the line, with room to spare`(model: ReceiverModel)
    throws
  {
    let ride = try Self.ride(model, seed: 2)
    let speed = ride.receiver.lineSpeed ?? 12_000_000
    let room = Double(speed) / 10 / Double(ride.receiver.rate)
    let longest = ride.epochs.map(\.bytes.count).max() ?? 0
    #expect(longest > 150 && Double(longest) < 0.95 * room, "\(longest) bytes of \(room)")
  }

  @Test(arguments: ReceiverModel.allCases)
  func `Bytes come at line speed, epochs at the receiver's rate`(
    model: ReceiverModel
  ) throws {
    let ride = try Self.ride(model, seed: 3)
    var feed = RideFeed(ride)
    var (first, last, bytes) = (Duration?.none, Duration.zero, 0)
    while let item = feed.next() {
      switch item {
      case .read(let read, let at):
        #expect(at >= last)
        first = first ?? at
        (last, bytes) = (at, bytes + (first == at ? 0 : read.count))
      case .epoch(let epoch):
        if let begin = first, let speed = ride.receiver.lineSpeed {
          let expected = Double(bytes) * 10 / Double(speed)
          #expect(abs((last - begin).inSeconds - expected) < 1e-6)
        }
        if let first { #expect(first > epoch.elapsed && first < epoch.elapsed + .milliseconds(300)) }
        (first, bytes) = (nil, 0)
      case .event: break
      }
    }
  }

  @Test(arguments: ReceiverModel.allCases, [1, 2, 3])
  func `Every epoch gives one fix at the reported position`(
    model: ReceiverModel, seed: Int
  ) throws {
    let ride = try Self.ride(model, seed: seed)
    let epochs = ride.epochs.filter(\.hasFix)
    // A unit in the last decimal of the minutes, in metres of a great circle.
    let unit = ride.receiver.minuteDecimals == 4 ? 0.1852 : 0.01852
    var index = 0
    var within = 0
    ride.received { received in
      guard case .fix(let fix, let suspect) = received.outcome else {
        if case .noFix = received.outcome { return }
        Issue.record("neither fix nor none")
        return
      }
      guard index < epochs.count, let reported = epochs[index].reported, let truth = epochs[index].position else {
        Issue.record("more fixes than epochs with one")
        return
      }
      #expect(!suspect)
      #expect(fix.measured == epochs[index].measured)
      #expect(fix.position.distance(to: reported) < unit)
      let error = fix.position.distance(to: truth)
      let radius = fix.horizontalAccuracy ?? 0
      #expect(error < 2.5 * radius + unit, "\(error) m beyond the radius of \(radius) m")
      if error < radius { within += 1 }
      #expect(abs((fix.speed ?? 99) - epochs[index].truth.speed) < 2)
      index += 1
    }
    #expect(index == epochs.count)
    // An error that wanders slowly may stay outside for a good part of a short ride.
    #expect(Double(within) > 0.4 * Double(epochs.count), "\(within) of \(epochs.count) within the 95 % radius")
  }

  @Test(arguments: ofSentences)
  func `A damaged sentence never gives a wrong position`(
    model: ReceiverModel
  ) throws {
    let ride = try Self.ride(model, seed: 4, [.corrupt: "0.2", .truncate: "0.1"])
    var reported: [UTCInstant: Coordinate] = [:]
    let epochs = ride.epochs
    for epoch in epochs { reported[epoch.measured] = epoch.reported }
    var (fixes, last) = (0, UTCInstant?.none)
    ride.received { received in
      guard case .fix(let fix, _) = received.outcome else { return }
      fixes += 1
      // Before the first date a fix has no time; its position is any of the reported ones.
      if let measured = fix.measured {
        #expect(fix.position.distance(to: reported[measured] ?? fix.position) < 0.2)
        #expect(reported[measured] != nil)
        if let last { #expect(measured > last) }
        last = measured
      } else {
        #expect(reported.values.contains { $0.distance(to: fix.position) < 0.2 })
      }
    }
    let expected = epochs.count(where: \.hasFix)
    #expect(fixes > expected / 2 && fixes <= expected, "\(fixes) of \(expected)")
  }

  @Test func `Before they have a time, receivers report it each in its way`() throws {
    func first(_ model: ReceiverModel) throws -> String {
      String(decoding: try Self.ride(model, seed: 1).epochs[1].bytes, as: UTF8.self)
    }
    #expect(try first(.ublox10Hz).contains("$GNRMC,,V,,,,,,,,,,N,V*"))
    #expect(try first(.mtk).contains("$GNRMC,000001.000,V,,,,,,,060180,,,N*"))
    #expect(try first(.sirf).contains("$GPGGA,,,,,,0,00,50.0,,,,,,0000*"))
    #expect(try first(.sirf).contains("$GPRMC,,V,,,,,,,,,*"))
    #expect(try first(.garmin).contains("$GPRMC,,V,,,,,,,,003.1,E,N*"))
  }
}
