import LocationCore

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
