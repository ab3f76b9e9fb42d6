import GPSDProtocol
import LocationCore

/// The settings of a client by its `?WATCH` requests; a later request keeps the settings that it omits.
struct WatchSettings {
  var enable = false
  var json = false
  /// Whether sentences are passed through, by gpsd's `nmea` or `raw` 1.
  var nmea = false
  /// Whether the receiver's bytes are passed through instead, by gpsd's `raw` 2.
  var bytes = false
  /// The only device to report; `nil` for all.
  var device: String?
  /// Whether the client enabled the additions to gpsd's protocol; `nil` if it did not specify.
  var handlebar: Bool?
  var distanceFilter: Double?
  /// Whether the client did not specify a filter, so that the configured one applies.
  private(set) var usesDefaultFilter = false
  var heartbeat: Double?
  /// Poses per second; 0 for none.
  var poses = 0
  /// Seconds between repetitions of `ARRIVAL`; 0 for none.
  var arrivals = 0.0
  /// Whether `COURSE` is sent.
  var course = false
  /// Whether `SKY` is sent.
  var satellites = true

  mutating func merge(_ request: WatchRequest, defaultFilter: Double) {
    enable = request.enable
    json = request.json ?? json
    nmea = request.nmea ?? request.raw.map { $0 == 1 } ?? nmea
    bytes = request.raw.map { $0 == 2 } ?? bytes
    if let wanted = request.device { device = wanted.isEmpty ? nil : wanted }
    handlebar = request.handlebar ?? handlebar
    usesDefaultFilter = request.distanceFilter == nil && (distanceFilter == nil || usesDefaultFilter)
    distanceFilter = request.distanceFilter ?? distanceFilter ?? defaultFilter
    heartbeat = request.heartbeat ?? heartbeat
    poses = request.poses ?? poses
    arrivals = request.arrivals ?? arrivals
    course = request.course ?? course
    satellites = request.satellites ?? satellites
  }
}

/// What a client has subscribed to.
struct Feed {
  var filter: DistanceFilter
  /// Whether the client supports the classes that gpsd does not have.
  var usesAdditions: Bool
  /// The instants of the client's poses; `nil` without.
  var poses: PoseGrid?
  /// The next repetition of `ARRIVAL`, and the time from one to the next; `nil` without.
  var arrivals: (due: MonotonicInstant, every: Duration)?
  /// Whether the client reads `COURSE`.
  var course = false
  /// Whether the client reads `SKY`.
  var satellites = true

  /// Whether `ARRIVAL` is due. Instants are on a grid, so that fixes that arrive a little early are not left out.
  mutating func takeArrivals(at instant: MonotonicInstant) -> Bool {
    guard usesAdditions, let (due, every) = arrivals, due <= instant else { return false }
    arrivals?.due = max(due + every, instant)
    return true
  }

  /// Changes the distance of the filter, metres.
  mutating func setDistance(_ distance: Double) {
    guard let changed = try? FilterConfiguration(distance: distance, heartbeat: filter.configuration.heartbeat) else {
      return
    }
    filter.configure(changed)
  }
}

package enum Dialect: Hashable, Sendable {
  /// gpsd's protocol with this daemon's additions.
  case handlebar
  /// gpsd's protocol; additions only for clients that enable them.
  case gpsd
  /// The leading source's sentences only, without requests.
  case nmea
}
