import LocationCore
import Testing

@testable import RideTools

extension SimulatedRide {
  /// A ride described by options.
  static func described(_ name: String, _ settings: [SimulationKey: String] = [:]) throws -> SimulatedRide {
    try SimulationOptions.described(name, settings).ride()
  }

  /// All its epochs.
  var epochs: [SimulatedEpoch] {
    var simulator = RideSimulator(self)
    var epochs: [SimulatedEpoch] = []
    while let epoch = simulator.next() { epochs.append(epoch) }
    return epochs
  }

  /// Its recording, as the simulator writes it.
  var recording: [UInt8] {
    var writer = SimulatedWriter(of: self)
    var bytes: [UInt8] = []
    while writer.next(into: &bytes) != nil {}
    return bytes
  }

  /// The epochs that the daemon's receiver decodes from its bytes, read by read.
  func received(_ body: (borrowing Epoch) -> Void) {
    var receiver = NMEAReceiver()
    var feed = RideFeed(self)
    var last = MonotonicInstant.zero
    while let item = feed.next() {
      guard case .read(let bytes, let offset) = item else { continue }
      last = .zero + .seconds(1) + offset
      while let deadline = receiver.deadline, deadline < last { receiver.expire(at: deadline, body) }
      bytes.withUnsafeBytes { receiver.receive($0, at: last, body) }
    }
    receiver.endOfInput(at: last, body)
  }
}

extension SimulationOptions {
  static func described(_ name: String, _ settings: [SimulationKey: String]) throws -> SimulationOptions {
    var options = try SimulationOptions(named: name)
    for key in SimulationKey.allCases {
      if let text = settings[key] { try options.set(key, to: text) }
    }
    return options
  }
}
