/// An index of a line's segments: a sphere around each 16 of them, around each 16 of those spheres, and so on.
struct CourseIndex: Hashable, Sendable {
  private static let shift = 4
  private static let share = 1 << shift
  /// Most spheres and segments of a visit: of a line that is everywhere near a place, the others are left out.
  private static let mostSteps = 500

  private struct Sphere: Hashable, Sendable {
    private let x, y, z, radius: Float

    init(around parts: some Sequence<(place: EarthCentered, radius: Double)>) {
      var low = SIMD3(repeating: Double.infinity)
      var high = -low
      for part in parts {
        let place = SIMD3(part.place.x, part.place.y, part.place.z)
        low = pointwiseMin(low, place)
        high = pointwiseMax(high, place)
      }
      let middle = SIMD3<Float>((low + high) / 2)
      (x, y, z) = (middle.x, middle.y, middle.z)
      let centre = EarthCentered(x: Double(x), y: Double(y), z: Double(z))
      var radius = 0.0
      for part in parts { radius = max(radius, (part.place - centre).length + part.radius) }
      // A number of this size is a multiple of half a metre; a segment lies up to half a metre below the ground.
      self.radius = Float(radius + 2)
    }

    var place: EarthCentered { EarthCentered(x: Double(x), y: Double(y), z: Double(z)) }
    var reach: Double { Double(radius) }
  }

  /// The lowest level first; the highest has one sphere.
  private var levels: [[Sphere]] = []
  private var segments = 0

  /// Adds the segments of a line that was continued: only the last spheres are made again.
  mutating func extend(to vertices: [CourseLine.Vertex]) {
    let known = segments
    segments = max(0, vertices.count - 1)
    guard segments > known else { return }
    var (first, parts, level) = (known >> Self.shift, segments, 0)
    repeat {
      if level == levels.count { levels.append([]) }
      levels[level].removeLast(levels[level].count - min(first, levels[level].count))
      let count = (parts + Self.share - 1) >> Self.shift
      for number in first..<count {
        let range = number << Self.shift..<min((number + 1) << Self.shift, parts)
        if level == 0 {
          let inner = vertices[range.lowerBound...range.upperBound]
          levels[0].append(Sphere(around: inner.lazy.map { (place: $0.place, radius: 0) }))
        } else {
          let inner = levels[level - 1][range]
          levels[level].append(Sphere(around: inner.lazy.map { (place: $0.place, radius: $0.reach) }))
        }
      }
      (first, parts, level) = (first >> Self.shift, count, level + 1)
    } while parts > 1
  }

  private func parts(of level: Int) -> Int { level == 0 ? segments : levels[level - 1].count }

  /// A segment near a place: the first one below the spheres that seem nearest to it.
  func segment(near place: EarthCentered) -> Int {
    var number = 0
    for level in (1..<levels.count).reversed() {
      let parts = number << Self.shift..<min((number + 1) << Self.shift, parts(of: level))
      var least = Double.infinity
      for part in parts {
        let sphere = levels[level - 1][part]
        let distance = (sphere.place - place).length - sphere.reach
        if distance < least { (least, number) = (distance, part) }
      }
    }
    return number << Self.shift
  }

  /// Visits the segments that may be within `reach`, from one on, or backwards before it. A visit may shorten it.
  func visit(
    near place: EarthCentered, reach: Double, from segment: Int = 0, isBackward: Bool = false,
    _ body: (_ segments: StrideTo<Int>, _ reach: inout Double) -> Void
  ) {
    var walk = Walk(place: place, border: segment, isBackward: isBackward, reach: reach)
    visit(levels.count, 0, &walk, body)
  }

  private struct Walk {
    let place: EarthCentered
    let border: Int
    let isBackward: Bool
    var reach: Double
    var stepsLeft = mostSteps
  }

  private func visit(_ level: Int, _ number: Int, _ walk: inout Walk, _ body: (StrideTo<Int>, inout Double) -> Void) {
    // The segments below are a whole power of the share.
    let shift = Self.shift * level
    guard walk.isBackward ? number << shift < walk.border : (number + 1) << shift > walk.border, walk.stepsLeft > 0
    else { return }
    walk.stepsLeft -= 1
    let sphere = levels[level - 1][number]
    guard (sphere.place - walk.place).length - sphere.reach <= walk.reach else { return }
    var range = number << Self.shift..<min((number + 1) << Self.shift, parts(of: level - 1))
    if level == 1 {
      range = range.clamped(to: walk.isBackward ? 0..<walk.border : walk.border..<Int.max)
      walk.stepsLeft -= range.count
    }
    let order =
      walk.isBackward
      ? stride(from: range.upperBound - 1, to: range.lowerBound - 1, by: -1)
      : stride(from: range.lowerBound, to: range.upperBound, by: 1)
    guard level > 1 else { return body(order, &walk.reach) }
    for part in order { visit(level - 1, part, &walk, body) }
  }
}
