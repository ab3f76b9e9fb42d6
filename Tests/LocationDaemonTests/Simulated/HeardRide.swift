import GPSDProtocol
import LocationCore
import NIOCore
import RideTools

@testable import LocationDaemon

/// A simulated ride through the daemon on virtual time, and what two of its clients hear.
struct HeardRide {
  /// What is true.
  let epochs: [SimulatedEpoch]
  /// To a client without a filter, each with when it came since the start of the ride.
  private(set) var every: [(at: Duration, line: ReceivedLine)] = []
  /// To a client with the filter of 10 m.
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
        daemon.sink().sourceDidReceive(ByteBuffer(bytes: bytes), at: daemon.now)
        for line in try all.take() { every.append((offset, line)) }
        filtered += try some.take()
      }
    }
    daemon.advance(0.9)
    for line in try all.take() { every.append((epochs.last?.elapsed ?? .zero, line)) }
    filtered += try some.take()
    self.epochs = epochs
  }

  /// A tour with everything that can go wrong on it.
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
