import GPSDProtocol

/// The parameters of a subscription.
public struct Subscription: Hashable, Sendable {
  /// Metres between delivered positions; 0 for every fix, `nil` for the daemon's default.
  public var distanceFilter: Double?
  /// Seconds after which the newest position is delivered although it did not move; `nil` for never.
  public var heartbeat: Double?

  /// A subscription with the daemon's defaults, or with these values.
  public init(distanceFilter: Double? = nil, heartbeat: Double? = nil) {
    self.distanceFilter = distanceFilter
    self.heartbeat = heartbeat
  }

  var request: Request {
    var watch = WatchRequest()
    watch.json = true
    watch.handlebar = true
    watch.distanceFilter = distanceFilter
    watch.heartbeat = heartbeat
    return .watch(watch)
  }
}

extension LocationClient {
  /// An element of a subscription.
  public enum Update: Hashable, Sendable {
    /// A daemon was reached.
    case connected(VersionReport)
    /// A new position.
    case position(Position)
    /// The satellites in view.
    case sky(SKY)
    /// The leading source or its state changed.
    case state(StateReport)
    /// The follow state of a view changed.
    case follow(FollowReport)
    /// The state of a target changed.
    case arrival(ArrivalReport)
    /// The position of a recording that plays in place of a receiver.
    case playback(PlaybackReport)
    /// The daemon refused a request; the connection stays.
    case error(ErrorReport)
    /// The connection was lost or could not be made; connecting continues.
    case disconnected(LocationClientError)

    init?(_ report: Report) {
      switch report {
      case .tpv(let tpv):
        guard let position = Position(tpv) else { return nil }
        self = .position(position)
      case .sky(let sky): self = .sky(sky)
      case .state(let state): self = .state(state)
      case .follow(let follow): self = .follow(follow)
      case .arrival(let arrival): self = .arrival(arrival)
      case .playback(let playback): self = .playback(playback)
      case .error(let error): self = .error(error)
      case .version, .devices, .device, .watch, .pose, .gst, .poll, .status, .record, .other: return nil
      }
    }

    /// Whether each one counts, and not only the newest.
    var isEvent: Bool {
      switch self {
      case .position, .sky: false
      case .connected, .state, .follow, .arrival, .playback, .error, .disconnected: true
      }
    }
  }
}

/// A live subscription, an endless sequence across restarts of the daemon.
///
/// The connection is open as long as this value, a copy, or an iterator exists, until `cancel()`. A slow consumer gets
/// the newest position, the newest satellites, and the last 64 events. Several consumers share the updates; for all
/// updates, subscribe once for each.
public struct LocationUpdates: AsyncSequence, Sendable {
  /// An update.
  public typealias Element = LocationClient.Update
  /// The loss of the daemon is an update and not an error.
  public typealias Failure = Never

  private let lease: ConnectionLease

  init(endpoint: Endpoint, subscription: Subscription, eachLine: (@Sendable ([UInt8]) -> Void)? = nil) {
    lease = ConnectionLease(
      SubscribedConnection(endpoint: endpoint, subscription: subscription, eachLine: eachLine))
  }

  /// Reports the position of a view. False when it could not be sent, without a connection or to a daemon that does not
  /// keep up; the next report makes up for it.
  @discardableResult
  public func report(_ view: ViewRequest) -> Bool {
    connection.send(.view(view))
  }

  /// Number of events dropped because no consumer took them in time.
  public var missedEvents: Int { connection.mailbox.missed }

  /// Ends the subscription; updates received before remain available.
  public func cancel() {
    connection.cancel()
  }

  var connection: SubscribedConnection { lease.connection }

  /// An iterator over the updates.
  public func makeAsyncIterator() -> Iterator { Iterator(lease: lease) }

  /// An iterator over the updates.
  public struct Iterator: AsyncIteratorProtocol {
    let lease: ConnectionLease

    /// The next update; `nil` after the end or when the task is cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Never) -> LocationClient.Update? {
      await lease.connection.mailbox.next()
    }
  }
}

/// The lifetime of a connection: it is cancelled with the last reference.
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
