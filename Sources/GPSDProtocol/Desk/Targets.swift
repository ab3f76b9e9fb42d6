import LocationCore

extension TargetRequest: CodedFields {
  package init() { self.init(name: "", position: .origin) }

  package mutating func fields(_ coder: inout some FieldCoder) {
    coder.field("name", &name, bytes: 1...64)
    coder.checkedField(&position)
    coder.field("radius", &radius, decimals: 3, in: Target.radii)
    coder.ignore("enable")
    coder.flag("persistent", &isPersistent)
  }
}

/// The removal of a target, `?TARGET={…,"enable":false}`.
struct TargetRemoval: CodedFields {
  var name = ""

  mutating func fields(_ coder: inout some FieldCoder) {
    coder.field("name", &name, bytes: 1...64)
    for name: StaticString in ["lat", "lon", "radius"] { coder.ignore(name) }
    var enable: Bool? = false
    coder.field("enable", &enable)
    var persistent: Bool?
    coder.field("persistent", &persistent)
  }
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
  /// Whether it repeats what is known, as the subscription asks for: nothing has changed.
  public var isRepeated = false

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

  package init(_ arrival: Arrival, isRepeated: Bool = false) {
    self.init(
      arrival.target, state: .init(rawValue: arrival.state.rawValue), distance: arrival.distance,
      bearing: arrival.bearing, timeRemaining: arrival.eta)
    self.isRepeated = isRepeated
  }

  package mutating func fields(_ coder: inout some FieldCoder) {
    coder.field("name", &name)
    coder.field("state", &state)
    coder.field(&coordinate)
    coder.field("radius", &radius, decimals: 3)
    coder.field("distance", &distance, decimals: 3)
    coder.field("bearing", &bearing, decimals: 1)
    coder.field("eta", &timeRemaining, decimals: 0)
    coder.flag("repeated", &isRepeated)
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
