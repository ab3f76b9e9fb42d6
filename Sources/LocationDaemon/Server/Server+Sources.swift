import GPSDProtocol
import LocationCore
import SystemPackage

extension Server {
  func handle(_ request: RecordRequest?, from session: ClientSession) {
    guard let request else { return sendRecording(to: session) }
    guard let directory = configuration.recordDirectory else {
      return refuse("RECORD", "no recording directory is configured; start handlebard with --record DIR", to: session)
    }
    // A `FilePath` would end at a NUL.
    if let other = request.directory, other.utf8.contains(0) || FilePath(other) != FilePath(directory) {
      return refuse(
        "RECORD", "the configured recording directory is \(directory); omit the directory from the request",
        to: session)
    }
    // The result is published once the disk has responded.
    if let recorder = rides.recorder {
      if request.enable { recorder.start() } else { recorder.end() }
    } else {
      rides.recordsNext = request.enable
    }
    sendRecording(to: session)
  }

  private func sendRecording(to session: ClientSession) { session.enqueue(line { recordReport().write(into: &$0) }) }

  func recordingDidChange() {
    engine.turn(at: nil) { _ in clients.broadcast(line { recordReport().write(into: &$0) }) }
  }

  func recordReport() -> RecordReport {
    guard let directory = configuration.recordDirectory else { return RecordReport(state: .off) }
    let status = rides.recorder?.status
    let state = status?.state ?? (rides.recordsNext == true ? .starting : .stopped)
    var report = RecordReport(state: state)
    report.directory = directory
    report.bytes = status?.bytesWritten
    report.error = status?.failure
    guard let status, state == .recording else { return report }
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
    engine.read { players = ([sources.lead(in: $0)] + sources.all).compactMap(\.player) }
    guard let player = players.first else {
      return refuse("PLAYBACK", "\(PlaybackRefusal.noRecording)", isBad: request != nil, to: session)
    }
    if let request {
      do throws(PlaybackRefusal) {
        try player.change(request)
      } catch {
        return refuse("PLAYBACK", "\(error)", to: session)
      }
      // Subscribers received it by the broadcast.
      if session.feed?.usesAdditions == true { return }
    }
    session.enqueue(line { player.playback.write(into: &$0) })
  }
}

extension ConfiguredSource {
  var serial: SerialSource? { transport as? SerialSource }
  /// What plays a recording, whose position a client can change; `nil` for a simulated ride, too.
  var player: RecordingSource? { (transport as? RecordingSource).flatMap { $0.simulation == nil ? $0 : nil } }
}

extension Server {
  /// Reports the set-up of a source's receiver, after starting it if the request asks for that.
  func handle(_ request: ReceiverRequest?, from session: ClientSession) {
    let named = sources.all.filter { request?.source == nil || $0.name == request?.source }
    let serial = named.filter { $0.uri.kind is SerialOptions }
    guard
      let source = serial.first(where: { $0.serial?.receiver != nil }) ?? serial.first
        ?? named.first
    else {
      return refuse("RECEIVER", "there is no such source", to: session)
    }
    guard let transport = source.serial, let receiver = transport.receiver else {
      if request?.action != nil {
        let reason =
          serial.isEmpty
          ? "is not a serial line; only a receiver on one is set up"
          : "does not ask for a set-up; configure it: receiver = { rate = 5 }"
        return refuse("RECEIVER", "\(source.name) \(reason)", to: session)
      }
      let report = ReceiverReport(source: source.name, device: source.device, state: "off")
      return session.enqueue(line { report.write(into: &$0) })
    }
    if let action = request?.action, !transport.setUpReceiver(applies: action == .apply) {
      return refuse("RECEIVER", "\(source.name) is not open, or sends no sentences yet", to: session)
    }
    session.enqueue(line { receiver.report.write(into: &$0) })
  }
}
