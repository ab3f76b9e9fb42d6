import GPSDProtocol
import LocationCore
import NIOCore

extension Server: EngineObserver {
  package var wishes: EngineWishes {
    var wishes: EngineWishes = clients.sessions.contains(where: \.wantsSentences) ? .sentences : []
    if clients.hasPoseReaders { wishes.insert(.motion) }
    if clients.hasByteReaders { wishes.formUnion([.input, .sentences]) }
    return wishes
  }

  package func observe(_ bytes: ByteBuffer, from source: Int, at instant: MonotonicInstant) {
    guard clients.hasByteReaders, !bytes.readableBytesView.starts(with: Self.reportBegin) else { return }
    let source = sources.all[source]
    var leads = false
    engine.read { leads = sources.lead(in: $0) === source }
    guard leads else { return }
    for session in clients.sessions where session.wantsBytes && session.isSubscribed(to: source.device) {
      session.enqueue(droppable: bytes)
    }
  }

  /// The begin of a gpsd's report, which is not of a receiver: its sentences are passed on instead.
  private static let reportBegin = Array(#"{"class""#.utf8)

  package func turnDidEnd() { clients.flush() }

  package func observe(_ playback: PlaybackReport) { clients.broadcast(line { playback.write(into: &$0) }) }
  package var isCongested: Bool { clients.isCongested }

  package func observe(_ event: EngineEvent, at instant: MonotonicInstant, in engine: borrowing LocationEngine) {
    switch event {
    case .fix(let fix, let sky, let noise):
      if servesGPSD, gpsdFields == nil { updateGPSDFields(engine) }
      gpsdFields?.note(fix, sky)
      guard clients.hasSubscribers else { return }
      let device = fixLines.device(of: fix)
      let isSkyDue = sky.map { skyClock.isDue($0.measured, at: instant) } ?? false
      fixLines.begin(
        fix,
        noise: noise.map { noise in
          line { GSTReport(noise, time: fix.fix.measured, device: device).write(into: &$0) }
        },
        sky: isSkyDue ? sky.map { sky in line { SkyReport.write(sky, device: device, into: &$0) } } : nil)
      let ofGPSD = gpsdLines(of: fix, sky, noise, isSkyDue: isSkyDue, device: device, engine)
      for session in clients.sessions where session.isSubscribed(to: device) {
        let hasSky = session.feed?.satellites == true
        let lines = session.feed?.usesAdditions == false ? ofGPSD : nil
        if let reason = session.feed?.filter.evaluate(fix, at: instant) {
          session.feed?.sentTrips.removeAll()
          if let lines {
            session.enqueue(fix, reason: reason, as: lines)
          } else {
            session.enqueue(
              fix, reason: reason, lines: fixLines.lines(for: reason, hasSky: hasSky), sky: hasSky ? fixLines.sky : nil)
          }
        } else if hasSky, let sky = lines?.sky ?? fixLines.sky {
          session.enqueue(sky: sky)
        }
      }
      repeatArrivals(fix.fix, at: instant, engine)
    case .changed(let fix):
      let device = fixLines.device(of: fix)
      for session in clients.sessions where session.isSubscribed(to: device) {
        // gpsd sends no fix twice.
        guard session.feed?.usesAdditions == true else {
          session.feed?.filter.expect(fix.changes)
          continue
        }
        guard let reason = session.feed?.filter.evaluate(fix, at: instant) else { continue }
        enqueueAgain(fix, reason: reason, to: session, engine)
      }
    case .estimate(let estimate):
      let (lines, device) = (fixLines.line(of: estimate, for: nil), fixLines.device(of: estimate))
      for session in clients.sessions where session.feed?.estimates == true && session.isSubscribed(to: device) {
        session.enqueue(droppable: lines)
      }
    case .sky(let sky, let source): publish(sky, from: source, at: instant)
    case .sentences(let sentences):
      let (lines, device) = (ByteBuffer(bytes: sentences), sources.lead(in: engine).device)
      let isOfGPSD = sources.lead(in: engine).uri.kind.form == .reports
      for session in clients.sessions where session.isSubscribed(to: device) {
        guard session.wantsSentences || isOfGPSD && session.wantsBytes else { continue }
        session.enqueue(droppable: lines)
      }
    case .lead(let status):
      if status.state.phase != .tracking { for session in clients.sessions { session.enqueuePendingFix() } }
      let report = stateReport(status, at: instant, engine)
      clients.broadcast(line { report.write(counts: leadCounts(engine), into: &$0) })
    case .fixLost(let source, let time): publishLoss(of: source, time: time, at: instant)
    case .noFix(let time, let source): publishNoFix(time: time, source: source, at: instant)
    case .state(_, let source): noteActivation(of: source, engine)
    case .sendNewest(let fix): sendToRenderers(fix, at: instant, engine)
    case .located(let answer):
      if let session = clients[answer.client] { send(answer, to: session, at: instant, engine) }
    case .told(let event, let recipients): send(event, to: recipients)
    case .clock, .interference, .oddity, .unplugged, .reopened, .accepted: break
    }
  }

  private func send(_ event: ClientEvent, to recipients: ClientEvent.Recipients) {
    switch recipients {
    case .subscribers(let client):
      let isTrip = if case .trip = event { true } else { false }
      clients.broadcast(
        line { event.write(into: &$0) }, to: { $0.usesAdditions && (!isTrip || $0.trips.areRead) }, and: client)
    // A slow client misses figures in motion, and never a transition.
    case .subscribersInTime:
      guard clients.hasSubscribers, case .trip(let trip) = event else { return }
      let lines = line { event.write(into: &$0) }
      for session in clients.sessions where session.feed?.usesAdditions == true {
        if session.feed?.takeTrip(trip.name) == true { session.enqueue(droppable: lines) }
      }
    case .client(let client): clients[client]?.enqueue(line { event.write(into: &$0) })
    // A change of state goes to every reader, the status at a fix to those who were sent that fix.
    case .courseReaders(let client):
      guard case .course(let course) = event else { return }
      clients.broadcast(line { event.write(into: &$0) }, to: \.course, and: client) { session, lines in
        guard course.isTransition || session.feed?.filter.reference?.seq == course.seq else { return }
        session.enqueue(course: lines, isTransition: course.isTransition)
      }
    // Figures in motion: a slow client misses those that are followed by others, and never a change, which has an asker.
    case .sensorReaders(let client):
      clients.broadcast(line { event.write(into: &$0) }, to: \.sensors, and: client) {
        if client == nil { $0.enqueue(droppable: $1) } else { $0.enqueue(event: $1) }
      }
    }
  }

  /// Sends the states of the targets to subscribers for whom they are due, while the rider moves.
  private func repeatArrivals(_ fix: Fix, at instant: MonotonicInstant, _ engine: borrowing LocationEngine) {
    guard fix.speed.map({ $0 >= Standstill.startedFrom }) ?? true else { return }
    let due = clients.sessions.filter { $0.feed?.takeArrivals(at: instant) == true }
    let states = due.isEmpty ? [] : engine.desk.targets.states
    guard !states.isEmpty else { return }
    let lines = line { line in for state in states { ArrivalReport(state, isRepeated: true).write(into: &line) } }
    for session in due { session.enqueue(droppable: lines) }
  }

  /// The deadline of the next heartbeat or pose. No heartbeat while the fix is lost: it would repeat an old one as new.
  package func deadline(in engine: borrowing LocationEngine) -> MonotonicInstant? {
    let heartbeats = clients.sessions.lazy.compactMap { $0.feed?.filter.heartbeatDeadline }
    let heartbeat = engine.hasFix ? heartbeats.min() : nil
    guard clients.hasPoseReaders, let motion = engine.motion else { return heartbeat }
    let poses = clients.sessions.lazy.compactMap { $0.feed?.poses?.next(of: motion, pace: self.clock.rate) }
    return heartbeat.earlier(poses.min())
  }

  package func expire(at instant: MonotonicInstant, in engine: borrowing LocationEngine) {
    for session in clients.sessions where engine.hasFix {
      guard let due = session.feed?.filter.heartbeatDeadline, due <= instant,
        let fix = session.feed?.filter.heartbeat(at: instant)
      else { continue }
      enqueueAgain(fix, reason: .heartbeat, to: session, engine)
    }
    guard clients.hasPoseReaders, let motion = engine.motion else { return }
    var last: (pose: Pose, line: ByteBuffer)?
    for session in clients.sessions {
      guard let pose = session.feed?.poses?.take(from: motion, at: instant, pace: clock.rate) else { continue }
      // Subscribers with a common multiple of their rates share lines.
      let lines = last.flatMap { $0.pose == pose ? $0.line : nil } ?? line { POSE.write(pose, into: &$0) }
      last = (pose, lines)
      session.enqueue(pose: lines)
    }
  }

  private func publish(_ sky: Sky, from source: SourceID, at instant: MonotonicInstant) {
    gpsdFields?.note(sky, from: source)
    guard clients.hasSubscribers, let device = sources[source]?.device,
      skyClock.isDue(sky.measured, at: instant)
    else { return }
    let ours = line { SkyReport.write(sky, device: device, into: &$0) }
    let gpsds = gpsdFields == nil ? ours : gpsdLine(of: sky, device: device)
    for session in clients.sessions where session.isSubscribed(to: device) {
      guard let feed = session.feed, feed.satellites else { continue }
      session.enqueue(sky: feed.usesAdditions ? ours : gpsds)
    }
  }

  private func enqueueAgain(
    _ fix: PublishedFix, reason: DeliveryReason, to session: ClientSession, _ engine: borrowing LocationEngine
  ) {
    if session.feed?.usesAdditions == false {
      session.enqueue(
        fix, reason: reason, as: GPSDLines(fix: gpsdLine(of: fix, isNewest: engine.desk.newest?.seq == fix.seq)))
    } else {
      session.enqueue(fix, reason: reason, lines: fixLines.line(of: fix, for: reason))
    }
  }

  private func sendToRenderers(_ fix: PublishedFix, at instant: MonotonicInstant, _ engine: borrowing LocationEngine) {
    for session in clients.sessions where session.isRenderer && session.feed != nil {
      guard session.feed?.filter.reference?.seq != fix.seq else { continue }
      session.feed?.filter.delivered(fix, at: instant)
      enqueueAgain(fix, reason: .requested, to: session, engine)
    }
  }
}
