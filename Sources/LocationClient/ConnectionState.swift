import GPSDProtocol
import LocationCore

/// The state machine of a subscribed connection: reports, failures and time in, actions out. It restores what a
/// restarted daemon has lost: the views that this client reported and that did not follow, and the targets that it set.
struct ConnectionState {
  /// Most views of other clients whose state is kept, against a daemon that reports ever new ones.
  private static let maximumFreeViews = 64

  enum Action: Hashable {
    case connect
    case send(Request)
    case deliver(LocationClient.Update)
    /// Close the connection; `disconnected` follows.
    case close
    /// Call `wake()` after this long.
    case wait(Duration)
  }

  enum Phase: Hashable {
    case connecting
    /// Connected and before VERSION, with the daemon's refusal if it sent one.
    case greeting(refusal: LocationClientError?)
    case streaming
    /// Closing because of this error; no more reports are read.
    case closing(LocationClientError)
    /// Before the first attempt, or the next one.
    case waiting
    case ended
  }

  private(set) var phase = Phase.waiting
  private let subscription: Subscription
  private var reportedViews: Set<String> = []
  /// Names of the views that did not follow when their state was last received.
  private var freeViews: Set<String> = []
  private var targets: [TargetRequest] = []
  /// Names of targets that were removed, perhaps by another client, when their state was last received.
  private var removedTargets: Set<String> = []
  private var backoff = Backoff()
  /// The failure delivered last; the same one is not delivered twice in a row.
  private var delivered: LocationClientError?

  init(subscription: Subscription) { self.subscription = subscription }

  mutating func wake() -> [Action] {
    guard phase == .waiting else { return [] }
    phase = .connecting
    return [.connect]
  }

  mutating func connected() {
    if phase == .connecting { phase = .greeting(refusal: nil) }
  }

  mutating func received(_ report: Report, at instant: ContinuousClock.Instant) -> [Action] {
    switch phase {
    case .greeting:
      switch report {
      case .version(let version):
        phase = .streaming
        delivered = nil
        return [.deliver(.connected(version))] + restoringRequests + [.send(subscription.request)]
          + targets.filter { !removedTargets.contains($0.name) }.map { .send(.engine(.setTarget($0))) }
      case .error(let error):
        phase = .greeting(refusal: LocationClientError(error))
        return []
      default: return failed(.protocolViolation("a report arrived before VERSION"))
      }
    case .streaming:
      switch report {
      case .watch: backoff.reset()
      case .sky where !subscription.includesSatellites: return []
      case .trip where !subscription.includesTrips: return []
      case .follow(let follow): register(follow)
      case .arrival(let arrival): register(arrival)
      default: break
      }
      return LocationClient.Update(report, at: instant).map { [.deliver($0)] } ?? []
    case .connecting, .closing, .waiting, .ended: return []
    }
  }

  mutating func reported(view: String) { reportedViews.insert(view) }

  mutating func change(_ request: EngineRequest) -> [Action] {
    switch request {
    case .setTarget(let target):
      targets.removeAll { $0.name == target.name }
      targets.append(target)
      removedTargets.remove(target.name)
    case .removeTarget(let name):
      targets.removeAll { $0.name == name }
      removedTargets.remove(name)
    default: break
    }
    return phase == .streaming ? [.send(.engine(request))] : []
  }

  private mutating func register(_ arrival: ArrivalReport) {
    guard targets.contains(where: { $0.name == arrival.name }) else { return }
    if arrival.state == .removed { removedTargets.insert(arrival.name) } else { removedTargets.remove(arrival.name) }
  }

  private mutating func register(_ follow: FollowReport) {
    if follow.isFollowing {
      freeViews.remove(follow.view)
    } else if freeViews.count < Self.maximumFreeViews || reportedViews.contains(follow.view) {
      freeViews.insert(follow.view)
    }
  }

  /// Sent before the subscription, whose snapshot has the views as they were. A TCP port needs the additions first.
  private var restoringRequests: [Action] {
    let views = reportedViews.intersection(freeViews).sorted()
    guard !views.isEmpty else { return [] }
    return [.send(.additions)] + views.map { .send(.engine(.restoreFollow(view: $0, following: false))) }
  }

  mutating func failed(_ error: LocationClientError) -> [Action] {
    switch phase {
    case .greeting, .streaming:
      phase = .closing(error)
      return [.close]
    case .connecting, .closing, .waiting, .ended: return []
    }
  }

  /// The attempt failed, or the connection ended. `random`, from 0 to 1, spreads the waits of several clients.
  mutating func disconnected(_ error: LocationClientError, random: Double) -> [Action] {
    let cause: LocationClientError
    switch phase {
    case .waiting, .ended: return []
    case .greeting(let refusal?): cause = refusal
    case .closing(let violation): cause = violation
    case .connecting, .greeting(nil), .streaming: cause = error
    }
    phase = .waiting
    let wait = Action.wait(backoff.next(random: random))
    guard delivered != cause else { return [wait] }
    delivered = cause
    // The wait has begun when a consumer learns of it.
    return [wait, .deliver(.disconnected(cause))]
  }

  /// Ends for good; the caller closes the connection, if there is one.
  mutating func cancel() { phase = .ended }
}
