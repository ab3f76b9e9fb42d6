import LocationCore

struct Feed {
  var filter: DistanceFilter
  /// Whether the client supports the classes that gpsd does not have.
  var usesAdditions: Bool
  /// The instants of the client's poses; `nil` without.
  var poses: PoseGrid?
  /// The next repetition of `ARRIVAL`, and the time from one to the next; `nil` without.
  var arrivals: (due: MonotonicInstant, every: Duration)?
  var course = false
  /// Whether the client reads `TRIP`, and while in motion only one of each trip after a delivered fix.
  var trips = (areRead: true, followFixes: false)
  var sentTrips: [String] = []
  var sensors = false
  var estimates = false
  /// Whether the client reads `SKY`.
  var satellites = true

  /// Whether `ARRIVAL` is due. Instants are on a grid, so that fixes that arrive a little early are not left out.
  mutating func takeArrivals(at instant: MonotonicInstant) -> Bool {
    guard usesAdditions, let (due, every) = arrivals, due <= instant else { return false }
    arrivals?.due = max(due + every, instant)
    return true
  }

  mutating func takeTrip(_ name: String) -> Bool {
    guard trips.areRead, trips.followFixes else { return trips.areRead }
    guard !sentTrips.contains(name) else { return false }
    // Names of trips that have ended since stay until a fix is delivered, which may be never.
    if sentTrips.count >= 64 { sentTrips.removeAll() }
    sentTrips.append(name)
    return true
  }

  /// Changes the distance of the filter, metres.
  mutating func setDistance(_ distance: Double) {
    let heartbeat = filter.configuration.heartbeat
    if let new = try? FilterConfiguration(distance: distance, heartbeat: heartbeat) { filter.configure(new) }
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
