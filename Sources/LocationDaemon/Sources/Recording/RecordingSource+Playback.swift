import GPSDProtocol
import NIOCore
import Recordings

extension RecordingSource {
  var playback: PlaybackReport {
    var report = PlaybackReport(source: source.name, position: position, speed: nil, isPaused: isPaused)
    report.duration = duration
    if case .times(let multiple) = speed { report.speed = multiple }
    var file = 0
    switch state {
    case .ended(let player):
      report.isEnded = true
      file = player.file
    case .playing(let player), .seeking(let player, _): file = player.file
    case .idle: report.position = beginning ?? .zero
    case .failed, .stopped: break
    }
    if case .seeking(_, let seek) = state { report.position = min(seek.target, duration ?? seek.target) }
    report.file = options.paths.indices.contains(file) ? options.paths[file] : nil
    return report
  }

  /// Carries out a request and reports the new state to every subscriber; seeking continues in the background.
  func change(_ request: PlaybackRequest) throws(PlaybackRefusal) {
    switch state {
    case .failed(let refusal): throw refusal
    case .stopped: throw .stopped
    case .idle, .playing, .seeking, .ended: break
    }
    if !ownsTime, request.pause != nil || request.speed != nil { throw .sharedTime }
    if request.speed == .max, options.loops { throw .endless }
    speed = request.speed ?? speed
    isPaused = request.pause ?? isPaused
    let target = request.seek.flatMap { Duration(finiteSeconds: $0) }
    switch state {
    case .playing, .seeking:
      if request.speed != nil || request.pause != nil {
        setPace()
        continueSoon()
      }
      if let target { seek(to: target) }
    case .ended: if let target { seek(to: target) }
    case .idle: beginning = target ?? beginning
    case .failed, .stopped: break
    }
    // A new position is reported once it is reached.
    if !isSeeking { engineLoop.publish(playback, at: engineLoop.clock.now) }
  }

  func seek(to target: Duration) {
    let player: Replay
    switch state {
    case .playing(let current), .seeking(let current, _): player = current
    case .ended(let over):
      player = over
      inlet.note(.opening)
      inlet.note(.opened)
      setPace()
    case .idle, .failed, .stopped: return
    }
    guard let recording = player.recording else { return }
    timer?.cancel()
    timer = nil
    waitsForClients = false
    engineLoop.jump(in: recorded, at: engineLoop.clock.now)
    player.next = nil
    engineLoop.clock.horizon = nil
    do throws(RecordingError) {
      recording.replay.published = engineLoop.engine.desk.newest?.fix.measured
      try recording.replay.beginSeek(to: target)
      let receivers = SoughtReceivers(of: recorded, in: engineLoop.engine)
      state = .seeking(player, Seek(to: target, receivers))
      position = target
      continueSoon()
    } catch {
      inlet.log.error("replay stopped early: \(error)")
      end(player)
    }
  }
}

/// Measures the length of a recording, beside its replay and without blocking the loop.
final class LengthReader {
  private static let itemsPerTurn = 256
  private static let pause = Duration.milliseconds(2)

  private let loop: any EventLoop
  private let body: (Duration) -> Void
  private var length: RecordingLength?

  /// Calls `body` with the length, or never if a file cannot be read.
  init(files: [String], on loop: any EventLoop, _ body: @escaping (Duration) -> Void) {
    self.loop = loop
    self.body = body
    // The replay itself reports an error.
    length = try? RecordingLength(files: files)
    readOn()
  }

  func stop() { length = nil }

  private func readOn() {
    guard length != nil else { return }
    do throws(RecordingError) {
      if let whole = try length?.measure(atMost: Self.itemsPerTurn) {
        length = nil
        return body(whole)
      }
    } catch {
      length = nil
      return
    }
    loop.schedule(in: Self.pause) { [weak self] in self?.readOn() }
  }
}
