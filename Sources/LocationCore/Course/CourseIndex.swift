/// An index of a line's segments: a sphere around each 16 of them, around each 16 of those spheres, and so on.
struct CourseIndex: Sendable {
  private static let shift = 4
  private static let share = 1 << shift
  /// Most spheres and segments of a visit: of a line that is everywhere near a place, the others are left out.
  private static let mostSteps = 500

  private struct Sphere: Sendable {
    private let x, y, z, radius: Float

    /// A sphere around others, or around points.
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

  private var spheres: [Sphere] = []
  /// Of each level, the lowest first: where its spheres begin, and the number of its parts.
  private var levels: [(first: Int, parts: Int)] = []

  init(_ vertices: [CourseLine.Vertex]) {
    var parts = vertices.count - 1
    spheres.reserveCapacity(parts / (Self.share - 1) + 4)
    repeat {
      let first = spheres.count
      let below = levels.last
      for begin in stride(from: 0, to: parts, by: Self.share) {
        let range = begin..<min(begin + Self.share, parts)
        if let below {
          let inner = range.map { (spheres[below.first + $0].place, spheres[below.first + $0].reach) }
          spheres.append(Sphere(around: inner.lazy.map { (place: $0.0, radius: $0.1) }))
        } else {
          let inner = vertices[range.lowerBound...range.upperBound]
          spheres.append(Sphere(around: inner.lazy.map { (place: $0.place, radius: 0) }))
        }
      }
      levels.append((first, parts))
      parts = spheres.count - first
    } while parts > 1
  }

  /// A segment near a place: the first one below the spheres that seem nearest to it.
  func segment(near place: EarthCentered) -> Int {
    var number = 0
    for level in (1..<levels.count).reversed() {
      let parts = number << Self.shift..<min((number + 1) << Self.shift, levels[level].parts)
      var least = Double.infinity
      for part in parts {
        let sphere = spheres[levels[level - 1].first + part]
        let distance = (sphere.place - place).length - sphere.reach
        if distance < least { (least, number) = (distance, part) }
      }
    }
    return number << Self.shift
  }

  /// Visits the segments from one on that may be within `reach` of a place, in order; with `isBackward` those before
  /// it, the last one first, up to 16 at once. A visit may shorten the reach.
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
    let (first, parts) = levels[level - 1]
    let sphere = spheres[first + number]
    guard (sphere.place - walk.place).length - sphere.reach <= walk.reach else { return }
    var range = number << Self.shift..<min((number + 1) << Self.shift, parts)
    if level > 1 {
      if walk.isBackward {
        for part in range.reversed() { visit(level - 1, part, &walk, body) }
      } else {
        for part in range { visit(level - 1, part, &walk, body) }
      }
      return
    }
    range = range.clamped(to: walk.isBackward ? 0..<walk.border : walk.border..<Int.max)
    walk.stepsLeft -= range.count
    let segments =
      walk.isBackward
      ? stride(from: range.upperBound - 1, to: range.lowerBound - 1, by: -1)
      : stride(from: range.lowerBound, to: range.upperBound, by: 1)
    body(segments, &walk.reach)
  }
}
