import LocationCore

/// The points of a track in the order of their times: pieces in another order are exchanged, and repeated points left
/// out, but for FIT, where files may follow each other. Pieces that overlap stay as they are, and longer tracks than
/// ``limit`` from there on: which times are wrong, the judge of the fixes finds.
struct TrackOrder: Sendable {
  /// Largest number of points that are sorted: 5 1/2 hours of a point a second.
  static let limit = 20_000

  private struct Place: Hashable {
    let time: UTCInstant
    let position: Coordinate
  }

  /// Points whose times do not run backwards.
  private struct Piece {
    var first, last: UTCInstant
    var points: Range<Int>
  }

  private let keepsRepeated: Bool
  private var points: [TrackPoint] = []
  private var times: [UTCInstant] = []
  private var isBackward = false
  /// Whether there were more points than can be sorted; from then on, each point is the next.
  private(set) var isOver = false

  init(_ format: TrackFormat) { keepsRepeated = format == .fit }
  var isEmpty: Bool { points.isEmpty }

  /// Adds a point; returns whether no more can be added.
  mutating func add(_ point: TrackPoint, at time: UTCInstant) -> Bool {
    var point = point
    (point.name, point.comment, point.kind) = (nil, nil, nil)
    if let last = times.last, time <= last { isBackward = true }
    points.append(point)
    times.append(time)
    isOver = points.count >= Self.limit
    return isOver
  }

  /// Removes the points; returns them in order, and how many of them the file repeats.
  mutating func take() -> (points: [TrackPoint], repeated: Int) {
    defer { (points, times, isBackward) = ([], [], false) }
    guard isBackward else { return (points, 0) }
    var seen: Set<Place> = []
    let unique = points.indices.filter {
      keepsRepeated || seen.insert(Place(time: times[$0], position: points[$0].position)).inserted
    }
    var pieces: [Piece] = []
    for (order, index) in unique.enumerated() {
      if let last = pieces.indices.last, pieces[last].last <= times[index] {
        pieces[last].last = times[index]
        pieces[last].points = pieces[last].points.lowerBound..<order + 1
      } else {
        pieces.append(Piece(first: times[index], last: times[index], points: order..<order + 1))
      }
    }
    let sorted = pieces.sorted { $0.first < $1.first }
    let overlap = zip(sorted, sorted.dropFirst()).contains { $0.last >= $1.first }
    let ordered = (overlap ? pieces : sorted).flatMap { $0.points.map { points[unique[$0]] } }
    return (ordered, points.count - unique.count)
  }
}
