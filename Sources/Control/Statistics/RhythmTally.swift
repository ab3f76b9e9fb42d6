import LocationCore

struct RhythmTally {
  /// An interval longer than one and a half periods.
  struct Gap {
    let after: TimeOfDay
    let nanoseconds: Int64
  }

  /// Further different intervals are not counted.
  private static let intervalBound = 1024
  private static let gapBound = 8

  private var last: TimeOfDay?
  private var intervals: [Int64: Int] = [:]
  private var longest: [Gap] = []
  private(set) var stepsBack = 0
  private(set) var span = Duration.zero

  /// Takes the next epoch's time, or `nil` without one.
  mutating func add(_ time: TimeOfDay?) {
    guard let time else { return }
    defer { last = time }
    guard let last else { return }
    let interval = TimeOfDay.nearestDay(time.nanoseconds - last.nanoseconds)
    guard interval > 0 else {
      stepsBack += 1
      return
    }
    span += .nanoseconds(interval)
    // A receiver's clock jitters by less than a millisecond.
    let rounded = max(1, (interval + 500_000) / 1_000_000) * 1_000_000
    if intervals.count < Self.intervalBound || intervals[rounded] != nil { intervals[rounded, default: 0] += 1 }
    longest.append(Gap(after: last, nanoseconds: interval))
    longest.sort { $0.nanoseconds > $1.nanoseconds }
    if longest.count > Self.gapBound { longest.removeLast() }
  }

  /// The most frequent interval, nanoseconds; `nil` before the second epoch.
  var period: Int64? { intervals.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key }

  var gaps: (count: Int, missing: Int) {
    guard let period else { return (0, 0) }
    return intervals.filter { Self.isGap($0.key, period) }.reduce((0, 0)) {
      ($0.0 + $1.value, $0.1 + $1.value * (Int(($1.key + period / 2) / period) - 1))
    }
  }

  var longestGaps: [Gap] {
    guard let period else { return [] }
    return longest.filter { Self.isGap($0.nanoseconds, period) }
  }

  private static func isGap(_ interval: Int64, _ period: Int64) -> Bool { interval > period + period / 2 }
}

struct OrderTally {
  /// Further different orders are not counted.
  private static let bound = 256
  private var counts: [[Int]: Int] = [:]
  private var epochs = 0

  /// Counts an epoch's kinds in order; a run of one kind counts once.
  mutating func add(_ kinds: some Sequence<Int>) {
    var order: [Int] = []
    for kind in kinds where order.last != kind { order.append(kind) }
    epochs += 1
    guard counts.count < Self.bound || counts[order] != nil else { return }
    counts[order, default: 0] += 1
  }

  /// The most frequent order, the longer of two, and its share of all epochs; `nil` before the first epoch.
  var commonest: (kinds: [Int], share: Double)? {
    let best = counts.max { left, right in
      (left.value, left.key.count, right.key.description) < (right.value, right.key.count, left.key.description)
    }
    return best.map { ($0.key, Double($0.value) / Double(epochs)) }
  }
}
