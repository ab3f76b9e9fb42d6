import LocationCore

/// What a client asked for with `?WATCH`.
struct Subscription {
  /// Which fixes it gets.
  var filter: DistanceFilter
  /// Whether it understands the classes that gpsd does not have.
  var extensions: Bool
}
