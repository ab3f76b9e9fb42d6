import GPSDProtocol
import LocationCore

/// The way to a location daemon: subscribe to where the rider is, ask once, steer follow mode.
///
///     let client = LocationClient()
///     for await update in client.updates(Subscription(distanceFilter: 10)) {
///       if case .position(let position) = update { print(position.coordinate) }
///     }
///
/// Each subscription and each question has a connection of its own, so that answers never mix. A value without state: copy it, make as many as you like.
public struct LocationClient: Hashable, Sendable {
  /// Where the daemon listens.
  public var endpoint: Endpoint

  /// A client of the daemon that listens there.
  public init(endpoint: Endpoint = .environment) {
    self.endpoint = endpoint
  }

  /// Subscribes: connects now and again whenever the daemon comes back, until the last user of the result is gone.
  public func updates(_ subscription: Subscription = Subscription()) -> LocationUpdates {
    LocationUpdates(endpoint: endpoint, subscription: subscription)
  }

  /// Subscribes, and shows every line as it came before it becomes an update. `eachLine` is called on the connection's own thread: while it
  /// does not return, nothing more is read.
  package func updates(
    _ subscription: Subscription, eachLine: @escaping @Sendable ([UInt8]) -> Void
  ) -> LocationUpdates {
    LocationUpdates(endpoint: endpoint, subscription: subscription, eachLine: eachLine)
  }
}
