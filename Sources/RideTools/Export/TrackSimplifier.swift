import LocationCore
import Recordings

/// A filter that leaves out fixes within a tolerance of the straight lines between those that are kept: Douglas–Peucker
/// over windows of 2048 fixes, so that memory is bounded. Distances are those in space, without altitude.
package struct TrackSimplifier: Sendable {
  package static let window = 2048

  /// Largest distance of a left-out fix from the line, metres.
  package let tolerance: Double
  private var fixes: [TrackFix] = []
  private var points: [EarthCentered] = []
  private var simplification = PolylineSimplification()

  package init?(tolerance: Double) {
    guard tolerance.isFinite, tolerance >= 0 else { return nil }
    self.tolerance = tolerance
  }

  /// Adds a fix to the segment; calls `keep` with the fixes that are now known to be kept, in order.
  package mutating func add(_ fix: TrackFix, _ keep: (TrackFix) -> Void) {
    fixes.append(fix)
    points.append(EarthCentered(fix.fix.position))
    guard fixes.count == Self.window else { return }
    decide(keep)
    fixes.removeFirst(fixes.count - 1)
    points.removeFirst(points.count - 1)
  }

  package mutating func endSegment(_ keep: (TrackFix) -> Void) {
    decide(keep)
    if let last = fixes.last { keep(last) }
    fixes.removeAll(keepingCapacity: true)
    points.removeAll(keepingCapacity: true)
  }

  /// Calls `keep` with all kept fixes but the last, which begins the next window.
  private mutating func decide(_ keep: (TrackFix) -> Void) {
    simplification.simplify(points, tolerance: tolerance)
    for index in fixes.indices.dropLast() where simplification.isKept[index] { keep(fixes[index]) }
  }
}

extension EarthCentered {
  /// The points of a line at their heights; one without a height has that of the point before.
  package static func raised(_ points: [CoursePoint]) -> [EarthCentered] {
    var height = points.lazy.compactMap(\.elevation).first ?? 0
    return points.map { point in
      height = point.elevation ?? height
      var place = EarthCentered(point.position)
      let scale = 1 + height / place.length
      (place.x, place.y, place.z) = (place.x * scale, place.y * scale, place.z * scale)
      return place
    }
  }
}

/// The points of a line that keep it within a tolerance of its course (Douglas and Peucker, 1973), without recursion.
package struct PolylineSimplification: Sendable {
  /// Whether each point of the newest line is needed; its ends always are.
  package private(set) var isKept: [Bool] = []
  private var open: [(first: Int, last: Int)] = []

  package init() {}

  /// Determines the needed points of a line; the tolerance is metres.
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
