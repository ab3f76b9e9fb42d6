import GPSDProtocol
import LocationCore
import NIOCore
import RideTools
import Testing

@testable import LocationDaemon

/// Compares the daemon's output with the truth of the simulator.
@Suite("Simulated rides")
struct SimulatedRideTests {
  private static func position(_ fix: TPV) throws -> Coordinate {
    try #require(Coordinate(latitude: fix.lat ?? 99, longitude: fix.lon ?? 999))
  }

  @Test(arguments: ReceiverModel.allCases, [11, 12])
  func `Each epoch has one fix, in order, at the reported position, within the noise of the truth`(
    model: ReceiverModel, seed: Int
  ) throws {
    let ride = try PublishedRide(model, seed: seed)
    let expected = ride.epochs.filter(\.hasFix)
    let fixes = ride.fixes
    #expect(fixes.compactMap(\.time) == expected.map(\.measured))
    #expect(fixes.compactMap(\.seq) == Array(1...UInt64(expected.count)))
    // A unit in the last decimal of the minutes.
    let unit = model.profile.minuteDecimals == 4 ? 0.19 : 0.02
    for (fix, epoch) in zip(fixes, expected) {
      let position = try Self.position(fix)
      #expect(position.distance(to: try #require(epoch.reported)) < unit)
      // Six standard deviations along each axis.
      #expect(position.distance(to: try #require(epoch.position)) < 8.5 * max(epoch.sigma, 1))
      // A receiver that does not send GSA in every epoch has no mode in between.
      if model.profile.skyEvery == 1 { #expect(fix.mode == (epoch.solution == .fix(.twoD) ? 2 : 3)) }
    }
  }

  @Test(arguments: ReceiverModel.allCases)
  func `Without a fix none is published, and a loss is published in time`(model: ReceiverModel) throws {
    let ride = try PublishedRide(model, seed: 13)
    let void = Set(ride.epochs.filter { !$0.hasFix }.map(\.measured))
    #expect(void.count > 8)
    #expect(ride.fixes.allSatisfy { fix in fix.time.map { !void.contains($0) } ?? false })
    var losses = 0
    for (index, epoch) in ride.epochs.enumerated().dropFirst() {
      let next = ride.epochs[index...].prefix(3 * model.profile.rate)
      guard ride.epochs[index - 1].hasFix, next.allSatisfy({ !$0.hasFix }) else { continue }
      losses += 1
      let loss = ride.every.first { at, line in
        guard case .state(let state) = line.report else { return false }
        return at >= epoch.elapsed && state.phase == .lost
      }
      #expect(try #require(loss).at - epoch.elapsed < .milliseconds(3500))
    }
    #expect(losses >= 1)
  }

  @Test(arguments: [1, 2, 3, 4, 5, 6])
  func `Filtered fixes are ten metres apart, or have another reason`(seed: Int) throws {
    let ride = try PublishedRide(seed % 2 == 0 ? .ublox10Hz : .garmin, seed: seed)
    var last: Coordinate?
    var moved = 0
    for fix in ride.filtered.fixes {
      let position = try Self.position(fix)
      if fix.reason == "moved", let last {
        moved += 1
        // Up to the last digit of the line.
        #expect(position.distance(to: last) > 9.999)
      }
      last = position
    }
    #expect(moved > 20)
    #expect(ride.filtered.fixes.count < ride.fixes.count)
  }

  @Test(arguments: ReceiverModel.allCases)
  func `A damaged sentence never becomes a position`(model: ReceiverModel) throws {
    let ride = try PublishedRide(model, seed: 14, corrupted: 0.15, truncated: 0.1)
    var reported: [UTCInstant: Coordinate] = [:]
    for epoch in ride.epochs { reported[epoch.measured] = epoch.reported }
    let fixes = ride.fixes
    var last: UTCInstant?
    for fix in fixes {
      let position = try Self.position(fix)
      guard let time = fix.time else {
        // Before the first complete date.
        #expect(reported.values.contains { $0.distance(to: position) < 0.2 })
        continue
      }
      #expect(position.distance(to: try #require(reported[time])) < 0.2)
      if let last { #expect(time > last) }
      last = time
    }
    #expect(fixes.count > reported.count / 2 && fixes.count <= reported.count)
  }
}

/// A simulated ride through the daemon on virtual time, and the output to two clients.
struct PublishedRide {
  /// The true epochs.
  let epochs: [SimulatedEpoch]
  /// The lines to a client without a filter, each with its time since the start of the ride.
  private(set) var every: [(at: Duration, line: ReceivedLine)] = []
  /// The lines to a client with a filter of 10 m.
  private(set) var filtered: [ReceivedLine] = []

  init(_ ride: SimulatedRide) throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let (all, some) = (try daemon.watch(filter: 0), try daemon.watch(filter: 10))
    let start = daemon.now + .seconds(1)
    var epochs: [SimulatedEpoch] = []
    var feed = RideFeed(ride)
    while let item = feed.next() {
      switch item {
      case .epoch(let epoch): epochs.append(epoch)
      case .event: break
      case .read(let bytes, let offset):
        daemon.advance((start + offset - daemon.now).inSeconds)
        daemon.inlet().receive(ByteBuffer(bytes: bytes), at: daemon.now)
        for line in try all.take() { every.append((offset, line)) }
        filtered += try some.take()
      }
    }
    daemon.advance(0.9)
    for line in try all.take() { every.append((epochs.last?.elapsed ?? .zero, line)) }
    filtered += try some.take()
    self.epochs = epochs
  }

  /// A tour with tunnel, canyon and damaged sentences.
  init(_ model: ReceiverModel, seed: Int, corrupted: Double = 0, truncated: Double = 0) throws {
    var options = try SimulationOptions(named: "tour")
    for (key, text) in [
      (SimulationKey.seed, "\(seed)"), (.receiver, model.rawValue), (.length, "700"), (.coldStart, "5"),
      (.tunnel, "300-420"), (.canyon, "500-600"), (.corrupt, "\(corrupted)"), (.truncate, "\(truncated)"),
    ] {
      try options.set(key, to: text)
    }
    try self.init(try options.ride())
  }

  /// The fixes to the client without a filter.
  var fixes: [TPV] { every.map(\.line).fixes.filter { $0.reason != "snapshot" } }
}
