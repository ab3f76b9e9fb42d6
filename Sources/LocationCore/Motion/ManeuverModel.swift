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

  /// The evidence in the way from an earlier state to the newest one.
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

  /// The evidence as a whole.
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

  /// Learns from the way that followed the evidence.
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

/// The errors of a forecast of late.
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

/// Recursive least squares with four weights, in information form. Observations fade over about 250 newer ones, in
/// favour of the first weights. Outliers count less.
private struct Regression: Sendable {
  private static let kept = 0.996
  private static let confidence = 1.5
  private static let firstWeights = SIMD4(0.7, 0.2, 0, 0)

  private var weights = firstWeights
  private var rows: InlineRows
  private var side = firstWeights * confidence
  /// Variance of the error, m².
  private var variance = 0.3

  private struct InlineRows: Sendable {
    var first, second, third, fourth: SIMD4<Double>
  }

  init() {
    let unit = Self.confidence
    rows = InlineRows(
      first: SIMD4(unit, 0, 0, 0), second: SIMD4(0, unit, 0, 0), third: SIMD4(0, 0, unit, 0),
      fourth: SIMD4(0, 0, 0, unit))
  }

  func forecast(_ inputs: SIMD4<Double>) -> Double { (weights * inputs).sum() }

  mutating func learn(_ inputs: SIMD4<Double>, result: Double) {
    let error = result - forecast(inputs)
    guard error.isFinite else { return }
    variance += 0.03 * (min(error * error, 9 * variance + 1e-3) - variance)
    let weighted = inputs / (variance + error * error / 4)
    let (kept, added) = (Self.kept, (1 - Self.kept) * Self.confidence)
    rows.first = rows.first * kept + weighted * inputs[0]
    rows.second = rows.second * kept + weighted * inputs[1]
    rows.third = rows.third * kept + weighted * inputs[2]
    rows.fourth = rows.fourth * kept + weighted * inputs[3]
    rows.first[0] += added
    rows.second[1] += added
    rows.third[2] += added
    rows.fourth[3] += added
    side = side * kept + weighted * result + Self.firstWeights * added
    solve()
  }

  /// Gaussian elimination; the matrix is positive definite.
  private mutating func solve() {
    var (a, b, c, d) = (rows.first, rows.second, rows.third, rows.fourth)
    var right = side
    func eliminate(_ pivot: SIMD4<Double>, _ row: inout SIMD4<Double>, _ column: Int, _ from: Int, _ to: Int) {
      let factor = row[column] / pivot[column]
      row -= pivot * factor
      right[to] -= right[from] * factor
    }
    eliminate(a, &b, 0, 0, 1)
    eliminate(a, &c, 0, 0, 2)
    eliminate(a, &d, 0, 0, 3)
    eliminate(b, &c, 1, 1, 2)
    eliminate(b, &d, 1, 1, 3)
    eliminate(c, &d, 2, 2, 3)
    let fourth = right[3] / d[3]
    let third = (right[2] - c[3] * fourth) / c[2]
    let second = (right[1] - b[2] * third - b[3] * fourth) / b[1]
    let first = (right[0] - a[1] * second - a[2] * third - a[3] * fourth) / a[0]
    let solution = SIMD4(first, second, third, fourth)
    if solution.sum().isFinite { weights = solution }
  }
}
