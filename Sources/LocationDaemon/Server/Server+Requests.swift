import GPSDProtocol
import LocationCore

extension Server {
  func handle(_ request: Request, from session: ClientSession, at instant: MonotonicInstant) {
    let traits = request.traits
    if traits.isAddition, !session.usesAdditions {
      return refuse(
        "\(traits.name)",
        "?\(traits.name) is an addition to gpsd's protocol; enable the additions first: ?WATCH={\"handlebar\":true}",
        to: session)
    }
    if session.dialect == .gpsd, traits.isControl, configuration.tcpControl != true {
      return refuse(
        "\(traits.name)",
        "?\(traits.name) with a value is refused on TCP; use the Unix socket, or set tcp-control = true for every TCP client",
        code: .forbidden, to: session)
    }
    switch request {
    case .version: session.enqueue(line { Self.version(for: session.dialect).write(into: &$0) })
    case .watch(nil): session.enqueue(line { watchReport(of: session).write(into: &$0) })
    case .watch(.some(let watch)): engine.read { subscribe(session, watch, at: instant, $0) }
    case .devices:
      engine.read { engine in session.enqueue(line { devicesReport(for: session, engine).write(into: &$0) }) }
    case .device(let path): engine.read { sendDevice(path, to: session, $0) }
    case .poll: engine.read { poll(session, at: instant, $0) }
    case .status:
      engine.read { engine in
        session.enqueue(line { statusReport(at: instant, engine).write(counts: counts(engine), into: &$0) })
      }
    case .question(let question): engine.read { answer(question, traits.name, $0.desk, at: instant, to: session) }
    case .record(let record): handle(record, from: session)
    case .receiver(let receiver): handle(receiver, from: session)
    case .playback(let playback): handle(playback, from: session, at: instant)
    case .engine(var request):
      // While a replay is paused, no fix comes and no timeout runs out.
      if case .locate(_, let maxAge) = request, isPaused { request = .locate(timeout: 0, maxAge: maxAge) }
      session.isRenderer = session.isRenderer || request.isOfView
      do throws(RequestRefusal) {
        try engine.handle(request, from: session.id, sent: session.feed?.filter.reference?.seq, at: instant)
      } catch {
        refuse("\(traits.name)", "\(error)", to: session)
      }
      if case .locate = request { engine.noteInterest() }
    }
  }

  private var isPaused: Bool { sources.all.contains { $0.player?.playback.isPaused == true } }

  private func poll(_ session: ClientSession, at instant: MonotonicInstant, _ engine: borrowing LocationEngine) {
    if !session.usesAdditions {
      session.readsGPSDFields = true
      updateGPSDFields(engine)
    }
    session.enqueue(pollLine(for: session, at: instant, engine))
  }

  private func subscribe(
    _ session: ClientSession, _ watch: WatchRequest, at instant: MonotonicInstant, _ engine: borrowing LocationEngine
  ) {
    if let device = watch.device, !device.isEmpty, !sources.all.contains(where: { $0.device == device }) {
      return refuse("WATCH", "no such device as \(device); there is \(sources.devices)", to: session)
    }
    if let poses = watch.poses, poses > 0, session.dialect != .handlebar {
      return refuse("WATCH", "poses are sent on the Unix socket only", to: session)
    }
    let isFirst = session.watch.distanceFilter == nil
    session.usesDefaultFilter = watch.distanceFilter == nil && (isFirst || session.usesDefaultFilter)
    if isFirst { session.watch.distanceFilter = session.dialect == .handlebar ? configuration.distanceFilter : 0 }
    session.watch.merge(watch)
    let settings = session.watch
    session.readsGPSDFields = settings.enable && !session.usesAdditions
    guard settings.enable else {
      session.feed = nil
      updateGPSDFields(engine)
      return session.enqueue(line { watchReport(of: session).write(into: &$0) })
    }
    let heartbeat = settings.heartbeat.flatMap { $0 > 0 ? Duration(finiteSeconds: $0) : nil }
    // The parser and the configuration have checked both.
    guard let distance = settings.distanceFilter,
      let filter = try? FilterConfiguration(distance: distance, heartbeat: heartbeat)
    else { return }
    let additions = session.usesAdditions
    let poses = settings.poses.flatMap { additions && $0 > 0 ? PoseGrid(rate: $0, from: instant) : nil }
    let every = settings.arrivals.flatMap { $0 > 0 ? Duration(finiteSeconds: $0) : nil }
    let feed = Feed(
      filter: DistanceFilter(filter), usesAdditions: additions, poses: poses,
      arrivals: every.map { (instant + $0, $0) }, course: additions && settings.course == true,
      // A filter that the client asks for holds for the figures of trips, too.
      trips: (settings.trips ?? true, !session.usesDefaultFilter && settings.distanceFilter != 0),
      sensors: additions && settings.sensors == true, estimates: additions && settings.estimated == true,
      satellites: settings.satellites ?? true)
    session.feed = settings.json == true ? feed : nil
    updateGPSDFields(engine)
    session.enqueue(
      line {
        devicesReport(for: session, engine).write(into: &$0)
        watchReport(of: session).write(into: &$0)
      })
    if session.feed?.usesAdditions == true { sendSnapshot(to: session, at: instant, engine) }
    self.engine.noteInterest()
  }

  private func sendSnapshot(
    to session: ClientSession, at instant: MonotonicInstant, _ engine: borrowing LocationEngine
  ) {
    if let newest = engine.desk.newest, session.isSubscribed(to: fixLines.device(of: newest)) {
      session.feed?.filter.delivered(newest, at: instant)
      session.enqueue(fixLines.line(of: newest, for: .snapshot, age: instant.seconds(since: newest.fix.received)))
    }
    session.enqueue(line { writeState(for: session, at: instant, engine, into: &$0) })
  }

  /// Sends the current state in place of discarded events.
  func sendState(to session: ClientSession) {
    engine.turn(at: nil) { instant in
      guard session.takeStateDue(), session.feed?.usesAdditions == true else { return }
      engine.read { engine in
        session.enqueue(
          line { line in
            watchReport(of: session).write(into: &line)
            writeState(for: session, at: instant, engine, into: &line)
            if rides.recorder != nil { recordReport().write(into: &line) }
            sources.lead(in: engine).player?.playback.write(into: &line)
          })
      }
    }
  }

  private func writeState(
    for session: ClientSession, at instant: MonotonicInstant, _ engine: borrowing LocationEngine,
    into line: inout JSONLine
  ) {
    stateReport(engine.leadStatus(at: instant), at: instant, engine).write(counts: leadCounts(engine), into: &line)
    for question in DeskQuestion.snapshot where question != .trips || session.watch.trips != false {
      for report in (try? question.reports(of: engine.desk, at: instant)) ?? [] { report.write(into: &line) }
    }
    if session.feed?.course == true, let course = engine.desk.courses.followed {
      CourseReport(course).write(into: &line)
    }
    guard session.feed?.sensors == true else { return }
    for sensor in engine.desk.sensors.statuses { SensorReport(sensor, at: instant).write(into: &line) }
  }

  func send(
    _ answer: LocateAnswer, to session: ClientSession, at instant: MonotonicInstant, _ engine: borrowing LocationEngine
  ) {
    var report: ErrorReport
    switch answer.outcome {
    case .fix(let fix):
      return session.enqueue(fixLines.line(of: fix, for: .requested, age: instant.seconds(since: fix.fix.received)))
    case .timedOut:
      let phase = engine.supervisor.leadState.phase.rawValue
      report = ErrorReport(
        message: "no fix in time; the receiver is \(phase)", code: .timedOut, request: "LOCATE")
    case .failed(let error): report = ErrorReport(error, request: "LOCATE")
    }
    report.lastKnown = lastKnown(at: instant, engine)
    session.enqueue(line { report.write(into: &$0) })
  }

  private func answer(
    _ question: DeskQuestion, _ name: StaticString, _ desk: ClientDesk, at instant: MonotonicInstant,
    to session: ClientSession
  ) {
    do throws(RequestRefusal) {
      let reports = try question.reports(of: desk, at: instant)
      session.enqueue(
        line { line in
          if reports.isEmpty { question.nothing.write(into: &line) }
          for report in reports { report.write(into: &line) }
        })
    } catch {
      refuse("\(name)", "\(error)", to: session)
    }
  }

  func refuse(
    _ request: String, _ message: String, code: ErrorCode = .request, isBad: Bool = true, to session: ClientSession
  ) {
    if isBad { clients.counters.badRequests += 1 }
    session.enqueue(line { ErrorReport(message: message, code: code, request: request).write(into: &$0) })
  }
}
