import LocationCore

/// What a client asked for with `?WATCH`.
struct Subscription {
  /// Which fixes it gets.
  var filter: DistanceFilter
  /// Whether it understands the classes that gpsd does not have.
  var extensions: Bool
  /// Whether it wants the newest fix from time to time although it has not moved.
  let hasHeartbeat: Bool

  init(filter: DistanceFilter, extensions: Bool) {
    self.filter = filter
    self.extensions = extensions
    hasHeartbeat = filter.configuration.heartbeat != nil
  }
}
