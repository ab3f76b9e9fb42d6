// The library hands out values of these two modules; its users need not import them.
@_exported import GPSDProtocol
@_exported import LocationCore

/// A client of a location daemon for positions, follow mode, targets, courses, trips, sensors and recording.
///
///     let client = LocationClient()
///     for await update in try client.updates(Subscription(distanceFilter: 0)) {
///       if case .position(let position) = update { print(position.coordinate) }
///     }
///
/// Every subscription and every request has a connection of its own, so that answers never mix. The value has no state:
/// it can be copied and created freely. Requests fail with a ``LocationClientError``.
public struct LocationClient: Hashable, Sendable {
  /// Where the daemon listens.
  public var endpoint: Endpoint
  let clock: ClientClock

  /// A client of the daemon at `endpoint`, which waits and times out by `clock`; connecting has the system's time.
  public init(endpoint: Endpoint = .environment, clock: any Clock<Duration> = ContinuousClock()) {
    self.init(endpoint: endpoint, clock: ClientClock(clock))
  }

  package init(endpoint: Endpoint, clock: ClientClock) {
    self.endpoint = endpoint
    self.clock = clock
  }

  /// Subscribes with the daemon's defaults: connects, and reconnects whenever the daemon returns, until the last user
  /// of the result is gone.
  public func updates() -> LocationUpdates { updates(Subscription(), eachReply: nil) }

  /// Subscribes with these values. Throws `invalid` for one that is out of its range, and nothing else.
  public func updates(_ subscription: Subscription) throws(LocationClientError) -> LocationUpdates {
    try LocationClientError.check(subscription.request)
    return updates(subscription, eachReply: nil)
  }

  /// Subscribes with valid values; `eachReply` gets every report and its line, on the connection's thread, which waits.
  package func updates(
    _ subscription: Subscription, eachReply: (@Sendable (Reply) -> Void)?
  ) -> LocationUpdates { LocationUpdates(SubscribedConnection(self, subscription, eachReply: eachReply)) }

  /// A position received at most `maxAge` ago; after `timeout` fails with `timedOut`, which carries the last known one.
  public func locate(
    timeout: Duration = .seconds(10), maxAge: Duration = .seconds(2)
  ) async throws(LocationClientError) -> Position { try await locateReply(timeout: timeout, maxAge: maxAge).position }

  package func locateReply(
    timeout: Duration, maxAge: Duration
  ) async throws(LocationClientError) -> (position: Position, line: [UInt8]) {
    let request = Request.engine(.locate(timeout: timeout.inSeconds, maxAge: maxAge.inSeconds))
    // The daemon measures the timeout; the limit here is for a daemon that does not.
    for reply in try await exchange([request], until: .position, within: timeout + .seconds(2)) {
      if case .tpv(let tpv) = reply.report, let position = Position(tpv, at: clock.now) {
        return (position, reply.line)
      }
    }
    throw .protocolViolation("LOCATE was answered without a position")
  }

  package func poll() async throws(LocationClientError) -> POLL {
    try await reply(to: [.poll]) { if case .poll(let report) = $0 { report } else { nil } }.report
  }

  private func reply<Wanted>(
    to requests: [Request], until end: ExchangeState.End = .version, _ wanted: (Report) -> Wanted?
  ) async throws(LocationClientError) -> (report: Wanted, line: [UInt8]) {
    for reply in try await exchange(requests, until: end).reversed() {
      if let report = wanted(reply.report) { return (report, reply.line) }
    }
    throw .protocolViolation("\(requests.last?.name ?? "VIEW") was not answered")
  }

  /// The follow state of a view.
  public func follow(view: String = "main") async throws(LocationClientError) -> FollowReport {
    try await follow(view, after: [])
  }

  /// Re-engages (`true`) or releases (`false`) a view, and returns its new state.
  public func setFollowing(_ enable: Bool, view: String = "main") async throws(LocationClientError) -> FollowReport {
    try await follow(view, after: [.engine(.setFollow(view: view, enable: enable))])
  }

  /// Reports the position of a view once; returns its state. Without a `seq` the view shows the newest fix.
  /// ``LocationUpdates/report(_:)`` also keeps the view alive.
  public func report(_ view: ViewRequest) async throws(LocationClientError) -> FollowReport {
    guard view.seq == nil else { return try await follow(view.view, after: [.engine(.view(view))]) }
    return try await reply(to: [], until: .view(view)) { Self.state(of: view.view, in: $0) }.report
  }

  private func follow(_ view: String, after requests: [Request]) async throws(LocationClientError) -> FollowReport {
    try await reply(to: requests + [.question(.follow(view: view))]) { Self.state(of: view, in: $0) }.report
  }

  private static func state(of view: String, in report: Report) -> FollowReport? {
    if case .follow(let follow) = report, follow.view == view { follow } else { nil }
  }

  /// Sets a target to watch for arrival within `radius` metres (1 to 10,000; 100 by default); the same name again
  /// replaces it. It stays until it is removed, over restarts of the daemon if that has a state directory; one of
  /// ``LocationUpdates/setTarget(_:at:radius:)`` ends with the updates. Returns its state,
  /// or `nil` if the daemon keeps another's of that name.
  @discardableResult
  public func setTarget(
    _ name: String, at position: Coordinate, radius: Double? = nil
  ) async throws(LocationClientError) -> ArrivalReport? {
    // The connection of this request ends with the answer, and so would the target.
    let target = TargetRequest(name: name, position: position, radius: radius, isPersistent: true)
    return try await arrivals(after: .engine(.setTarget(target))).last { $0.name == name }
  }

  /// Removes a target.
  public func removeTarget(_ name: String) async throws(LocationClientError) {
    _ = try await arrivals(after: .engine(.removeTarget(name: name)))
  }

  /// The state of every target.
  public func targets() async throws(LocationClientError) -> [ArrivalReport] {
    try await list(.targets) { if case .arrival(let report) = $0 { report } else { nil } }
  }

  /// Starts a trip, which stays until it is ended, also over restarts of the daemon; returns its figures. One of that
  /// name that has been started goes on.
  @discardableResult
  public func startTrip(_ name: String) async throws(LocationClientError) -> TripReport { try await trip(name, .start) }

  /// Begins the next lap of a trip that this user has started.
  @discardableResult
  public func beginLap(ofTrip name: String) async throws(LocationClientError) -> TripReport {
    try await trip(name, .lap)
  }

  /// Sets the figures of a trip that this user has started to 0.
  @discardableResult
  public func resetTrip(_ name: String) async throws(LocationClientError) -> TripReport { try await trip(name, .reset) }

  /// Ends a trip that this user has started; returns its last figures.
  @discardableResult
  public func endTrip(_ name: String) async throws(LocationClientError) -> TripReport { try await trip(name, .end) }

  private func trip(_ name: String, _ change: TripChange) async throws(LocationClientError) -> TripReport {
    let request = Request.engine(.trip(TripRequest(name: name, change: change)))
    return try await reply(to: [request]) { if case .trip(let trip) = $0, trip.name == name { trip } else { nil } }
      .report
  }

  /// The figures of every trip.
  public func trips() async throws(LocationClientError) -> [TripReport] {
    try await list(.trips) { if case .trip(let trip) = $0 { trip } else { nil } }
  }

  /// The newest reading of every sensor.
  public func sensors() async throws(LocationClientError) -> [SensorReport] {
    try await list(.sensors) { if case .sensor(let sensor) = $0 { sensor } else { nil } }
  }

  /// The reports that answer a question, none if there is nothing to report.
  func list<Wanted>(
    _ question: DeskQuestion, _ wanted: (Report) -> Wanted?
  ) async throws(LocationClientError) -> [Wanted] {
    do {
      return try await exchange([.question(question)]).compactMap { wanted($0.report) }
    } catch .remote(let report) where report.code == question.nothing.code {
      return []
    }
  }

  private func arrivals(after request: Request) async throws(LocationClientError) -> [ArrivalReport] {
    try await exchange([request]).compactMap { if case .arrival(let report) = $0.report { report } else { nil } }
  }

  /// Health and counters of the daemon.
  public func status() async throws(LocationClientError) -> StatusReport { try await statusReply().report }

  package func statusReply() async throws(LocationClientError) -> (report: StatusReport, line: [UInt8]) {
    try await reply(to: [.status]) { if case .status(let report) = $0 { report } else { nil } }
  }

  /// The sources in the order of the configuration.
  public func devices() async throws(LocationClientError) -> [DeviceReport] {
    try await reply(to: [.devices]) { if case .devices(let report) = $0 { report.devices } else { nil } }.report
  }

  /// Changes a recording that plays in place of a receiver, or only reports its position without arguments.
  ///
  /// Every subscriber receives the change as an ``Update/playback(_:)``. Fails with `remote` without a recording.
  ///
  /// - Parameters:
  ///   - pause: Whether to pause or resume.
  ///   - speed: A multiple of real time (0.1 to 1000), or `.max`.
  ///   - seek: Time from the recording's start to continue at, up to 10,000,000 s.
  @discardableResult
  public func playback(
    pause: Bool? = nil, speed: PlaybackSpeed? = nil, seek: Duration? = nil
  ) async throws(LocationClientError) -> PlaybackReport {
    let change = PlaybackRequest(pause: pause, speed: speed, seek: seek?.inSeconds)
    let request = Request.playback(change == PlaybackRequest() ? nil : change)
    return try await reply(to: [request]) { if case .playback(let report) = $0 { report } else { nil } }.report
  }

  /// The set-up of the receiver of a source, by default of the first source that asks for one.
  public func receiver(source: String? = nil) async throws(LocationClientError) -> ReceiverReport {
    try await receiverReply(ReceiverRequest(source: source)).report
  }

  /// The result of `receiver(source:)`, or of starting a set-up, with its line.
  package func receiverReply(
    _ request: ReceiverRequest
  ) async throws(LocationClientError) -> (report: ReceiverReport, line: [UInt8]) {
    let request = Request.receiver(request == ReceiverRequest() ? nil : request)
    return try await reply(to: [request]) { if case .receiver(let report) = $0 { report } else { nil } }
  }

  /// The state of recording, with the figures of the current ride.
  public func recording() async throws(LocationClientError) -> RecordReport { try await recordingReply().report }

  /// Starts or stops recording. The daemon records only into its configured directory: another `directory` is refused.
  public func setRecording(_ enable: Bool, directory: String? = nil) async throws(LocationClientError) -> RecordReport {
    try await recordingReply(RecordRequest(enable: enable, directory: directory)).report
  }

  package func recordingReply(
    _ request: RecordRequest? = nil
  ) async throws(LocationClientError) -> (report: RecordReport, line: [UInt8]) {
    try await reply(to: [.record(request)]) { if case .record(let report) = $0 { report } else { nil } }
  }
}
