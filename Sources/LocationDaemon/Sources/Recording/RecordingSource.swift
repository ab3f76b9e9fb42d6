import GPSDProtocol
import LocationCore
import Logging
import NIOCore
import Recordings

/// A recording, or a simulated ride, in the place of a receiver: its bytes arrive at the recorded times. Each read has
/// its recorded instant, whenever the loop gets to it: the same recording gives the same output at any speed.
package final class RecordingSource: ReceiverSource, RecordedStream {
  enum State {
    case idle
    case playing(Replay)
    /// Reads on towards a position.
    case seeking(Replay, Seek)
    /// Everything was read; another position can be sought.
    case ended(Replay)
    case failed(PlaybackRefusal)
    case stopped
  }

  /// A replay in progress; recorded time began at `start` in engine time.
  final class Replay {
    /// The recording; `nil` for a simulated ride, which has no positions to seek.
    let recording: RecordedReplay?
    private let ride: SimulatedReplay?
    let start: MonotonicInstant
    var next: RecordingReplay.Item?
    var pass = 0
    var file = 0
    /// Time of the newest input, in engine time.
    var last: MonotonicInstant

    init(_ recording: RecordedReplay?, _ ride: SimulatedReplay?, start: MonotonicInstant) {
      self.recording = recording
      self.ride = ride
      self.start = start
      last = start
    }

    /// The next input; `nil` at the end.
    func read() throws(RecordingError) -> RecordingReplay.Item? {
      if let ride { ride.next() } else { try recording?.replay.next() }
    }
  }

  final class Seek {
    let target: Duration
    var receivers: SoughtReceivers

    init(to target: Duration, _ receivers: SoughtReceivers) {
      self.target = target
      self.receivers = receivers
    }
  }

  let options: RecordingOptions
  let simulation: SimulatedSourceOptions?
  let inlet: SourceInlet
  var state = State.idle
  var speed: PlaybackSpeed
  var isPaused = false
  var position = Duration.zero
  var duration: Duration?
  /// Position to begin at, if a client has requested one.
  var beginning: Duration?
  var timer: Scheduled<Void>?
  var waitsForClients = false
  var recorded: RecordedSources
  package private(set) var link = LinkCounters()
  private var lengthReader: LengthReader?
  /// The first recorded source that was found, or the chosen one.
  private var firstFound: Int?
  private var hasReportedOthers = false

  package init(
    _ options: RecordingOptions, simulating simulation: SimulatedSourceOptions? = nil, into inlet: SourceInlet
  ) {
    self.options = options
    self.simulation = simulation
    self.inlet = inlet
    speed = options.speed
    recorded = RecordedSources(
      inlet.source.setup, checksums: options.statedChecksums, only: options.recordedSource)
    firstFound = options.recordedSource
  }

  var engineLoop: EngineLoop { inlet.loop }
  var source: ConfiguredSource { inlet.source }
  /// Whether the replay determines time: it is the only source, without sensors.
  var ownsTime: Bool { engineLoop.sources.all.count == 1 && !engineLoop.hasSensors }

  package func start() {
    if simulation == nil { engineLoop.onDrain = { self.clientsDidDrain() } }
    switch options.start {
    case .now: play()
    case .watch:
      engineLoop.onFirstInterest {
        // Not within the request's own turn: its responses go first.
        self.inlet.eventLoop.assumeIsolated().execute { self.play() }
      }
    }
  }

  package func stop() {
    engineLoop.reportUnusableEvents()
    state = .stopped
    if simulation == nil { engineLoop.onDrain = {} }
    lengthReader?.stop()
    engineLoop.clock.horizon = nil
    timer?.cancel()
  }

  private func play() {
    guard case .idle = state else { return }
    inlet.note(.opening)
    let player: Replay
    do {
      let ride = try simulation.map { try SimulatedReplay($0) }
      player = Replay(try ride == nil ? RecordedReplay(options) : nil, ride, start: engineLoop.clock.now)
    } catch {
      state = .failed(PlaybackRefusal(description: "\(error)"))
      inlet.note(.failed(.misconfigured(source: source.device, reason: "\(error)")))
      return
    }
    setPace()
    state = .playing(player)
    inlet.note(.opened)
    if simulation == nil, case .times = options.speed {
      lengthReader = LengthReader(files: options.paths, on: inlet.eventLoop) { [weak self] in self?.duration = $0 }
    }
    if let beginning { seek(to: beginning) } else { continuePlaying() }
  }

  /// Reads the next input; false at the end.
  func load(_ player: Replay) -> Bool {
    if player.next != nil { return true }
    do throws(RecordingError) {
      if case .max = options.speed { player.recording?.replay.published = engineLoop.engine.desk.newest?.fix.measured }
      player.next = try player.read()
    } catch {
      inlet.log.error("replay stopped early: \(error)")
    }
    if simulation != nil, let next = player.next, next.pass != player.pass {
      player.pass = next.pass
      engineLoop.jump(in: recorded, at: player.last)
    }
    return player.next != nil
  }

  func perform(_ item: RecordingReplay.Item, of player: Replay, at due: MonotonicInstant) {
    player.next = nil
    player.last = due
    position = item.position
    var input = item.input
    input.instant = due
    reportOthers(input.source)
    switch input.content {
    case .begin, .end, .restart, .gap, .shift: break
    default:
      if item.pass != player.pass || item.file != player.file {
        player.pass = item.pass
        player.file = item.file
        engineLoop.publish(playback, at: due)
      }
      if recorded.id(of: input.source) != nil { count(input.content) }
    }
    engineLoop.play(input, of: self)
  }

  private func count(_ content: RecordedInput.Content) {
    switch content {
    case .report: link.reports &+= 1
    case .otherReport: link.unknown &+= 1
    case .malformedReport: link.malformed &+= 1
    default: break
    }
  }

  private func reportOthers(_ source: Int?) {
    guard !hasReportedOthers, let source else { return }
    guard let firstFound else { return self.firstFound = source }
    guard source != firstFound else { return }
    hasReportedOthers = true
    if options.recordedSource != nil {
      inlet.log.warning(
        "the recording has several sources, of which one is played; choose it with src=NUMBER",
        metadata: ["DEVICE": "\(self.source.device)", "PLAYED": "\(firstFound)", "OTHER": "\(source)"])
    } else {
      inlet.log.notice(
        "the recording has several sources, and the first one with a fix leads; choose one with src=NUMBER",
        metadata: ["DEVICE": "\(self.source.device)"])
    }
  }

  func end(_ player: Replay) {
    if let damage = player.recording?.replay.damage, damage.total > 0 {
      inlet.log.warning("parts of the recording could not be read", metadata: ["DAMAGE": "\(damage)"])
    }
    engineLoop.reportUnusableEvents()
    state = .ended(player)
    duration = duration ?? position
    // The end is at the last read, not when the loop finds that nothing follows.
    let instant = player.last
    engineLoop.batch {
      engineLoop.end(recorded, at: instant)
      if simulation == nil { engineLoop.publish(playback, at: instant) }
    }
    engineLoop.clock.horizon = nil
    if ownsTime {
      // From here on the machine's clock times what is pending.
      engineLoop.clock.run(rate: 1)
      engineLoop.clock.waitsForClients = false
      engineLoop.rateDidChange()
      engineLoop.turn { _ in }
    }
    let ended: Logger.Message = simulation == nil ? "recording ended" : "simulated ride ended"
    inlet.log.info(ended, metadata: ["DEVICE": "\(source.device)"])
  }
}
