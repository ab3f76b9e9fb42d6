import LocationCore
import Logging
import NIOCore
import Recordings

/// When the next item is played.
extension RecordingSource {
  /// Reads at full speed whose output is written together.
  private static let readsPerBatch = 64
  /// How long the replay may keep the loop from clients and signals.
  private static let longestHold = Duration.milliseconds(5)
  /// The loop looks at its descriptors only when no task is ready: a wait, however short, makes it.
  private static let pause = TimeAmount.microseconds(100)
  private static let itemsPerLook = 64

  /// Lets time run as the speed says.
  func setPace() {
    let clock = host.clock
    if ownsTime {
      switch speed {
      case .times(let rate):
        clock.run(rate: isPaused ? 0 : rate)
        server.endLossless()
        waitsForClients = false
      case .max:
        if !clock.isStepped { clock.startStepping(at: clock.now) }
        server.beginLossless()
      }
    }
    host.rateDidChange()
  }

  func continuePlaying() {
    timer = nil
    guard !isPaused || isSeeking else { return }
    switch state {
    case .playing(let player):
      if host.clock.isStepped { playAtFullSpeed(player) } else { playOnTime(player) }
    case .seeking(let player, let target): seekOn(player, to: target)
    case .idle, .ended, .failed, .stopped: break
    }
  }

  var isSeeking: Bool { if case .seeking = state { true } else { false } }

  /// What is played may lead to a request that changes that.
  private var isPlaying: Bool { if case .playing = state { true } else { false } }

  /// Plays on in a turn of its own, when clients and signals were heard.
  func continueSoon() {
    timer?.cancel()
    timer = loop.assumeIsolated().scheduleTask(in: Self.pause) { [weak self] in self?.continuePlaying() }
  }

  func clientsDidDrain() {
    guard waitsForClients else { return }
    waitsForClients = false
    continueSoon()
  }

  private func playOnTime(_ player: Player) {
    let begin = EngineClock.machine
    while load(player), let item = player.next {
      let due = player.start + item.offset
      // Beside other sources time is everyone's.
      if ownsTime { host.clock.horizon = due }
      if let deadline = host.clock.machineDeadline(of: due), deadline > .now() {
        timer = loop.assumeIsolated().scheduleTask(deadline: deadline) { [weak self] in self?.continuePlaying() }
        return
      }
      perform(item, of: player, at: due)
      guard isPlaying else { return }
      if EngineClock.machine - begin >= Self.longestHold { return continueSoon() }
    }
    finish(player)
  }

  private func playAtFullSpeed(_ player: Player) {
    let begin = EngineClock.machine
    while EngineClock.machine - begin < Self.longestHold {
      if server.clients.isCongested {
        waitsForClients = true
        return
      }
      var isOver = false
      host.batch {
        for _ in 0..<Self.readsPerBatch {
          guard load(player), let item = player.next else {
            isOver = true
            return
          }
          let due = player.start + item.offset
          if ownsTime { host.clock.horizon = due }
          host.clock.step(to: due)
          perform(item, of: player, at: due)
          guard isPlaying else { return }
        }
      }
      guard isPlaying else { return }
      if isOver { return finish(player) }
    }
    continueSoon()
  }

  private func finish(_ player: Player) {
    if case .playing = state { end(player) }
  }

  /// Shows the feed what came shortly before the place that is sought.
  private func leadIn(_ leadIn: ReplaySchedule.LeadIn, to place: MonotonicInstant) {
    switch leadIn {
    case .border: feed.beginLeadIn()
    case .burst(let burst, let ahead):
      if isPlayed(burst.stamp?.source) { bytes.leadIn(burst.bytes, to: feed, at: place - ahead) }
    }
  }

  /// Reads on towards a place, for a moment at a time.
  private func seekOn(_ player: Player, to target: Duration) {
    let begin = EngineClock.machine
    do throws(RecordingError) {
      while EngineClock.machine - begin < Self.longestHold {
        let reached = host.clock.now - player.start
        let isThere = try player.schedule.continueSeek(to: target, atMost: Self.itemsPerLook, at: reached) {
          leadIn($0, to: player.start + reached)
        }
        guard isThere else { continue }
        // Behind the end there is nothing.
        position = min(target, player.schedule.position)
        player.file = player.schedule.soughtFile
        feed.endLeadIn(at: player.start + reached)
        state = .playing(player)
        tell(at: host.clock.now)
        return continuePlaying()
      }
    } catch {
      log.error("replay ends early: \(error)")
      return end(player)
    }
    continueSoon()
  }
}
