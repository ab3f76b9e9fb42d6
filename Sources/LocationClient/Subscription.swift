import GPSDProtocol

/// The parameters of a subscription. ``LocationClient/LocationClient/updates(_:)`` refuses those out of their range.
///
/// | program | `distanceFilter` |
/// |---|---|
/// | map renderer | 0: every fix; it draws by ``LocationUpdates/pose(at:)`` |
/// | trip computer, logger | 10 m: few updates, none at a standstill, and every stop and start |
/// | geofence, weather | 100 m or more, with a `heartbeat` |
public struct Subscription: Hashable, Sendable {
  /// Metres between delivered positions, up to 1,000,000; 0 for every fix, `nil` for the daemon's default of 10 m
  /// unless configured.
  public var distanceFilter: Double?
  /// Time after which the newest position is delivered although it did not move, 0.1 s to a day; `nil` or 0 for never.
  public var heartbeat: Duration?
  /// Time between two ``LocationClient/Update/arrival(_:)`` of each target while moving, 1 s to a day; `nil` or 0 for
  /// changes only.
  public var arrivals: Duration?
  /// Whether to deliver where the rider is on the course that is followed.
  public var includesCourse: Bool
  /// Whether to deliver the satellites in view.
  public var includesSatellites: Bool
  /// Whether to deliver the figures of trips.
  public var includesTrips: Bool
  /// Whether to deliver the readings of sensors.
  public var includesSensors: Bool
  /// Whether to deliver positions estimated by a wheel while there is no fix; their reason is `estimated`.
  public var includesEstimates = false
  /// Poses per second, 1 to 60, among the replies that `updates(_:eachReply:)` hands out; `nil` for none.
  package var poses: Int?

  /// A subscription with the daemon's defaults, or with these values.
  public init(
    distanceFilter: Double? = nil, heartbeat: Duration? = nil, arrivals: Duration? = nil,
    includesCourse: Bool = false, includesSatellites: Bool = true, includesTrips: Bool = true,
    includesSensors: Bool = false
  ) {
    self.distanceFilter = distanceFilter
    self.heartbeat = heartbeat
    self.arrivals = arrivals
    self.includesCourse = includesCourse
    self.includesSatellites = includesSatellites
    self.includesTrips = includesTrips
    self.includesSensors = includesSensors
  }

  package var request: Request {
    var watch = WatchRequest()
    watch.json = true
    watch.handlebar = true
    watch.distanceFilter = distanceFilter
    watch.heartbeat = heartbeat?.inSeconds
    watch.poses = poses
    watch.arrivals = arrivals?.inSeconds
    watch.course = includesCourse ? true : nil
    watch.satellites = includesSatellites ? nil : false
    watch.trips = includesTrips ? nil : false
    watch.sensors = includesSensors ? true : nil
    watch.estimated = includesEstimates ? true : nil
    return .watch(watch)
  }
}

extension LocationClient {
  /// An element of a subscription. Later releases may add cases.
  @nonexhaustive public enum Update: Hashable, Sendable {
    /// A daemon was reached.
    case connected(VersionReport)
    /// A new position.
    case position(Position)
    /// The satellites in view.
    case sky(SkyReport)
    /// The leading source or its state changed.
    case state(StateReport)
    /// The follow state of a view changed.
    case follow(FollowReport)
    /// A target was set or removed, its state changed, or a repetition is due.
    case arrival(ArrivalReport)
    /// The figures of a trip: once a second in motion, and when its state changes.
    case trip(TripReport)
    /// A reading of a sensor: the first, then at most two a second of each.
    case sensor(SensorReport)
    /// The state of recording changed.
    case record(RecordReport)
    /// Where the rider is on a course: after each position, and when its state changes.
    case course(CourseReport)
    /// The position of a recording that plays in place of a receiver.
    case playback(PlaybackReport)
    /// The daemon refused a request; the connection stays.
    case error(ErrorReport)
    /// The connection was lost or could not be made; connecting continues.
    case disconnected(LocationClientError)

    package init?(_ report: Report, at instant: ContinuousClock.Instant) {
      switch report {
      case .tpv(let tpv):
        guard let position = Position(tpv, at: instant) else { return nil }
        self = .position(position)
      case .sky(let sky): self = .sky(sky)
      case .state(let state): self = .state(state)
      case .follow(let follow): self = .follow(follow)
      case .arrival(let arrival): self = .arrival(arrival)
      case .trip(let trip): self = .trip(trip)
      case .sensor(let sensor): self = .sensor(sensor)
      case .record(let record): self = .record(record)
      case .course(let course): self = .course(course)
      case .playback(let playback): self = .playback(playback)
      case .error(let error): self = .error(error)
      default: return nil
      }
    }

    /// Whether each one counts, and not only the newest.
    var isEvent: Bool {
      switch self {
      case .position(let position):
        switch position.reason {
        case nil, .moved, .heartbeat, .requested, .snapshot, .estimated: false
        // A transition: a stop, a start, a change of mode or source …
        default: true
        }
      case .sky, .course, .sensor: false
      case .trip(let trip): trip.state != .moving
      case .connected, .state, .follow, .arrival, .record, .playback, .error, .disconnected: true
      }
    }
  }
}
