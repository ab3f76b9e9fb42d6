import GPSDProtocol
import LocationCore

/// What a connection has said with its `?WATCH` requests so far; what a later one leaves out stays.
struct WatchSettings {
  var enable = false
  var json = false
  /// Whether sentences are passed through, by gpsd's `nmea` or `raw`.
  var nmea = false
  /// The only device to hear of.
  var device: String?
  /// Whether the additions to gpsd's protocol were asked for.
  var handlebar: Bool?
  var distanceFilter: Double?
  /// Whether the filter was not named, so that the configured one holds.
  private(set) var usesDefaultFilter = false
  var heartbeat: Double?

  /// Takes over what a request says.
  mutating func merge(_ request: WatchRequest, defaultFilter: Double) {
    enable = request.enable
    json = request.json ?? json
    nmea = request.nmea ?? request.raw.map { $0 > 0 } ?? nmea
    if let wanted = request.device { device = wanted.isEmpty ? nil : wanted }
    handlebar = request.handlebar ?? handlebar
    usesDefaultFilter = request.distanceFilter == nil && (distanceFilter == nil || usesDefaultFilter)
    distanceFilter = request.distanceFilter ?? distanceFilter ?? defaultFilter
    heartbeat = request.heartbeat ?? heartbeat
  }
}

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

/// What a socket speaks.
package enum Dialect: Hashable, Sendable {
  /// gpsd's protocol with this daemon's additions.
  case handlebar
  /// gpsd's protocol; additions only for a client that asks for them.
  case gpsd
  /// The leading source's sentences and nothing else, one way.
  case nmea
}
