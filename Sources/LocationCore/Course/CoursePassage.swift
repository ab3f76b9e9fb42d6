/// A place of the line near a fix.
struct CoursePassage: Sendable {
  /// Metres within which a curve passes a fix once, and least cosine of the angle by which it turns there: 120°.
  fileprivate static let separation = (way: 25.0, turn: -0.5)
  /// Most passages at once: 16 laps.
  static let limit = 16

  var segment: Int
  /// Of the segment, 0 to 1.
  var part: Double
  /// Metres from the start of the line.
  var along: Double
  /// From the fix, metres east and north.
  var offset: SIMD2<Double>
  /// Unit vector of the line, and of the line around it.
  var direction: SIMD2<Double>
  var trend = SIMD2(0.0, 0)

  var distance: Double { offset.length }

  /// Cosine of the angle between a movement and the line.
  func agreement(with heading: SIMD2<Double>, _ direction: Double) -> Double {
    direction > 0
      ? max(heading.dot(self.direction), heading.dot(trend)) : -min(heading.dot(self.direction), heading.dot(trend))
  }

  /// Distance of the fix to the right of the line, negative to its left, metres.
  var beside: Double { offset.y * direction.x >= offset.x * direction.y ? distance : -distance }
}

extension CourseLine {
  /// Metres on either side of a passage between which its trend is.
  private static let trendReach = 20.0

  /// Finds the passages of the line within `reach` of a plane's origin, in order: where its distance has a minimum.
  /// Those of a curve that follow each other closely are one. Of too many those nearest to `focus`, metres along the
  /// line: of a line that passes a place a thousand times, the others are not even looked at.
  func findPassages(
    near plane: CoursePlane, within reach: Double, focus: Double = 0, into passages: inout [CoursePassage]
  ) {
    passages.removeAll(keepingCapacity: true)
    let middle = segment(at: focus)
    for isBackward in [true, false] {
      let limit = isBackward ? CoursePassage.limit / 2 : CoursePassage.limit
      index.visit(near: plane.origin, reach: reach, from: middle, isBackward: isBackward) { segments, left in
        for segment in segments {
          guard let passage = minimum(on: segment, plane), passage.offset.dot(passage.offset) <= reach * reach
          else { continue }
          if !passages.insert(passage, isBackward: isBackward, limit: limit) { left = -.infinity }
        }
      }
    }
    for index in passages.indices { passages[index].trend = trend(at: passages[index], plane) }
  }

  /// The place of a segment where the distance has a minimum, if any. A point of two segments is of the second one.
  private func minimum(on segment: Int, _ plane: CoursePlane) -> CoursePassage? {
    let passage = passage(of: segment, plane)
    if passage.part >= 1 { return segment == vertices.count - 2 ? passage : nil }
    guard passage.part == 0, segment > 0 else { return passage }
    let point = passage.offset
    return point.dot(point - plane.point(vertices[segment - 1].place)) <= 0 ? passage : nil
  }

  /// The direction around a passage, whatever the points of a careless plan; of its segment where the line turns back.
  private func trend(at passage: CoursePassage, _ plane: CoursePlane) -> SIMD2<Double> {
    let behind = place(at: passage.along - Self.trendReach, from: passage.segment)
    let ahead = place(at: passage.along + Self.trendReach, from: passage.segment)
    let way = plane.point(ahead) - plane.point(behind)
    return way.length > Self.trendReach / 2 ? way / way.length : passage.direction
  }

  /// The nearest place of the line; of a line that has a thousand places at nearly the same distance, one of them.
  func nearest(to plane: CoursePlane) -> CoursePassage {
    let middle = index.segment(near: plane.origin)
    var best = passage(of: middle, plane)
    // Beyond 10 km the plane shortens distances, but not their order.
    var least = (vertices[middle].place - plane.origin).length + 1
    for isBackward in [false, true] {
      index.visit(near: plane.origin, reach: least, from: middle, isBackward: isBackward) { segments, reach in
        for segment in segments {
          let distance = plane.origin.distance(
            toSegmentFrom: vertices[segment].place, to: vertices[segment + 1].place)
          guard distance < reach else { continue }
          (reach, least) = (distance, distance)
          best = passage(of: segment, plane)
        }
      }
    }
    return best
  }

  @inline(__always)
  private func passage(of segment: Int, _ plane: CoursePlane) -> CoursePassage {
    let (first, last) = (vertices[segment], vertices[segment + 1])
    let start = plane.point(first.place)
    let way = plane.point(last.place) - start
    let square = max(way.dot(way), 1e-9)
    let part = min(max(-start.dot(way) / square, 0), 1)
    return CoursePassage(
      segment: segment, part: part, along: first.along + part * (last.along - first.along), offset: start + part * way,
      direction: way / square.squareRoot())
  }
}

extension [CoursePassage] {
  /// Adds a passage behind the others, or before them, or as part of its neighbour. `false` if they would be too many.
  fileprivate mutating func insert(_ passage: CoursePassage, isBackward: Bool, limit: Int) -> Bool {
    if let neighbour = isBackward ? first : last, abs(passage.along - neighbour.along) < CoursePassage.separation.way,
      passage.direction.dot(neighbour.direction) > CoursePassage.separation.turn
    {
      if passage.distance < neighbour.distance { self[isBackward ? 0 : count - 1] = passage }
      return true
    }
    guard count < limit else { return false }
    insert(passage, at: isBackward ? 0 : count)
    return true
  }
}
