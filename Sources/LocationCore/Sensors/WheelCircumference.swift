/// The circumference of a wheel: given, or learned from straight ways at constant speed. Metres.
package struct WheelCircumference: Hashable, Sendable {
  /// Values that a wheel can have, also one with several magnets.
  package static let plausible = 0.05...5.0
  /// Length of a stretch, and number of stretches that are enough.
  private static let stretch = 50.0
  private static let enough = 10
  private static let most = 31
  /// Ratio of a stretch to the circumference from which on it is another wheel, and number of stretches that show it.
  private static let tolerance = 0.05
  private static let confirmation = 3
  /// Spread of the stretches of one wheel, as a part of their median.
  private static let spread = 0.03
  /// Slowest speed, change of speed as a part of it, change of course in degrees, and longest time between fixes.
  private static let slowest = 3.0
  private static let constancy = (speed: 0.1, course: 10.0, interval: 2.5)

  /// `nil` until it is learned.
  package private(set) var value: Double?
  /// 95 % error.
  package private(set) var error: Double?
  package let isGiven: Bool
  /// Whether the last stretches are those of another wheel.
  private(set) var isContradicted = false
  private var ratios: [Double] = []
  private var begin: Begin?
  /// Consecutive stretches that agree with it, or do not (negative).
  private var agreement = 0

  private struct Begin: Hashable {
    let turns: Double
    let speed: Double
    let course: Double
    var last: MonotonicInstant
    var lastSpeed: Double
    var way = 0.0
  }

  /// `value` is given, or was learned before with an error.
  package init(_ value: Double? = nil, error: Double? = nil) {
    let value = value.flatMap { Self.plausible.contains($0) ? $0 : nil }
    (self.value, self.error) = (value, value == nil ? nil : error)
    isGiven = value != nil && error == nil
  }

  mutating func learn(from fix: Fix, turns: Double) {
    guard let speed = fix.speed, speed >= Self.slowest, let course = fix.course else { return begin = nil }
    let fresh = Begin(turns: turns, speed: speed, course: course, last: fix.received, lastSpeed: speed)
    guard var begin, fix.received.seconds(since: begin.last) <= Self.constancy.interval,
      abs(speed - begin.speed) <= Self.constancy.speed * begin.speed,
      abs((course - begin.course).remainder(dividingBy: 360)) <= Self.constancy.course
    else { return begin = fresh }
    begin.way += (speed + begin.lastSpeed) / 2 * fix.received.seconds(since: begin.last)
    (begin.last, begin.lastSpeed) = (fix.received, speed)
    self.begin = begin
    guard begin.way >= Self.stretch else { return }
    self.begin = fresh
    let turned = turns - begin.turns
    // Without turns the sensor sleeps, which says nothing of the wheel.
    if turned > 0 { take(begin.way / turned) }
  }

  private mutating func take(_ ratio: Double) {
    guard Self.plausible.contains(ratio) else { return }
    if let value {
      let agrees = abs(ratio / value - 1) <= Self.tolerance
      agreement = agrees ? max(agreement, 0) + 1 : min(agreement, 0) - 1
      if abs(agreement) == Self.confirmation { isContradicted = agreement < 0 }
      guard agrees, !isContradicted, !isGiven else { return }
    }
    if ratios.count == Self.most { ratios.removeFirst() }
    ratios.append(ratio)
    guard ratios.count >= Self.enough else { return }
    let median = Self.median(ratios)
    let spread = Self.median(ratios.map { abs($0 - median) })
    guard spread <= Self.spread * median else { return }
    value = median
    // The deviation of a median of normal errors, by that of their median deviation; and that of the receiver's speeds.
    error = Confidence.line * 1.2533 * 1.4826 * spread / Double(ratios.count).squareRoot() + 0.001 * median
  }

  private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
}
