struct RideSample: Hashable, Sendable {
  /// Seconds of the ride: since its first fix.
  var time: Double
  var position: Coordinate
  var cartesian: EarthCentered
  /// m/s; calculated from the chord if the receiver reports none.
  var speed: Double
  var isMeasured: Bool
  var measured: UTCInstant?
  /// Arrival; `nil` if that was on another clock, in an earlier run.
  var received: MonotonicInstant?

  static let empty = RideSample(
    time: 0, position: .origin, cartesian: EarthCentered(.origin), speed: 0, isMeasured: false)

  mutating func code(_ words: inout StateWords) {
    words.code(&time)
    words.code(&position)
    cartesian = EarthCentered(position)
    words.code(&speed)
    words.code(&isMeasured)
    words.code(&measured)
  }
}

/// Whether the rider moves. Times are seconds of the ride.
enum Moving: Hashable, Sendable {
  case standing(since: Double)
  /// Standing since `since` and fast at `seen`: a start if that lasts.
  case starting(seen: Double, since: Double)
  case moving
  /// In motion and first slow at `slow`: a stop if that lasts. The previous fix was at `seen`.
  case stopping(seen: Double, slow: Double)

  mutating func code(_ words: inout StateWords) {
    var (kind, first, second) =
      switch self {
      case .standing(let since): (0, since, 0.0)
      case .starting(let seen, let since): (1, seen, since)
      case .moving: (2, 0.0, 0.0)
      case .stopping(let seen, let slow): (3, seen, slow)
      }
    words.code(&kind)
    words.code(&first)
    words.code(&second)
    switch kind {
    case 0: self = .standing(since: first)
    case 1: self = .starting(seen: first, since: second)
    case 2: self = .moving
    default: self = .stopping(seen: first, slow: second)
    }
  }
}
