import GPSDProtocol
import LocationCore
import Logging
import NIOCore
import Recordings

/// What clients ask of a replay.
extension RecordingSource: PlaybackPlayer {
  package var playback: PlaybackReport {
    var report = PlaybackReport(source: feed.name, position: position.inSeconds, speed: nil, paused: isPaused)
    report.duration = duration?.inSeconds
    if case .times(let multiple) = speed { report.speed = multiple }
    var file = 0
    switch state {
    case .ended(let player):
      report.ended = true
      file = player.file
    case .playing(let player), .seeking(let player, _): file = player.file
    case .idle:
      report.position = beginning?.inSeconds ?? 0
    case .failed, .stopped: break
    }
    if case .seeking(_, let target) = state { report.position = min(target, duration ?? target).inSeconds }
    report.file = options.paths.indices.contains(file) ? options.paths[file] : nil
    return report
  }

  package func change(_ request: PlaybackRequest) throws(PlaybackRefusal) {
    switch state {
    case .failed(let refusal): throw refusal
    case .stopped: throw .stopped
    case .idle, .playing, .seeking, .ended: break
    }
    if !ownsTime, request.pause != nil || request.speed != nil { throw .sharedTime }
    if request.speed == .max, options.loops { throw .endless }
    switch request.speed {
    case nil: break
    case .times(let multiple): speed = .times(multiple)
    case .max: speed = .max
    }
    isPaused = request.pause ?? isPaused
    let isSought = request.seek.flatMap { Duration(finiteSeconds: $0) }
    switch state {
    case .playing, .seeking:
      if request.speed != nil || request.pause != nil {
        setPace()
        continueSoon()
      }
      if let isSought { seek(to: isSought) }
    case .ended: if let isSought { seek(to: isSought) }
    case .idle: beginning = isSought ?? beginning
    case .failed, .stopped: break
    }
    // Of a new place it is told once it is found.
    if !isSeeking { tell(at: host.clock.now) }
  }

  /// Goes on at another place: what comes from there is a new measurement.
  func seek(to target: Duration) {
    let player: Player
    switch state {
    case .playing(let current), .seeking(let current, _): player = current
    case .ended(let over):
      player = over
      feed.sourceIsOpening()
      feed.sourceDidOpen()
      setPace()
    case .idle, .failed, .stopped: return
    }
    timer?.cancel()
    timer = nil
    waitsForClients = false
    feed.seek(at: host.clock.now)
    player.next = nil
    host.clock.horizon = nil
    do throws(RecordingError) {
      player.schedule.published = host.engine.newest?.fix.measured
      try player.schedule.beginSeek(to: target)
      player.measurement = player.schedule.measurement
      feed.beginLeadIn()
      state = .seeking(player, to: target)
      position = target
      continueSoon()
    } catch {
      log.error("replay ends early: \(error)")
      end(player)
    }
  }

  /// Tells every subscriber how the replay stands.
  func tell(at instant: MonotonicInstant) {
    server.publish(playback, at: instant)
  }
}
