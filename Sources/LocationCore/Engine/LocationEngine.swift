/// State machine that decides what is published. A pure value with one owner: input, requests, instants go in, events
/// come out in order. Deadlines that precede an input are processed first, each at its own instant.
package struct LocationEngine: ~Copyable, Sendable {
  /// The sources, the most preferred one first.
  package internal(set) var sources: [SourceReceiver]
  package internal(set) var supervisor: SourceSupervisor
  package let desk: ClientDesk
  /// The motion between fixes; `nil` while no one needs poses.
  package var motion: MotionEstimator? { motions.first }
  // At most one. It is large, and outside the struct it does not slow down the compiler's checks of a value without copies.
  var motions: [MotionEstimator] = []
  /// The constant delay from an epoch to the arrival of its fix, for poses.
  package private(set) var latency: Duration
  /// The source of the system clock's reference time; `nil` while none is wanted.
  var clock: ClockSampler?
  package internal(set) var stateSince: MonotonicInstant
  /// Why there is no fix, as it was reported last and when; `nil` with one, and until it is known.
  var absence: FixAbsence?
  var absenceReported: MonotonicInstant
  var reportedEstimating = false
  /// The instant at which there is another reason without further input.
  var absenceDeadline: MonotonicInstant?
  /// The next instant at which `advance` has an effect; `nil` when nothing is pending.
  package internal(set) var deadline: MonotonicInstant?
  var changes = ChangeDetector()
  var rates = FixRates()
  package private(set) var handover = Handover()

  package init(
    sources: [SourceSetup], driftLimit: Double = FollowRegistry.standardDriftLimit,
    latency: Duration = MotionClock.standardLatency, at instant: MonotonicInstant
  ) {
    self.sources = sources.map { SourceReceiver($0) }
    supervisor = SourceSupervisor(count: sources.count, at: instant)
    desk = ClientDesk(driftLimit: driftLimit)
    self.latency = latency
    (stateSince, absenceReported) = (instant, instant)
  }

  package var hasFix: Bool { supervisor.leadIsTracking }
  var isEstimating: Bool { !hasFix && desk.outage != nil }
  package var lead: SourceReceiver { sources[supervisor.lead] }

  /// UTC, extrapolated from the newest fix; `nil` before a dated fix.
  package func utc(at instant: MonotonicInstant) -> UTCInstant? {
    guard let fix = desk.newest?.fix, let measured = fix.measured else { return nil }
    return measured + (instant - fix.received)
  }

  package func index(of source: SourceID) -> Int? { sources.firstIndex { $0.setup.id == source } }
  package func isLive(_ source: SourceID) -> Bool { index(of: source).map { sources[$0].setup.isLive } ?? false }

  package mutating func setMotion(_ isWanted: Bool, at instant: MonotonicInstant) {
    guard isWanted == motions.isEmpty else { return }
    motions = isWanted ? [MotionEstimator(latency: latency)] : []
    if hasFix, let newest = desk.newest { moves(newest, at: instant) }
  }

  private mutating func moves(_ fix: PublishedFix, at instant: MonotonicInstant) {
    for index in motions.indices { motions[index].receive(fix, at: instant) }
  }

  mutating func moveOn(at instant: MonotonicInstant) {
    guard !motions.isEmpty, let estimate = desk.outage?.newest, estimate.fix.received == instant else { return }
    moves(estimate, at: instant)
  }

  package mutating func setLatency(_ latency: Duration, at instant: MonotonicInstant) {
    guard latency != self.latency else { return }
    self.latency = latency
    guard !motions.isEmpty else { return }
    setMotion(false, at: instant)
    setMotion(true, at: instant)
  }

  package mutating func receive(
    _ input: SourceInput, from source: SourceID, at instant: MonotonicInstant, into events: inout EngineEvents
  ) {
    guard let index = index(of: source) else { return }
    advance(to: instant, into: &events)
    switch input {
    case .bytes(let bytes):
      open(index, into: &events)
      supervisor.bytes(index, at: instant)
      var sentences: [UInt8]? = events.collectsSentences && supervisor.lead == index ? [] : nil
      sources[index].receive(bytes, at: instant, copyingTo: &sentences)
      if let sentences, !sentences.isEmpty { events.append(.sentences(sentences)) }
      // The first sentence ends `noNMEA`, even without a fix.
      if let count = sources[index].messageCountAtNoNMEA, sources[index].messageCount > count {
        reopen(index, into: &events)
      }
      publishClosed(index, into: &events)
      reportInterference(index, into: &events)
      if let type = sources[index].firstMalformed, sources[index].isFirst(.malformed) {
        events.append(.oddity(.malformed, facts: ["MESSAGE": type.name], source: sources[index].setup.id))
      }
    case .report(let report, let isPoint):
      supervisor.bytes(index, ofTrack: isPoint, at: instant)
      sources[index].activity.readLine(at: instant)
      if let report { sources[index].receive(report, at: instant) }
      publishClosed(index, into: &events)
    case .opening:
      apply(supervisor.note(.opening, of: index, at: instant), into: &events)
    case .opened: open(index, into: &events)
    case .lineSpeed(let speed): sources[index].setLineSpeed(speed)
    case .poweredOn(let begin): sources[index].beginSearch(at: begin)
    case .unplugged(let error):
      finishEpoch(index, into: &events)
      lose(index, error, into: &events)
    case .failed(let error):
      finishEpoch(index, into: &events)
      if case .noNMEA = error {
        sources[index].messageCountAtNoNMEA = sources[index].messageCount
      } else {
        close(index)
      }
      apply(supervisor.note(.failed(error), of: index, at: instant), into: &events)
    case .finishEpoch: finishEpoch(index, into: &events)
    case .ended:
      finishEpoch(index, into: &events)
      close(index)
      apply(supervisor.note(.closed, of: index, at: instant), into: &events)
    case .gap: sources[index].gap(at: instant)
    case .replaced(let receiver): sources[index] = receiver
    }
    reportAbsence(into: &events)
    noteDeadline()
  }

  /// Processes every deadline up to `instant`, each at its own instant, which then is that of what follows.
  package mutating func advance(to instant: MonotonicInstant, into events: inout EngineEvents) {
    defer { events.instant = instant }
    // Bounded, in case a deadline does not advance.
    for _ in 0..<1024 {
      guard let due = deadline, due <= instant else { return }
      events.instant = due
      for index in sources.indices {
        guard let deadline = sources[index].deadline, deadline <= due else { continue }
        var sentences: [UInt8] = []
        sources[index].expire(at: due, copyingTo: &sentences)
        if !sentences.isEmpty, events.collectsSentences, supervisor.lead == index {
          events.append(.sentences(sentences))
        }
        publishClosed(index, into: &events)
      }
      apply(supervisor.expire(at: due), into: &events)
      desk.expire(at: due, into: &events)
      if let next = desk.due, next <= due { followWheel(into: &events) }
      reportAbsence(into: &events)
      moveOn(at: due)
      noteDeadline()
    }
  }

  mutating func noteDeadline() {
    var earliest = supervisor.deadline.earlier(desk.follow.deadline).earlier(desk.locates.deadline)
      .earlier(absenceDeadline).earlier(desk.due)
    for index in sources.indices { earliest = earliest.earlier(sources[index].deadline) }
    deadline = earliest
  }

  private mutating func finishEpoch(_ index: Int, into events: inout EngineEvents) {
    sources[index].endOfInput(at: events.instant)
    publishClosed(index, into: &events)
    publishLate(index, into: &events)
  }

  private mutating func publishLate(_ index: Int, into events: inout EngineEvents) {
    if let epoch = sources[index].takeLate() { publish(epoch, index, into: &events) }
  }

  private mutating func publishClosed(_ index: Int, into events: inout EngineEvents) {
    guard !sources[index].closed.isEmpty else { return }
    var closed: [Epoch] = []
    swap(&closed, &sources[index].closed)
    // Taken from the end, in reverse order: an epoch is moved, not copied.
    closed.reverse()
    while let epoch = closed.popLast() {
      guard sources[index].publishes(epoch), !sources[index].withholds(epoch, at: events.instant) else { continue }
      if case .noFix = epoch.outcome { publishLate(index, into: &events) }
      publish(epoch, index, into: &events)
    }
    swap(&closed, &sources[index].closed)
  }

  private mutating func publish(_ epoch: Epoch, _ index: Int, into events: inout EngineEvents) {
    if epoch.rolloverSuspect, let date = epoch.measured?.date, sources[index].isFirst(.rollover) {
      let text = "\(date.year)-\(date.month)-\(date.day)"
      events.append(.oddity(.rollover, facts: ["DATE": text], source: sources[index].setup.id))
    }
    if clock != nil { sampleClock(epoch, index, into: &events) }
    var sky = epoch.sky
    sky?.measured = shifted(epoch.sky?.measured, index)
    if let sky { sources[index].sky = sky }
    let makesSentences = sources[index].lacksSentences(at: events.instant) && events.collectsSentences
    switch epoch.outcome {
    case .fix(let fix, let isSuspect):
      sources[index].activity.epoch(nil)
      if supervisor.lead == index, desk.outage?.contradicts(fix, at: events.instant) == true {
        apply(supervisor.held(index, at: events.instant), into: &events)
        return
      }
      apply(supervisor.epoch(index, fix: fix.mode, at: events.instant), into: &events)
      guard supervisor.lead == index else { return }
      if epoch.isClockSetBack { changes.lost() }
      if epoch.isClockSetBack || isSuspect { rates.lost() }
      var published = PublishedFix(fix: fix, seq: (desk.newest?.seq ?? 0) + 1, source: sources[index].setup.id)
      if complete(&published, of: epoch, isSuspect: isSuspect, index, at: events.instant) {
        publish(published, sky, index, makesSentences, into: &events)
      }
      return
    case .noFix(let reason):
      if reason == .void || reason == .timeOnly {
        sources[index].activity.epoch(reason == .void ? .searching : .timeOnly)
      }
      apply(supervisor.epoch(index, fix: nil, at: events.instant), into: &events)
      publishNoFix(epoch.measured, sky, index, makesSentences, into: &events)
    case .dropped(.outOfRange), .dropped(.nullIsland):
      sources[index].activity.epoch(.implausible)
      publishNoFix(epoch.measured, sky, index, makesSentences, into: &events)
    // Its time was published before, or will be.
    case .dropped(.duplicate): break
    case .held: apply(supervisor.held(index, at: events.instant), into: &events)
    }
    if let sky, supervisor.lead == index { events.append(.sky(sky, source: sources[index].setup.id)) }
  }

  private func shifted(_ time: UTCInstant?, _ index: Int) -> UTCInstant? {
    time.map { $0 + sources[index].setup.timeShift }
  }

  /// Completes the fix of an epoch of the leading source; `false` if another source has published its time.
  private mutating func complete(
    _ published: inout PublishedFix, of epoch: Epoch, isSuspect: Bool, _ index: Int, at instant: MonotonicInstant
  ) -> Bool {
    let setup = sources[index].setup
    var noise = epoch.noise
    noise?.measured = shifted(epoch.noise?.measured, index)
    sources[index].noise = noise
    published.fix.measured = shifted(published.fix.measured, index)
    if let age = epoch.age(inLiveSource: setup.isLive, at: instant) {
      published.age = age
      published.fix.received = instant - age
    }
    guard handover.passes(published.fix.measured, source: setup.id) else { return false }
    rates.complete(&published.fix, of: setup.id)
    desk.fusion?.complete(&published.fix, &published.sensed.fused)
    published.changes = changes.changes(with: published.fix, published.sensed, at: instant)
    if isSuspect { published.changes.insert(.suspect) }
    return true
  }

  private mutating func publish(
    _ fix: consuming PublishedFix, _ sky: Sky?, _ index: Int, _ makesSentences: Bool, into events: inout EngineEvents
  ) {
    let noise = sources[index].noise
    if makesSentences {
      events.appendSentences { sentences in
        FixSentences.write(fix.fix, sources[index].sky, showsSky: sky != nil, noise: noise, into: &sentences)
      }
    }
    desk.hasFix = hasFix
    desk.publish(fix, sky: sky, noise: noise, at: events.instant, into: &events)
    if !motions.isEmpty, let newest = desk.newest { moves(newest, at: events.instant) }
  }

  private func publishNoFix(
    _ time: UTCInstant?, _ sky: Sky?, _ index: Int, _ makesSentences: Bool, into events: inout EngineEvents
  ) {
    guard supervisor.lead == index else { return }
    let time = shifted(time, index)
    if makesSentences {
      events.appendSentences { FixSentences.write(noFixAt: time, sky, into: &$0) }
    }
    events.append(.noFix(time: time, source: sources[index].setup.id))
  }

  /// Estimates the position without a fix; with one, publishes a stop or start as soon as the wheel shows it.
  private mutating func followWheel(into events: inout EngineEvents) {
    guard desk.outage == nil else { return desk.estimate(into: &events) }
    let instant = events.instant
    desk.due = desk.fusion?.wheel?.standstill(after: instant)
    guard hasFix, let fix = desk.newest?.fix, let wheel = desk.fusion?.wheel, let speed = wheel.speed(at: instant)
    else { return }
    let changes = changes.changes(
      by: Float(speed), isProven: wheel.isProof(beside: fix, at: instant), beside: fix.speed)
    guard !changes.isEmpty, var published = desk.newest else { return }
    published.changes = published.changes.intersection(.suspect).union(changes)
    published.age = instant - fix.received
    published.sensed.fused.wheelSpeed = Float(speed)
    events.append(.changed(published))
  }
}

// What clients ask for, between the deadlines of the engine.
extension LocationEngine {
  package mutating func connect(_ client: ClientID, of peer: ClientPeer? = nil) { desk.connect(client, of: peer) }

  package mutating func disconnect(_ client: ClientID, at instant: MonotonicInstant, into events: inout EngineEvents) {
    advance(to: instant, into: &events)
    desk.disconnect(client, at: instant, into: &events)
    noteDeadline()
  }

  package mutating func handle(
    _ request: EngineRequest, from client: ClientID, sent: UInt64? = nil, at instant: MonotonicInstant,
    into events: inout EngineEvents
  ) throws(RequestRefusal) {
    advance(to: instant, into: &events)
    defer { noteDeadline() }
    desk.hasFix = hasFix
    try desk.handle(request, from: client, sent: sent, at: instant, into: &events)
    if case .sensor(let sensor) = request, sensor.kind == .wheel, desk.outage == nil { followWheel(into: &events) }
  }
}
