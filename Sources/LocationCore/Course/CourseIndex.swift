/// An index of a line's segments: a sphere around each 16 of them, around each 16 of those spheres, and so on.
struct CourseIndex: Sendable {
  private static let shift = 4
  private static let share = 1 << shift

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

  /// Visits the segments from one on that may be within `reach` of a place, in order; with `isBackward` those before it,
  /// the last one first. A visit may shorten the reach.
  func visit(
    near place: EarthCentered, reach: Double, from segment: Int = 0, isBackward: Bool = false,
    _ body: (_ segment: Int, _ reach: inout Double) -> Void
  ) {
    var walk = Walk(place: place, border: segment, isBackward: isBackward, reach: reach)
    visit(levels.count, 0, &walk, body)
  }

  private struct Walk {
    let place: EarthCentered
    let border: Int
    let isBackward: Bool
    var reach: Double
  }

  private func visit(_ level: Int, _ number: Int, _ walk: inout Walk, _ body: (Int, inout Double) -> Void) {
    // The segments below are a whole power of the share.
    let shift = Self.shift * level
    guard walk.isBackward ? number << shift < walk.border : (number + 1) << shift > walk.border else { return }
    guard level > 0 else { return body(number, &walk.reach) }
    let (first, parts) = levels[level - 1]
    let sphere = spheres[first + number]
    guard (sphere.place - walk.place).length - sphere.reach <= walk.reach else { return }
    let range = number << Self.shift..<min((number + 1) << Self.shift, parts)
    if walk.isBackward {
      for part in range.reversed() { visit(level - 1, part, &walk, body) }
    } else {
      for part in range { visit(level - 1, part, &walk, body) }
    }
  }
}
