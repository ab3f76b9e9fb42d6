import LocationCore

/// Points along a way of any length in bounded memory: when there are too many, those go that lie too near to the one
/// before them.
struct PlotCloud: Sendable {
  /// The most points.
  static let room = 6000

  private(set) var points: [Coordinate] = []
  /// How far from the one before it a point must lie, metres.
  private var spacing = 0.0

  mutating func append(_ point: Coordinate) {
    if spacing > 0, let last = points.last, last.chord(to: point) < spacing { return }
    points.append(point)
    while points.count >= Self.room {
      spacing = max(spacing * 2, 0.5)
      var last: Coordinate?
      points.removeAll { [spacing] point in
        if let kept = last, kept.chord(to: point) < spacing { return true }
        last = point
        return false
      }
    }
  }
}
