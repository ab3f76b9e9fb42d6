import GPSDProtocol
import LocationCore
import Logging
import Recordings

/// What a recording repeats besides bytes.
extension Publisher {
  /// The session in whose name a recording's requests are made; connections count from 1.
  private static let replaySession = SessionID(0)

  /// Lets the recording's renderer take part.
  func openReplaySession() {
    pipeline.turn { pipeline, instant in pipeline.follow.sessionOpened(Self.replaySession, at: instant) }
  }

  /// Repeats an event: a request of a recorded renderer, or a source that was lost or found.
  func replay(event json: [UInt8], from lane: Lane, at instant: MonotonicInstant) {
    if json == RecordedEvent.sourceLost {
      lane.lose(
        .unavailable(source: lane.uri.device, reason: "it was lost when this was recorded"), at: instant)
    } else if json == RecordedEvent.sourceFound {
      lane.open(at: instant)
    } else if let request = Request(recorded: json) {
      pipeline.turn(at: instant) { _, instant in repeatRequest(request, at: instant) }
    } else {
      log.warning("the recording holds an event that is not understood")
    }
  }

  /// A recording at full speed is over: from here on clients are served as in real time.
  func endLossless() {
    audience.isLossless = false
  }

  /// A recording plays at full speed from here on: it waits for every client.
  func beginLossless() {
    audience.isLossless = true
  }

  /// How the recording stands or, with a request, what became of that.
  func answer(_ request: PlaybackRequest?, to session: Session, at instant: MonotonicInstant) {
    let players = [pipeline.lead.source?.player] + pipeline.lanes.map { $0.source?.player }
    guard let player = players.compactMap({ $0 }).first else {
      return refuse("PLAYBACK", "\(PlaybackRefusal.noRecording)", to: session)
    }
    if let request {
      do throws(PlaybackRefusal) {
        try player.change(request)
      } catch {
        return refuse("PLAYBACK", "\(error)", to: session)
      }
      // A subscriber has heard it with everyone else.
      if session.subscription?.extensions == true { return }
    }
    session.send(line { player.playback.write(into: &$0) })
  }

  /// Tells every subscriber how a recording stands.
  func tell(_ playback: PlaybackReport, at instant: MonotonicInstant) {
    pipeline.turn(at: instant) { _, _ in audience.broadcast(line { playback.write(into: &$0) }) }
  }

  /// Tells that a recording is over.
  func recordingDidEnd(_ lane: Lane, position: Duration, at instant: MonotonicInstant) {
    var report = PlaybackReport(source: lane.name, position: position.inSeconds, speed: nil)
    report.ended = true
    pipeline.turn(at: instant) { _, _ in audience.broadcast(line { report.write(into: &$0) }) }
  }

  private func repeatRequest(_ request: Request, at instant: MonotonicInstant) {
    do {
      switch request {
      case .view(let view):
        let report = ViewReport(
          view: view.view, coordinate: view.position, seq: view.seq,
          cause: view.cause.flatMap { ViewCause(rawValue: $0.rawValue) })
        pipeline.perform(try pipeline.follow.report(report, from: Self.replaySession, at: instant), at: instant)
      case .setFollow(let view, let enable):
        let actions = try pipeline.follow.set(
          following: enable, view: view, session: Self.replaySession, at: instant)
        pipeline.perform(actions, at: instant)
      case .setTarget(let target):
        try pipeline.targets.set(
          Target(name: target.name, coordinate: target.position, radius: target.radius ?? 100))
      case .removeTarget(let name): _ = pipeline.targets.remove(name)
      default: break
      }
    } catch {
      log.warning("a recorded request is refused: \(error)")
    }
  }
}
