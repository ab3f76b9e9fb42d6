/// The sensors that clients feed, by kind and source: each with its newest reading. A sensor is its client's until that
/// disconnects or is silent; a recording gives way to a client. Readings that cannot be are kept as implausible.
package struct SensorTable: Sendable {
  /// Without a reading for so long, a sensor is free for another client.
  static let silence = Duration.seconds(5)
  /// Without a reading for so long, a sensor gives its place to a new one.
  static let absence = Duration.seconds(60)
  /// Shortest time between reports, but of a first value or a change: of one a second, a little early, both pass.
  static let reportInterval = Duration.milliseconds(500)

  private struct Sensor {
    var status: SensorStatus
    var counter = RevolutionCounter()
    /// The client that feeds it; `nil` once that has disconnected.
    var client: ClientID?
    var isReplayed: Bool
    var reported: MonotonicInstant
  }

  private var sensors: [Sensor] = []
  /// Readings of each client since the beginning of its second.
  private var rates: [ClientID: (since: MonotonicInstant, count: Int)] = [:]

  package var isEmpty: Bool { sensors.isEmpty }
  /// In the order in which the sensors came.
  package var statuses: [SensorStatus] { sensors.map(\.status) }

  /// Takes a reading; `nil` for one beyond the rate, which was reported to its client. `isUsable` is whether the reading
  /// itself is plausible, `isDue` whether it is reported, and `isChange` whether to its client, too: it is its first, or
  /// the plausibility has changed.
  mutating func take(
    _ request: SensorRequest, from client: ClientID, of peer: ClientPeer, isContradicted: Bool = false,
    at instant: MonotonicInstant
  ) throws(RequestRefusal) -> (status: SensorStatus, isUsable: Bool, isDue: Bool, isChange: Bool)? {
    let index = sensors.firstIndex { $0.status.kind == request.kind && $0.status.source == request.source }
    if peer != .replay {
      let excess = takeFromRate(of: client, at: instant)
      if excess > 0 {
        if let index { sensors[index].status.refused += 1 }
        if excess == 1 { throw .full(.readingsOfConnection) }
        return nil
      }
    }
    if index == nil {
      sensors.removeAll { $0.status.kind == request.kind && instant - $0.status.received > Self.absence }
      try Quota.sensorsOfKind.admit(after: sensors.count { $0.status.kind == request.kind })
    }
    let before = index.map { sensors[$0] }
    var sensor =
      before
      ?? Sensor(
        status: SensorStatus(kind: request.kind, source: request.source, received: instant), client: client,
        isReplayed: peer == .replay, reported: instant)
    if sensor.client != client {
      let isFree =
        sensor.client == nil || sensor.isReplayed && peer != .replay || instant - sensor.status.received > Self.silence
      guard isFree else {
        let name = request.source.map { " \"\($0)\"" } ?? ""
        throw .invalid(
          "another client feeds the sensor \(request.kind.rawValue)\(name): end that one, or name this unit by its \"source\""
        )
      }
      (sensor.client, sensor.isReplayed) = (client, peer == .replay)
    }
    sensor.status.received = instant
    if request.kind.isCounter {
      sensor.counter.take(request, into: &sensor.status)
    } else {
      sensor.status.value = request.value
      sensor.status.isImplausible = !request.kind.plausible.contains(request.value ?? .nan)
    }
    let isUsable = !sensor.status.isImplausible
    if isContradicted { sensor.status.isImplausible = true }
    let isChange = sensor.client != before?.client || sensor.status.isImplausible != before?.status.isImplausible
    let isFirst = before?.status.value == nil && sensor.status.value != nil
    let isDue = isChange || isFirst || instant - sensor.reported >= Self.reportInterval
    if isDue { sensor.reported = instant }
    if let index { sensors[index] = sensor } else { sensors.append(sensor) }
    return (sensor.status, isUsable, isDue, isChange)
  }

  /// Counts a reading; returns how many of this second are too many.
  private mutating func takeFromRate(of client: ClientID, at instant: MonotonicInstant) -> Int {
    var rate = rates[client] ?? (instant, 0)
    if instant - rate.since >= .seconds(1) { rate = (instant, 0) }
    rate.count += 1
    rates[client] = rate
    return rate.count - Quota.readingsOfConnection.limit
  }

  mutating func removeReplayed() { sensors.removeAll { $0.isReplayed } }

  mutating func clientDisconnected(_ client: ClientID) {
    rates[client] = nil
    for index in sensors.indices where sensors[index].client == client { sensors[index].client = nil }
  }

  /// What the sensors measure at an instant, each kind by the first source that has a current value.
  func values(at instant: MonotonicInstant) -> SensorValues {
    var values = SensorValues()
    for sensor in sensors where !sensor.status.isImplausible {
      let (kind, age) = (sensor.status.kind, instant - sensor.status.received)
      guard age <= kind.lifetime, let newest = sensor.status.value else { continue }
      let value = sensor.counter.isStill(at: instant) ? 0 : newest
      switch kind {
      case .heartRate: values.heartRate = values.heartRate ?? Int(value.rounded())
      case .crank: values.cadence = values.cadence ?? Int(value.rounded())
      case .power: values.power = values.power ?? Int(value.rounded())
      case .temperature: values.temperature = values.temperature ?? value
      case .wheel, .pressure: break
      }
    }
    return values
  }
}
