/// Whether positions without speeds lead somewhere, or drift around a stop: their chords are longer than their way.
struct Progress: Hashable, Sendable {
  private var start: Coordinate
  /// Sum of the chords from there, metres.
  private var path = 0.0
  private var isUnderway = false

  init(start: Coordinate) { self.start = start }

  /// Returns `nil` while positions drift, the metres since the drift ended at the start of a motion, and 0 in motion.
  mutating func advance(
    to position: Coordinate, _ chord: Double, accuracy: Double?, _ motion: inout UnconfirmedMotion
  ) -> Double? {
    path += chord
    let reach = motion.reach(accuracy: accuracy)
    let detour = UnconfirmedMotion.detour
    let way = position.distance(to: start)
    let isLost = path > reach * (isUnderway ? detour.end : detour.start)
    guard isLost || way >= reach else { return isUnderway ? 0 : nil }
    let wasUnderway = isUnderway
    isUnderway = way >= reach && (wasUnderway || !isLost)
    motion.learn(way, leads: isUnderway)
    (start, path) = (position, 0)
    return isUnderway ? (wasUnderway ? 0 : way) : nil
  }

  mutating func code(_ words: inout StateWords) {
    words.code(&start)
    words.code(&path)
    words.code(&isUnderway)
  }
}
