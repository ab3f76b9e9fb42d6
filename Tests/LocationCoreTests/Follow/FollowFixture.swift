import Testing

@testable import LocationCore

/// A rider, renderers and the registry, on virtual time.
struct FollowFixture {
  var registry: FollowRegistry
  var ride = RideFixture()
  let session = SessionID(1)

  init(_ configuration: FollowConfiguration = .standard) {
    registry = FollowRegistry(configuration)
    registry.sessionOpened(session, at: at(0))
  }

  /// A registry with a fix at `here` (seq 1, instant 0) and the view "main" out of its grace at 0 s.
  static func settled(_ configuration: FollowConfiguration = .standard) throws -> FollowFixture {
    var fixture = FollowFixture(configuration)
    _ = fixture.publish(here, 0)
    #expect(try fixture.report(here, seq: 1, cause: .follow, 0) == [])
    return fixture
  }

  @discardableResult
  mutating func publish(
    _ position: Coordinate, _ second: Double, speed: Double? = 5, changes: FixChanges = []
  ) -> [FollowAction] {
    registry.published(ride.fix(position, at: at(second), speed: speed, changes: changes), at: at(second))
  }

  @discardableResult
  mutating func report(
    _ position: Coordinate, seq: UInt64? = nil, cause: ViewCause? = .user, view: String = "main",
    order: UInt64? = nil, from session: SessionID? = nil, _ second: Double
  ) throws(FollowError) -> [FollowAction] {
    try registry.report(
      ViewReport(view: view, coordinate: position, seq: seq, cause: cause, order: order),
      from: session ?? self.session, at: at(second))
  }

  @discardableResult
  mutating func set(
    _ following: Bool, view: String = "main", from session: SessionID? = nil, _ second: Double
  ) throws(FollowError) -> [FollowAction] {
    try registry.set(following: following, view: view, session: session ?? self.session, at: at(second))
  }

  func state(_ view: String = "main") -> FollowState { registry.state(of: view) }
}
