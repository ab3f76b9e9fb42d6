import GPSDProtocol

/// What a subscriber wants to hear.
public struct Subscription: Hashable, Sendable {
  /// Metres between delivered positions; 0 = every fix; `nil` = the daemon's default.
  public var distanceFilter: Double?
  /// Seconds after which the newest position comes although it did not move; `nil` = never.
  public var heartbeat: Double?

  /// A subscription with the daemon's defaults, or these.
  public init(distanceFilter: Double? = nil, heartbeat: Double? = nil) {
    self.distanceFilter = distanceFilter
    self.heartbeat = heartbeat
  }

  var request: Request {
    var watch = WatchRequest()
    watch.json = true
    watch.handlebar = true
    watch.distanceFilter = distanceFilter
    watch.heartbeat = heartbeat
    return .watch(watch)
  }
}
