import LocationCore

/// What a client asked for with `?WATCH`.
struct Subscription {
  /// Which fixes it gets.
  var filter: DistanceFilter
  /// Whether it understands the classes that gpsd does not have.
  var extensions: Bool
  /// Whether it wants the newest fix from time to time although it has not moved.
  let hasHeartbeat: Bool

  /// Takes another filter over, metres.
  mutating func setDistance(_ distance: Double) {
    guard let changed = try? FilterConfiguration(distance: distance, heartbeat: filter.configuration.heartbeat) else {
      return
    }
    filter.configure(changed)
  }

  init(filter: DistanceFilter, extensions: Bool) {
    self.filter = filter
    self.extensions = extensions
    hasHeartbeat = filter.configuration.heartbeat != nil
  }
}
