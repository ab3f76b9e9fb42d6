import GPSDProtocol
import LocationCore
import Logging
import NIOCore
import Recordings

/// A recording in the place of a receiver: its bytes go through the same door at the recorded times.
///
/// Each read gets its recorded instant, not the moment at which the loop came to it: the same recording gives the
/// same output at any speed.
package final class RecordingSource: ReceiverSource {
  enum State {
    /// Nothing was read yet.
    case idle
    case playing(Player)
    /// Looks for a place.
    case seeking(Player, to: Duration)
    /// Everything was read; another place can be sought.
    case ended(Player)
    case failed(PlaybackRefusal)
    case stopped
  }

  /// A replay under way; recorded time began at `start` in host time.
  final class Player {
    var schedule: ReplaySchedule
    let start: MonotonicInstant
    /// What is played next.
    var next: ReplayItem?
    /// The item that was played last.
    var measurement = 0
    var pass = 0
    var file = 0
    /// When the last thing happened, in host time.
    var last: MonotonicInstant

    init(_ schedule: consuming ReplaySchedule, start: MonotonicInstant) {
      self.schedule = schedule
      self.start = start
      last = start
    }
  }

  let options: RecordingOptions
  let feed: SourceFeed
  let host: EngineHost
  let server: Server
  let loop: any EventLoop
  let log: Logger
  var state = State.idle
  var speed: RecordingOptions.Speed
  var isPaused = false
  /// Where the replay stands in the recording.
  var position = Duration.zero
  /// How long the recording is, once that was found out.
  var duration: Duration?
  /// Where to begin, if that was said before.
  var beginning: Duration?
  var timer: Scheduled<Void>?
  var waitsForClients = false
  let bytes = RecordedBytes()
  private var lengthReader: LengthReader?
  /// The recorded source that is played, once one was heard of.
  private var played: Int?
  private var hasToldOthers = false

  /// A source that feeds `feed`.
  package init(
    _ options: RecordingOptions, feed: SourceFeed, host: EngineHost, server: Server, on loop: any EventLoop,
    log: Logger
  ) {
    self.options = options
    self.feed = feed
    self.host = host
    self.server = server
    self.loop = loop
    self.log = log
    speed = options.speed
  }

  package var link: LinkCounters { bytes.link }

  package var player: (any PlaybackPlayer)? { self }

  /// Whether time is this recording's own.
  var ownsTime: Bool { host.feeds.count == 1 }

  package func start() {
    server.clients.onDrain = { [weak self] in self?.clientsDidDrain() }
    switch options.start {
    case .now: play()
    case .watch:
      server.onFirstInterest { [weak self] in
        // Not within the request's own turn: its answers go first.
        self?.loop.assumeIsolated().execute { self?.play() }
      }
    }
  }

  package func stop() {
    state = .stopped
    lengthReader?.stop()
    host.clock.horizon = nil
    timer?.cancel()
  }

  private func play() {
    guard case .idle = state else { return }
    feed.sourceIsOpening()
    let player: Player
    do throws(RecordingError) {
      // Before anything is played: a file that is missing is told now, and not after the first one.
      for path in options.paths { _ = try RecordingReader.format(ofFileAt: path) }
      let schedule = try ReplaySchedule(files: options.paths, speed: options.replaySpeed, loop: options.loops)
      player = Player(schedule, start: host.clock.now)
    } catch {
      return fail(error)
    }
    setPace()
    state = .playing(player)
    feed.sourceDidOpen()
    host.openReplayClient()
    if case .times = options.speed { measureLength() }
    if let beginning { seek(to: beginning) } else { continuePlaying() }
  }

  private func fail(_ error: RecordingError) {
    state = .failed(.unreadable("\(error)"))
    feed.sourceDidFail(.misconfigured(source: feed.uri.device, reason: "\(error)"))
  }

  /// Reads the next item; false when there is none.
  func load(_ player: Player) -> Bool {
    if player.next != nil { return true }
    do throws(RecordingError) {
      if case .max = options.speed { player.schedule.published = host.engine.newest?.fix.measured }
      player.next = try player.schedule.next()
    } catch {
      log.error("replay ends early: \(error)")
    }
    return player.next != nil
  }

  /// Plays what is due.
  func perform(_ item: ReplayItem, of player: Player, at due: MonotonicInstant) {
    player.next = nil
    player.last = due
    position = item.position
    if item.measurement != player.measurement {
      player.measurement = item.measurement
      feed.restart(at: due)
    }
    feed.timeShift = item.timeShift
    if item.pass != player.pass || item.file != player.file {
      player.pass = item.pass
      player.file = item.file
      tell(at: due)
    }
    switch item.content {
    case .burst(let burst):
      if isPlayed(burst.stamp?.source) { bytes.feed(burst.bytes, to: feed, at: due) }
    case .event(let event):
      if isPlayed(event.stamp?.source) { host.replay(event.json, from: feed, at: due) }
    }
  }

  /// Whether the feed reads what that recorded source said. Two sources in one feed would be one receiver that jumps
  /// to and fro: the one that was chosen is played, or the first that the recording tells of.
  func isPlayed(_ source: Int?) -> Bool {
    guard let source else { return true }
    if played == nil { played = options.recordedSource ?? source }
    if played != source, !hasToldOthers {
      hasToldOthers = true
      log.warning(
        "the recording has several sources; only one is played, choose it with src=NUMBER",
        metadata: ["DEVICE": "\(feed.uri.device)", "PLAYED": "\(played ?? source)", "OTHER": "\(source)"])
    }
    return played == source
  }

  func end(_ player: Player) {
    if player.schedule.damage.total > 0 {
      log.warning("parts of the recording could not be read", metadata: ["DAMAGE": "\(player.schedule.damage)"])
    }
    state = .ended(player)
    duration = duration ?? position
    // The end comes with the last read, not when the loop finds that nothing follows.
    let instant = player.last
    host.batch {
      feed.sourceDidEnd(at: instant)
      server.recordingDidEnd(feed, position: position, at: instant)
    }
    host.clock.horizon = nil
    if ownsTime {
      // What still waits is timed by the machine from here on.
      host.clock.run(rate: 1)
      server.endLossless()
      host.rateDidChange()
      host.turn { _ in }
    }
    log.info("recording is over", metadata: ["DEVICE": "\(feed.uri.device)"])
  }

  private func measureLength() {
    lengthReader = LengthReader(files: options.paths, on: loop) { [weak self] length in self?.duration = length }
  }
}
