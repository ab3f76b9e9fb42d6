/// Distance by the receiver's speeds that its positions have not confirmed yet.
///
/// Speeds of a parked receiver may be noise, but its positions lead nowhere: it is confirmed when they lead away, by its mean
/// speed or because it goes on without a stop, and dropped otherwise. Metres, seconds.
struct UnconfirmedMotion: Hashable, Sendable {
  /// Shortest way that shows a direction; at least twice the accuracy and ``margin`` times the wander.
  private static let reach = 50.0
  private static let margin = 3.0
  /// Largest ratio of the distance to the way at a start, and that ends the motion.
  static let detour = (start: 1.5, end: 3.0)
  /// Mean speed that only motion has, m/s.
  private static let clearSpeed = 2.0
  /// Duration of a motion without a stop that is no noise.
  private static let steadyTime = 30.0
  /// Length of a stop that ends it.
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
  /// When the rider last moved and last stood, seconds of the ride.
  private var moved = 0.0
  private var stood = 0.0

  init(start: Coordinate) { self.start = start }

  /// Whether it counts for the time being.
  var isLikely: Bool { isAhead || isUnderway }

  /// Way beyond which positions show a direction.
  func reach(accuracy: Double?) -> Double { max(Self.reach, 2 * (accuracy ?? 0), Self.margin * wander) }

  /// Learns from a way whether it led somewhere.
  mutating func learn(_ way: Double, leads: Bool) { wander = leads ? Self.kept * wander : max(wander, way) }

  mutating func restart(at start: Coordinate, firstMove: Double?, lastMove: Double) {
    self.start = start
    (self.firstMove, self.lastMove) = (firstMove, lastMove)
    (distance, time, farthest, isAhead) = (0, 0, 0, false)
  }

  /// Returns whether it is confirmed or must be dropped, `nil` while neither is certain.
  mutating func advance(to position: Coordinate, accuracy: Double?, isMoving: Bool, at instant: Double) -> Bool? {
    if isMoving { moved = instant } else { stood = instant }
    let isOver = instant - moved > Self.longestStop
    if isOver { isUnderway = false }
    guard distance > 0 else { return isMoving ? nil : isUnderway }
    let way = position.distance(to: start)
    farthest = max(farthest, way)
    let reach = reach(accuracy: accuracy)
    let detour = isUnderway ? Self.detour.end : Self.detour.start
    let isSteady = instant - stood > Self.steadyTime
    isAhead = isSteady || distance >= Self.clearSpeed * time || (way > wander && distance <= detour * way)
    let isDue = isSteady || isOver || way >= reach || distance > detour * reach
    guard isDue, isAhead || !isMoving else { return nil }
    isUnderway = isAhead
    learn(farthest, leads: isAhead)
    return isAhead
  }

  mutating func code(_ words: inout StateWords) {
    words.code(&start)
    words.code(&firstMove)
    for value in [\Self.lastMove, \.distance, \.time, \.wander, \.farthest, \.moved, \.stood] {
      words.code(&self[keyPath: value])
    }
    words.code(&isAhead)
    words.code(&isUnderway)
  }
}
