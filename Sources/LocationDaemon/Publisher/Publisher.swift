import GPSDProtocol
import LocationCore
import Logging
import NIOCore

/// Between the pipeline and the clients: what happens goes out as lines, what clients ask goes in.
package final class Publisher {
  /// Malformed requests in a row after which a client is sent away.
  static let patienceWithErrors = 16

  let pipeline: Pipeline
  let audience: Audience
  let encoder: FixEncoder
  var configuration: DaemonConfiguration
  let log: Logger
  let started: MonotonicInstant
  /// What waits for the first client that subscribes or asks for a fix.
  private var awaitingInterest: [() -> Void] = []
  /// Called when no client has anything left to take in.
  package var onDrain: () -> Void {
    get { audience.onDrain }
    set { audience.onDrain = newValue }
  }
  /// Why a listening socket was lost.
  private(set) var listenerFailure: (any Error)?
  /// Called when a listening socket is lost.
  var onListenerLost: (any Error) -> Void = { _ in }
  private var scratch = JSONLine()
  private var skyClock = SkyClock()
  /// Told once until somebody is let in again.
  private var hasToldAcceptFailure = false

  /// A publisher of what `pipeline` tells.
  package init(_ configuration: DaemonConfiguration, pipeline: Pipeline, on loop: any EventLoop, log: Logger) {
    self.configuration = configuration
    self.pipeline = pipeline
    self.log = log
    started = PipelineClock.machine
    encoder = FixEncoder()
    encoder.know(pipeline.lanes, newest: nil)
    audience = Audience(maxClients: configuration.maxClients, encoder: encoder, on: loop, log: log)
    audience.isLossless = pipeline.clock.isStepped
    audience.onClose = { [unowned self] session in self.didClose(session) }
    audience.onHearing = { [unowned self] session in
      if let bytes = session.takeUnheard() { self.didRead(bytes, from: session) }
    }
    pipeline.report(to: self)
  }

  /// Whether a client still has something to take in.
  package var isCongested: Bool { audience.isCongested }

  /// Calls `body` when the first client subscribes or asks for a fix.
  package func onFirstInterest(_ body: @escaping () -> Void) { awaitingInterest.append(body) }

  /// A client subscribed or asked for a fix.
  func noteInterest() {
    let waiting = awaitingInterest
    awaitingInterest = []
    for body in waiting { body() }
  }

  /// Tells every client that the daemon stops, and closes; calls `done` when all are gone, in that time at the latest.
  package func stop(within patience: TimeAmount, then done: @escaping () -> Void) {
    audience.closeAll(
      saying: line { ErrorReport(message: "the daemon stops", code: "stopping").write(into: &$0) }, within: patience,
      then: done)
  }

  /// A connection was made.
  func didAccept(_ channel: any Channel, dialect: Dialect) -> Session? {
    hasToldAcceptFailure = false
    guard let session = audience.admit(channel, dialect: dialect) else {
      let refusal = ErrorReport(
        message: "\(audience.maxClients) clients are connected, as many as may be; close one or raise max-clients",
        code: "tooManyClients")
      channel.writeAndFlush(line { refusal.write(into: &$0) }, promise: nil)
      channel.close(promise: nil)
      return nil
    }
    if audience.isLossless {
      // Nothing goes stale on virtual time: what the kernel holds only saves waiting for each other.
      try? channel.syncOptions?.setOption(.socketOption(.so_sndbuf), value: 1 << 18)
    }
    pipeline.turn { pipeline, instant in
      pipeline.follow.sessionOpened(session.id, at: instant)
      if dialect == .nmea { return }
      session.send(line { Self.version.write(into: &$0) })
    }
    return session
  }

  /// Bytes came from a client.
  func didRead(_ bytes: ByteBuffer, from session: Session) {
    // What is said on the sentences' socket is nobody's business.
    if session.dialect == .nmea || session.isLeaving { return }
    guard session.mayAsk else { return session.keep(unheard: bytes) }
    pipeline.turn { _, instant in
      bytes.withUnsafeReadableBytes { buffer in
        let span = Span<UInt8>(_unsafeBytes: buffer)
        var index = 0
        while !session.isLeaving, index < span.count {
          guard session.mayAsk else {
            return session.keep(unheard: ByteBuffer(bytes: buffer[index...]))
          }
          do throws(RequestError) {
            guard let request = try session.parser.next(in: span, from: &index) else { break }
            session.errorsInARow = 0
            answer(request, from: session, at: instant)
          } catch {
            complain(error, to: session)
          }
        }
      }
    }
  }

  /// A client cannot be let in for the moment, for want of descriptors or memory; it waits in the kernel.
  func didFailToAccept(_ error: any Error) {
    guard !hasToldAcceptFailure else { return }
    hasToldAcceptFailure = true
    log.error("clients must wait: \(error)")
  }

  /// A listening socket cannot be used, or no longer.
  func listenerFailed(_ error: any Error) {
    log.critical("cannot accept clients: \(error)")
    listenerFailure = error
    onListenerLost(error)
  }

  /// One or more whole lines.
  func line(_ write: (inout JSONLine) -> Void) -> ByteBuffer {
    scratch.removeAll()
    write(&scratch)
    return ByteBuffer(bytes: scratch.bytes)
  }

  static let version = VersionReport(release: Daemon.release, rev: Daemon.release)

  private func complain(_ error: RequestError, to session: Session) {
    audience.countBadRequest()
    session.errorsInARow += 1
    session.send(line { ErrorReport(error).write(into: &$0) })
    if session.errorsInARow >= Self.patienceWithErrors {
      session.closeAfterFlush(reason: "\(Self.patienceWithErrors) malformed requests in a row")
    }
  }

  private func didClose(_ session: Session) {
    pipeline.turn { pipeline, instant in
      pipeline.follow.sessionClosed(session.id, at: instant)
      pipeline.locate.sessionClosed(session.id)
    }
  }
}

extension Publisher: PipelineOutput {
  package func pipelineDidPublish(
    _ fix: PublishedFix, sky: Sky?, noise: PseudorangeNoise?, at instant: MonotonicInstant
  ) {
    guard audience.hasSubscribers else { return }
    let device = encoder.device(of: fix)
    let isSkyDue = sky.map { skyClock.isDue($0.measured, at: instant) } ?? false
    let lines = EpochLines(
      noise: noise.map { noise in
        line { GSTLine.write(noise, time: fix.fix.measured, device: device, into: &$0) }
      },
      sky: isSkyDue ? sky.map { sky in line { SKYLine.write(sky, device: device, into: &$0) } } : nil,
      encoder: encoder)
    for session in audience.sessions where session.hears(device) {
      guard let reason = session.subscription?.filter.evaluate(fix, at: instant) else {
        if session.subscription != nil, let sky = lines.sky { session.deliver(sky: sky) }
        continue
      }
      session.deliver(fix, reason: reason, from: lines)
    }
  }

  package func pipelineDidSee(_ sky: Sky, from lane: Lane, at instant: MonotonicInstant) {
    guard audience.hasSubscribers, skyClock.isDue(sky.measured, at: instant) else { return }
    let lines = line { SKYLine.write(sky, device: lane.uri.device, into: &$0) }
    for session in audience.sessions where session.subscription != nil && session.hears(lane.uri.device) {
      session.deliver(sky: lines)
    }
  }

  package func pipelineDidChangeState(leads reason: LeadReason?, at instant: MonotonicInstant) {
    if !pipeline.hasFix { for session in audience.sessions { session.settleFix() } }
    audience.broadcast(line { stateReport(leads: reason, at: instant).write(counters: leadCounters, into: &$0) })
  }

  package func pipelineDidRead(_ sentences: ByteBuffer) {
    let device = pipeline.lead.uri.device
    for session in audience.sessions where session.wantsSentences && session.hears(device) {
      session.deliver(sentences: sentences)
    }
  }

  package var wantsSentences: Bool { audience.hasSentenceReaders }

  package func pipelineDidLoseFix(of lane: Lane, at instant: MonotonicInstant) {
    // Clients of gpsd know no STATE: a report without a fix tells them.
    let isConcerned = audience.sessions.contains { $0.subscription?.extensions == false }
    guard isConcerned else { return }
    let lines = line { line in
      TPVLine.noFix(time: pipeline.utc(at: instant), device: lane.uri.device, into: &line)
      TPVLine.finish(&line)
    }
    for session in audience.sessions where session.subscription?.extensions == false && session.hears(lane.uri.device) {
      session.settleFix()
      session.send(lines)
    }
  }

  package func pipelineDidChange(_ state: FollowState) {
    audience.broadcast(line { FollowReport(state).write(into: &$0) })
  }

  package func pipelineWantsNewestFixSent(at instant: MonotonicInstant) {
    guard let newest = pipeline.newest, pipeline.hasFix else { return }
    for session in audience.sessions where session.isRenderer && session.subscription != nil {
      guard session.subscription?.filter.reference?.seq != newest.seq else { continue }
      session.subscription?.filter.delivered(newest, at: instant)
      session.deliver(newest, reason: .requested, from: EpochLines(encoder: encoder))
    }
  }

  package func pipelineDidChange(_ arrival: Arrival) {
    audience.broadcast(line { ArrivalReport(arrival).write(into: &$0) })
  }

  package func pipelineDidAnswer(_ answer: LocateAnswer, at instant: MonotonicInstant) {
    guard let session = audience.sessions.first(where: { $0.id == answer.session }) else { return }
    reply(answer, to: session, at: instant)
  }

  package func pipelineExpire(at instant: MonotonicInstant) {
    guard pipeline.hasFix else { return }
    for session in audience.sessions where session.subscription?.hasHeartbeat == true {
      guard let due = session.subscription?.filter.heartbeatDeadline, due <= instant,
        let fix = session.subscription?.filter.heartbeat(at: instant)
      else { continue }
      session.deliver(fix, reason: .heartbeat, from: EpochLines(encoder: encoder))
    }
  }

  /// While the fix is lost no heartbeat is due: it would tell an old position, after the loss, as if it were new.
  package var deadline: MonotonicInstant? { pipeline.hasFix ? audience.nextHeartbeat : nil }

  package func pipelineDidStage() {
    audience.flush()
  }
}
