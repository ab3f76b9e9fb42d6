import GPSDProtocol
import LocationCore
import Logging
import NIOCore
import Recordings
import RideTools

/// A recording, or a simulated ride, in the place of a receiver: its bytes arrive at the recorded times.
///
/// Each read has its recorded instant, independent of when the loop got to it: the same recording gives the same output
/// at any speed.
package final class RecordingSource: ReceiverSource {
  enum State {
    /// Nothing has been read.
    case idle
    case playing(Player)
    /// Reads on towards a position.
    case seeking(Player, RecordedReplay, to: Duration)
    /// Everything was read; another position can be sought.
    case ended(Player)
    case failed(PlaybackRefusal)
    case stopped
  }

  /// A replay in progress; recorded time began at `start` in host time.
  final class Player {
    let reader: any ReplayReader
    let start: MonotonicInstant
    /// The next item.
    var next: ReplayItem?
    /// Measurement, pass and file of the newest item.
    var measurement = 0
    var pass = 0
    var file = 0
    /// Time of the newest item, in host time.
    var last: MonotonicInstant

    init(_ reader: any ReplayReader, start: MonotonicInstant) {
      self.reader = reader
      self.start = start
      last = start
    }

    /// The recording; `nil` for a simulated ride, which has no positions to seek.
    var recording: RecordedReplay? { reader as? RecordedReplay }
  }

  let options: RecordingOptions
  /// The ride that is simulated instead of reading files.
  private let simulation: SimulatedSourceOptions?
  let feed: SourceFeed
  let host: EngineHost
  let server: Server
  let loop: any EventLoop
  let log: Logger
  var state = State.idle
  var speed: RecordingOptions.Speed
  var isPaused = false
  /// Position in the recording.
  var position = Duration.zero
  /// Length of the recording, once known.
  var duration: Duration?
  /// Position to begin at, if a client has requested one.
  var beginning: Duration?
  var timer: Scheduled<Void>?
  var waitsForClients = false
  let bytes = RecordedBytes()
  private var lengthReader: LengthReader?
  /// The recorded source that is played, once one was found.
  private var played: Int?
  private var hasWarnedOfOthers = false

  /// A source that feeds `feed` with a recording.
  package convenience init(
    _ options: RecordingOptions, feed: SourceFeed, host: EngineHost, server: Server, on loop: any EventLoop,
    log: Logger
  ) {
    self.init(options, nil, feed: feed, host: host, server: server, on: loop, log: log)
  }

  /// A source that feeds `feed` with a simulated ride.
  package convenience init(
    simulating options: SimulatedSourceOptions, feed: SourceFeed, host: EngineHost, server: Server,
    on loop: any EventLoop, log: Logger
  ) {
    let replay = RecordingOptions(paths: [], speed: .times(options.rate), loops: options.loops, start: .now)
    self.init(replay, options, feed: feed, host: host, server: server, on: loop, log: log)
  }

  private init(
    _ options: RecordingOptions, _ simulation: SimulatedSourceOptions?, feed: SourceFeed, host: EngineHost,
    server: Server, on loop: any EventLoop, log: Logger
  ) {
    self.options = options
    self.simulation = simulation
    self.feed = feed
    self.host = host
    self.server = server
    self.loop = loop
    self.log = log
    speed = options.speed
  }

  package var link: LinkCounters { bytes.link }

  package var player: (any PlaybackPlayer)? { simulation == nil ? self : nil }

  /// Whether the replay determines time: it is the only source.
  var ownsTime: Bool { host.feeds.count == 1 }

  package func start() {
    if simulation == nil { server.clients.onDrain = { [weak self] in self?.clientsDidDrain() } }
    switch options.start {
    case .now: play()
    case .watch:
      server.onFirstInterest { [weak self] in
        // Not within the request's own turn: its responses go first.
        self?.loop.assumeIsolated().execute { self?.play() }
      }
    }
  }

  package func stop() {
    host.reportUnusableEvents()
    state = .stopped
    lengthReader?.stop()
    host.clock.horizon = nil
    timer?.cancel()
  }

  private func play() {
    guard case .idle = state else { return }
    feed.sourceIsOpening()
    let reader: any ReplayReader
    do {
      reader = try simulation.map { try SimulatedReplay($0) } ?? RecordedReplay(options)
    } catch {
      state = .failed(.unreadable("\(error)"))
      feed.sourceDidFail(.misconfigured(source: feed.uri.device, reason: "\(error)"))
      return
    }
    let player = Player(reader, start: host.clock.now)
    if options.checksums == nil, let checksums = player.recording?.checksums { feed.setChecksums(checksums) }
    setPace()
    state = .playing(player)
    feed.sourceDidOpen()
    host.openReplayClient()
    if simulation == nil, case .times = options.speed { measureLength() }
    if let beginning { seek(to: beginning) } else { continuePlaying() }
  }

  /// Reads the next item; false at the end.
  func load(_ player: Player) -> Bool {
    if player.next != nil { return true }
    do throws(RecordingError) {
      if case .max = options.speed { player.recording?.schedule.published = host.engine.newest?.fix.measured }
      player.next = try player.reader.next()
    } catch {
      log.error("replay stopped early: \(error)")
    }
    if simulation != nil, let next = player.next, next.pass != player.pass {
      (player.pass, player.measurement) = (next.pass, next.measurement)
      feed.seek(at: player.last)
    }
    return player.next != nil
  }

  /// Plays an item that is due.
  func perform(_ item: ReplayItem, of player: Player, at due: MonotonicInstant) {
    player.next = nil
    player.last = due
    position = item.position
    if item.measurement != player.measurement {
      player.measurement = item.measurement
      feed.restart(at: due)
    }
    if item.isAfterGap { feed.gap(at: due) }
    feed.timeShift = item.timeShift
    if item.pass != player.pass || item.file != player.file {
      player.pass = item.pass
      player.file = item.file
      reportPlayback(at: due)
    }
    switch item.content {
    case .burst(let burst):
      if isPlayed(burst.stamp?.source) { bytes.feed(burst.bytes, to: feed, at: due) }
    case .event(let event):
      if isPlayed(event.stamp?.source) { host.replay(event.json, from: feed, at: due) }
    }
  }

  /// Whether the feed reads the bytes of that recorded source. Two sources in one feed would be one receiver that jumps
  /// between two positions: only the configured one is played, or the first in the recording.
  func isPlayed(_ source: Int?) -> Bool {
    guard let source else { return true }
    if played == nil { played = options.recordedSource ?? source }
    if played != source, !hasWarnedOfOthers {
      hasWarnedOfOthers = true
      log.warning(
        "the recording has several sources, of which one is played; choose it with src=NUMBER",
        metadata: ["DEVICE": "\(feed.uri.device)", "PLAYED": "\(played ?? source)", "OTHER": "\(source)"])
    }
    return played == source
  }

  func end(_ player: Player) {
    if let damage = player.recording?.schedule.damage, damage.total > 0 {
      log.warning("parts of the recording could not be read", metadata: ["DAMAGE": "\(damage)"])
    }
    host.reportUnusableEvents()
    state = .ended(player)
    duration = duration ?? position
    // The end is at the last read, not when the loop finds that nothing follows.
    let instant = player.last
    host.batch {
      feed.sourceDidEnd(at: instant)
      if simulation == nil { server.recordingDidEnd(feed, position: position, at: instant) }
    }
    host.clock.horizon = nil
    if ownsTime {
      // From here on the machine's clock times what is pending.
      host.clock.run(rate: 1)
      server.endLossless()
      host.rateDidChange()
      host.turn { _ in }
    }
    log.info(
      simulation == nil ? "recording ended" : "simulated ride ended",
      metadata: ["DEVICE": "\(feed.uri.device)"])
  }

  private func measureLength() {
    lengthReader = LengthReader(files: options.paths, on: loop) { [weak self] length in self?.duration = length }
  }
}
