import GPSDProtocol
import LocationClient
import LocationCore
import Recordings

extension LocationUpdates {
  /// The updates of a recording: positions as a subscription with a distance filter of 0 delivers them, losses and
  /// returns of the fix, and changes of follow mode. They end with the recording.
  ///
  /// No daemon takes part, and no update is left out. At full speed nothing waits, so that an hour's ride takes a
  /// moment; ``Position/received`` then advances as on the road.
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
private struct RecordedUpdates: AsyncSequence, Sendable {
  let path: String
  let speed: PlaybackSpeed

  func makeAsyncIterator() -> Iterator { Iterator(path: path, speed: speed) }

  final class Iterator: AsyncIteratorProtocol, UpdateClock {
    private var reader: RideReader?
    private let speed: PlaybackSpeed
    private let begin = ContinuousClock.now
    private var filter = DistanceFilter(.everyFix)
    private var hasFix = false
    private var newestFix: Fix?
    /// Number of the newest fix; fixes are numbered on in a further run of the recorder.
    private var newest: UInt64 = 0
    private var base: UInt64 = 0
    private(set) var instant: ContinuousClock.Instant
    private var pending: [(update: LocationClient.Update, due: ContinuousClock.Instant)] = []

    init(path: String, speed: PlaybackSpeed) {
      reader = try? RideReader(files: [path])
      self.speed = speed
      instant = begin
    }

    func next(isolation actor: isolated (any Actor)?) async throws(Never) -> LocationClient.Update? {
      while pending.isEmpty {
        guard (try? reader?.advance()) == true else { return nil }
        read()
      }
      let (update, due) = pending.removeFirst()
      instant = due
      if case .times = speed {
        do { try await Task.sleep(until: due, clock: .continuous) } catch { return nil }
      }
      return update
    }

    private func read() {
      for moment in reader?.moments ?? [] {
        switch moment {
        case .fix(let fix): take(fix)
        case .lost(let instant), .interrupted(let instant):
          if case .interrupted = moment { base = newest }
          hasFix = false
          add(StateReport(phase: .lost), at: instant)
        case .source(_, let reason, let instant):
          var report = StateReport(phase: hasFix ? .tracking : .acquiring)
          report.leadReason = .init(rawValue: reason.rawValue)
          add(report, at: instant)
        case .follow(let state, let instant): add(.follow(FollowReport(state)), at: instant)
        }
      }
    }

    private func take(_ track: TrackFix) {
      newest = base + track.seq
      let fix = PublishedFix(fix: track.fix, seq: newest, source: track.source, changes: track.changes)
      let instant = track.published
      if !hasFix { add(StateReport(phase: .tracking, mode: track.fix.mode.rawValue), at: instant) }
      hasFix = true
      newestFix = track.fix
      guard let reason = filter.evaluate(fix, at: instant) else { return }
      // The same way as from the daemon: rounded on a line.
      var line = JSONLine(capacity: 512)
      TPV.body(track.fix, device: nil, into: &line)
      TPV.finish(&line, fix, reason: reason, source: name(of: track.source))
      guard let report = try? Report(line: Array(line.bytes)[...]),
        let update = LocationClient.Update(report, at: due(track.fix.received))
      else { return }
      add(update, at: instant)
    }

    private func name(of source: Int) -> String? {
      let names = reader?.devices ?? []
      return names.indices.contains(source) ? names[source] : nil
    }

    /// Adds a state with UTC as extrapolated from the newest fix, until which a renderer draws poses.
    private func add(_ report: StateReport, at instant: MonotonicInstant) {
      var report = report
      report.time = newestFix.flatMap { fix in fix.measured.map { $0 + (instant - fix.received) } }
      add(.state(report), at: instant)
    }

    private func add(_ update: LocationClient.Update, at instant: MonotonicInstant) {
      pending.append((update, due(instant)))
    }

    private func due(_ instant: MonotonicInstant) -> ContinuousClock.Instant {
      let offset = instant - MonotonicInstant.zero
      if case .times(let multiple) = speed { return begin + offset / multiple }
      return begin + offset
    }
  }
}
