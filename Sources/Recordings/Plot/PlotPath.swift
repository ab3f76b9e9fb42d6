import LocationCore

/// A line of any length in bounded memory: when it is full it is simplified, ever more coarsely.
struct PlotPath: Sendable {
  /// The most points.
  static let room = 10_000

  /// The points of all parts, in order.
  private(set) var points: [Coordinate] = []
  /// Where the parts begin in `points`.
  private(set) var starts: [Int] = []
  /// How far the line may be from where it was, metres.
  private(set) var tolerance = 0.0
  private var simplification = PolylineSimplification()

  /// Appends a point, to a new part if it begins one.
  mutating func append(_ point: Coordinate, begins: Bool) {
    if begins || points.isEmpty { starts.append(points.count) }
    points.append(point)
    while points.count >= Self.room { simplify(to: max(tolerance * 2, 0.25)) }
  }

  /// The points of each part.
  var parts: [ArraySlice<Coordinate>] {
    starts.indices.map { points[starts[$0]..<end(of: $0)] }
  }

  /// Leaves out what is not needed for that tolerance, and parts that are smaller than it if there are many.
  mutating func simplify(to tolerance: Double) {
    self.tolerance = tolerance
    var kept: [Coordinate] = []
    var begun: [Int] = []
    let isCrowded = starts.count > Self.room / 8
    for index in starts.indices {
      let part = points[starts[index]..<end(of: index)]
      guard let first = part.first else { continue }
      if isCrowded, part.allSatisfy({ $0.chord(to: first) <= tolerance }) { continue }
      simplification.simplify(part.map { EarthCentered($0) }, tolerance: tolerance)
      begun.append(kept.count)
      for (point, isKept) in zip(part, simplification.isKept) where isKept { kept.append(point) }
    }
    points = kept
    starts = begun
  }

  private func end(of part: Int) -> Int { part + 1 < starts.count ? starts[part + 1] : points.count }
}
