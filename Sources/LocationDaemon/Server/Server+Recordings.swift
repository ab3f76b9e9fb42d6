import GPSDProtocol
import LocationCore
import Logging
import Recordings

extension Server {
  func handle(_ request: RecordRequest?, from session: ClientSession) {
    guard let request else { return sendRecording(to: session) }
    guard let recorder = rides.recorder else {
      return refuse("RECORD", "no recording directory is configured; start handlebard with --record DIR", to: session)
    }
    if let directory = request.directory, !recorder.isDirectory(directory) {
      return refuse(
        "RECORD", "the configured recording directory is \(recorder.directory); omit the directory from the request",
        to: session)
    }
    // The result is published once the disk has responded.
    if request.enable { recorder.start() } else { recorder.end() }
    sendRecording(to: session)
  }

  private func sendRecording(to session: ClientSession) { session.enqueue(line { recordReport().write(into: &$0) }) }

  func recordingDidChange() {
    engine.turn(at: nil) { _ in clients.broadcast(line { recordReport().write(into: &$0) }) }
  }

  func recordReport() -> RecordReport {
    guard let recorder = rides.recorder else { return RecordReport(state: .off) }
    let status = recorder.status
    var report = RecordReport(state: .init(rawValue: status.state.rawValue))
    report.directory = recorder.directory
    report.bytes = status.bytesWritten
    report.error = status.failure
    guard status.state == .recording else { return report }
    report.ride = status.ride
    report.file = status.path
    guard let figures = status.figures, figures.fixes > 0 else { return report }
    report.start = figures.start
    report.duration = Duration(finiteSeconds: figures.duration)
    report.movingTime = Duration(finiteSeconds: figures.movingTime)
    report.distance = figures.distance
    report.ascent = figures.ascent
    report.maxSpeed = figures.maximumSpeed
    report.averageSpeed = figures.averageSpeed
    report.fixes = figures.fixes
    report.gaps = figures.gaps
    return report
  }

  /// Reports the playback state, after applying the request if there is one.
  func handle(_ request: PlaybackRequest?, from session: ClientSession, at instant: MonotonicInstant) {
    var players: [RecordingSource] = []
    engine.read { players = ([sources.lead(in: $0)] + sources.all).compactMap { $0.transport?.player } }
    guard let player = players.first else { return refuse("PLAYBACK", "\(PlaybackRefusal.noRecording)", to: session) }
    if let request {
      do throws(PlaybackRefusal) {
        try player.change(request)
      } catch {
        return refuse("PLAYBACK", "\(error)", to: session)
      }
      // Subscribers received it by the broadcast.
      if session.subscription?.extensions == true { return }
    }
    session.enqueue(line { player.playback.write(into: &$0) })
  }

  func publish(_ playback: PlaybackReport, at instant: MonotonicInstant) {
    engine.turn(at: instant) { _ in clients.broadcast(line { playback.write(into: &$0) }) }
  }

  func recordingDidEnd(_ source: ConfiguredSource, position: Duration, at instant: MonotonicInstant) {
    var report = PlaybackReport(source: source.name, position: position, speed: nil)
    report.isEnded = true
    engine.turn(at: instant) { _ in clients.broadcast(line { report.write(into: &$0) }) }
  }
}
