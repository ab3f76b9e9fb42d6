import GPSDProtocol
import LocationClient
import LocationCore
import Recordings
import Synchronization

extension LocationUpdates {
  /// The updates of a recording as a subscription with a distance filter of 0 receives them from a daemon that plays
  /// it: `connected`, positions, satellites, states, and the changes of follow mode, targets and trips. They end with
  /// the recording.
  ///
  /// No daemon takes part, and no update is left out. At full speed nothing waits, so that an hour's ride takes a
  /// moment; ``Position/received`` then advances as on the road. Targets are the recorded ones and those of
  /// ``setTarget(_:at:radius:)``, which are watched from the next update on.
  ///
  /// - Parameters:
  ///   - path: A recording of the daemon, or any log of NMEA sentences or of a gpsd's JSON.
  ///   - speed: As fast as the consumer takes the updates, or a multiple of real time.
  ///   - onReport: Gets every view that is reported.
  /// - Throws: An error that describes what is wrong with the file.
  public static func recording(
    _ path: String, speed: PlaybackSpeed = .max, onReport: @escaping @Sendable (ViewRequest) -> Void = { _ in }
  ) throws -> LocationUpdates {
    _ = try RecordingReader.format(ofFileAt: path)
    return LocationUpdates(RecordedUpdates(path: path, speed: speed), onReport: onReport)
  }
}

/// The updates of a recording, from its start in every iteration.
private final class RecordedUpdates: AsyncSequence, TargetUpdates {
  let path: String
  let speed: PlaybackSpeed
  /// Those about targets so far.
  let requests = Mutex<[EngineRequest]>([])

  init(path: String, speed: PlaybackSpeed) {
    self.path = path
    self.speed = speed
  }

  func change(_ request: EngineRequest) { requests.withLock { $0.append(request) } }
  func makeAsyncIterator() -> Iterator { Iterator(self) }

  final class Iterator: AsyncIteratorProtocol, UpdateClock {
    /// The client of the requests; recorded ones are of another.
    private static let client = ClientID(1)
    private static let setup = SourceSetup(id: 0, form: .either)

    private let recording: RecordedUpdates
    private var replay: RecordingReplay?
    private var engine = LocationEngine(sources: [setup], at: .zero)
    private var sources = RecordedSources(setup)
    private var events = EngineEvents()
    private var filter = DistanceFilter(.everyFix)
    private var skyClock = SkyClock()
    private var names: [String] = []
    private var taken = 0
    private var reached = MonotonicInstant.zero
    private let begin = ContinuousClock.now
    private(set) var instant: ContinuousClock.Instant
    private var pending: [(update: LocationClient.Update, due: ContinuousClock.Instant)] = []

    init(_ recording: RecordedUpdates) {
      self.recording = recording
      replay = try? RecordingReplay(files: [recording.path])
      instant = begin
      add(.connected(VersionReport(release: "recording", revision: "")), at: .zero)
      engine.connect(Self.client)
    }

    func next(isolation actor: isolated (any Actor)?) async throws(Never) -> LocationClient.Update? {
      while pending.isEmpty {
        sendRequests()
        // Of what the daemon had refused, nothing is recorded.
        guard let item = try? replay?.next() else { return nil }
        if case .begin(let run) = item.input.content { names = run.devices }
        reached = item.input.instant
        try? engine.replay(item.input, of: &sources, into: &events)
        deliverEvents()
      }
      let (update, due) = pending.removeFirst()
      instant = due
      if case .times = recording.speed {
        do { try await Task.sleep(until: due, clock: .continuous) } catch { return nil }
      }
      return update
    }

    private func sendRequests() {
      for request in recording.requests.withLock({ $0[taken...] }) {
        taken += 1
        do throws(RequestRefusal) {
          try engine.handle(request, from: Self.client, at: reached, into: &events)
        } catch {
          deliverEvents()
          let name = "\(Request.engine(request).name)"
          add(.error(ErrorReport(message: "\(error)", code: .request, request: name)), at: reached)
        }
      }
      deliverEvents()
    }

    private func deliverEvents() {
      for entry in events.list {
        let instant = entry.instant
        switch entry.event {
        case .fix(let fix, let sky, _):
          deliver(fix, at: instant)
          if let sky { deliver(sky, at: instant) }
        case .changed(let fix): deliver(fix, at: instant)
        case .sky(let sky, _): deliver(sky, at: instant)
        case .lead(let status):
          var report = StateReport(status, at: instant)
          report.source = name(of: status.source)
          add(.state(report), at: instant)
        case .told(_, to: .client): break
        case .told(.course(let status), _) where !isDelivered(status): break
        case .told(let event, _): addLine(at: instant, received: instant) { event.write(into: &$0) }
        default: break
        }
      }
      events.removeAll()
    }

    private func deliver(_ fix: PublishedFix, at instant: MonotonicInstant) {
      guard let reason = filter.evaluate(fix, at: instant) else { return }
      addLine(at: instant, received: fix.fix.received) { line in
        TPV.body(fix.fix, device: nil, into: &line)
        TPV.finish(&line, fix, reason: reason, source: name(of: fix.source))
      }
    }

    private func deliver(_ sky: Sky, at instant: MonotonicInstant) {
      guard skyClock.isDue(sky.measured, at: instant) else { return }
      addLine(at: instant, received: instant) { SkyReport.write(sky, device: nil, into: &$0) }
    }

    /// Whether the course's state has changed, or its fix was delivered.
    private func isDelivered(_ course: CourseStatus) -> Bool {
      course.isTransition || course.seq == filter.reference?.seq
    }

    private func name(of source: SourceID) -> String? {
      names.indices.contains(Int(source.recorded)) ? names[Int(source.recorded)] : nil
    }

    /// Adds an update as it comes from the daemon: rounded on a line.
    private func addLine(
      at instant: MonotonicInstant, received: MonotonicInstant, _ write: (inout JSONLine) -> Void
    ) {
      var line = JSONLine(capacity: 512)
      write(&line)
      guard let report = try? Report(line: Array(line.bytes)[...]),
        let update = LocationClient.Update(report, at: due(received))
      else { return }
      add(update, at: instant)
    }

    private func add(_ update: LocationClient.Update, at instant: MonotonicInstant) {
      pending.append((update, due(instant)))
    }

    private func due(_ instant: MonotonicInstant) -> ContinuousClock.Instant {
      let offset = instant - MonotonicInstant.zero
      if case .times(let multiple) = recording.speed { return begin + offset / multiple }
      return begin + offset
    }
  }
}
