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
