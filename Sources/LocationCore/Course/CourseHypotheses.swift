/// The places where the rider may be: a hidden Markov model of the fixes, the likeliest way to each kept (Viterbi).
struct CourseHypotheses: Sendable {
  /// Cost beyond the least one from which a hypothesis is given up.
  private static let hopeless = 25.0
  /// Cost by which another hypothesis is clearly more likely than the reported one: a factor of 20.
  private static let clear = 3.0
  /// Largest angle between the movement and the line of a rider on it: 45°.
  private static let leastAgreement = 0.7
  /// Standard deviation of the way since a place of another run, metres.
  private static let resumed = 50.0
  private static let capacity = 2 * CoursePassage.limit + 8

  private(set) var list: [CourseHypothesis] = []
  /// Storage of the next list.
  private var next: [CourseHypothesis] = []

  var reported: CourseHypothesis? { list.first(where: \.isReported) }

  mutating func resume(on line: CourseLine, at along: Double, isReverse: Bool) {
    // As if a fix were there.
    let passage = CoursePassage(
      segment: line.segment(at: along), part: 0, along: along, offset: .zero, direction: SIMD2(1, 0))
    list = [CourseHypothesis(passage: passage, direction: isReverse ? -1 : 1, cost: 0)]
    list[0].isReported = true
    list[0].isNear = false
    list[0].deviation = Self.resumed
  }

  /// `limit`: the metres beside a passage at which a rider may be on it; `isEntering`: he has not been on the line.
  mutating func advance(
    _ passages: [CoursePassage], _ likelihood: CourseLikelihood, limit: Double, isEntering: Bool
  ) {
    next.removeAll(keepingCapacity: true)
    for index in list.indices {
      list[index].way += likelihood.motion.way
      list[index].deviation += likelihood.motion.deviation
      list[index].isContinued = false
    }
    for passage in passages {
      add(passage, 1, likelihood, limit, isEntering)
      add(passage, -1, likelihood, limit, isEntering)
    }
    if !isEntering { keepDistant(likelihood) }
    settle()
    swap(&list, &next)
  }

  private mutating func add(
    _ passage: CoursePassage, _ direction: Double, _ likelihood: CourseLikelihood, _ limit: Double, _ isEntering: Bool
  ) {
    var new = CourseHypothesis(passage: passage, direction: direction, cost: .infinity)
    if isEntering { new.cost = likelihood.cost(ofStartAt: passage.along, direction) }
    let agreement = likelihood.motion.heading.map { passage.agreement(with: $0, direction) } ?? 0
    let isFit = agreement >= Self.leastAgreement && passage.distance <= limit
    var nearest = Double.infinity
    for index in list.indices where list[index].direction == direction {
      let steady = list[index].steadyCost(to: passage.along, noise: likelihood.motion.noise)
      new.cost = min(new.cost, list[index].cost + steady.cost)
      // Off the line, the place where it was left is kept while the rider only crosses it farther on, or comes near it.
      guard steady.isSame, likelihood.isOn || isFit || list[index].isNear else { continue }
      list[index].isContinued = true
      new.isReported = new.isReported || list[index].isReported
      guard steady.cost < nearest else { continue }
      nearest = steady.cost
      new.fit = list[index].fit
    }
    for old in list {
      new.cost = min(new.cost, likelihood.jumpCost(from: old, to: passage.along, direction, below: new.cost))
    }
    // The first fix of a fit begins it.
    new.fit = isFit ? new.fit + max(likelihood.motion.seconds, 1e-3) : 0
    new.cost += likelihood.cost(of: passage, direction, isFit: isFit)
    if new.cost < .infinity { next.append(new) }
  }

  private mutating func keepDistant(_ likelihood: CourseLikelihood) {
    for var old in list where !old.isContinued {
      guard old.isReported || next.count < Self.capacity - 1 else { continue }
      old.isNear = false
      old.cost += likelihood.absence
      old.fit = 0
      next.append(old)
    }
  }

  /// Gives up what is hopeless, and keeps one reported hypothesis.
  private mutating func settle() {
    var least = Double.infinity
    var reported: Int?
    for index in next.indices {
      least = min(least, next[index].cost)
      guard next[index].isReported else { continue }
      let isBetter = reported.map { next[index].cost < next[$0].cost } ?? true
      if let worse = isBetter ? reported : index { next[worse].isReported = false }
      if isBetter { reported = index }
    }
    for index in next.indices { next[index].cost -= least }
    next.removeAll { $0.cost > Self.hopeless && !$0.isReported }
  }

  /// The likeliest hypothesis that fixes have been on for so many seconds.
  func best(fitFor seconds: Double) -> CourseHypothesis? {
    var best: CourseHypothesis?
    for one in list where one.isNear && one.fit >= seconds && one.cost < best?.cost ?? .infinity { best = one }
    return best
  }

  /// The hypothesis that is clearly more likely than the reported one, if any.
  func clearlyBetter() -> CourseHypothesis? {
    guard let reported, let best = best(fitFor: 1e-3), !best.isReported else { return nil }
    return reported.cost - best.cost > Self.clear ? best : nil
  }

  mutating func report(_ chosen: CourseHypothesis) {
    for index in list.indices {
      list[index].isReported =
        list[index].along == chosen.along && list[index].direction == chosen.direction
        && list[index].isNear == chosen.isNear
    }
  }
}
