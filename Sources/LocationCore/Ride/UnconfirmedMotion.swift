/// Distance by the receiver's speeds that its positions have not confirmed yet: speeds of a parked receiver may be
/// noise, but its positions lead nowhere. It is confirmed when they lead away, by its mean speed or because they change
/// more than at a stop (``MotionEvidence``), and dropped otherwise. Metres, seconds.
struct UnconfirmedMotion: Hashable, Sendable {
  /// Shortest way that shows a direction; at least twice the accuracy and ``margin`` times the wander.
  private static let reach = 50.0
  private static let margin = 3.0
  /// Largest ratio of the distance to the way at a start, and that ends the motion.
  static let detour = (start: 1.5, end: 3.0)
  /// Mean speed that only motion has, m/s.
  private static let clearSpeed = 2.0
  private static let longestStop = 60.0
  /// Part of the wander that a confirmation leaves.
  private static let kept = 0.9

  private var start: Coordinate
  /// First and last motion before it, seconds of the ride.
  private(set) var firstMove: Double?
  private(set) var lastMove = 0.0
  /// A stop that is dated back takes some of both away, perhaps more than there is.
  var distance = 0.0
  var time = 0.0
  /// How far positions led that led nowhere.
  private(set) var wander = 0.0
  private var farthest = 0.0
  private var isAhead = false
  /// Whether it goes on from a confirmed one.
  private var isUnderway = false
  /// When the rider last moved, seconds of the ride.
  private var moved = 0.0
  private var evidence = MotionEvidence()

  init(start: Coordinate) { self.start = start }
  var isLikely: Bool { isAhead || isUnderway }
  /// Way beyond which positions show a direction.
  func reach(accuracy: Double?) -> Double { max(Self.reach, 2 * (accuracy ?? 0), Self.margin * wander) }
  mutating func learn(_ way: Double, leads: Bool) { wander = leads ? Self.kept * wander : max(wander, way) }

  mutating func restart(at start: Coordinate, firstMove: Double?, lastMove: Double) {
    self.start = start
    (self.firstMove, self.lastMove) = (firstMove, lastMove)
    (distance, time, farthest, isAhead) = (0, 0, 0, false)
    evidence.restart()
  }

  /// Returns whether it is confirmed or must be dropped, `nil` while neither is certain.
  mutating func advance(to position: Coordinate, accuracy: Double?, isMoving: Bool, at instant: Double) -> Bool? {
    if isMoving { moved = instant }
    evidence.add(position, accuracy: accuracy, isMoving: isMoving, at: instant)
    let isOver = instant - moved > Self.longestStop
    // The end of a confirmed motion may be too short to be evident.
    let isEnd = isOver && isUnderway && !evidence.isComplete
    if isOver { isUnderway = false }
    guard distance > 0 else { return isMoving ? nil : isUnderway }
    let way = position.distance(to: start)
    farthest = max(farthest, way)
    let reach = reach(accuracy: accuracy)
    let detour = isUnderway ? Self.detour.end : Self.detour.start
    let isEvident = evidence.isMotion || isEnd
    isAhead = isEvident || distance >= Self.clearSpeed * time || (way > wander && distance <= detour * way)
    let isDue = isEvident || isOver || way >= reach || (evidence.isComplete && distance > detour * reach)
    guard isDue, isAhead || !isMoving else { return nil }
    isUnderway = isAhead
    learn(farthest, leads: isAhead)
    return isAhead
  }

  mutating func code(_ words: inout StateWords) {
    words.code(&start)
    words.code(&firstMove)
    for value in [\Self.lastMove, \.distance, \.time, \.wander, \.farthest, \.moved] {
      words.code(&self[keyPath: value])
    }
    words.code(&isAhead)
    words.code(&isUnderway)
    evidence.code(&words)
  }
}

/// How far positions get in ten seconds of motion, and at a stop: as far if the speeds are noise. Metres, seconds.
struct MotionEvidence: Hashable, Sendable {
  /// Shortest and longest time over which a way is measured.
  private static let span = (least: 10.0, most: 15.0)
  /// Number of ways in motion that are enough.
  private static let enough = 12.0
  /// Number of ways at a stop that count; older ones count less.
  private static let memory = 60.0
  /// Way at a stop before one has been measured, as a part of the accuracy, and how many measured ones it counts for.
  private static let assumed = (part: 0.5, count: 2.0)
  /// Shortest way at a stop, as a part of the accuracy, and of a receiver that holds its position.
  private static let least = (part: 0.25, way: 1.0)
  /// Accuracy without a stated one.
  private static let accuracy = 10.0
  /// A sum of n squares of noise, which is exponential, exceeds n means by that much once in some thousand times.
  private static let certainty = (deviations: 4.0, means: 3.0)

  private var start: Coordinate?
  private var since = 0.0
  private var wasMoving = false
  /// Number of ways in motion, and the sum of their squares.
  private var count = 0.0
  private var squares = 0.0
  /// The same of ways at a stop.
  private var stopCount = 0.0
  private var stopSquares = 0.0
  private var accuracy = Self.accuracy

  /// Whether positions change more than at a stop.
  var isMotion: Bool {
    let assumed = Self.assumed.part * accuracy
    let mean = (stopSquares + Self.assumed.count * assumed * assumed) / (stopCount + Self.assumed.count)
    let least = max(Self.least.part * accuracy, Self.least.way)
    let most = count + Self.certainty.deviations * count.squareRoot() + Self.certainty.means
    return squares > most * max(mean, least * least)
  }

  var isComplete: Bool { count >= Self.enough }
  /// Forgets the motion, and not the stops.
  mutating func restart() { (count, squares) = (0, 0) }

  mutating func add(_ position: Coordinate, accuracy: Double?, isMoving: Bool, at instant: Double) {
    self.accuracy = accuracy ?? Self.accuracy
    let seconds = instant - since
    if let start, isMoving == wasMoving, seconds <= Self.span.most {
      guard seconds >= Self.span.least else { return }
      let way = position.distance(to: start)
      if isMoving {
        (count, squares) = (count + 1, squares + way * way)
      } else {
        let kept = min(stopCount, Self.memory - 1) / max(stopCount, 1)
        (stopCount, stopSquares) = (kept * stopCount + 1, kept * stopSquares + way * way)
      }
    }
    (start, since, wasMoving) = (position, instant, isMoving)
  }

  mutating func code(_ words: inout StateWords) {
    words.code(&start, .origin) { $0.code(&$1) }
    words.code(&wasMoving)
    for value in [\Self.since, \.count, \.squares, \.stopCount, \.stopSquares, \.accuracy] {
      words.code(&self[keyPath: value])
    }
  }
}
