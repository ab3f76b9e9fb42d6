import LocationCore
import Testing

@testable import RideTools

/// Random receivers with any sentences, order and rate: their rides are read correctly.
struct SimulatedReceiverTests {
  /// A receiver; it sends at least one sentence with a position and a status.
  private static func receiver(_ random: inout SeededRandom) -> ReceiverProfile {
    func pick(_ count: Int) -> Int { Int(random.uniform() * Double(count)) }
    var kinds: [ReceiverProfile.Message] = [[.rmc], [.gga], [.gns], [.rmc, .gga]][pick(4)]
    for kind in [.vtg, .gsa, .gsv, .gll, .gst, .zda] as [ReceiverProfile.Message] where random.uniform() < 0.5 {
      kinds.append(kind)
    }
    for place in kinds.indices.dropFirst() { kinds.swapAt(place, pick(place + 1)) }
    let systems: [ReceiverProfile.Constellation] = [.gps, .glonass, .galileo, .beidou]
    var profile = ReceiverProfile(
      rate: [1, 2, 5, 10][pick(4)], messages: kinds, constellations: Array(systems.prefix(1 + pick(4))))
    profile.skyEvery = [1, profile.rate, 3][pick(3)]
    profile.talker = profile.constellations.count == 1 ? "GP" : "GN"
    profile.minuteDecimals = 4 + pick(4)
    profile.secondDecimals = [1, 2, 3][pick(3)]
    profile.hasSystemIdentifiers = random.uniform() < 0.5
    return profile
  }

  private static func route(_ random: inout SeededRandom) throws -> Route {
    let start = try #require(
      Coordinate(latitude: random.uniform(-70...70), longitude: random.uniform(-180...180)))
    var builder = RouteBuilder(start: start, altitude: 500, course: random.uniform(0...359), speedLimit: 15)
    builder.straight(150)
    builder.bend(random.uniform(-120...120), radius: 30)
    builder.stop(3)
    builder.straight(100)
    return try #require(builder.route)
  }

  /// Feeds epochs as a line of so many reads an epoch gives them, and returns what came out.
  private static func read(_ epochs: [SimulatedEpoch], from start: UTCInstant, reads: Int) -> [Epoch] {
    var receiver = NMEAReceiver()
    var told: [Epoch] = []
    var last = MonotonicInstant.zero
    for epoch in epochs {
      let begin = MonotonicInstant.zero + (epoch.measured - start) + .milliseconds(60)
      let size = max(1, (epoch.bytes.count + reads - 1) / reads)
      for (number, place) in stride(from: 0, to: epoch.bytes.count, by: size).enumerated() {
        last = begin + .milliseconds(2 * number)
        while let deadline = receiver.deadline, deadline <= last {
          receiver.expire(at: deadline) { told.append(copy $0) }
        }
        Array(epoch.bytes[place..<min(place + size, epoch.bytes.count)]).withUnsafeBytes { bytes in
          receiver.receive(bytes, at: last) { told.append(copy $0) }
        }
      }
    }
    receiver.endOfInput(at: last) { told.append(copy $0) }
    return told
  }

  @Test(arguments: 1...60 as ClosedRange<UInt64>)
  func `Each epoch gives one fix at its position and time`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed, stream: 0)
    let profile = Self.receiver(&random)
    // Half of them ride over midnight.
    let start = UTCInstant(
      nanosecondsSince1970: 1_773_964_799_000_000_000 - Int64(random.uniform() < 0.5 ? 10 : 40_000) * 1_000_000_000)
    var simulator = RideSimulator(
      SimulatedRide(along: try Self.route(&random), receiver: profile, start: start, seed: seed))
    var epochs: [SimulatedEpoch] = []
    while let epoch = simulator.next() { epochs.append(epoch) }
    let told = Self.read(epochs, from: start, reads: 1 + Int(random.uniform() * 12))

    try #require(told.count == epochs.count, "\(profile.messages)")
    let tellsDate = profile.messages.contains(.rmc) || profile.messages.contains(.zda)
    let roundings = 0.6 * 1852 / [1e4, 1e5, 1e6, 1e7][profile.minuteDecimals - 4] + 0.001
    for (epoch, simulated) in zip(told, epochs) {
      guard let reported = simulated.reported else {
        guard case .noFix = epoch.outcome else {
          Issue.record("a fix where there is none: \(epoch.outcome)")
          continue
        }
        continue
      }
      guard case .fix(let fix, suspect: false) = epoch.outcome else {
        Issue.record("no fix: \(epoch.outcome)")
        continue
      }
      #expect(fix.position.distance(to: reported) <= roundings * 1.5)
      #expect(fix.timeOfDay?.nanoseconds == simulated.measured.nanosecondsOfDay)
      #expect(fix.measured == (tellsDate ? simulated.measured : nil))
      let tellsSpeed = profile.messages.contains(.rmc) || profile.messages.contains(.vtg)
      #expect((fix.speed != nil) == tellsSpeed)
    }
  }
}
