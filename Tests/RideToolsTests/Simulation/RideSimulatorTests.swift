import LocationCore
import Testing

@testable import RideTools

/// What the simulated receivers say, read by the decoder that reads the real ones.
struct RideSimulatorTests {
  private static func epochs(_ ride: BundledRide) throws -> [SimulatedEpoch] {
    try #require(ride.ride(seed: ride.defaultSeed)).epochs
  }

  /// The sentences of an epoch by type, and that none is rejected.
  private static func decode(_ epoch: SimulatedEpoch) -> [String: [String]] {
    var decoder = NMEADecoder()
    var sentences: [String: [String]] = [:]
    epoch.bytes.withUnsafeBytes { bytes in
      decoder.decode(bytes) { event in
        if case .rejected = event.payload { Issue.record("rejected: \(String(decoding: event.raw, as: UTF8.self))") }
        sentences["\(event.type)", default: []].append(String(decoding: event.raw, as: UTF8.self))
      }
    }
    return sentences
  }

  @Test(arguments: BundledRide.allCases)
  func `Every sentence is accepted and correct within the noise`(
    ride: BundledRide
  ) throws {
    let epochs = try Self.epochs(ride)
    var decoder = NMEADecoder()
    var worst = 0.0
    for epoch in epochs {
      var fixes = 0
      epoch.bytes.withUnsafeBytes { bytes in
        decoder.decode(bytes) { event in
          guard case .sentence(let sentence) = event.payload else {
            Issue.record("rejected")
            return
          }
          guard case .rmc(let rmc) = sentence else { return }
          #expect(rmc.problems.isEmpty)
          if epoch.solution != .nothing {
            #expect(
              rmc.date.flatMap { date in rmc.time.flatMap { UTCInstant(date: date, time: $0) } } == epoch.measured)
          }
          #expect((rmc.position != nil) == epoch.hasFix)
          guard let position = rmc.position, let reported = epoch.reported else { return }
          fixes += 1
          #expect(position.distance(to: reported) < 0.2)
          let truth = Coordinate(latitude: epoch.truth.place.latitude, longitude: epoch.truth.place.longitude)
          worst = max(worst, truth?.distance(to: position) ?? 999)
          #expect(abs((rmc.speed ?? 99) - epoch.truth.speed) < 2)
        }
      }
      #expect(fixes == (epoch.hasFix ? 1 : 0))
    }
    #expect(decoder.counters.bytes == UInt64(epochs.reduce(0) { $0 + $1.bytes.count }))
    // Some error there must be; more than 45 m would be no receiver's.
    #expect(worst > 1 && worst < 45)
  }

  @Test(arguments: BundledRide.allCases)
  func `Epochs come at the receiver's rate, with its sentences in its order`(
    ride: BundledRide
  ) throws {
    let epochs = try Self.epochs(ride)
    let period = Duration.nanoseconds(1_000_000_000 / Int64(ride.receiver.rate))
    for (before, after) in zip(epochs, epochs.dropFirst()) { #expect(after.measured - before.measured == period) }
    let first = Self.decode(epochs[0])
    #expect(first["GSA"]?.count == ride.receiver.constellations.count)
    #expect(first.keys.contains("GSV"))
    #expect(Self.decode(epochs[1]).keys.contains("GSV") == (ride.receiver.skyEvery == 1))
  }

  @Test func `The city has a cold start, stops, and worse fixes between buildings`() throws {
    let epochs = try Self.epochs(.city)
    #expect(epochs.prefix(5).map(\.solution) == [.nothing, .nothing, .time, .time, .time])
    #expect(epochs[5].solution == .fix(.twoD))
    #expect(epochs.dropFirst(7).allSatisfy { $0.solution == .fix(.threeD) })
    var stops = 0
    for (before, after) in zip(epochs, epochs.dropFirst()) where before.truth.speed >= 0.5 && after.truth.speed < 0.5 {
      stops += 1
    }
    #expect(stops >= 4)
    func spread(_ surroundings: Route.Surroundings) -> Double {
      let errors = epochs.dropFirst(20).filter { $0.truth.place.surroundings == surroundings }.compactMap { epoch in
        epoch.reported.flatMap { reported in
          Coordinate(latitude: epoch.truth.place.latitude, longitude: epoch.truth.place.longitude)?
            .distance(to: reported)
        }
      }
      return (errors.reduce(0) { $0 + $1 * $1 } / Double(max(errors.count, 1))).squareRoot()
    }
    #expect(spread(.open) < 3)
    #expect(spread(.canyon) > 4)
  }

  @Test func `The motorway is ridden at 130 km per hour, over midnight`() throws {
    let epochs = try Self.epochs(.motorway)
    let cruising = epochs.filter { abs($0.truth.speed - 130 / 3.6) < 0.01 }.count
    #expect(cruising > epochs.count * 8 / 10)
    #expect(Set(epochs.map { $0.measured.date.day }) == [30, 1])
  }

  @Test func `The mountain has hairpins, climbs, and is received ten times a second`() throws {
    let epochs = try Self.epochs(.mountain)
    #expect((epochs.last?.truth.place.altitude ?? 0) - epochs[0].truth.place.altitude > 150)
    var turned = 0.0
    for (before, after) in zip(epochs, epochs.dropFirst()) {
      var turn = after.truth.place.course - before.truth.place.course
      turn -= (turn / 360).rounded() * 360
      turned += abs(turn)
    }
    #expect(turned > 13 * 168)
  }

  @Test func `In the tunnel the fix is lost with void sentences and comes back after it`() throws {
    let epochs = try Self.epochs(.tunnel)
    var changes: [Bool] = []
    for epoch in epochs where changes.last != epoch.hasFix { changes.append(epoch.hasFix) }
    #expect(changes == [true, false, true, false, true])
    for epoch in epochs where epoch.truth.place.surroundings == .tunnel {
      #expect(!epoch.hasFix)
      let rmc = try #require(Self.decode(epoch)["RMC"]?.first)
      #expect(rmc.contains(",V,,,,,,,111026,,,N,V*"))
    }
    let returned = try #require(epochs.lastIndex { $0.truth.place.surroundings == .tunnel })
    let regained = try #require(epochs[returned...].firstIndex { $0.hasFix })
    #expect(regained - returned > 1 && regained - returned < 15)
    #expect(epochs[regained].solution == .fix(.twoD))
  }

  @Test func `The same seed gives the same ride, another seed another one`() throws {
    let made = try #require(BundledRide.tunnel.ride(seed: 1)).recording
    #expect(try #require(BundledRide.tunnel.ride(seed: 1)).recording == made)
    #expect(try #require(BundledRide.tunnel.ride(seed: 2)).recording != made)
  }

  @Test(arguments: [(0.04, "0.0"), (-0.04, "0.0"), (-0.06, "-0.1"), (12.35, "12.4"), (999.96, "1000.0")])
  func `Numbers are rounded to their decimals`(number: Double, written: String) {
    var bytes: [UInt8] = []
    bytes.append(fixed: number, decimals: 1, trimmed: false)
    #expect(String(decoding: bytes, as: UTF8.self) == written)
  }
}
