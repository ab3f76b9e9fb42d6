import LocationCore
import Logging
import NIOCore
import Recordings
import RideTools

/// A simulated ride in the place of a receiver: its bytes go through the same door, at their times.
///
/// Each read gets its own instant, not the moment at which the loop came to it: the same options give the same output
/// at any rate.
package final class SimulatedSource: ReceiverSource {
  private enum State {
    case idle
    case riding(Ride)
    case ended
  }

  /// A ride under way, which began at `start` in pipeline time.
  private final class Ride {
    let ride: SimulatedRide
    let start: MonotonicInstant
    var feed: RideFeed
    var next: RideFeed.Item?

    init(_ ride: SimulatedRide, start: MonotonicInstant) {
      self.ride = ride
      self.start = start
      feed = RideFeed(ride)
    }
  }

  /// How long the ride may keep the loop from clients and signals.
  private static let longestHold = Duration.milliseconds(5)
  /// The loop looks at its descriptors only when no task is ready: a wait, however short, makes it.
  private static let pause = TimeAmount.microseconds(100)

  private let options: SimulatedSourceOptions
  private let lane: Lane
  private let pipeline: Pipeline
  private let publisher: Publisher
  private let loop: any EventLoop
  private let log: Logger
  private var state = State.idle
  private var timer: Scheduled<Void>?
  /// When the last thing happened, in pipeline time.
  private var last: MonotonicInstant

  /// A source that feeds `lane`.
  package init(
    _ options: SimulatedSourceOptions, lane: Lane, pipeline: Pipeline, publisher: Publisher, on loop: any EventLoop,
    log: Logger
  ) {
    self.options = options
    self.lane = lane
    self.pipeline = pipeline
    self.publisher = publisher
    self.loop = loop
    self.log = log
    last = pipeline.clock.now
  }

  package func start() {
    guard case .idle = state else { return }
    lane.sourceIsOpening()
    let ride: SimulatedRide
    do throws(SimulationError) {
      ride = try options.ride.ride()
    } catch {
      state = .ended
      lane.sourceDidFail(.misconfigured(source: lane.uri.device, reason: "\(error)"))
      return
    }
    if options.rate != 1 { pipeline.clock.run(rate: options.rate) }
    lane.sourceDidOpen()
    publisher.openReplaySession()
    begin(ride, at: pipeline.clock.now)
    goOn()
  }

  package func stop() {
    state = .ended
    pipeline.clock.horizon = nil
    timer?.cancel()
  }

  private func begin(_ ride: SimulatedRide, at start: MonotonicInstant) {
    last = start
    state = .riding(Ride(ride, start: start))
  }

  private func goOn() {
    timer = nil
    let begin = PipelineClock.machine
    while let due = peek() {
      if let deadline = pipeline.clock.machineDeadline(of: due), deadline > .now() {
        timer = loop.assumeIsolated().scheduleTask(deadline: deadline) { [weak self] in self?.goOn() }
        return
      }
      perform(at: due)
      if PipelineClock.machine - begin >= Self.longestHold {
        timer = loop.assumeIsolated().scheduleTask(in: Self.pause) { [weak self] in self?.goOn() }
        return
      }
    }
  }

  /// The pipeline time of the next step; `nil` at the end.
  private func peek() -> MonotonicInstant? {
    guard case .riding(let ride) = state else { return nil }
    while true {
      if ride.next == nil { ride.next = ride.feed.next() }
      let offset: Duration
      switch ride.next {
      case .read(_, let at), .event(_, let at, _): offset = at
      case .epoch:
        ride.next = nil
        continue
      case nil:
        end(ride)
        return peek()
      }
      let due = max(last, ride.start + offset)
      // Beside other sources time is everyone's.
      pipeline.clock.horizon = pipeline.lanes.count == 1 ? due : nil
      return due
    }
  }

  private func perform(at due: MonotonicInstant) {
    guard case .riding(let ride) = state, let item = ride.next else { return }
    ride.next = nil
    last = due
    switch item {
    case .read(let bytes, _): lane.sourceDidReceive(ByteBuffer(bytes: bytes), at: due)
    case .event(let json, _, _): publisher.replay(event: json, from: lane, at: due)
    case .epoch: break
    }
  }

  private func end(_ ride: Ride) {
    if options.loops {
      beginAgain(after: ride)
      return
    }
    state = .ended
    pipeline.clock.horizon = nil
    lane.sourceDidEnd(at: last)
    log.info("the simulated ride is over", metadata: ["DEVICE": "\(lane.uri.device)"])
  }

  /// The same road with the next seed, two seconds later, by a receiver that was not switched off.
  private func beginAgain(after ride: Ride) {
    let length = Duration.seconds(Int64(ride.ride.motion.duration) + 2)
    var next = ride.ride
    next.start = next.clock.time(after: length).utc
    next.seed &+= 1
    next.receiver.coldStart = 0
    next.conditions.hasLeapSecond = false
    lane.leap(at: last)
    begin(next, at: ride.start + length)
  }
}
