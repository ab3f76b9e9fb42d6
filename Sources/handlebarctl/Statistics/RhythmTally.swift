import LocationCore

/// How the receiver's own times of day follow each other.
struct RhythmTally {
  /// A way from one epoch to the next that is longer than usual.
  struct Gap {
    /// The last time before it.
    let after: TimeOfDay
    let nanoseconds: Int64
  }

  /// Further ways between epochs are not told apart.
  private static let wayBound = 1024
  /// So many of the longest gaps are kept.
  private static let gapBound = 8

  private var last: TimeOfDay?
  private var ways: [Int64: Int] = [:]
  private var longest: [Gap] = []
  /// How often the time went back.
  private(set) var stepsBack = 0
  /// Sum of all ways forward, nanoseconds.
  private(set) var span: Int64 = 0

  /// Takes the time of the next epoch; `nil` when it has none.
  mutating func add(_ time: TimeOfDay?) {
    guard let time else { return }
    defer { last = time }
    guard let last else { return }
    let way = EpochSequence.way(from: last, to: time)
    guard way > 0 else {
      stepsBack += 1
      return
    }
    span += way
    // To the millisecond: a receiver's clock may be off by less.
    let rounded = (way + 500_000) / 1_000_000 * 1_000_000
    if ways.count < Self.wayBound || ways[rounded] != nil { ways[rounded, default: 0] += 1 }
    longest.append(Gap(after: last, nanoseconds: way))
    longest.sort { $0.nanoseconds > $1.nanoseconds }
    if longest.count > Self.gapBound { longest.removeLast() }
  }

  /// The commonest way from one epoch to the next, nanoseconds; `nil` before the second epoch.
  var period: Int64? {
    ways.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
  }

  /// How many ways are longer than one and a half periods.
  var gapCount: Int {
    guard let period else { return 0 }
    return ways.reduce(0) { $0 + (Self.isGap($1.key, period) ? $1.value : 0) }
  }

  /// How many epochs are missing in the gaps.
  var missing: Int {
    guard let period else { return 0 }
    return ways.reduce(0) {
      $0 + (Self.isGap($1.key, period) ? $1.value * (Int(($1.key + period / 2) / period) - 1) : 0)
    }
  }

  /// The longest gaps, the longest first.
  var longestGaps: [Gap] {
    guard let period else { return [] }
    return longest.filter { Self.isGap($0.nanoseconds, period) }
  }

  private static func isGap(_ way: Int64, _ period: Int64) -> Bool { way > period + period / 2 }
}
