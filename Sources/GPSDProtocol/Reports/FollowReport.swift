/// The follow state of a view (class `FOLLOW`), sent on every transition and on request.
public struct FollowReport: Hashable, Sendable {
  /// Name of the view.
  public var view: String
  /// Whether the view follows the rider.
  public var following: Bool
  /// The cause of the state: `drift`, `requested` …
  public var reason: String?
  /// Metres between the view and the fix that it was showing, when that was the cause.
  public var distance: Double?
  /// Number of that fix.
  public var seq: UInt64?

  /// The state of a view.
  package init(view: String, following: Bool, reason: String? = nil, distance: Double? = nil, seq: UInt64? = nil) {
    self.view = view
    self.following = following
    self.reason = reason
    self.distance = distance
    self.seq = seq
  }

  init(_ object: inout JSONObject) {
    view = object.required("view", object.string("view"), or: "")
    following = object.required("following", object.bool("following"), or: false)
    reason = object.string("reason")
    distance = object.double("distance")
    seq = object.integer("seq")
  }

  /// Writes the whole line.
  package func write(into line: inout JSONLine) {
    line.begin("FOLLOW")
    line.field("view", view)
    line.field("following", following)
    line.field("reason", reason)
    line.field("distance", distance, decimals: 3)
    line.field("seq", seq)
    line.end()
  }
}

/// The state of a target (class `ARRIVAL`), sent when it changes and on request.
public struct ArrivalReport: Hashable, Sendable {
  /// Name of the target.
  public var name: String
  /// `approaching`, `arriving` …; `removed` after its removal.
  public var state: String
  /// Metres to the target.
  public var distance: Double?
  /// Bearing of the target, degrees from true north.
  public var bearing: Double?
  /// Estimated seconds to the target, from the speed made good over the last minute.
  public var eta: Double?

  /// The state of a target.
  package init(name: String, state: String, distance: Double? = nil, bearing: Double? = nil, eta: Double? = nil) {
    self.name = name
    self.state = state
    self.distance = distance
    self.bearing = bearing
    self.eta = eta
  }

  init(_ object: inout JSONObject) {
    name = object.required("name", object.string("name"), or: "")
    state = object.required("state", object.string("state"), or: "")
    distance = object.double("distance")
    bearing = object.double("bearing")
    eta = object.double("eta")
  }

  /// Writes the whole line.
  package func write(into line: inout JSONLine) {
    line.begin("ARRIVAL")
    line.field("name", name)
    line.field("state", state)
    line.field("distance", distance, decimals: 3)
    line.field("bearing", bearing, decimals: 1)
    line.field("eta", eta, decimals: 0)
    line.end()
  }
}
