/// The follow state of a view (class `FOLLOW`), sent on every transition and on request.
public struct FollowReport: Hashable, Sendable {
  /// Why a view follows or not.
  public enum Reason: OpenName {
    /// Following since its first report or request.
    case initial
    /// Free because it was moved away from the fix.
    case drift
    /// Set by a request.
    case requested
    /// A name unknown to this release.
    case unknown(String)

    private static let known: [Self] = [
      .initial, .drift, .requested,
    ]

    /// The case of a name on the wire.
    public init(rawValue name: String) {
      self = Self.known.first { $0.rawValue == name } ?? .unknown(name)
    }

    /// The name on the wire.
    public var rawValue: String {
      switch self {
      case .initial: "initial"
      case .drift: "drift"
      case .requested: "requested"
      case .unknown(let name): name
      }
    }
  }

  /// Name of the view.
  public var view: String
  /// Whether the view follows the rider.
  public var following: Bool
  /// The cause of the state.
  public var reason: Reason?
  /// Metres between the view and the fix that it was showing, when that was the cause.
  public var distance: Double?
  /// Number of that fix.
  public var seq: UInt64?

  /// The state of a view.
  public init(view: String, following: Bool, reason: Reason? = nil, distance: Double? = nil, seq: UInt64? = nil) {
    self.view = view
    self.following = following
    self.reason = reason
    self.distance = distance
    self.seq = seq
  }

  init(_ object: inout JSONObject) {
    view = object.required("view", object.string("view"), or: "")
    following = object.required("following", object.bool("following"), or: false)
    reason = object.name("reason")
    distance = object.double("distance")
    seq = object.integer("seq")
  }

  /// Writes the whole line.
  package func write(into line: inout JSONLine) {
    line.begin("FOLLOW")
    line.field("view", view)
    line.field("following", following)
    line.field("reason", reason?.rawValue)
    line.field("distance", distance, decimals: 3)
    line.field("seq", seq)
    line.end()
  }
}

/// The state of a target (class `ARRIVAL`), sent when it changes and on request.
public struct ArrivalReport: Hashable, Sendable {
  /// Whether the rider has arrived.
  public enum State: OpenName {
    /// Outside the radius, or unknown.
    case away
    /// Inside the radius, or not yet clear of it.
    case arriving
    /// The target was removed.
    case removed
    /// A name unknown to this release.
    case unknown(String)

    private static let known: [Self] = [
      .away, .arriving, .removed,
    ]

    /// The case of a name on the wire.
    public init(rawValue name: String) {
      self = Self.known.first { $0.rawValue == name } ?? .unknown(name)
    }

    /// The name on the wire.
    public var rawValue: String {
      switch self {
      case .away: "away"
      case .arriving: "arriving"
      case .removed: "removed"
      case .unknown(let name): name
      }
    }
  }

  /// Name of the target.
  public var name: String
  /// Whether the rider has arrived.
  public var state: State
  /// Metres to the target.
  public var distance: Double?
  /// Bearing of the target, degrees from true north.
  public var bearing: Double?
  /// Estimated time to the target, from the speed made good over the last minute.
  public var eta: Duration?

  /// The state of a target.
  public init(name: String, state: State, distance: Double? = nil, bearing: Double? = nil, eta: Duration? = nil) {
    self.name = name
    self.state = state
    self.distance = distance
    self.bearing = bearing
    self.eta = eta
  }

  init(_ object: inout JSONObject) {
    name = object.required("name", object.string("name"), or: "")
    state = object.required("state", object.name("state"), or: "")
    distance = object.double("distance")
    bearing = object.double("bearing")
    eta = object.duration("eta")
  }

  /// Writes the whole line.
  package func write(into line: inout JSONLine) {
    line.begin("ARRIVAL")
    line.field("name", name)
    line.field("state", state.rawValue)
    line.field("distance", distance, decimals: 3)
    line.field("bearing", bearing, decimals: 1)
    line.field("eta", eta, decimals: 0)
    line.end()
  }
}
