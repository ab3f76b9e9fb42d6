/// The heights of a course, means over 100 m of the line; points without one are between neighbours. A rise counts as
/// ascent from 5 m on, as in rides. 8 bytes a point.
package struct CourseProfile: Sendable {
  /// Metres of the line on either side of a point whose mean is its elevation, and between which the grade is.
  static let smoothing = 50.0
  /// Metres.
  private static let smallestRise = 5.0

  /// Of each vertex, metres above mean sea level.
  private let elevations: [Float]
  /// Metres climbed from the start to each vertex.
  private let ascents: [Float]
  /// In order, by the direction in which the line is ridden.
  package let climbs: (forward: [CourseClimb], backward: [CourseClimb])

  /// `nil` without any elevation.
  init?(_ line: CourseLine) {
    guard let raw = Self.completed(line) else { return nil }
    let smooth = Self.smoothed(raw, line)
    elevations = smooth.map { Float($0) }
    var rises = Rise.all(in: smooth, threshold: Self.smallestRise)[...]
    // Of the rises behind, and of the one at hand so far.
    var (sum, gain) = (0.0, 0.0)
    ascents = smooth.indices.map { index in
      if let rise = rises.first, index > rise.last {
        sum += smooth[rise.last] - smooth[rise.first]
        (rises, gain) = (rises.dropFirst(), 0)
      }
      if let rise = rises.first, index > rise.first { gain = max(gain, smooth[index] - smooth[rise.first]) }
      return Float(sum + gain)
    }
    climbs = (
      CourseClimb.all(in: smooth, along: line.vertices.map(\.along)),
      CourseClimb.all(in: smooth.reversed(), along: line.vertices.reversed().map { -$0.along })
    )
  }

  /// Metres above mean sea level.
  package func elevation(at along: Double, of line: CourseLine) -> Double { value(of: elevations, at: along, line) }

  /// Metres to climb from there to the end of the line, or back to its start.
  package func ascentLeft(from along: Double, of line: CourseLine, isReverse: Bool) -> Double {
    let climbed = value(of: ascents, at: along, line)
    guard isReverse else { return max(0, Double(ascents[ascents.count - 1]) - climbed) }
    // What the way here climbed and did not gain, it descended.
    return max(0, climbed - (elevation(at: along, of: line) - Double(elevations[0])))
  }

  /// Slope of the line, metres per metre.
  func slope(at along: Double, of line: CourseLine) -> Double {
    let (begin, end) = (max(along - Self.smoothing, 0), min(along + Self.smoothing, line.length))
    return (elevation(at: end, of: line) - elevation(at: begin, of: line)) / (end - begin)
  }

  func climb(at along: Double, isReverse: Bool) -> CourseClimb? {
    // The steepest day of a tour has some ten, a world tour hundreds.
    (isReverse ? climbs.backward : climbs.forward).first { $0.begin...$0.end ~= (isReverse ? -along : along) }
  }

  private func value(of values: [Float], at along: Double, _ line: CourseLine) -> Double {
    let segment = line.segment(at: along)
    let (start, end) = (line.vertices[segment].along, line.vertices[segment + 1].along)
    let part = min(max((along - start) / max(end - start, 1e-3), 0), 1)
    return Double(values[segment]) + part * Double(values[segment + 1] - values[segment])
  }

  /// Elevations with those that are missing; `nil` if there is none.
  private static func completed(_ line: CourseLine) -> [Double]? {
    let known = line.elevations.indices.filter { !line.elevations[$0].isNaN }
    guard let first = known.first, let last = known.last else { return nil }
    var result = line.elevations.map { Double($0) }
    for index in 0..<first { result[index] = result[first] }
    for index in last + 1..<result.count { result[index] = result[last] }
    for (begin, end) in zip(known, known.dropFirst()) where end > begin + 1 {
      let (start, stop) = (line.vertices[begin].along, line.vertices[end].along)
      for index in begin + 1..<end {
        let part = (line.vertices[index].along - start) / max(stop - start, 1e-3)
        result[index] = result[begin] + part * (result[end] - result[begin])
      }
    }
    return result
  }

  /// Means over the line around each vertex, where there is line on both sides.
  private static func smoothed(_ raw: [Double], _ line: CourseLine) -> [Double] {
    let along = line.vertices.map(\.along)
    var sums = [0.0]
    for index in raw.indices.dropFirst() {
      sums.append(sums[index - 1] + (raw[index] + raw[index - 1]) / 2 * (along[index] - along[index - 1]))
    }
    /// The integral of the elevation from the start.
    func sum(to place: Double, from segment: inout Int) -> Double {
      while segment < raw.count - 2, along[segment + 1] < place { segment += 1 }
      let (way, whole) = (place - along[segment], max(along[segment + 1] - along[segment], 1e-3))
      return sums[segment] + way * (raw[segment] + (raw[segment + 1] - raw[segment]) * way / whole / 2)
    }
    var (behind, ahead) = (0, 0)
    return along.indices.map { index in
      let reach = min(smoothing, along[index], line.length - along[index])
      guard reach > 0.5 else { return raw[index] }
      return (sum(to: along[index] + reach, from: &ahead) - sum(to: along[index] - reach, from: &behind)) / (2 * reach)
    }
  }
}

/// A climb gains 30 m at 3 %; it ends 10 m below that slope: 330 m of flat. Metres as ridden, negative backwards.
package struct CourseClimb: Hashable, Sendable {
  private static let smallestAscent = 30.0
  private static let grade = 0.03
  private static let pause = 10.0

  package let begin: Double
  package let end: Double
  /// Metres above mean sea level at its end.
  package let summit: Double

  static func all(in elevations: [Double], along: [Double]) -> [CourseClimb] {
    let excess = zip(elevations, along).map { $0 - grade * $1 }
    return Rise.all(in: excess, threshold: pause).compactMap { rise in
      guard elevations[rise.last] - elevations[rise.first] >= smallestAscent else { return nil }
      return CourseClimb(begin: along[rise.first], end: along[rise.last], summit: elevations[rise.last])
    }
  }
}

/// A rise of heights, from a lowest to a highest one, within which no fall reaches the threshold.
private struct Rise {
  var first: Int
  var last: Int

  static func all(in heights: [Double], threshold: Double) -> [Rise] {
    var rises: [Rise] = []
    var (low, high) = (0, 0)
    var isRising = false
    for index in heights.indices {
      if isRising {
        if heights[index] > heights[high] { high = index }
        guard heights[high] - heights[index] >= threshold else { continue }
        rises.append(Rise(first: low, last: high))
        (isRising, low) = (false, index)
      } else {
        if heights[index] < heights[low] { low = index }
        if heights[index] - heights[low] >= threshold { (isRising, high) = (true, index) }
      }
    }
    if isRising { rises.append(Rise(first: low, last: high)) }
    return rises
  }
}
