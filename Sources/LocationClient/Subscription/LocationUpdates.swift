import GPSDProtocol

/// A live subscription: updates as they come, through daemons that stop and start again.
///
/// Connected as long as this value, a copy, or an iterator lives, until `cancel()`. A consumer that is slow finds the newest position, the newest
/// satellites, and the last 64 events. Several consumers share the updates; for each to hear everything, subscribe for each.
public struct LocationUpdates: AsyncSequence, Sendable {
  /// What comes.
  public typealias Element = LocationClient.Update
  /// Losing the daemon is an update, not an error.
  public typealias Failure = Never

  private let lease: ConnectionLease

  init(endpoint: Endpoint, subscription: Subscription, eachLine: (@Sendable ([UInt8]) -> Void)? = nil) {
    lease = ConnectionLease(
      SubscribedConnection(endpoint: endpoint, subscription: subscription, eachLine: eachLine))
  }

  /// Tells the daemon where a view stands. False when it could not be sent now: without a daemon, or when it does not keep up;
  /// the next report says it anew.
  @discardableResult
  public func report(_ view: ViewRequest) -> Bool {
    connection.send(.view(view))
  }

  /// How many events nobody took in time.
  public var missedEvents: Int { connection.mailbox.missed }

  /// Ends the subscription; what has come can still be taken.
  public func cancel() {
    connection.cancel()
  }

  var connection: SubscribedConnection { lease.connection }

  /// Goes through the updates.
  public func makeAsyncIterator() -> Iterator { Iterator(lease: lease) }

  /// Takes one update after the other.
  public struct Iterator: AsyncIteratorProtocol {
    let lease: ConnectionLease

    /// The next update, `nil` after the end or when the task is cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Never) -> LocationClient.Update? {
      await lease.connection.mailbox.next()
    }
  }
}

/// Keeps a connection as long as somebody may listen.
final class ConnectionLease: Sendable {
  let connection: SubscribedConnection

  init(_ connection: SubscribedConnection) {
    self.connection = connection
    connection.start()
  }

  deinit {
    connection.cancel()
  }
}
