/// How a target stands to the rider (class `ARRIVAL`): sent when its state changes and when asked.
public struct ArrivalReport: Hashable, Sendable, Decodable {
  /// Name of the target.
  public var name: String
  /// `approaching`, `arriving` …; `removed` when it is no longer watched.
  public var state: String
  /// Metres to the target.
  public var distance: Double?
  /// Direction to the target, degrees from true north.
  public var bearing: Double?
  /// Estimated seconds to the target, from the last minute's speed made good.
  public var eta: Double?

  /// The state of a target.
  package init(name: String, state: String, distance: Double? = nil, bearing: Double? = nil, eta: Double? = nil) {
    self.name = name
    self.state = state
    self.distance = distance
    self.bearing = bearing
    self.eta = eta
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
