import GPSDProtocol

/// What a connection has said with its `?WATCH` requests so far; what a later one leaves out stays.
struct WatchSettings {
  var enable = false
  var json = false
  var distanceFilter: Double?
  var heartbeat: Double?

  /// Takes over what a request says.
  mutating func merge(_ request: WatchRequest, defaultFilter: Double) {
    enable = true
    json = request.json ?? json
    distanceFilter = request.distanceFilter ?? distanceFilter ?? defaultFilter
    heartbeat = request.heartbeat ?? heartbeat
  }
}
