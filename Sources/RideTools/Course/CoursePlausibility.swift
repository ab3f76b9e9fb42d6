import LocationCore

/// What is implausible in a course's line: places that no rider meant are left out, jumps are kept and counted.
struct CoursePlausibility {
  private(set) var vertices: [RouteVertex] = []
  /// Number of points at 0° N 0° E, far from the others: places that a planner did not know.
  private(set) var zeros = 0
  /// Number of single points far off a line whose other points are close together.
  private(set) var strays = 0
  /// Legs over which no way was drawn, and the length of the longest, metres.
  private(set) var jumps = (count: 0, longest: 0.0)

  /// How close to 0° N 0° E a line goes that has a point there, metres.
  private static let nearZero = 100_000.0
  /// Shortest leg to a stray point or of a jump within a piece, metres, and in median legs.
  private static let far = (metres: 5000.0, medians: 50.0)
  /// Longest gap between two pieces that join, metres.
  private static let gap = 200.0

  /// `pieces` are the indices at which a track, a segment or a line of the file begins.
  init(_ drawn: [RouteVertex], pieces: Set<Int>) {
    var kept = drawn.indices.filter { !Self.isZero(drawn[$0].position) }
    if kept.isEmpty || kept.contains(where: { Self.distanceToZero(drawn[$0].position) < Self.nearZero }) {
      kept = Array(drawn.indices)
    }
    zeros = drawn.count - kept.count
    var legs = Self.legs(kept, drawn)
    let limit = max(Self.far.metres, Self.far.medians * (legs.sorted().dropFirst(legs.count / 2).first ?? .infinity))
    let strays = Set(
      kept.indices.dropFirst().dropLast().filter { place in
        let (to, from) = (legs[place - 1], legs[place])
        guard min(to, from) > limit else { return false }
        return drawn[kept[place - 1]].position.distance(to: drawn[kept[place + 1]].position) < 0.2 * (to + from)
      })
    if !strays.isEmpty {
      kept = kept.indices.filter { !strays.contains($0) }.map { kept[$0] }
      legs = Self.legs(kept, drawn)
    }
    self.strays = strays.count
    vertices = kept.map { drawn[$0] }
    for (place, leg) in legs.enumerated() where leg > limit || leg > Self.gap && pieces.contains(kept[place + 1]) {
      jumps = (jumps.count + 1, max(jumps.longest, leg))
    }
  }

  private static func legs(_ kept: [Int], _ drawn: [RouteVertex]) -> [Double] {
    zip(kept, kept.dropFirst()).map { drawn[$0].position.distance(to: drawn[$1].position) }
  }

  private static func isZero(_ place: Coordinate) -> Bool { place.latitude == 0 && place.longitude == 0 }

  private static func distanceToZero(_ place: Coordinate) -> Double {
    Coordinate(latitude: 0, longitude: 0)?.distance(to: place) ?? .infinity
  }

  func doubts(units: Units) -> [String] {
    var doubts: [String] = []
    if zeros > 0 { doubts.append("left out \(Self.points(zeros)) at 0° N 0° E, where the rest of the line is not") }
    if strays > 0 { doubts.append("left out \(Self.points(strays)) far off the line between its neighbours") }
    if jumps.count > 0 {
      let places = jumps.count == 1 ? "in 1 place" : "in \(jumps.count) places, the widest"
      doubts.append(
        "the line jumps \(places) over \(units.distance(jumps.longest)), without a way between; look at it with: handlebarctl course plot, or a map"
      )
    }
    return doubts
  }

  private static func points(_ count: Int) -> String { count == 1 ? "1 point" : "\(count) points" }
}
