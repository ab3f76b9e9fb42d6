import Libc

/// A passage of a course on which the rider may be, in one direction, and how unlikely that is.
struct CourseHypothesis: Sendable {
  /// Most that a place differs from the expected one on the same passage, standard deviations and metres besides.
  private static let reach = (deviations: 3.0, ahead: 40.0)

  var passage: CoursePassage
  /// 1 as the line goes, −1 backwards.
  var direction: Double
  /// Negative logarithm of its likelihood, beside that of the others.
  var cost: Double
  /// Seconds for which fixes have been on it and moved in its direction.
  var fit = 0.0
  var isReported = false
  var isNear = true
  /// Since the fix that was near it: metres ridden, and their standard deviation.
  var way = 0.0
  var deviation = 0.0
  /// Whether a place near the newest fix is the same passage farther on.
  var isContinued = false

  /// Metres from the start of the line.
  var along: Double { passage.along }
  var isReverse: Bool { direction < 0 }
  /// Metres to the right of the line as it is ridden.
  var beside: Double { direction * passage.beside }
  func gain(to place: Double) -> Double { direction * (place - along) }

  /// Of the way along the line to a place in the same direction, and whether that is the same passage farther on.
  /// `noise`: standard deviation of a place on the line, metres.
  func steadyCost(to place: Double, noise: Double) -> (cost: Double, isSame: Bool) {
    let excess = gain(to: place) - way
    let deviation = deviation + noise
    let isSame =
      excess > -Self.reach.deviations * deviation - way
      && excess < Self.reach.deviations * deviation + Self.reach.ahead
    return (excess * excess / (2 * deviation * deviation), isSame)
  }
}

/// The evidence of a fix counts by the time since the one before: errors of neighbouring fixes are alike.
struct CourseLikelihood {
  /// Standard deviation of the plan, metres: half a road and what thinning left out.
  private static let planDeviation = 4.0
  /// Most that a fix can count against a hypothesis by its distance, and by its direction: half at a right angle.
  private static let most = (distance: 6.0, direction: 4.0)
  /// Seconds in which a fix counts fully, for its place with its radius: large errors are reflections; less at a stop.
  private static let correlation = (time: 2.0, perMetre: 0.2, standing: 0.2)
  /// Of another passage than the next one, on the line: 5 and the logarithm of the metres left out, in units of 20 m.
  /// Thus a rider who turns round up to 200 m before the turning point of an out and back is on the way back.
  private static let jump = (least: 5.0, scale: 20.0)
  /// Of a return to the line farther ahead than the rider has ridden, and farther behind than so many deviations.
  private static let rejoin = (ahead: 1.0, behind: 3.0, scale: 500.0, deviations: 2.0)
  /// Of a turn round while on the line, and while off it or before it.
  private static let turn = (on: 8.0, off: 4.0)
  /// Of a start in the middle, which is farther than this many metres from the start.
  private static let middle = (cost: 4.0, from: 100.0)

  let motion: CourseMotion
  /// Standard deviation of a fix beside the line, metres, squared, and twice.
  private let spread: Double
  private let weight: (place: Double, direction: Double)
  let isOn: Bool

  init(_ motion: CourseMotion, radius: Double, isOn: Bool) {
    self.motion = motion
    self.isOn = isOn
    let deviation = radius / Confidence.circle
    spread = 2 * (deviation * deviation + Self.planDeviation * Self.planDeviation)
    let seconds = motion.seconds > 0 ? motion.seconds : .infinity
    let isStanding = motion.way < Standstill.stoppedBelow * motion.seconds
    weight = (
      min(seconds / (Self.correlation.time + Self.correlation.perMetre * radius), 1)
        * (isStanding ? Self.correlation.standing : 1), min(seconds / Self.correlation.time, 1)
    )
  }

  /// Of a fix near no passage of the hypothesis.
  var absence: Double { Self.most.distance * weight.place + weight.direction }

  /// `isFit`: the rider may be on it. A passage that he crosses while off the line, or nears, is no likelier than none.
  func cost(of passage: CoursePassage, _ direction: Double, isFit: Bool) -> Double {
    let turned = motion.heading.map { 1 - passage.agreement(with: $0, direction) } ?? 0
    let offset = passage.offset.dot(passage.offset) / spread
    let cost = weight.place * min(offset, Self.most.distance) + weight.direction * Self.most.direction / 2 * turned
    return isOn || isFit ? cost : max(cost, absence)
  }

  func cost(ofStartAt along: Double, _ direction: Double) -> Double {
    (along > Self.middle.from ? Self.middle.cost : 0) + (direction < 0 ? Self.turn.off : 0)
  }

  /// The cost of a place and of the one before it, by a jump along the line or a turn; infinite unless below a bound.
  func jumpCost(from start: CourseHypothesis, to place: Double, _ direction: Double, below bound: Double) -> Double {
    let isTurn = start.direction != direction
    let cost = start.cost + (isTurn ? (isOn ? Self.turn.on : Self.turn.off) : 0)
    // A turn alone is no jump.
    guard cost + (isTurn || !isOn ? 0 : Self.jump.least) < bound else { return .infinity }
    let gain = start.gain(to: place)
    guard isTurn else { return cost + (isOn ? jump(gain - start.way) : rejoin(gain, after: start.way)) }
    let excess = max(0, abs(gain) - start.way) / (start.deviation + motion.noise)
    return cost + min(excess * excess / 2, isOn ? jump(gain) : rejoin(gain, after: start.way))
  }

  private func jump(_ metres: Double) -> Double { Self.jump.least + log(1 + abs(metres) / Self.jump.scale) }

  /// Crossing the line, his place hardly moves, to and fro by errors: cheaper than one round farther on, at each fix.
  private func rejoin(_ gain: Double, after way: Double) -> Double {
    let isBehind = gain < -Self.rejoin.deviations * (motion.deviation + motion.noise)
    let least = isBehind ? Self.rejoin.behind : gain > way ? Self.rejoin.ahead : 0
    return least + 2 * log(1 + (isBehind ? -gain : max(gain, 0)) / Self.rejoin.scale)
  }
}
