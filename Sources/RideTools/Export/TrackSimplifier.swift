import LocationCore

/// Leaves out fixes that lie within a tolerance of the straight lines between those that are kept.
///
/// Douglas–Peucker over windows of 2048 fixes, so memory is bounded whatever the ride's length; a window's ends are
/// kept. Only the place counts: the dip of the chord included, altitude, time and speed not.
package struct TrackSimplifier: Sendable {
  /// The most fixes that wait for a decision.
  package static let window = 2048

  /// How far a left-out fix may lie from the line, metres.
  package let tolerance: Double
  private var fixes: [Fix] = []
  private var places: [EarthCentered] = []
  private var simplification = PolylineSimplification()

  /// `nil` unless the tolerance is a length, 0 included.
  package init?(tolerance: Double) {
    guard tolerance.isFinite, tolerance >= 0 else { return nil }
    self.tolerance = tolerance
  }

  /// Takes the next fix of a segment and hands out those that are now decided to be kept, in order.
  package mutating func take(_ fix: Fix, _ keep: (Fix) -> Void) {
    fixes.append(fix)
    places.append(EarthCentered(fix.position))
    guard fixes.count == Self.window else { return }
    decide(keep)
    fixes.removeFirst(fixes.count - 1)
    places.removeFirst(places.count - 1)
  }

  /// Ends a segment; its last fix is kept.
  package mutating func endSegment(_ keep: (Fix) -> Void) {
    decide(keep)
    if let last = fixes.last { keep(last) }
    fixes.removeAll(keepingCapacity: true)
    places.removeAll(keepingCapacity: true)
  }

  /// Hands out all that are kept but the last, which begins the next window.
  private mutating func decide(_ keep: (Fix) -> Void) {
    simplification.simplify(places, tolerance: tolerance)
    for index in fixes.indices.dropLast() where simplification.isKept[index] { keep(fixes[index]) }
  }
}

/// Which points of a line are needed for it to stay within a tolerance of where it was (Douglas and Peucker, 1973).
/// Without recursion; its room is used again.
package struct PolylineSimplification: Sendable {
  /// For each point of the last line whether it is needed; the ends always are.
  package private(set) var isKept: [Bool] = []
  private var open: [(first: Int, last: Int)] = []

  package init() {}

  /// Finds the needed points of a line.
  package mutating func simplify(_ points: [EarthCentered], tolerance: Double) {
    isKept.removeAll(keepingCapacity: true)
    isKept.append(contentsOf: repeatElement(false, count: points.count))
    guard let last = points.indices.last else { return }
    isKept[0] = true
    isKept[last] = true
    open.append((0, last))
    while let (first, last) = open.popLast() {
      guard last - first > 1 else { continue }
      var farthest = (distance: tolerance, index: first)
      for index in first + 1..<last {
        let distance = points[index].distance(toSegmentFrom: points[first], to: points[last])
        if distance > farthest.distance { farthest = (distance, index) }
      }
      guard farthest.index > first else { continue }
      isKept[farthest.index] = true
      open.append((first, farthest.index))
      open.append((farthest.index, last))
    }
  }
}
