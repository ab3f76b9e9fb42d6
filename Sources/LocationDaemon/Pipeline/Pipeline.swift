import LocationCore
import Logging
import NIOCore

/// From sources to published fixes: the one owner of all positioning state, confined to one event loop.
///
/// Everything enters as a turn: bytes, a failure, a request, a deadline. A turn runs to its end, then what it
/// staged for the clients is written and the timer is set for the next deadline.
package final class Pipeline {
  package let clock: PipelineClock
  package internal(set) var lanes: [Lane] = []
  package internal(set) var supervisor: SourceSupervisor
  package internal(set) var follow: FollowRegistry
  package internal(set) var locate = LocateDesk()
  package internal(set) var targets = TargetWatch()
  package internal(set) var recorder: Recorder?
  /// How many events may be recorded still.
  var eventBudget = EventBudget()
  /// The newest published fix; it stays when the fix is lost.
  package var newest: PublishedFix? { locate.newest }
  /// Since when the leading source is in its state.
  package internal(set) var stateSince: MonotonicInstant
  var changes = ChangeDetector()
  /// Keeps the track in order from one leading source to the next.
  package internal(set) var handover = Handover()
  let log: Logger
  private weak var output: (any PipelineOutput)?
  private let loop: any EventLoop
  private var timer: (deadline: MonotonicInstant, task: Scheduled<Void>)?
  /// The lanes there have been so far.
  var laneCount: Int
  private var isInTurn = false
  private var isBatching = false

  /// A pipeline with a lane for each configured source; none is started yet.
  package init(
    _ configuration: DaemonConfiguration, clock: PipelineClock, on loop: any EventLoop, log: Logger
  ) throws(FollowError) {
    self.clock = clock
    self.loop = loop
    self.log = log
    supervisor = SourceSupervisor(count: configuration.sources.count, at: clock.now)
    stateSince = clock.now
    follow = FollowRegistry(try FollowConfiguration(driftLimit: configuration.driftLimit))
    laneCount = configuration.sources.count
    let names = Self.names(of: configuration.sources)
    for (index, uri) in configuration.sources.enumerated() {
      lanes.append(Lane(index: index, id: index, uri: uri, name: names[index], pipeline: self))
    }
  }

  /// Called when the leading source is another one or in another state.
  package var onStateChange: () -> Void = {}

  /// Says who hears about what happens.
  package func report(to output: any PipelineOutput) {
    self.output = output
  }

  /// The lane that leads.
  package var lead: Lane { lanes[supervisor.lead] }

  /// Whether the leading source has a fix now.
  package var hasFix: Bool { supervisor.leadIsTracking }

  /// UTC as far as the leading source tells it.
  package func utc(at instant: MonotonicInstant) -> UTCInstant? {
    guard let fix = newest?.fix, let measured = fix.measured else { return nil }
    return measured + (instant - fix.received)
  }

  /// Runs one turn: whatever is due first, then `body`.
  package func turn(at instant: MonotonicInstant? = nil, _ body: (Pipeline, MonotonicInstant) -> Void) {
    let instant = instant ?? clock.now
    // A source may fail while it is started from within a turn.
    guard !isInTurn else { return body(self, instant) }
    isInTurn = true
    expireBefore(instant)
    body(self, instant)
    isInTurn = false
    guard !isBatching else { return }
    output?.pipelineDidStage()
    arm()
  }

  /// Runs several turns whose output goes out together: at full speed a write for each would cost more than all the
  /// rest.
  package func batch(_ body: () -> Void) {
    isBatching = true
    body()
    isBatching = false
    output?.pipelineDidStage()
    arm()
  }

  /// When something is due although nothing happens.
  package var deadline: MonotonicInstant? {
    var earliest = supervisor.deadline
    func consider(_ instant: MonotonicInstant?) {
      guard let instant else { return }
      earliest = earliest.map { min($0, instant) } ?? instant
    }
    for lane in lanes { consider(lane.deadline) }
    consider(follow.deadline)
    consider(locate.deadline)
    consider(output?.deadline)
    return earliest
  }

  /// Runs what is due up to `instant`, each at its own time.
  package func expire(upTo instant: MonotonicInstant) {
    turn(at: instant) { _, _ in }
  }

  /// The clock runs at another pace, or stands: the timer was set for the one before.
  package func paceDidChange() {
    timer?.task.cancel()
    timer = nil
    if !isInTurn, !isBatching { arm() }
  }

  var sink: (any PipelineOutput)? { output }

  /// Lets a fix go out before what else it leads to is worked out; within a batch it waits for the others.
  func sendEarly() {
    if !isBatching { output?.pipelineDidStage() }
  }

  private func expireBefore(_ instant: MonotonicInstant) {
    // The timer is never set for later than the deadline, except within a batch, which does not set it.
    if !isBatching, let timer, instant < timer.deadline { return }
    // The bound holds even if a deadline were not to move on.
    for _ in 0..<1024 {
      guard let due = deadline, due <= instant else { return }
      expireAll(at: due)
    }
  }

  private func expireAll(at instant: MonotonicInstant) {
    for lane in lanes { lane.expire(at: instant) }
    perform(supervisor.expire(at: instant), at: instant)
    follow.expire(at: instant)
    answer(locate.expire(at: instant), at: instant)
    output?.pipelineExpire(at: instant)
  }

  /// Sets the timer for the next deadline. A timer that would fire too early stays: setting it costs more than a
  /// wake-up that finds nothing.
  private func arm() {
    guard !clock.isStepped, let deadline else {
      timer?.task.cancel()
      timer = nil
      return
    }
    if let timer, timer.deadline <= deadline { return }
    timer?.task.cancel()
    timer = nil
    guard let machine = clock.machineDeadline(of: deadline) else { return }
    let task = loop.assumeIsolated().scheduleTask(deadline: machine) { [weak self] () -> Void in
      self?.timerDidFire(for: deadline)
    }
    timer = (deadline, task)
  }

  private func timerDidFire(for deadline: MonotonicInstant) {
    timer = nil
    guard let horizon = clock.horizon, horizon < deadline else { return expire(upTo: max(clock.now, deadline)) }
    // What was recorded before it comes first, however late the loop comes to that.
    let task = loop.assumeIsolated().scheduleTask(in: .milliseconds(1)) { [weak self] () -> Void in
      self?.timerDidFire(for: deadline)
    }
    timer = (deadline, task)
  }

  static func names(of sources: [SourceURI]) -> [String] {
    sources.enumerated().map { index, uri in
      let same = sources.count { $0.scheme == uri.scheme }
      return same == 1 ? uri.scheme : "\(uri.scheme)-\(sources[...index].count { $0.scheme == uri.scheme })"
    }
  }
}
