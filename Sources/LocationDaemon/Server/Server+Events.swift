import GPSDProtocol
import LocationCore
import NIOCore

// Publishing events of the engine.
extension Server {
  /// Sends an event to the clients it concerns.
  func publish(_ event: EngineEvent, at instant: MonotonicInstant) {
    switch event {
    case .fix(let fix, let sky, let noise):
      gpsdFields?.take(fix, sky)
      guard clients.hasSubscribers else { return }
      let device = fixLines.device(of: fix)
      let isSkyDue = sky.map { skyClock.isDue($0.measured, at: instant) } ?? false
      fixLines.begin(
        fix,
        noise: noise.map { noise in
          line { GPSDProtocol.GST.write(noise, time: fix.fix.measured, device: device, into: &$0) }
        },
        sky: isSkyDue ? sky.map { sky in line { SKY.write(sky, device: device, into: &$0) } } : nil)
      let gpsdLines = gpsdLines(of: fix, sky, noise, isSkyDue: isSkyDue, device: device)
      for session in clients.sessions where session.isSubscribed(to: device) {
        let gpsdLines = session.subscription?.extensions == false ? gpsdLines : nil
        if let reason = session.subscription?.filter.evaluate(fix, at: instant) {
          if let gpsdLines {
            session.enqueue(fix, reason: reason, as: gpsdLines)
          } else {
            session.enqueue(fix, reason: reason, lines: fixLines.lines(for: reason), sky: fixLines.sky)
          }
        } else if session.subscription != nil, let sky = gpsdLines?.sky ?? fixLines.sky {
          session.enqueue(sky: sky)
        }
      }
    case .sky(let sky, let source): publish(sky, from: source, at: instant)
    case .clock: break
    case .sentences(let sentences): publish(sentences: ByteBuffer(bytes: sentences))
    case .lead(let status):
      if status.state.phase != .tracking { for session in clients.sessions { session.enqueuePendingFix() } }
      clients.broadcast(line { stateReport(status, at: instant).write(counters: leadCounters, into: &$0) })
    case .fixLost(let source, let time): publishLoss(of: source, time: time, at: instant)
    case .noFix(let time, let source): publishNoFix(time: time, source: source, at: instant)
    case .state(_, let source): noteActivation(of: source)
    case .follow(let state): clients.broadcast(line { FollowReport(state).write(into: &$0) })
    case .sendNewest(let fix): sendToRenderers(fix, at: instant)
    case .arrival(let arrival): clients.broadcast(line { ArrivalReport(arrival).write(into: &$0) })
    case .targetRemoved(let name): clients.broadcast(removal(of: name))
    case .located(let answer):
      if let session = clients.sessions.first(where: { $0.id == answer.client }) { send(answer, to: session) }
    case .unplugged, .reopened: break
    }
  }

  func removal(of target: String) -> ByteBuffer {
    line { ArrivalReport(name: target, state: .removed).write(into: &$0) }
  }

  /// Sends sentences of the leading source to the clients that read them.
  func publish(sentences: ByteBuffer) {
    let device = host.lead.uri.device
    for session in clients.sessions where session.wantsSentences && session.isSubscribed(to: device) {
      session.enqueue(droppable: sentences)
    }
  }

  /// Whether a client reads sentences.
  var wantsSentences: Bool { clients.hasSentenceReaders }

  /// Sends the newest fix to subscribers whose heartbeat is due.
  func sendHeartbeats(at instant: MonotonicInstant) {
    guard host.engine.hasFix else { return }
    for session in clients.sessions where session.subscription?.hasHeartbeat == true {
      guard let due = session.subscription?.filter.heartbeatDeadline, due <= instant,
        let fix = session.subscription?.filter.heartbeat(at: instant)
      else { continue }
      enqueueAgain(fix, reason: .heartbeat, to: session)
    }
  }

  /// The deadline of the next heartbeat or pose. There is no heartbeat while the fix is lost, because it would repeat an
  /// old position as new.
  var deadline: MonotonicInstant? {
    let heartbeat = host.engine.hasFix ? clients.nextHeartbeat : nil
    guard clients.hasPoseReaders, let motion = host.engine.motion,
      let pose = clients.nextPose(of: motion, pace: host.clock.rate)
    else { return heartbeat }
    return heartbeat.map { min($0, pose) } ?? pose
  }

  /// Sends a pose to the subscribers for whom one is due.
  func sendPoses(at instant: MonotonicInstant) {
    guard clients.hasPoseReaders, let motion = host.engine.motion else { return }
    let pace = host.clock.rate
    var last: (pose: Pose, line: ByteBuffer)?
    for session in clients.sessions {
      guard let pose = session.subscription?.poses?.take(from: motion, at: instant, pace: pace) else { continue }
      // Subscribers with a common multiple of their rates share lines.
      let lines = last.flatMap { $0.pose == pose ? $0.line : nil } ?? line { POSE.write(pose, into: &$0) }
      last = (pose, lines)
      session.enqueue(pose: lines)
    }
  }

  /// Estimates motion as long as a client subscribes to poses.
  func updateMotion(at instant: MonotonicInstant) {
    host.setMotion(clients.hasPoseReaders, at: instant)
  }

  private func publish(_ sky: Sky, from source: Int, at instant: MonotonicInstant) {
    gpsdFields?.take(sky, from: source)
    guard clients.hasSubscribers, let device = host.feed(source)?.uri.device,
      skyClock.isDue(sky.measured, at: instant)
    else { return }
    let ours = line { SKY.write(sky, device: device, into: &$0) }
    let gpsds = gpsdFields == nil ? ours : gpsdLine(of: sky, device: device)
    for session in clients.sessions where session.isSubscribed(to: device) {
      guard let subscription = session.subscription else { continue }
      session.enqueue(sky: subscription.extensions ? ours : gpsds)
    }
  }

  /// Sends a fix that has been published before.
  private func enqueueAgain(_ fix: PublishedFix, reason: DeliveryReason, to session: ClientSession) {
    if session.subscription?.extensions == false {
      session.enqueue(fix, reason: reason, as: GPSDLines(fix: gpsdLine(of: fix)))
    } else {
      session.enqueue(fix, reason: reason, lines: fixLines.line(of: fix, for: reason))
    }
  }

  private func sendToRenderers(_ fix: PublishedFix, at instant: MonotonicInstant) {
    for session in clients.sessions where session.isRenderer && session.subscription != nil {
      guard session.subscription?.filter.reference?.seq != fix.seq else { continue }
      session.subscription?.filter.delivered(fix, at: instant)
      enqueueAgain(fix, reason: .requested, to: session)
    }
  }
}
