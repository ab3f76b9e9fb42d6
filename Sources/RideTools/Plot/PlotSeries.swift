import LocationCore

/// What a value was over time, in a bounded number of bins: when there are too many, each two become one.
struct PlotSeries: Sendable {
  /// The most bins.
  static let room = 720

  /// The values of one stretch of time.
  struct Bin: Hashable, Sendable {
    var lowest: Double
    var highest: Double
    var sum: Double
    var count: Int
    /// The way to its first value is not known.
    var isApart: Bool

    var mean: Double { sum / Double(max(count, 1)) }

    fileprivate static func joined(_ first: Bin?, _ second: Bin?) -> Bin? {
      guard let first, let second else { return first ?? second }
      return Bin(
        lowest: min(first.lowest, second.lowest), highest: max(first.highest, second.highest),
        sum: first.sum + second.sum, count: first.count + second.count, isApart: first.isApart)
    }
  }

  /// The length of a bin, seconds.
  private(set) var width = 0.5
  /// From the time 0 on; `nil` where nothing was told.
  private(set) var bins: [Bin?] = []
  /// The largest value.
  private(set) var highest: Double?

  /// Takes a value at a time, which never steps back.
  mutating func take(_ value: Double, at seconds: Double, isApart: Bool) {
    guard value.isFinite, seconds >= 0, seconds < 1e9 else { return }
    while seconds >= width * Double(Self.room) { halve() }
    let place = Int(seconds / width)
    while bins.count <= place { bins.append(nil) }
    let bin = Bin(lowest: value, highest: value, sum: value, count: 1, isApart: isApart)
    bins[place] = Bin.joined(bins[place], bin)
    highest = max(highest ?? value, value)
  }

  private mutating func halve() {
    width *= 2
    bins = stride(from: 0, to: bins.count, by: 2).map {
      Bin.joined(bins[$0], $0 + 1 < bins.count ? bins[$0 + 1] : nil)
    }
  }
}

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

/// Points along a way of any length in bounded memory: when there are too many, those go that lie too near to the one
/// before them.
struct PlotCloud: Sendable {
  /// The most points.
  static let room = 6000

  private(set) var points: [Coordinate] = []
  /// How far from the one before it a point must lie, metres.
  private var spacing = 0.0

  mutating func append(_ point: Coordinate) {
    if spacing > 0, let last = points.last, last.chord(to: point) < spacing { return }
    points.append(point)
    while points.count >= Self.room {
      spacing = max(spacing * 2, 0.5)
      var last: Coordinate?
      points.removeAll { [spacing] point in
        if let kept = last, kept.chord(to: point) < spacing { return true }
        last = point
        return false
      }
    }
  }
}
