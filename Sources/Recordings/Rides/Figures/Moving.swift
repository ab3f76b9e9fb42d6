/// Whether the rider moves.
enum Moving: Hashable, Sendable {
  /// It stands, since so many seconds of the ride.
  case standing(since: Double)
  /// It stands and was seen to start; counts when it lasts.
  case starting(Pending)
  /// It moves.
  case moving
  /// It moves and was seen to stop; counts when it lasts.
  case stopping(Pending)

  /// What is not sure yet.
  struct Pending: Hashable, Sendable {
    /// When it was seen, and when it must have begun by the acceleration, seconds of the ride.
    var seen: Double
    var edge: Double
    /// The speed when it was seen, m/s.
    var speed: Double
    /// The acceleration of the interval in which it was seen, m/s².
    var slope: Double
    /// Since when it stood, if this was seen at a stand.
    var stoodSince: Double
    /// Metres ridden since it was seen, and on the way to the edge.
    var distance: Double
    var edgeDistance: Double
  }
}
