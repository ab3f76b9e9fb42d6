import LocationCore
import Recordings

extension RecordingSource {
  /// Number of reads at full speed whose output is written together.
  private static let readsPerBatch = 64
  /// Longest time on the loop before clients and signals are served.
  private static let longestHold = Duration.milliseconds(5)
  /// The loop polls its descriptors only when no task is ready: a wait, however short, makes it.
  private static let pause = Duration.microseconds(100)
  /// The same for a replay that lags: the engine's timer is due as well, and must not outlast the wait.
  private static let pauseBehindTime = Duration.milliseconds(2)
  private static let itemsPerSeekStep = 64

  func setPace() {
    let clock = engineLoop.clock
    if ownsTime {
      switch speed {
      case .times(let rate):
        clock.run(rate: isPaused ? 0 : rate)
        clock.waitsForClients = false
        waitsForClients = false
      case .max:
        if !clock.isStepped { clock.startStepping(at: clock.now) }
        clock.waitsForClients = true
      }
    }
    engineLoop.rateDidChange()
    if isPaused { engineLoop.turn { engineLoop.engine.desk.endLocates(at: $0, into: &engineLoop.events) } }
  }

  func continuePlaying() {
    timer = nil
    guard !isPaused || isSeeking else { return }
    switch state {
    case .playing(let player):
      if engineLoop.clock.isStepped { playAtFullSpeed(player) } else { playOnTime(player) }
    case .seeking(let player, let seek): continueSeek(player, seek)
    case .idle, .ended, .failed, .stopped: break
    }
  }

  var isSeeking: Bool { if case .seeking = state { true } else { false } }
  /// Whether playback continues; an item may lead to a request that ends it.
  private var isPlaying: Bool { if case .playing = state { true } else { false } }

  /// Continues in a turn of its own, after clients and signals.
  func continueSoon(after pause: Duration = pause) {
    timer?.cancel()
    timer = inlet.eventLoop.schedule(in: pause) { [weak self] in self?.continuePlaying() }
  }

  func clientsDidDrain() {
    guard waitsForClients else { return }
    waitsForClients = false
    continueSoon()
  }

  private func playOnTime(_ player: Replay) {
    let begin = EngineClock.machine
    while load(player), let item = player.next {
      let due = player.start + (item.input.instant - .zero)
      // Beside other sources time is shared.
      engineLoop.clock.horizon = ownsTime ? due : nil
      if let deadline = engineLoop.clock.machineDeadline(of: due), deadline > .now() {
        timer = inlet.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { [weak self] in
          self?.continuePlaying()
        }
        return
      }
      perform(item, of: player, at: due)
      guard isPlaying else { return }
      if EngineClock.machine - begin >= Self.longestHold { return continueSoon(after: Self.pauseBehindTime) }
    }
    if isPlaying { end(player) }
  }

  private func playAtFullSpeed(_ player: Replay) {
    let begin = EngineClock.machine
    while EngineClock.machine - begin < Self.longestHold {
      if engineLoop.isCongested {
        waitsForClients = true
        return
      }
      var isOver = false
      engineLoop.batch {
        for _ in 0..<Self.readsPerBatch {
          guard load(player), let item = player.next else {
            isOver = true
            return
          }
          let due = player.start + (item.input.instant - .zero)
          if ownsTime { engineLoop.clock.horizon = due }
          engineLoop.clock.step(to: due)
          perform(item, of: player, at: due)
          guard isPlaying else { return }
        }
      }
      guard isPlaying else { return }
      if isOver { return end(player) }
    }
    continueSoon()
  }

  /// Prepares the receivers with what comes shortly before the target of a seek.
  private func prime(_ input: RecordedInput, of player: Replay, for seek: Seek) {
    var input = input
    input.instant = player.start + (input.instant - .zero)
    switch input.content {
    case .begin, .restart:
      input.instant = engineLoop.clock.now
      engineLoop.play(input, of: self)
      seek.receivers = SoughtReceivers(of: recorded, in: engineLoop.engine)
    default: seek.receivers.prime(input, of: recorded)
    }
  }

  /// Reads on towards the target of a seek, a few milliseconds at a time.
  private func continueSeek(_ player: Replay, _ seek: Seek) {
    guard let recording = player.recording else { return }
    let begin = EngineClock.machine
    do throws(RecordingError) {
      while EngineClock.machine - begin < Self.longestHold {
        let reached = engineLoop.clock.now - player.start
        let isReached = try recording.replay.continueSeek(to: seek.target, atMost: Self.itemsPerSeekStep, at: reached) {
          prime($0, of: player, for: seek)
        }
        guard isReached else { continue }
        // The target may lie beyond the end.
        position = min(seek.target, recording.replay.position)
        player.file = recording.replay.soughtFile
        player.last = player.start + reached
        engineLoop.start(seek.receivers, at: player.last)
        state = .playing(player)
        engineLoop.publish(playback, at: engineLoop.clock.now)
        return continuePlaying()
      }
    } catch {
      inlet.log.error("replay stopped early: \(error)")
      return end(player)
    }
    continueSoon()
  }
}
