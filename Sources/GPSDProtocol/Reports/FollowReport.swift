import LocationCore

/// The follow state of a view (class `FOLLOW`), sent on every transition and on request.
public struct FollowReport: Hashable, Codable, Sendable, CodedReport {
  package static let reportClass: StaticString = "FOLLOW"
  /// Why a view follows or not.
  public typealias Reason = OpenName<FollowReport>
  /// Name of the view.
  public var view = ""
  /// Whether the view follows the rider.
  public var isFollowing = false
  /// The cause of the state.
  public var reason: Reason?
  /// Metres between the view and the fix that it was showing, when that was the cause.
  public var distance: Double?
  /// Number of that fix.
  public var seq: UInt64?

  /// The state of a view.
  public init(view: String, isFollowing: Bool, reason: Reason? = nil, distance: Double? = nil, seq: UInt64? = nil) {
    self.view = view
    self.isFollowing = isFollowing
    self.reason = reason
    self.distance = distance
    self.seq = seq
  }

  package init() {}

  package init(_ state: FollowState) {
    self.init(
      view: state.view, isFollowing: state.following, reason: .init(rawValue: state.reason.rawValue),
      distance: state.distance, seq: state.seq)
  }

  package mutating func code(_ coder: inout some FieldCoder) {
    coder.field("view", &view)
    coder.field("following", &isFollowing)
    coder.field("reason", &reason)
    coder.field("distance", &distance, decimals: 3)
    coder.field("seq", &seq)
  }
}

extension OpenName<FollowReport> {
  /// Following since its first report or request.
  public static var initial: Self { Self("initial") }
  /// Free because it was moved away from the fix.
  public static var drift: Self { Self("drift") }
  /// Set by a request.
  public static var requested: Self { Self("requested") }
}

/// The state of a target (class `ARRIVAL`), sent when it is set, changes or is removed, and on request.
public struct ArrivalReport: Hashable, Codable, Sendable, CodedReport {
  package static let reportClass: StaticString = "ARRIVAL"
  /// Whether the rider has arrived.
  public typealias State = OpenName<ArrivalReport>
  /// Name of the target.
  public var name = ""
  /// Whether the rider has arrived.
  public var state: State = .init("")
  /// The place of the target.
  public var coordinate: Coordinate?
  /// Metres around the target within which the rider has arrived.
  public var radius: Double?
  /// Metres to the target.
  public var distance: Double?
  /// Bearing of the target, degrees from true north.
  public var bearing: Double?
  /// Estimated time to the target in a straight line, at the recent speed of moving; `nil` unless it is approached.
  public var timeRemaining: Duration?

  /// The state of a target.
  public init(
    name: String, state: State, coordinate: Coordinate? = nil, radius: Double? = nil, distance: Double? = nil,
    bearing: Double? = nil, timeRemaining: Duration? = nil
  ) {
    self.name = name
    self.state = state
    self.coordinate = coordinate
    self.radius = radius
    self.distance = distance
    self.bearing = bearing
    self.timeRemaining = timeRemaining
  }

  package init() {}

  package init(
    _ target: Target, state: State, distance: Double? = nil, bearing: Double? = nil, timeRemaining: Duration? = nil
  ) {
    self.init(
      name: target.name, state: state, coordinate: target.coordinate, radius: target.radius, distance: distance,
      bearing: bearing, timeRemaining: timeRemaining)
  }

  package init(_ arrival: Arrival) {
    self.init(
      arrival.target, state: .init(rawValue: arrival.state.rawValue), distance: arrival.distance,
      bearing: arrival.bearing, timeRemaining: arrival.eta)
  }

  package mutating func code(_ coder: inout some FieldCoder) {
    coder.field("name", &name)
    coder.field("state", &state)
    coder.field(&coordinate)
    coder.field("radius", &radius, decimals: 3)
    coder.field("distance", &distance, decimals: 3)
    coder.field("bearing", &bearing, decimals: 1)
    coder.field("eta", &timeRemaining, decimals: 0)
  }
}

extension OpenName<ArrivalReport> {
  /// Outside the radius, or unknown.
  public static var away: Self { Self("away") }
  /// Inside the radius, or not yet clear of it.
  public static var arriving: Self { Self("arriving") }
  /// The target was removed.
  public static var removed: Self { Self("removed") }
}
