import LocationCore

/// The forwarder's decisions: when to connect, send, send again, keep the state. Pure: events, time in, actions out.
/// A fix is sent until it is acknowledged: after a lost connection the unacknowledged ones go first, in order.
package struct ForwardMachine: Sendable {
  package enum Event: Sendable {
    case time
    case connected
    case disconnected(Failure)
    case acknowledged(MessageID)
    /// The next fix of the queue, if ``ForwardMachine/wantsFix``.
    case fix(QueuedFix)
    case drained
    /// The state changed otherwise than by an acknowledgement: rides began to wait, or were removed.
    case changed
    case saved(failure: String?)
    case stop
  }

  package enum Action: Hashable, Sendable {
    case connect
    case disconnect
    case send(QueuedFix, MessageID)
    case announce(online: Bool, MessageID)
    case acknowledge(QueuedFix)
    /// Write the state; the outcome is reported as ``Event/saved(failure:)``.
    case save
    case report(String)
    case end(Outcome)
  }

  package enum Outcome: Hashable, Sendable {
    /// Everything so far is acknowledged, or it was asked to stop.
    case done
    /// Retrying is pointless: the broker or its certificate is not accepted, or refuses the unit.
    case refused(String)
    case notSaved
  }

  package struct Failure: Hashable, Sendable {
    package var reason: String
    /// Whether only a change of the configuration, or of the broker's, helps.
    package var isPermanent = false
  }

  package typealias MessageID = UInt64

  /// Largest number of messages without an acknowledgement.
  package static let window = 50
  /// Longest wait for a connection. The kernel and libmosquitto give up earlier, unless a name has many addresses.
  static let connectionTimeout = Duration.seconds(300)
  /// Longest wait for any acknowledgement while messages are on the way.
  static let timeout = Duration.seconds(30)
  /// Longest wait for the acknowledgement of one message while others are acknowledged.
  static let messageTimeout = Duration.seconds(300)
  /// Shortest interval between two writes of the state, to spare the flash memory.
  static let saveInterval = Duration.seconds(1)
  static let saveRetry = Duration.seconds(5)
  static let longestBackoff = Duration.seconds(60)

  private enum Connection {
    case closed(until: MonotonicInstant)
    case opening(deadline: MonotonicInstant)
    case open(since: MonotonicInstant)
    case ended
  }

  let endsWhenDrained: Bool
  private let random: @Sendable () -> Double
  private var connection: Connection
  private var backoff = Backoff(longest: longestBackoff)
  private var lastID: MessageID = 0
  /// Messages on the way, in order; a status has no fix.
  private var inFlight: [(id: MessageID, fix: QueuedFix?, sent: MonotonicInstant)] = []
  private var lastProgress = MonotonicInstant.zero
  private var unacknowledged: [QueuedFix] = []
  /// Time of the next write of the state; `nil` when it is written.
  private var saveDue: MonotonicInstant?
  private var isDrained = false
  private var hasSaveFailed = false
  private var reportedFailure: Failure?

  /// A machine that connects at once; `random` returns numbers from 0 to 1 for the jitter.
  package init(endsWhenDrained: Bool, at instant: MonotonicInstant, random: @escaping @Sendable () -> Double) {
    self.endsWhenDrained = endsWhenDrained
    self.random = random
    connection = .closed(until: instant)
  }

  package var wantsFix: Bool {
    guard case .open = connection else { return false }
    return unacknowledged.isEmpty && inFlight.count < Self.window
  }

  /// Time of the next event ``Event/time``; `nil` when there is nothing to wait for.
  package var deadline: MonotonicInstant? {
    let step: MonotonicInstant? =
      switch connection {
      case .closed(let until): until
      case .opening(let deadline): deadline
      case .open: answerDeadline
      case .ended: nil
      }
    return [step, saveDue].compactMap { $0 }.min()
  }

  /// Time at which the connection is given up. On a slow line a window of messages takes longer than the time-out.
  private var answerDeadline: MonotonicInstant? {
    inFlight.first.map { min(max($0.sent, lastProgress) + Self.timeout, $0.sent + Self.messageTimeout) }
  }

  package mutating func handle(_ event: Event, at instant: MonotonicInstant) -> [Action] {
    if case .ended = connection { return [] }
    var actions: [Action] = []
    switch event {
    case .time: break
    case .connected: didConnect(at: instant, &actions)
    case .disconnected(let failure): didDisconnect(failure, at: instant, &actions)
    case .acknowledged(let id): didAcknowledge(id, at: instant, &actions)
    case .fix(let fix):
      isDrained = false
      actions.append(.send(fix, begin(fix, at: instant)))
    case .drained: isDrained = true
    case .changed: saveDue = saveDue ?? instant + Self.saveInterval
    case .saved(let failure): didSave(failure, at: instant, &actions)
    case .stop:
      if case .open = connection { actions.append(.announce(online: false, begin(nil, at: instant))) }
      end(.done, &actions)
      return actions
    }
    takeTime(at: instant, &actions)
    return actions
  }

  private mutating func takeTime(at instant: MonotonicInstant, _ actions: inout [Action]) {
    switch connection {
    case .closed(let until) where instant >= until:
      connection = .opening(deadline: instant + Self.connectionTimeout)
      actions.append(.connect)
    case .opening(let deadline) where instant >= deadline: giveUp(at: instant, &actions)
    case .open:
      if let answerDeadline, instant >= answerDeadline {
        giveUp(at: instant, &actions)
      } else if endsWhenDrained, isDrained, inFlight.isEmpty, unacknowledged.isEmpty {
        if saveDue == nil {
          actions.append(.announce(online: false, begin(nil, at: instant)))
          return end(.done, &actions)
        } else if hasSaveFailed {
          return end(.notSaved, &actions)
        }
      }
    default: break
    }
    guard let due = saveDue, instant >= due else { return }
    // Until the outcome is reported.
    saveDue = instant + Self.saveRetry
    actions.append(.save)
  }

  private mutating func didConnect(at instant: MonotonicInstant, _ actions: inout [Action]) {
    guard case .opening = connection else { return }
    connection = .open(since: instant)
    if reportedFailure != nil { actions.append(.report("connected")) }
    reportedFailure = nil
    actions.append(.announce(online: true, begin(nil, at: instant)))
    for fix in exchange(&unacknowledged, with: []) { actions.append(.send(fix, begin(fix, at: instant))) }
  }

  private mutating func didDisconnect(_ failure: Failure, at instant: MonotonicInstant, _ actions: inout [Action]) {
    if case .closed = connection { return }
    unacknowledged = inFlight.compactMap(\.fix) + unacknowledged
    inFlight = []
    if failure.isPermanent, endsWhenDrained { return end(.refused(failure.reason), &actions) }
    if case .open(let since) = connection, instant - since >= Self.longestBackoff { backoff.reset() }
    connection = .closed(until: instant + backoff.next(random: random()))
    guard failure != reportedFailure else { return }
    reportedFailure = failure
    actions.append(.report("\(failure.reason); trying again"))
  }

  private mutating func giveUp(at instant: MonotonicInstant, _ actions: inout [Action]) {
    actions.append(.disconnect)
    didDisconnect(Failure(reason: "the broker does not answer"), at: instant, &actions)
  }

  private mutating func didAcknowledge(_ id: MessageID, at instant: MonotonicInstant, _ actions: inout [Action]) {
    guard let index = inFlight.firstIndex(where: { $0.id == id }) else { return }
    lastProgress = instant
    guard let fix = inFlight.remove(at: index).fix else { return }
    // A broker can take the status and refuse the fixes.
    backoff.reset()
    actions.append(.acknowledge(fix))
    if saveDue == nil { saveDue = instant + Self.saveInterval }
    if endsWhenDrained, isDrained, inFlight.isEmpty, !hasSaveFailed { saveDue = instant }
  }

  private mutating func didSave(_ failure: String?, at instant: MonotonicInstant, _ actions: inout [Action]) {
    saveDue = failure == nil ? nil : instant + Self.saveRetry
    if let failure, !hasSaveFailed {
      actions.append(.report("\(failure); until then, fixes are sent again after a restart"))
    } else if failure == nil, hasSaveFailed {
      actions.append(.report("the state is written again"))
    }
    hasSaveFailed = failure != nil
  }

  /// The number of a message that is now on the way: a fix, or a status.
  private mutating func begin(_ fix: QueuedFix?, at instant: MonotonicInstant) -> MessageID {
    lastID += 1
    inFlight.append((lastID, fix, instant))
    return lastID
  }

  private mutating func end(_ outcome: Outcome, _ actions: inout [Action]) {
    if saveDue != nil { actions.append(.save) }
    connection = .ended
    actions += [.disconnect, .end(outcome)]
  }
}
