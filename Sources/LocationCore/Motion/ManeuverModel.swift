/// A forecast of a rider's acceleration and turn rate, learned from the stream. The last differences of speed, course
/// and position are weighted by recursive least squares: the weights that would have forecast the way between earlier
/// fixes best. Noise in the differences, the lag of a receiver's speed and the rider's habits all end up in the
/// weights; without evidence they stay near their first values. What a forecast adds to speed and course is reduced
/// where it is small beside the errors of late: there it could only add to them.
struct ManeuverModel: Sendable {
  /// What the last fixes imply; the forecasts are its weighted sums.
  struct Evidence: Sendable {
    /// For the acceleration, m/s²: from speeds, excess of the distance's, from the turn's change, from the turn.
    var acceleration = SIMD4<Double>.zero
    /// For the turn rate, rad/s: from courses, the excess of that from the chord, the one before, from the braking.
    var turnRate = SIMD4<Double>.zero
    /// What an earlier pass did next, if the rider came by before.
    var known: KnownWay.Forecast?
    /// The turn rate on the course ahead, rad/s, if the rider follows one.
    var planned: Double?
  }

  private var speeding = Regression()
  private var turning = Regression()
  private var knownSpeeding = Share()
  private var knownTurning = Share()
  /// A plan is trusted less, until it has proved right.
  private var plannedTurning = Share(prior: 0.15)
  private var noise = (along: Noise(), across: Noise())
  /// Usual sizes, m/s² and rad/s.
  private var usualExcess = (acceleration: 1.0, turnRate: 0.1)

  mutating func evidence(from start: MotionState, to end: MotionState) -> Evidence {
    var evidence = Evidence()
    let duration = end.seconds(since: start)
    let (distance, bearing) = start.way(to: end)
    guard max(start.speed, end.speed) > Standstill.stoppedBelow else { return evidence }
    let acceleration = (end.speed - start.speed) / duration
    var excess = 2 * (end.speed * duration - distance) / (duration * duration) - acceleration
    var turnRate = 0.0
    var turnExcess = 0.0
    if min(start.speed, end.speed) > MotionState.learnsAbove {
      turnRate = Angle.wrapped(end.course - start.course) / duration
      turnExcess = 2 * Angle.wrapped(end.course - bearing) / duration - turnRate
    }
    excess = Self.trimmed(excess, &usualExcess.acceleration)
    turnExcess = Self.trimmed(turnExcess, &usualExcess.turnRate)
    evidence.turnRate = SIMD4(turnRate, turnExcess, start.turnRate, turnRate * acceleration / 3)
    // In a bend, and even more out of it, riders accelerate.
    let sideways = abs(turnRate) * end.speed
    evidence.acceleration = SIMD4(acceleration, excess, sideways - abs(start.turnRate) * start.speed, sideways / 3)
    return evidence
  }

  /// The expected acceleration, m/s², and turn rate, rad/s, in the `duration` seconds after a fix at a speed, m/s.
  func forecast(
    _ evidence: Evidence, speed: Double, over duration: Double
  ) -> (acceleration: Double, turnRate: Double) {
    let (acceleration, turnRate) = combined(evidence)
    let half = duration * duration / 2
    return (
      min(max(acceleration * noise.along.share(of: acceleration * half), -10), 8),
      turnRate * noise.across.share(of: turnRate * speed * half)
    )
  }

  private func combined(_ evidence: Evidence) -> (acceleration: Double, turnRate: Double) {
    var acceleration = speeding.forecast(evidence.acceleration)
    var turnRate = turning.forecast(evidence.turnRate)
    if let planned = evidence.planned { turnRate += plannedTurning.value * (planned - turnRate) }
    if let known = evidence.known {
      acceleration += knownSpeeding.value * (known.acceleration - acceleration)
      turnRate += knownTurning.value * (known.turnRate - turnRate)
    }
    return (acceleration, turnRate)
  }

  mutating func learn(from start: MotionState, _ evidence: Evidence, to end: MotionState) {
    let duration = end.seconds(since: start)
    let (distance, bearing) = start.way(to: end)
    let half = duration * duration / 2
    let deviation = min(max(Angle.wrapped(bearing - start.course), -1.5), 1.5)
    let gained = distance - start.speed * duration
    let (acceleration, turnRate) = combined(evidence)
    noise.along.learn(gained - acceleration * half)
    noise.across.learn(deviation * distance - turnRate * start.speed * half)
    var turns = turning.forecast(evidence.turnRate)
    let chord = start.speed * half
    if let planned = evidence.planned {
      plannedTurning.learn((planned - turns) * chord, result: deviation * distance - turns * chord)
      turns += plannedTurning.value * (planned - turns)
    }
    if let known = evidence.known {
      let speeds = speeding.forecast(evidence.acceleration)
      knownSpeeding.learn((known.acceleration - speeds) * half, result: gained - speeds * half)
      knownTurning.learn((known.turnRate - turns) * chord, result: deviation * distance - turns * chord)
    }
    speeding.learn(evidence.acceleration * half, result: gained)
    turning.learn(evidence.turnRate * (start.speed * half), result: deviation * distance)
  }

  /// An excess reduced if it is unusual: it then comes from an error of the position.
  private static func trimmed(_ excess: Double, _ usual: inout Double) -> Double {
    usual = max(0.02, usual + 0.03 * (min(abs(excess), 4 * usual) - usual))
    let ratio = excess / (3 * usual)
    return excess / (1 + ratio * ratio)
  }
}

private struct Noise: Sendable {
  /// Mean of their squares, m².
  private var variance = 0.3

  /// The share of a forecast, metres, that is worth its errors: nearly all of a large one, nothing of a small one.
  func share(of forecast: Double) -> Double {
    let square = forecast * forecast
    return square / (square + 0.3 * variance)
  }

  mutating func learn(_ error: Double) {
    guard error.isFinite else { return }
    variance = max(1e-4, variance + 0.1 * (min(error * error, 9 * variance) - variance))
  }
}

/// How far one forecast is to be moved towards another, learned by least squares.
private struct Share: Sendable {
  private static let confidence = 4.0
  private let prior: Double
  private var products: Double
  private var squares = confidence

  init(prior: Double = 0.3) {
    self.prior = prior * Self.confidence
    products = self.prior
  }

  var value: Double { min(max(products / squares, 0), 1) }

  mutating func learn(_ input: Double, result: Double) {
    let error = result - value * input
    let weight = 1 / (0.3 + error * error / 4)
    guard (weight * input).isFinite else { return }
    products = products * 0.98 + weight * input * result + 0.02 * prior
    squares = squares * 0.98 + weight * input * input + 0.02 * Self.confidence
  }
}

/// Recursive least squares in information form. Observations fade over about 250 newer ones, outliers count less.
private struct Regression: Sendable {
  private static let kept = 0.996
  private static let confidence = 1.5
  private static let firstWeights = SIMD4(0.7, 0.2, 0, 0)

  private var weights = firstWeights
  private var rows: [4 of SIMD4<Double>] = [
    SIMD4(confidence, 0, 0, 0), SIMD4(0, confidence, 0, 0), SIMD4(0, 0, confidence, 0), SIMD4(0, 0, 0, confidence),
  ]
  private var side = firstWeights * confidence
  /// Variance of the error, m².
  private var variance = 0.3

  func forecast(_ inputs: SIMD4<Double>) -> Double { (weights * inputs).sum() }

  mutating func learn(_ inputs: SIMD4<Double>, result: Double) {
    let error = result - forecast(inputs)
    guard error.isFinite else { return }
    variance += 0.03 * (min(error * error, 9 * variance + 1e-3) - variance)
    let weighted = inputs / (variance + error * error / 4)
    let (kept, added) = (Self.kept, (1 - Self.kept) * Self.confidence)
    for row in rows.indices {
      rows[row] = rows[row] * kept + weighted * inputs[row]
      rows[row][row] += added
    }
    side = side * kept + weighted * result + Self.firstWeights * added
    solve()
  }

  /// Gaussian elimination; the matrix is positive definite.
  private mutating func solve() {
    var (left, right) = (rows, side)
    for pivot in left.indices {
      for row in pivot + 1..<left.count {
        let factor = left[row][pivot] / left[pivot][pivot]
        left[row] -= left[pivot] * factor
        right[row] -= right[pivot] * factor
      }
    }
    var solution = SIMD4<Double>.zero
    for row in left.indices.reversed() {
      var rest = right[row]
      for column in row + 1..<left.count { rest -= left[row][column] * solution[column] }
      solution[row] = rest / left[row][row]
    }
    if solution.sum().isFinite { weights = solution }
  }
}
