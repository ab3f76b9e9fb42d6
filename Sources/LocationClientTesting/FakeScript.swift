import GPSDProtocol
import LocationClient
import LocationCore

/// The state of a fake daemon and its answers. Lines carry their ends.
struct FakeScript: Sendable {
  struct Answer {
    var toClient = ""
    /// To every subscriber, which may include that client.
    var toSubscribers = ""
  }

  /// Answers that the test sets in place of those that follow from what it sent.
  struct Orders {
    /// The error that every request but subscriptions is refused with.
    var refusal: ErrorReport?
    var status: StatusReport?
    var devices: [DeviceReport]?
    var receiver: ReceiverReport?
  }

  var orders: Orders
  private(set) var subscribers: Set<ClientID> = []

  /// Client of the requests that the test itself makes.
  private static let test = ClientID(0)
  private let clock: ClientClock
  private let begin: ContinuousClock.Instant
  private var clients: Set<ClientID> = []
  private var follow = FollowRegistry()
  private var targets = TargetWatch()
  private(set) var newest: (fix: PublishedFix, position: Position)?
  private(set) var state: StateReport?
  private(set) var sky: (sky: Sky, device: String)?
  /// The newest line of each target.
  private var arrivals: [(name: String, line: String)] = []
  private var trips: [TripReport] = []
  private var courses = CourseTable()
  /// The newest one of the followed course that the test sent.
  private var course: CourseReport?
  /// The subscribers to `COURSE`.
  private var courseReaders: Set<ClientID> = []
  var record = RecordReport(state: .stopped)
  var playback: PlaybackReport?
  /// Lines for the first subscriber.
  private var unsent = ""

  init(orders: Orders = Orders(), clock: ClientClock) {
    self.orders = orders
    self.clock = clock
    begin = clock.now
  }

  mutating func connected(_ client: ClientID) { clients.insert(client) }

  /// Returns lines for every other subscriber.
  mutating func disconnected(_ client: ClientID) -> String {
    clients.remove(client)
    subscribers.remove(client)
    courseReaders.remove(client)
    follow.clientDisconnected(client, at: now)
    return targets.clientDisconnected(client).map(Self.removal).joined()
      + courses.clientDisconnected(client).map(Self.line).joined()
  }

  private var now: MonotonicInstant { .zero + uptime }
  var uptime: Duration { clock.now - begin }
  var clientCount: Int { clients.count }
  /// Time since the newest position was received; a test makes it by another clock.
  var age: Duration? { newest.map { max(clock.now - $0.position.received, .zero) } }
}

extension FakeScript {
  mutating func lines(of position: Position) -> String {
    var position = position
    position.seq = position.seq ?? (newest?.fix.seq ?? 0) + 1
    position.reason = position.reason ?? (newest == nil ? .first : .moved)
    var published = PublishedFix(fix: Fix(position, at: now), seq: position.seq ?? 0, source: 0)
    let course = courses.published(published, at: now)
    published.bend = position.bend ?? course?.bend
    let actions = follow.published(published, at: now)
    newest = (published, position)
    let arrivals = targets.published(published, at: now).map(Self.line).joined()
    return Self.line(of: published, position, age: position.age) + arrivals + (course.map(Self.line) ?? "")
      + lines(of: actions)
  }

  mutating func lines(of state: StateReport) -> String {
    self.state = state
    if state.phase == .lost { follow.lost(at: now) }
    return Self.line { state.write(counters: [], into: &$0) }
  }

  mutating func setFollowing(_ following: Bool, view: String) -> String {
    let actions = try? follow.set(
      following: following, view: view, client: Self.test, of: .connection(Self.test), at: now)
    return lines(of: actions ?? [])
  }

  mutating func lines(of sky: SkyReport) -> String {
    guard case .sky(let device, let sky) = GPSDReport(.sky(sky), at: .zero) else { return "" }
    self.sky = (sky, device)
    return skyLine
  }

  private var skyLine: String {
    guard let (sky, device) = sky else { return "" }
    return Self.line { SkyReport.write(sky, device: device.isEmpty ? nil : device, into: &$0) }
  }

  mutating func lines(of arrival: ArrivalReport) -> String {
    let line = Self.line { arrival.write(into: &$0) }
    arrivals.removeAll { $0.name == arrival.name }
    if arrival.state != .removed { arrivals.append((arrival.name, line)) }
    return line
  }

  mutating func lines(of trip: TripReport) -> String {
    let index = trips.firstIndex { $0.name == trip.name } ?? trips.endIndex
    trips.replaceSubrange(index..<min(index + 1, trips.count), with: trip.state == .ended ? [] : [trip])
    return Self.line { trip.write(into: &$0) }
  }

  mutating func lines(of course: CourseReport) -> String {
    self.course = course.state == .ended ? nil : course
    return Self.line { course.write(into: &$0) }
  }

  /// The part of published lines that a client has subscribed to.
  func lines(_ lines: String, for client: ClientID) -> String {
    let start = #"{"class":"COURSE""#
    guard !courseReaders.contains(client), lines.contains(start) else { return lines }
    return lines.split(separator: "\r\n").filter { !$0.hasPrefix(start) }.map { $0 + "\r\n" }.joined()
  }

  private mutating func change(
    _ name: String, _ change: CourseChange, from client: ClientID
  ) throws(CourseError) -> Answer {
    let changed = try courses.apply(change, to: name, from: client, of: .connection(client)).map(Self.line)
    return Answer(
      toClient: courseReaders.contains(client) ? "" : changed.last ?? "", toSubscribers: changed.joined())
  }

  mutating func lines(of record: RecordReport) -> String {
    self.record = record
    return once(Self.line { record.write(into: &$0) })
  }

  mutating func lines(of playback: PlaybackReport) -> String {
    self.playback = playback
    return once(Self.line { playback.write(into: &$0) })
  }

  private var tripLines: String { trips.map { trip in Self.line { trip.write(into: &$0) } }.joined() }

  private mutating func change(_ request: TripRequest, from client: ClientID) -> Answer {
    let known = trips.first { $0.name == request.name }
    guard var trip = known ?? (request.change == .start ? TripReport(name: request.name) : nil) else {
      return Answer(toClient: Self.refusal(.engine(.trip(request)), "\(TripError.none(name: request.name))"))
    }
    switch request.change {
    case .start: if known != nil { return Answer(toClient: Self.line { trip.write(into: &$0) }) }
    case .lap: (trip.lap, trip.lapDistance, trip.lapMovingTime) = (trip.lap + 1, 0, .zero)
    case .reset: trip = TripReport(name: trip.name, state: trip.state)
    case .end: trip.state = .ended
    }
    let line = lines(of: trip)
    return changed(line, by: client)
  }

  /// Lines that are in no snapshot: while there is no subscriber, they wait for the first.
  mutating func once(_ lines: String) -> String {
    guard subscribers.isEmpty else { return lines }
    unsent += lines
    return ""
  }

  static func line(_ write: (inout JSONLine) -> Void) -> String {
    var line = JSONLine(capacity: 512)
    write(&line)
    return String(decoding: line.bytes, as: UTF8.self)
  }

  private static func line(
    of fix: PublishedFix, _ position: Position, reason: Position.Reason? = nil, age: Duration?
  ) -> String {
    line {
      TPV.body(fix.fix, device: position.device, into: &$0)
      TPV.finish(
        &$0, heading: fix.fix.heading, seq: fix.seq, reason: (reason ?? position.reason ?? .moved).rawValue,
        reasons: position.reasons.count > 1 ? position.reasons.map(\.rawValue).joined(separator: ",") : nil,
        age: age?.inSeconds, source: position.source, suspect: position.isSuspect, bend: fix.bend)
    }
  }

  private func lines(of actions: [FollowAction]) -> String {
    actions.map { action in
      switch action {
      case .changed(let state): return Self.line(of: state)
      case .sendNewest:
        guard let (fix, position) = newest else { return "" }
        return Self.line(of: fix, position, reason: .requested, age: nil)
      }
    }.joined()
  }

  private static func line(of state: FollowState) -> String { line { FollowReport(state).write(into: &$0) } }
  private static func line(of arrival: Arrival) -> String { line { ArrivalReport(arrival).write(into: &$0) } }
  private static func line(of course: CourseStatus) -> String { line { CourseReport(course).write(into: &$0) } }

  private static func removal(of target: Target) -> String {
    line { ArrivalReport(target, state: .removed).write(into: &$0) }
  }
}

extension FakeScript {
  mutating func answer(_ request: Request, from client: ClientID) -> Answer {
    follow.expire(at: now)
    if case .watch(let change) = request { return Answer(toClient: watch(change, from: client)) }
    if let refusal = orders.refusal { return Answer(toClient: Self.line { refusal.write(into: &$0) }) }
    do {
      switch request {
      case .engine(let request): return try answer(request, from: client)
      case .follow(let view): return Answer(toClient: views(view.map { [follow.state(of: $0)] } ?? follow.states))
      case .trips:
        let error = ErrorReport(message: "no trip has been started", code: .noTrip, request: "TRIP")
        return Answer(toClient: trips.isEmpty ? Self.line { error.write(into: &$0) } : tripLines)
      case .courses:
        let lines = courseLines
        return Answer(toClient: lines.isEmpty ? Self.refusal(request, "no course is set", .noCourse) : lines)
      case .coursePiece(let piece):
        var line = JSONLine(capacity: 1024)
        try CoursePieceReport.write(piece.name, of: courses, from: piece.from, into: &line)
        return Answer(toClient: String(decoding: line.bytes, as: UTF8.self))
      case .targets:
        let states = targetStates
        return Answer(toClient: states.isEmpty ? Self.refusal(request, "no target is set", .noTarget) : states)
      case .record(let change): return try answer(change, from: client)
      case .playback(let change): return try answer(change, from: client)
      case .version, .watch, .devices, .device, .poll, .status, .receiver: return Answer(toClient: try report(request))
      }
    } catch {
      return Answer(toClient: Self.refusal(request, "\(error)"))
    }
  }

  private mutating func answer(_ request: EngineRequest, from client: ClientID) throws -> Answer {
    switch request {
    case .view(let view):
      let isNew = !follow.states.contains { $0.view == view.view }
      let changes = lines(of: try follow.report(view, from: client, of: .connection(client), at: now))
      return Answer(toClient: isNew ? Self.line(of: follow.state(of: view.view)) : "", toSubscribers: changes)
    case .setFollow(let view, let following):
      return Answer(
        toSubscribers: lines(
          of: try follow.set(following: following, view: view, client: client, of: .connection(client), at: now)))
    case .restoreFollow(let view, let following):
      return Answer(
        toSubscribers: lines(
          of: try follow.restore(following: following, view: view, client: client, of: .connection(client), at: now)))
    case .trip(let request): return change(request, from: client)
    case .course(let course): return try change(course.name, course.change, from: client)
    case .cue(let cue): return try change(cue.course, .cue(cue.cue), from: client)
    case .locate(_, let maxAge): return Answer(toClient: located(maxAge: maxAge))
    case .setTarget(let target): return changed(try set(target, from: client), by: client)
    case .removeTarget(let name):
      guard let target = targets.remove(name) else { throw RequestRefusal.noTarget(name: name) }
      return changed(Self.removal(of: target), by: client)
    }
  }

  private mutating func set(_ request: TargetRequest, from client: ClientID) throws(TargetError) -> String {
    let target = try Target(
      name: request.name, coordinate: request.position, radius: request.radius ?? Target.standardRadius)
    let evicted = try targets.set(
      target, isPersistent: request.isPersistent, from: client, of: .connection(client))
    let set = targets.states.filter { $0.name == target.name }.map(Self.line).joined()
    return (evicted.map(Self.removal) ?? "") + set
  }

  /// What changed a target goes to every subscriber, and to the client that asked for it.
  func changed(_ lines: String, by client: ClientID) -> Answer {
    Answer(toClient: subscribers.contains(client) ? "" : lines, toSubscribers: lines)
  }

  /// The states of the targets that clients set, and those that the test sent.
  private var targetStates: String { targets.states.map(Self.line).joined() + arrivals.map(\.line).joined() }

  /// The courses that clients set, and that which the test sent.
  private var courseLines: String {
    courses.statuses.map(Self.line).joined() + (course.map { course in Self.line { course.write(into: &$0) } } ?? "")
  }

  private mutating func watch(_ change: WatchRequest?, from client: ClientID) -> String {
    var report = WatchReport(enable: subscribers.contains(client), json: true)
    guard let change else { return Self.line { report.write(into: &$0) } }
    report.enable = change.enable
    report.distanceFilter = change.distanceFilter
    report.heartbeat = change.heartbeat
    report.arrivals = change.arrivals.flatMap { $0 > 0 ? $0 : nil }
    report.course = change.course == true ? true : nil
    let line = Self.line { report.write(into: &$0) }
    guard change.enable else {
      subscribers.remove(client)
      return line
    }
    subscribers.insert(client)
    if change.course == true { courseReaders.insert(client) }
    let course = change.course == true ? courseLines : ""
    let position = newest.map { Self.line(of: $0.fix, $0.position, reason: .snapshot, age: age) }
    let state = state.map { state in Self.line { state.write(counters: [], into: &$0) } }
    defer { unsent = "" }
    let states = views(follow.states) + targetStates + tripLines + course
    return [line, position ?? "", skyLine, state ?? "", states, unsent].joined()
  }

  /// The states of these views; before any report, that of the default view, which follows from the start.
  private func views(_ states: [FollowState]) -> String {
    (states.isEmpty ? [follow.state(of: Request.defaultView)] : states).map(Self.line).joined()
  }

  private func located(maxAge: Double?) -> String {
    var error = ErrorReport(message: "no fix in time", code: .timedOut, request: "LOCATE")
    if let (fix, position) = newest, let age {
      if age <= .seconds(maxAge ?? 2) { return Self.line(of: fix, position, reason: .requested, age: age) }
      error = error.with(LastKnown(fix, age: age, source: position.source))
    }
    return Self.line { error.write(into: &$0) }
  }

  private static func refusal(_ request: Request, _ message: String, _ code: ErrorCode = .request) -> String {
    let error = ErrorReport(message: message, code: code, request: "\(request.name)")
    return line { error.write(into: &$0) }
  }
}

extension Fix {
  fileprivate init(_ position: Position, at instant: MonotonicInstant) {
    self.init(
      position: position.coordinate, mode: position.mode, status: position.status ?? .normal, measured: position.time,
      received: instant)
    altitudeMSL = position.altitudeMSL
    geoidSeparation = position.geoidSeparation
    if let altitudeHAE = position.altitudeHAE {
      geoidSeparation = geoidSeparation ?? position.altitudeMSL.map { altitudeHAE - $0 }
      altitudeMSL = altitudeMSL ?? position.geoidSeparation.map { altitudeHAE - $0 }
    }
    speed = position.speed
    course = position.course
    climb = position.climb
    heading = position.heading
    magneticVariation = position.magneticVariation
    horizontalAccuracy = position.horizontalAccuracy
    verticalAccuracy = position.verticalAccuracy
    speedAccuracy = position.speedAccuracy
    courseAccuracy = position.courseAccuracy
  }
}
