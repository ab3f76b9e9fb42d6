import LocationCore
import Testing

@testable import RideTools

@Suite("A simulated receiver's UBX")
struct UBXReceiverTests {
  private struct Frame {
    let id: UInt8
    let payload: [UInt8]

    func number(_ offset: Int, _ count: Int = 4) -> Int {
      payload[offset..<(offset + count)].reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    func signed(_ offset: Int) -> Int { Int(Int32(truncatingIfNeeded: number(offset))) }
  }

  private static func frames(_ bytes: [UInt8]) throws -> [Frame] {
    var rest = bytes[...]
    var frames: [Frame] = []
    while let start = rest.firstIndex(of: 0xB5) {
      rest = rest[start...]
      let length = 8 + Int(rest[start + 4]) + Int(rest[start + 5]) << 8
      let payload = Array(rest[(start + 6)..<(start + length - 2)])
      #expect(Array(rest.prefix(length)) == ReceiverCommand.ubx(rest[start + 2], rest[start + 3], payload))
      frames.append(Frame(id: rest[start + 3], payload: payload))
      rest = rest.dropFirst(length)
    }
    return frames
  }

  private static let models = ReceiverModel.allCases.filter { $0.profile.messages.contains(.navPVT) }

  @Test(arguments: models)
  func `Each epoch has its messages in order, with its time, position and satellites`(model: ReceiverModel) throws {
    let ride = try SimulatedRide.described(
      "tour", [.receiver: model.rawValue, .length: "400", .coldStart: "3", .start: "2026-12-31T23:59:50Z"])
    var weekTime: Int?
    for (index, epoch) in ride.epochs.enumerated() {
      let frames = try Self.frames(epoch.bytes)
      let hasEnd = model != .ubloxUBX5Hz
      let isSkyDue = index % ride.receiver.rate == 0
      #expect(frames.map(\.id) == [0x07] + (isSkyDue ? [0x35] : []) + [0x04] + (hasEnd ? [0x61] : []))
      let time = frames[0].number(0)
      #expect(frames.allSatisfy { $0.number(0) == time })
      if let weekTime { #expect(time - weekTime == 1000 / ride.receiver.rate) }
      weekTime = time
      let solution = frames[0]
      #expect(solution.payload.count == 92)
      guard let reported = epoch.reported else {
        #expect(solution.payload[20] == 0 && solution.payload[21] == 0 && solution.payload[78] == 1)
        continue
      }
      #expect(solution.payload[21] == 1 && solution.payload[11] == 7)
      let date = epoch.measured.date
      #expect(solution.number(4, 2) == date.year && Int(solution.payload[6]) == date.month)
      let second = Int(solution.payload[8]) * 3600 + Int(solution.payload[9]) * 60 + Int(solution.payload[10])
      #expect(Int64(second) * 1_000_000_000 + Int64(solution.signed(16)) == epoch.measured.nanosecondsOfDay)
      #expect(abs(Double(solution.signed(28)) / 1e7 - reported.latitude) < 1e-7)
      #expect(abs(Double(solution.signed(24)) / 1e7 - reported.longitude) < 1e-7)
      #expect(abs(Double(solution.signed(60)) / 1000 - epoch.truth.speed) < 2)
      if isSkyDue {
        let sky = frames[1]
        #expect(sky.payload.count == 8 + 12 * Int(sky.payload[5]))
        let used = stride(from: 8, to: sky.payload.count, by: 12).count { sky.payload[$0 + 8] & 8 != 0 }
        #expect(used == Int(solution.payload[23]))
      }
    }
  }

  @Test func `A leap second is second 60, and moves no time of the week`() throws {
    let ride = try SimulatedRide.described(
      "tour",
      [.receiver: "ublox-ubx-5hz", .length: "200", .start: "2026-12-31T23:59:57Z", .leapSecond: "true"])
    let solutions = try ride.epochs.map { try Self.frames($0.bytes)[0] }
    #expect(solutions[15...].prefix(5).allSatisfy { $0.payload[10] == 60 && $0.payload[8] == 23 })
    #expect(solutions[20].payload[10] == 0 && solutions[20].payload[8] == 0)
    for (before, after) in zip(solutions, solutions.dropFirst()) { #expect(after.number(0) - before.number(0) == 200) }
  }

  @Test(
    "The stated accuracies are the standard deviations of the errors",
    arguments: [(1.0, false), (0.2, false), (4.0, false), (1.0, true), (2.0, true)])
  func deviations(noise: Double, isCanyon: Bool) throws {
    // Each ride has independent errors: the slow ones last longer than a ride.
    var sums = (horizontal: 0.0, vertical: 0.0, speed: 0.0, course: 0.0)
    var count = 0.0
    for seed in 1...600 {
      var settings: [SimulationKey: String] = [
        .receiver: "ublox-ubx-5hz", .length: "100", .seed: String(seed), .noise: String(noise),
      ]
      if isCanyon { settings[.canyon] = "0-100" }
      var simulator = RideSimulator(try .described("tour", settings))
      for index in 0..<40 {
        guard let epoch = simulator.next(), index >= 30, index % 5 == 0, let truth = epoch.position else { continue }
        let solution = try Self.frames(epoch.bytes)[0]
        let position = try #require(
          Coordinate(
            latitude: Double(solution.signed(28)) / 1e7, longitude: Double(solution.signed(24)) / 1e7))
        func square(_ error: Double, _ deviation: Int, _ unit: Double) -> Double {
          let ratio = error * unit / Double(deviation)
          return ratio * ratio
        }
        sums.horizontal += square(position.distance(to: truth), solution.number(40), 1000)
        sums.vertical += square(
          Double(solution.signed(36)) / 1000 - epoch.truth.place.altitude, solution.number(44), 1000)
        sums.speed += square(Double(solution.signed(60)) / 1000 - epoch.truth.speed, solution.number(68), 1000)
        count += 1
      }
    }
    #expect(count >= 1000)
    #expect((0.9...1.1).contains(sums.horizontal / count), "\(sums.horizontal / count)")
    #expect((0.85...1.15).contains(sums.vertical / count), "\(sums.vertical / count)")
    #expect((0.85...1.15).contains(sums.speed / count), "\(sums.speed / count)")
  }

  private struct Share: CustomStringConvertible {
    var inside = 0.0
    var count = 0.0
    var description: String { "\(inside / count)" }
    var isNinetyFive: Bool { (0.93...0.97).contains(inside / count) }

    mutating func add(_ error: Double, within bound: Double?) {
      count += 1
      if let bound, abs(error) <= bound { inside += 1 }
    }
  }

  @Test(
    "95 % of the true values are within the errors of published fixes", arguments: models,
    [(1.0, false), (0.3, true), (3.0, true)])
  func shares(model: ReceiverModel, conditions: (noise: Double, isCanyon: Bool)) throws {
    var shares = (horizontal: Share(), vertical: Share(), speed: Share())
    // Each ride has independent errors, of which its last second counts: the slow ones last longer than a ride.
    for seed in 1...1000 {
      var settings: [SimulationKey: String] = [
        .receiver: model.rawValue, .length: "100", .seed: String(seed), .noise: String(conditions.noise),
      ]
      if conditions.isCanyon { settings[.canyon] = "0-100" }
      let ride = try SimulatedRide.described("tour", settings)
      var feed = RideFeed(ride)
      var engine = LocationEngine(sources: [SourceSetup(id: 0)], at: .zero)
      var events = EngineEvents()
      var epochs: [SimulatedEpoch] = []
      let count = (conditions.isCanyon ? 6 : 2) * ride.receiver.rate
      while epochs.count < count, let item = feed.next() {
        switch item {
        case .epoch(let epoch): epochs.append(epoch)
        case .read(let bytes, let at):
          bytes.withUnsafeBytes {
            engine.receive(.bytes($0), from: 0, at: .zero + .seconds(1) + at, into: &events)
          }
        case .event: break
        }
      }
      for entry in events.list {
        guard case .fix(let published, _, _) = entry.event,
          let epoch = epochs.suffix(ride.receiver.rate).first(where: { $0.measured == published.fix.measured }),
          let truth = epoch.position
        else { continue }
        let fix = published.fix
        shares.horizontal.add(fix.position.distance(to: truth), within: fix.horizontalAccuracy)
        shares.vertical.add((fix.altitudeMSL ?? .infinity) - epoch.truth.place.altitude, within: fix.verticalAccuracy)
        shares.speed.add((fix.speed ?? .infinity) - epoch.truth.speed, within: fix.speedAccuracy)
      }
    }
    #expect(shares.horizontal.count >= 4000)
    #expect(
      shares.horizontal.isNinetyFive && shares.vertical.isNinetyFive && shares.speed.isNinetyFive, "\(shares)")
  }

  @Test func `Sentences are made while a receiver sends UBX only, and its own pass through when it sends them again`()
    throws
  {
    func epochs(_ receiver: ReceiverModel) throws -> ArraySlice<SimulatedEpoch> {
      try SimulatedRide.described("tour", [.receiver: receiver.rawValue, .length: "300"]).epochs.prefix(150)
    }
    let (own, binary) = (try epochs(.ublox10Hz), try epochs(.ubloxUBX10Hz))
    var engine = LocationEngine(sources: [SourceSetup(id: 0)], at: .zero)
    var events = EngineEvents()
    events.collectsSentences = true
    var bursts: [Int] = []
    for index in own.indices {
      let bytes = (50..<100).contains(index) ? binary[index].bytes : own[index].bytes
      bytes.withUnsafeBytes {
        engine.receive(.bytes($0), from: 0, at: .zero + .seconds(1) + own[index].elapsed, into: &events)
      }
      var text = ""
      for entry in events.list {
        if case .sentences(let sentences) = entry.event { text += String(decoding: sentences, as: UTF8.self) }
      }
      events.removeAll()
      bursts.append(text.split(separator: "\r\n").count { $0.hasPrefix("$GNRMC") })
    }
    #expect(bursts[..<50].allSatisfy { $0 == 1 })
    #expect(bursts[50..<64].allSatisfy { $0 == 0 })
    #expect(bursts[68..<100].allSatisfy { $0 == 1 })
    #expect(bursts[100...].allSatisfy { $0 == 1 })
  }

  @Test func `At 38,400 bit/s ten epochs a second fit as UBX, and do not fit as sentences about the same ride`() throws
  {
    func bytesPerSecond(_ model: ReceiverModel) throws -> Double {
      let epochs = try SimulatedRide.described("tour", [.receiver: model.rawValue, .length: "1000"]).epochs
      return Double(epochs.reduce(0) { $0 + $1.bytes.count }) * 10 / Double(epochs.count)
    }
    let room = 38_400.0 / 10
    let (binary, sentences) = (try bytesPerSecond(.ubloxUBX10Hz), try bytesPerSecond(.ublox10Hz))
    #expect(binary < 0.5 * room, "\(binary) bytes a second of \(room)")
    #expect(sentences > room, "\(sentences) bytes a second of \(room)")
  }
}
