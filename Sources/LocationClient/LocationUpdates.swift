import GPSDProtocol
import Synchronization

/// The updates of a subscription, or of a recording or script in its place.
///
/// A subscription is an endless sequence across restarts of the daemon. Its connection is open as long as this value, a
/// copy, or an iterator exists, until ``cancel()``. A slow consumer gets the newest position and satellites, and the
/// last 64 events: the updates besides positions and satellites, and each position at a transition, as
/// ``Position/reason`` states. Several consumers share the updates; for all updates, subscribe once for each.
///
/// A test builds the updates from an array or any other sequence, and checks the views that are reported:
///
///     let updates = LocationUpdates([.position(position)]) { view in reported.append(view) }
public struct LocationUpdates: AsyncSequence, Sendable {
  /// An update.
  public typealias Element = LocationClient.Update
  /// The loss of the daemon is an update and not an error.
  public typealias Failure = Never

  private enum Origin: Sendable {
    case connection(ConnectionLease)
    case sequence(UpdateScript)
  }

  private let origin: Origin

  init(_ connection: SubscribedConnection) { origin = .connection(ConnectionLease(connection)) }

  /// Updates from a sequence, without a daemon, none left out. `onReport` gets every view that is reported.
  public init(
    _ updates: some AsyncSequence<LocationClient.Update, Never> & Sendable,
    onReport: @escaping @Sendable (ViewRequest) -> Void = { _ in }
  ) { origin = .sequence(UpdateScript(updates, onReport: onReport)) }

  /// Updates from an array, delivered once, without a daemon. `onReport` gets every view that is reported.
  public init(_ updates: [LocationClient.Update], onReport: @escaping @Sendable (ViewRequest) -> Void = { _ in }) {
    let (stream, continuation) = AsyncStream.makeStream(of: LocationClient.Update.self)
    for update in updates { continuation.yield(update) }
    continuation.finish()
    self.init(stream, onReport: onReport)
  }

  /// Reports the position of a view, whenever the map has moved and at most ten times a second. False when it could not
  /// be sent, without a connection or to a daemon that does not keep up; the next report makes up for it.
  @discardableResult
  public func report(_ view: ViewRequest) -> Bool {
    switch origin {
    case .connection(let lease): return lease.connection.send(.engine(.view(view)))
    case .sequence(let script):
      script.onReport(view)
      return true
    }
  }

  /// Sends a request, whose answers are among the updates; false when it could not be sent.
  @discardableResult
  package func send(_ request: Request) throws(LocationClientError) -> Bool {
    try LocationClientError.check(request)
    return connection?.send(request) ?? false
  }

  /// Sets a target to watch for arrival within `radius` metres (1 to 10,000; 100 by default); the same name again
  /// replaces it. It belongs to these updates: set again whenever the daemon returns, and removed with their end. A
  /// target that the daemon refuses is an ``LocationClient/Update/error(_:)``. A recording in its place watches
  /// targets, too; another sequence does not.
  public func setTarget(
    _ name: String, at coordinate: Coordinate, radius: Double? = nil
  ) throws(LocationClientError) {
    let request = EngineRequest.setTarget(TargetRequest(name: name, position: coordinate, radius: radius))
    try LocationClientError.check(.engine(request))
    change(request)
  }

  /// Removes a target.
  public func removeTarget(_ name: String) { change(.removeTarget(name: name)) }

  private func change(_ request: EngineRequest) {
    switch origin {
    case .connection(let lease): lease.connection.change(request)
    case .sequence(let script): script.targets?.change(request)
    }
  }

  var poses: PoseTracker {
    switch origin {
    case .connection(let lease): lease.connection.poses
    case .sequence(let script): script.poses
    }
  }

  /// Number of events dropped because no consumer took them in time, positions at a transition included.
  public var missedEvents: Int { connection?.mailbox.missed ?? 0 }

  /// Ends the subscription; updates received before remain available. A sequence in its place ends at its next update.
  public func cancel() {
    switch origin {
    case .connection(let lease): lease.connection.cancel()
    case .sequence(let script): script.isCancelled.store(true, ordering: .relaxed)
    }
  }

  var connection: SubscribedConnection? {
    if case .connection(let lease) = origin { lease.connection } else { nil }
  }

  /// An iterator over the updates.
  public func makeAsyncIterator() -> Iterator {
    switch origin {
    case .connection(let lease): Iterator(lease: lease)
    case .sequence(let script): Iterator(script: script, updates: script.makeIterator())
    }
  }

  /// An iterator over the updates.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate var lease: ConnectionLease?
    fileprivate var script: UpdateScript?
    fileprivate var updates: (any AsyncIteratorProtocol<LocationClient.Update, Never>)?

    /// The next update; `nil` after the end or when the task is cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Never) -> LocationClient.Update? {
      if let lease { return await lease.connection.mailbox.next() }
      guard let script, !script.isCancelled.load(ordering: .relaxed), !Task.isCancelled else { return nil }
      let update = await updates?.next(isolation: actor)
      guard !script.isCancelled.load(ordering: .relaxed) else { return nil }
      if let update { script.poses.add(update, at: (updates as? any UpdateClock)?.instant) }
      return update
    }
  }
}

/// An iterator of updates that are not of the moment at which it returns them.
package protocol UpdateClock {
  var instant: ContinuousClock.Instant { get }
}

/// A sequence of updates that watches targets.
package protocol TargetUpdates: Sendable {
  func change(_ request: EngineRequest)
}

private final class UpdateScript: Sendable {
  let makeIterator: @Sendable () -> any AsyncIteratorProtocol<LocationClient.Update, Never>
  let onReport: @Sendable (ViewRequest) -> Void
  let isCancelled = Atomic(false)
  let poses = PoseTracker()
  let targets: (any TargetUpdates)?

  init(
    _ updates: some AsyncSequence<LocationClient.Update, Never> & Sendable,
    onReport: @escaping @Sendable (ViewRequest) -> Void
  ) {
    makeIterator = { updates.makeAsyncIterator() }
    self.onReport = onReport
    targets = updates as? any TargetUpdates
  }
}

/// The lifetime of a connection: it is cancelled with the last reference.
final class ConnectionLease: Sendable {
  let connection: SubscribedConnection

  init(_ connection: SubscribedConnection) {
    self.connection = connection
    connection.start()
  }

  deinit { connection.cancel() }
}
