import LocationCore
import Logging
import NIOCore
import Recordings

/// A recording in the place of a receiver: its bytes go through the same door at the recorded times.
///
/// Each read gets its recorded instant, not the moment at which the loop came to it: the same recording gives the
/// same output at any speed.
package final class RecordingSource: ReceiverSource {
  private enum State {
    case idle
    case playing(Player)
    case ended
  }

  /// A replay under way; recorded time began at `start` in pipeline time.
  private final class Player {
    var schedule: ReplaySchedule
    let start: MonotonicInstant

    init(_ schedule: consuming ReplaySchedule, start: MonotonicInstant) {
      self.schedule = schedule
      self.start = start
    }
  }

  /// Reads at full speed whose output is written together.
  private static let readsPerBatch = 64
  /// How long the replay may keep the loop from clients and signals.
  private static let longestHold = Duration.milliseconds(5)
  /// The loop looks at its descriptors only when no task is ready: a wait, however short, makes it.
  private static let pause = TimeAmount.microseconds(100)

  private let options: RecordingOptions
  private let lane: Lane
  private let pipeline: Pipeline
  private let publisher: Publisher
  private let loop: any EventLoop
  private let log: Logger
  private var state = State.idle
  private var next: ReplayItem?
  private var pass = 0
  private var position = Duration.zero
  /// When the last thing happened, in pipeline time.
  private var last: MonotonicInstant?
  private var timer: Scheduled<Void>?
  private var waitsForClients = false
  /// The recorded source that is played, once one was heard of.
  private var played: Int?
  private var hasToldOthers = false

  /// A source that feeds `lane`.
  package init(
    _ options: RecordingOptions, lane: Lane, pipeline: Pipeline, publisher: Publisher, on loop: any EventLoop,
    log: Logger
  ) {
    self.options = options
    self.lane = lane
    self.pipeline = pipeline
    self.publisher = publisher
    self.loop = loop
    self.log = log
  }

  package func start() {
    publisher.onDrain = { [weak self] in self?.clientsDidDrain() }
    switch options.start {
    case .now: play()
    case .watch:
      publisher.onFirstInterest { [weak self] in
        // Not within the request's own turn: its answers go first.
        self?.loop.assumeIsolated().execute { self?.play() }
      }
    }
  }

  package func stop() {
    state = .ended
    pipeline.clock.horizon = nil
    timer?.cancel()
  }

  private func play() {
    guard case .idle = state else { return }
    lane.sourceIsOpening()
    do throws(RecordingError) {
      let schedule = try ReplaySchedule(
        files: options.paths, speed: options.replaySpeed, loop: options.loops)
      if case .times(let rate) = options.speed { pipeline.clock.run(rate: rate) }
      state = .playing(Player(schedule, start: pipeline.clock.now))
    } catch {
      state = .ended
      lane.sourceDidFail(.misconfigured(source: lane.uri.device, reason: "\(error)"))
      return
    }
    lane.sourceDidOpen()
    publisher.openReplaySession()
    continuePlaying()
  }

  private func continuePlaying() {
    if pipeline.clock.isStepped { playAtFullSpeed() } else { playOnTime() }
  }

  private func playOnTime() {
    timer = nil
    let begin = PipelineClock.machine
    while let due = peek() {
      if let deadline = pipeline.clock.machineDeadline(of: due), deadline > .now() {
        timer = loop.assumeIsolated().scheduleTask(deadline: deadline) { [weak self] in self?.playOnTime() }
        return
      }
      perform(at: due)
      if PipelineClock.machine - begin >= Self.longestHold { return continueSoon() }
    }
    end()
  }

  private func playAtFullSpeed() {
    let begin = PipelineClock.machine
    while PipelineClock.machine - begin < Self.longestHold {
      if publisher.isCongested {
        waitsForClients = true
        return
      }
      var isOver = false
      pipeline.batch {
        for _ in 0..<Self.readsPerBatch {
          guard let due = peek() else {
            isOver = true
            return
          }
          pipeline.clock.step(to: due)
          perform(at: due)
        }
      }
      if isOver { return end() }
    }
    continueSoon()
  }

  private func continueSoon() {
    timer = loop.assumeIsolated().scheduleTask(in: Self.pause) { [weak self] in self?.continuePlaying() }
  }

  private func clientsDidDrain() {
    guard waitsForClients else { return }
    waitsForClients = false
    loop.assumeIsolated().execute { [weak self] in self?.continuePlaying() }
  }

  /// The pipeline time of the next step; `nil` at the end.
  private func peek() -> MonotonicInstant? {
    guard case .playing(let player) = state else { return nil }
    if next == nil {
      do throws(RecordingError) {
        next = try player.schedule.next()
      } catch {
        log.error("replay ends early: \(error)")
      }
    }
    let due = next.map { player.start + $0.offset }
    // Beside other sources time is everyone's.
    if pipeline.lanes.count == 1 { pipeline.clock.horizon = due }
    return due
  }

  private func perform(at due: MonotonicInstant) {
    guard let item = next else { return }
    next = nil
    last = due
    position = item.position
    if item.pass != pass || item.timeShift != lane.timeShift {
      pass = item.pass
      pipeline.turn(at: due) { lane.restart(at: $1) }
      lane.timeShift = item.timeShift
    }
    switch item.content {
    case .burst(let burst):
      if isPlayed(burst.stamp?.source) { lane.sourceDidReceive(ByteBuffer(bytes: burst.bytes), at: due) }
    case .event(let event):
      if isPlayed(event.stamp?.source) { publisher.replay(event: event.json, from: lane, at: due) }
    }
  }

  /// Whether the lane reads what that recorded source said. Two sources in one lane would be one receiver that jumps
  /// to and fro: the first that the recording tells of is played.
  private func isPlayed(_ source: Int?) -> Bool {
    guard let source else { return true }
    if played == nil { played = source }
    if played != source, !hasToldOthers {
      hasToldOthers = true
      log.warning(
        "the recording has several sources; only the first is played", metadata: ["DEVICE": "\(lane.uri.device)"])
    }
    return played == source
  }

  private func end() {
    guard case .playing(let player) = state else { return }
    if player.schedule.damage.total > 0 {
      log.warning("parts of the recording could not be read", metadata: ["DAMAGE": "\(player.schedule.damage)"])
    }
    state = .ended
    // The end comes with the last read, not when the loop finds that nothing follows.
    let instant = last ?? player.start
    pipeline.batch {
      lane.sourceDidEnd(at: instant)
      publisher.recordingDidEnd(lane, position: position, at: instant)
    }
    if pipeline.clock.isStepped {
      pipeline.clock.run(rate: 1)
      publisher.endLossless()
      // What still waits is timed by the machine from here on.
      pipeline.turn { _, _ in }
    }
    log.info("recording is over", metadata: ["DEVICE": "\(lane.uri.device)"])
  }
}
