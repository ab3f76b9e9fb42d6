import Libc

/// The size of a stream's prediction errors, from quick and slow averages of their squares, and the radius for 95 %:
/// its factor is steered by how often the radius held the next fix, so it is right for any distribution.
struct PredictionError: Sendable {
  struct Scale: Sendable {
    /// Averages of the squared error, in units of `speedFactor` × horizon.
    var recent = 0.5
    var lasting = 0.5
    /// Logarithm of the factor from the mean error to 95 %.
    var factor = 0.79
    /// Seconds.
    var horizon = 1.0

    func radius(speed: Double) -> Double {
      exp(factor) * ((recent + lasting) / 2).squareRoot() * PredictionError.speedFactor(speed) * horizon
    }

    mutating func learn(_ error: Double, radius: Double, over horizon: Double, speed: Double) {
      guard error.isFinite else { return }
      let isInside = error <= radius
      self.horizon = horizon
      // Small errors at a stop are no measure of those on the move.
      let isMoving = speed > MotionState.learnsAbove
      let step = isInside ? (isMoving ? -0.003 : -0.0006) : 0.06
      factor = min(max(factor + step, 0.182), 1.792)
      guard isMoving || !isInside else { return }
      let unit = error / (PredictionError.speedFactor(speed) * horizon)
      let squared = min(unit * unit, 25 * max(recent, lasting))
      recent += 0.3 * (squared - recent)
      // A few large errors, after a tunnel, are no reason for large radii a minute later.
      lasting += 0.03 * (min(squared, 4 * lasting) - lasting)
    }
  }

  /// White noise of positions, which no prediction can be better than, metres: of a fast receiver, and of others.
  private static let floor = (near: 0.14, far: 0.2)

  /// Over the interval of a fast receiver's fixes.
  var near = Scale()
  /// Over `MotionEstimator.baseline` or the interval of a slow receiver's fixes.
  var far = Scale()
  /// Averages of the squared error over the longer horizon, and of the manoeuvres' part; the rest is noise of fixes.
  private var squares = (all: 1.0, maneuvers: 0.4)

  /// Errors grow with the speed, but not from 0.
  private static func speedFactor(_ speed: Double) -> Double { (12 + speed) / 22 }

  struct Growth: Sendable {
    fileprivate var near = (horizon: 1.0, radius: 0.0)
    fileprivate var far = (horizon: 1.0, radius: 0.0)
    /// The manoeuvres' share of the squared error. It grows with the fourth power of the age, noise with the first.
    fileprivate var maneuvers = 0.4

    /// The 95 % radius `age` seconds after the fix, metres.
    func radius(after age: Double) -> Double {
      let radius: Double
      if age > far.horizon {
        let ratio = age / far.horizon
        radius = far.radius * ratio * ratio * ratio.squareRoot()
      } else if near.horizon < far.horizon {
        if age > near.horizon {
          let part = (age - near.horizon) / (far.horizon - near.horizon)
          radius = near.radius + part * (far.radius - near.radius)
        } else {
          radius = near.radius * max(0.5, age / near.horizon)
        }
      } else {
        let part = max(0, age / far.horizon)
        let square = part * (1 - maneuvers + maneuvers * part * part * part)
        radius = far.radius * max(0.15, square.squareRoot())
      }
      let floor = near.horizon < far.horizon ? PredictionError.floor.near : PredictionError.floor.far
      return hypot(radius, min(floor, far.radius))
    }
  }

  /// The growth after a fix at a speed, m/s; `period` is the usual time between fixes, seconds.
  func growth(speed: Double, period: Double) -> Growth {
    let radius = far.radius(speed: speed)
    guard period < MotionEstimator.baseline else {
      let maneuvers = min(squares.maneuvers / squares.all, 1)
      return Growth(near: (far.horizon, radius), far: (far.horizon, radius), maneuvers: maneuvers)
    }
    return Growth(near: (near.horizon, min(near.radius(speed: speed), radius)), far: (far.horizon, radius))
  }

  /// Learns how much of an error, metres, follows from an error of the velocity, m/s, that grew at a constant rate.
  mutating func learn(shape error: SIMD2<Double>, velocity: SIMD2<Double>, over horizon: Double) {
    let square = min((error * error).sum(), 9 * squares.all)
    let maneuver = (error * velocity).sum() * horizon / 2
    guard square.isFinite, maneuver.isFinite else { return }
    squares.all = max(1e-6, squares.all + 0.1 * (square - squares.all))
    squares.maneuvers += 0.1 * (min(max(maneuver, 0), square) - squares.maneuvers)
  }
}
