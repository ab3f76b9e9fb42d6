/// Whether positions without speeds lead somewhere, or drift around a stop: their chords are longer than their way.
struct Progress: Hashable, Sendable {
  /// Shortest way that shows a direction, metres; at least twice the accuracy.
  private static let reach = 30.0
  /// Largest ratio of the chords to the way at a start, and that ends the motion.
  private static let detour = (start: 1.5, end: 3.0)

  private var start: Coordinate
  /// Sum of the chords from there, metres.
  private var path = 0.0
  private var isUnderway = false

  init(start: Coordinate) { self.start = start }

  /// Adds a position. Returns `nil` while it drifts, the metres since the drift ended at the start of a motion, and 0 in
  /// motion.
  mutating func advance(to position: Coordinate, _ chord: Double, accuracy: Double?) -> Double? {
    path += chord
    let reach = max(Self.reach, 2 * (accuracy ?? 0))
    let way = position.distance(to: start)
    let isLost = path > reach * (isUnderway ? Self.detour.end : Self.detour.start)
    guard isLost || way >= reach else { return isUnderway ? 0 : nil }
    let wasUnderway = isUnderway
    isUnderway = way >= reach && (wasUnderway || !isLost)
    (start, path) = (position, 0)
    return isUnderway ? (wasUnderway ? 0 : way) : nil
  }

  mutating func code(_ words: inout StateWords) {
    words.code(&start)
    words.code(&path)
    words.code(&isUnderway)
  }
}
