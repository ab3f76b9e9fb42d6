/// What the engine keeps for its clients: follow mode, targets, trips, courses, sensors and requests for a fix. Published
/// fixes, requests and instants go in, events come out. Every request that is carried out answers its client once: by an
/// event that it causes, or by one for that client alone; but not every reading of a sensor. A class, as the compiler
/// checks each use of a value without copies, the engine, against all that is in it: half of the time of the daemon's
/// build. One owner alone refers to it.
package final class ClientDesk: @unchecked Sendable {
  package var follow: FollowRegistry
  package var targets = TargetWatch()
  package var trips = TripTable()
  package var courses = CourseTable()
  package private(set) var sensors = SensorTable()
  /// What wheel and pressure mean; `nil` before the first reading of one.
  package internal(set) var fusion: SensorFusion?
  package var outage: OutageEstimate? { didSet { due = outage?.due } }
  /// When the next estimate is due, or with a fix the instant from which on the wheel may stand.
  var due: MonotonicInstant?
  /// Of the fix before the newest one.
  private var earlier: (course: Double?, received: MonotonicInstant) = (nil, .zero)
  private var givenWheels = KnownWheels()
  package internal(set) var locates = PendingLocates()
  package private(set) var clients: [ClientID: ClientPeer] = [:]
  /// The newest published fix; kept when the fix is lost.
  package private(set) var newest: PublishedFix?
  /// The newest one that was measured, if those since then are extrapolated.
  private var measured: PublishedFix?
  /// Whether the newest fix is sent to views that are to show it: not when it is lost.
  package internal(set) var hasFix: Bool

  /// The newest published fix that is not extrapolated.
  package var newestMeasured: PublishedFix? { measured ?? newest.flatMap { $0.fix.isExtrapolated ? nil : $0 } }

  package init(driftLimit: Double = FollowRegistry.standardDriftLimit, hasFix: Bool = false) {
    follow = FollowRegistry(driftLimit: driftLimit)
    self.hasFix = hasFix
  }
}

// What happens to the sources.
extension ClientDesk {
  /// Publishes a fix, and what follows from it: each part takes the fix before the next event.
  package func publish(
    _ fix: consuming PublishedFix, sky: Sky? = nil, noise: PseudorangeNoise? = nil, at instant: MonotonicInstant,
    into events: inout EngineEvents
  ) {
    events.instant = instant
    let course = courses.published(fix, at: instant)
    fix.bend = course?.bend
    if !sensors.isEmpty { fix.sensed.rider = sensors.values(at: instant) }
    if fusion != nil, let newest { earlier = (newest.fix.course, newest.fix.received) }
    // What is not there is not written: it is large, and out of the cache.
    if fix.fix.isExtrapolated { measured = newestMeasured } else if measured != nil { measured = nil }
    if outage != nil { outage = nil }
    newest = copy fix
    events.append(.fix(copy fix, sky: sky, noise: noise))
    let followed = follow.published(fix, at: instant)
    answer(locates.published(fix), into: &events)
    for arrival in targets.published(fix, at: instant) { events.tell(.arrival(arrival), causedBy: nil) }
    report(trips.published(fix), into: &events)
    if let course { events.append(.told(.course(course), to: .courseReaders(and: nil))) }
    apply(followed, causedBy: nil, into: &events)
  }

  /// The fix is lost, or the source is at its end (`isOver`), behind which nothing is estimated.
  package func lost(at instant: MonotonicInstant, isOver: Bool = false, into events: inout EngineEvents) {
    events.instant = instant
    follow.lost()
    report(trips.lost(), into: &events)
    guard !isOver else { return outage = nil }
    guard outage == nil, let newest, newest.sensed.fused.wheelSpeed != nil, !newest.fix.isExtrapolated,
      instant - newest.fix.received <= OutageEstimate.limit.time
    else { return }
    outage = OutageEstimate(after: newest, earlier, at: instant)
    estimate(into: &events)
  }

  func estimate(into events: inout EngineEvents) {
    guard let due = outage?.due else { return }
    guard let way = fusion?.wheel?.way(at: due) else { return outage = nil }
    let place: OutageEstimate.Place? =
      courses.place(after: way.metres).map { ($0.position, $0.course, 0) }
      ?? (outage?.riddenWay.map { $0.place(after: way.metres) } ?? outage?.straight(on: way.metres))
    guard let estimate = outage?.advance(to: place, way) else { return outage = nil }
    events.instant = due
    events.append(.estimate(estimate))
  }

  func setPermanentError(_ error: SourceError?, into events: inout EngineEvents) {
    answer(locates.setPermanentError(error), into: &events)
  }

  /// Answers all pending requests for a fix, where time stands still.
  package func endLocates(at instant: MonotonicInstant, into events: inout EngineEvents) {
    events.instant = instant
    answer(locates.expire(at: MonotonicInstant(nanoseconds: .max)), into: &events)
  }

  package func expire(at instant: MonotonicInstant, into events: inout EngineEvents) {
    events.instant = instant
    follow.expire(at: instant)
    answer(locates.expire(at: instant), into: &events)
  }

  private func answer(_ answers: [LocateAnswer], into events: inout EngineEvents) {
    for answer in answers { events.append(.located(answer)) }
  }

  private func report(_ trips: [(status: TripStatus, isTransition: Bool)], into events: inout EngineEvents) {
    for trip in trips {
      events.append(.told(.trip(trip.status), to: trip.isTransition ? .subscribers(and: nil) : .subscribersInTime))
    }
  }

  private func apply(_ actions: [FollowAction], causedBy client: ClientID?, into events: inout EngineEvents) {
    for action in actions {
      switch action {
      case .changed(let state): events.tell(.follow(state), causedBy: client)
      case .sendNewest: if hasFix, let newest { events.append(.sendNewest(newest)) }
      }
    }
  }
}

// What clients ask for.
extension ClientDesk {
  package func connect(_ client: ClientID, of peer: ClientPeer? = nil) {
    clients[client] = peer ?? .connection(client)
  }

  /// Its views keep their state for a while, its targets and courses end unless they are persistent.
  package func disconnect(_ client: ClientID, at instant: MonotonicInstant, into events: inout EngineEvents) {
    events.instant = instant
    clients[client] = nil
    follow.clientDisconnected(client, at: instant)
    locates.clientDisconnected(client)
    sensors.clientDisconnected(client)
    for target in targets.clientDisconnected(client) { events.tell(.targetRemoved(target), causedBy: nil) }
    let changed = courses.clientDisconnected(client)
    report(changed, causedBy: nil, into: &events)
    // A replay has no connections that end.
    for course in changed where course.state == .ended {
      events.append(.accepted(.course(CourseRequest(name: course.name, change: .end))))
    }
  }

  /// The answer is an event. `sent` is the number of the newest fix that the client was sent, if known.
  package func handle(
    _ request: EngineRequest, from client: ClientID, sent: UInt64? = nil, at instant: MonotonicInstant,
    into events: inout EngineEvents
  ) throws(RequestRefusal) {
    guard let peer = clients[client] else { return }
    events.instant = instant
    var isRecorded = peer != .replay
    switch request {
    case .view(let report):
      let wasRenderer = follow.renderer(of: report.view) == client
      let actions = try follow.report(report, sent: sent, from: client, of: peer, at: instant)
      apply(actions, causedBy: client, into: &events)
      // The state answers a client's first report, and each one before the first fix.
      let isFirst = !wasRenderer && follow.renderer(of: report.view) == client
      if actions.isEmpty, isFirst || newest == nil { answer(with: report.view, to: client, into: &events) }
    case .setFollow(let view, let enable):
      let actions = try follow.set(following: enable, view: view, client: client, of: peer, at: instant)
      apply(actions, causedBy: client, into: &events)
      if !actions.hasChange { answer(with: view, to: client, into: &events) }
    case .restoreFollow(let view, let following):
      let actions = try follow.restore(following: following, view: view, client: client, of: peer, at: instant)
      apply(actions, causedBy: client, into: &events)
      if !actions.hasChange {
        answer(with: view, to: client, into: &events)
      } else if isRecorded {
        events.append(.accepted(.setFollow(view: view, enable: false)))
      }
      isRecorded = false
    case .locate(let timeout, let maxAge):
      let locate = Locate(
        client: client, timeout: timeout.flatMap { Duration(finiteSeconds: $0) } ?? .seconds(10),
        maxAge: maxAge.flatMap { Duration(finiteSeconds: $0) } ?? .seconds(2))
      if let answer = try locates.add(locate, newest: newest, at: instant) { events.append(.located(answer)) }
      isRecorded = false
    case .setTarget(let target): try set(target, from: client, of: peer, into: &events)
    case .removeTarget(let name):
      guard let target = targets.remove(name, from: peer) else { throw .missing(.target, name: name) }
      events.tell(.targetRemoved(target), causedBy: client)
      // The removal is recorded as the event that also follows a connection's end.
      isRecorded = false
    case .trip(let trip):
      let (status, isChanged) = try trips.apply(trip.change, to: trip.name, from: peer)
      events.append(.told(.trip(status), to: isChanged ? .subscribers(and: client) : .client(client)))
      isRecorded = isRecorded && isChanged
    case .course(let course):
      let changed = try courses.apply(course.change, to: course.name, from: client, of: peer)
      report(changed, causedBy: client, into: &events)
    case .cue(let cue):
      let changed = try courses.apply(.cue(cue.cue), to: cue.course, from: client, of: peer)
      report(changed, causedBy: client, into: &events)
    case .sensor(let sensor):
      let isContradicted = fusion?.contradicts(sensor.kind, sensor.source) ?? false
      guard
        let (status, isUsable, isDue, isChange) = try sensors.take(
          sensor, from: client, of: peer, isContradicted: isContradicted, at: instant)
      else { return }
      if isUsable, sensor.kind == .wheel || sensor.kind == .pressure {
        if fusion == nil { fusion = SensorFusion(givenWheels) }
        fusion?.receive(status)
      }
      if isDue { events.append(.told(.sensor(status), to: .sensorReaders(and: isChange ? client : nil))) }
    }
    if isRecorded { events.append(.accepted(request)) }
  }

  private func answer(with view: String, to client: ClientID, into events: inout EngineEvents) {
    events.append(.told(.follow(follow.state(of: view)), to: .client(client)))
  }

  /// What is known of wheels. Where other wheels are set, what follows from sensors begins again.
  package var knownWheels: KnownWheels {
    get { fusion?.knownWheels ?? givenWheels }
    set { if newValue != givenWheels { (givenWheels, fusion) = (newValue, nil) } }
  }

  /// The way in between is unknown, as where a replay jumps: no target is passed, and sensors begin again.
  package func breakPath() {
    targets.breakPath()
    sensors.removeReplayed()
    (fusion, outage) = (nil, nil)
  }

  private func set(
    _ request: TargetRequest, from client: ClientID, of peer: ClientPeer, into events: inout EngineEvents
  ) throws(RequestRefusal) {
    let target = try Target(
      name: request.name, coordinate: request.position, radius: request.radius ?? Target.standardRadius)
    if let evicted = try targets.set(target, isPersistent: request.isPersistent, from: client, of: peer) {
      events.tell(.targetRemoved(evicted), causedBy: nil)
    }
    guard let arrival = targets.state(of: request.name) else { return }
    events.tell(.arrival(arrival), causedBy: client)
  }

  /// Reports courses that have changed; the last one answers the client.
  private func report(_ courses: [CourseStatus], causedBy client: ClientID?, into events: inout EngineEvents) {
    for (index, var course) in courses.enumerated() {
      course.isTransition = true
      let asker = index == courses.count - 1 ? client : nil
      events.append(.told(.course(course), to: .courseReaders(and: asker)))
    }
  }
}

extension EngineEvents {
  fileprivate mutating func tell(_ event: ClientEvent, causedBy client: ClientID?) {
    append(.told(event, to: .subscribers(and: client)))
  }
}

extension [FollowAction] {
  fileprivate var hasChange: Bool { contains { if case .changed = $0 { true } else { false } } }
}
