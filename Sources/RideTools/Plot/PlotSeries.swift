import LocationCore

/// A value over time in a bounded number of bins: when they are full, each two become one.
struct PlotSeries: Sendable {
  static let room = 720

  struct Bin: Hashable, Sendable {
    var lowest: Double
    var highest: Double
    var sum: Double
    var count: Int
    /// Whether no line leads to it: a loss or an interruption lies before it.
    var beginsRun: Bool

    var mean: Double { sum / Double(max(count, 1)) }

    fileprivate static func joined(_ first: Bin?, _ second: Bin?) -> Bin? {
      guard let first, let second else { return first ?? second }
      return Bin(
        lowest: min(first.lowest, second.lowest), highest: max(first.highest, second.highest),
        sum: first.sum + second.sum, count: first.count + second.count, beginsRun: first.beginsRun)
    }
  }

  /// Length of a bin, seconds.
  private(set) var width = 0.5
  /// The bins from time 0 on; `nil` for one without a value.
  private(set) var bins: [Bin?] = []
  private(set) var range: ClosedRange<Double>?
  /// Whether no line leads to the next value.
  private var isInterrupted = false

  /// Adds what there is at a time, which never steps back.
  mutating func add(_ value: Double?, at seconds: Double, beginsRun: Bool) {
    isInterrupted = isInterrupted || beginsRun
    guard let value, value.isFinite, seconds >= 0, seconds < 1e9 else { return }
    defer { isInterrupted = false }
    while seconds >= width * Double(Self.room) { halve() }
    let index = Int(seconds / width)
    while bins.count <= index { bins.append(nil) }
    let bin = Bin(lowest: value, highest: value, sum: value, count: 1, beginsRun: isInterrupted)
    bins[index] = Bin.joined(bins[index], bin)
    range = range.map { min($0.lowerBound, value)...max($0.upperBound, value) } ?? value...value
  }

  var runs: [[(seconds: Double, bin: Bin)]] {
    var runs: [[(seconds: Double, bin: Bin)]] = []
    for (index, bin) in bins.enumerated() {
      guard let bin else { continue }
      let point = (seconds: (Double(index) + 0.5) * width, bin: bin)
      if bin.beginsRun || runs.isEmpty { runs.append([point]) } else { runs[runs.count - 1].append(point) }
    }
    return runs
  }

  private mutating func halve() {
    width *= 2
    bins = stride(from: 0, to: bins.count, by: 2).map { Bin.joined(bins[$0], $0 + 1 < bins.count ? bins[$0 + 1] : nil) }
  }
}

/// A line of any length in bounded memory: when it is full it is simplified, each time more coarsely.
struct PlotPath: Sendable {
  static let room = 10_000

  private(set) var points: [Coordinate] = []
  /// Indices in `points` at which the parts begin.
  private(set) var starts: [Int] = []
  /// Largest distance of the line from the original one, metres.
  private(set) var tolerance = 0.0
  private var simplification = PolylineSimplification()

  mutating func append(_ point: Coordinate, begins: Bool) {
    if begins || points.isEmpty { starts.append(points.count) }
    points.append(point)
    while points.count >= Self.room { simplify(to: max(tolerance * 2, 0.25)) }
  }

  var parts: [ArraySlice<Coordinate>] { starts.indices.map { points[starts[$0]..<end(of: $0)] } }

  /// Leaves out points that the tolerance (metres) does not need, and parts smaller than it if there are many.
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

/// Points along a track in bounded memory: when there are too many, those closest to their predecessors are left out.
struct PlotCloud: Sendable {
  static let room = 6000

  private(set) var points: [Coordinate] = []
  /// Smallest distance of a point from its predecessor, metres.
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
