package struct RideFeed: Sendable {
  /// A read, an event or the end of an epoch. Times count from the start of the ride.
  package enum Item: Sendable {
    /// The bytes of one read, complete at `at`.
    case read(bytes: [UInt8], at: Duration)
    /// A request, or the source lost or found with its number.
    case event(json: [UInt8], at: Duration, source: Int?)
    /// The end of an epoch's reads, also if none was received.
    case epoch(SimulatedEpoch)
  }

  private static let latencyJitter = 9.0

  private var simulator: RideSimulator
  private var sensors: SimulatedSensors
  private var random: SeededRandom
  private var damage: LineDamage
  private let destination: Route.Point
  private var script: ArraySlice<(seconds: Double, action: RideScript.Action)>
  private var shown: [(fix: SimulatedEpoch, received: Double)] = []
  private var isPlugged = true
  private var lineFree: Duration = .zero
  private var pending: [Item] = []
  private var first = 0

  package init(_ ride: SimulatedRide) {
    simulator = RideSimulator(ride)
    sensors = SimulatedSensors(ride)
    random = SeededRandom(seed: ride.seed, stream: 4)
    damage = LineDamage(ride.conditions, seed: ride.seed)
    destination = ride.route.points[ride.route.points.count - 1]
    script = ride.script.steps[...]
  }

  package mutating func next() -> Item? {
    if first == pending.count {
      pending.removeAll(keepingCapacity: true)
      first = 0
      guard let epoch = simulator.next() else { return nil }
      receive(epoch, jitter: Int64(random.uniform() * Self.latencyJitter))
    }
    defer { first += 1 }
    return pending[first]
  }

  private mutating func receive(_ epoch: SimulatedEpoch, jitter: Int64) {
    let receiver = simulator.receiver
    // The previous epoch may still be on the line.
    var received = max(epoch.elapsed + .milliseconds(Int64(receiver.latency) + jitter), lineFree)
    var rest = damage.transmit(epoch.bytes)[...]
    while !rest.isEmpty {
      let read = Array(rest.prefix(max(1, receiver.readSize)))
      rest = rest.dropFirst(read.count)
      if let speed = receiver.lineSpeed {
        received += .nanoseconds(Int64(read.count) * 10 * 1_000_000_000 / Int64(max(1, speed)))
      }
      play(until: received)
      if isPlugged { pending.append(.read(bytes: read, at: received)) }
    }
    lineFree = received
    pending.append(.epoch(epoch))
    // Only scripts use the shown fixes.
    if isPlugged, !script.isEmpty, epoch.hasFix { shown.append((epoch, received.inSeconds)) }
  }

  private mutating func play(until received: Duration) {
    while let step = script.first, step.seconds <= received.inSeconds {
      script = script.dropFirst()
      sense(until: step.seconds)
      let json = RideScript.json(of: step.action, at: step.seconds, shown: shown, destination: destination)
      guard let json, let time = Duration(finiteSeconds: step.seconds) else { continue }
      var source: Int?
      if case .plug(let isIn) = step.action { (isPlugged, source) = (isIn, 0) }
      pending.append(.event(json: json, at: time, source: source))
    }
    sense(until: received.inSeconds)
  }

  private mutating func sense(until seconds: Double) {
    for reading in sensors.readings(until: seconds) {
      pending.append(.event(json: reading.json, at: .seconds(reading.seconds), source: nil))
    }
  }
}

/// A faulty line: messages truncated by a full buffer, or with one flipped bit, which their checksum always detects.
struct LineDamage {
  private let conditions: RideConditions
  private var random: SeededRandom

  init(_ conditions: RideConditions, seed: UInt64) {
    self.conditions = conditions
    random = SeededRandom(seed: seed, stream: 6)
  }

  mutating func transmit(_ messages: [UInt8]) -> [UInt8] {
    let (corrupted, truncated) = (conditions.corrupted, conditions.truncated)
    guard corrupted > 0 || truncated > 0 else { return messages }
    var result: [UInt8] = []
    result.reserveCapacity(messages.count)
    var rest = messages[...]
    while let first = rest.first {
      // A UBX frame has its length in the fifth and sixth byte.
      let isFrame = first == 0xB5 && rest.count > 6
      let end =
        isFrame
        ? rest.startIndex + 8 + Int(rest[rest.startIndex + 4]) + Int(rest[rest.startIndex + 5]) << 8
        : rest.firstIndex(of: 0x0A).map { $0 + 1 }
      let message = rest.prefix(upTo: min(end ?? rest.endIndex, rest.endIndex))
      rest = rest.dropFirst(message.count)
      // Drawn for every message, so that damage to one does not change damage to the next.
      let (chance, position, bit) = (random.uniform(), random.uniform(), random.next() & 7)
      let begin = result.count
      result.append(contentsOf: message)
      let offset = min(Int(position * Double(message.count)), message.count - 1)
      if chance < corrupted {
        result[begin + offset] ^= 1 << UInt8(truncatingIfNeeded: bit)
      } else if chance < corrupted + truncated {
        result.removeSubrange((begin + offset)...)
      }
    }
    return result
  }
}
