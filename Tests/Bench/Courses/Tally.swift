import Libc
import LocationCore
import TestRides

/// The figures of one ride, or the worst ones of several.
struct Tally {
  private var name = ""
  private var wrong = 0
  private var epochs = 0
  private var alarms = 0
  /// Seconds.
  private var off: Double?
  private var on: Double?
  /// Of `along`, and of the fix along the way, at 95 %, metres.
  private var error: Double?
  private(set) var fixError = 0.0
  private(set) var radius = 0.0
  /// Whether the targets are met.
  private(set) var isGood = true

  init() {}

  /// The figures of a ride, whose epochs or reports may be late by `slack` seconds.
  init(_ name: String, _ outcome: CourseOutcome, slack: Double = 0) {
    self.name = name
    wrong = outcome.wrongEpochs
    epochs = outcome.moments.count { $0.along != nil }
    alarms = outcome.falseAlarms
    (off, on) = (outcome.offDelays.map(\.seconds).max(), outcome.onDelays.max())
    if !outcome.errors.isEmpty { error = outcome.quantile(0.95, of: outcome.errors) }
    fixError = outcome.quantile(0.95, of: outcome.fixErrors)
    radius = outcome.radius
    // A careless plan is longer than the road.
    let plan = outcome.ride.drawn == nil || name != "zigzag" ? 1.0 : 10
    isGood =
      wrong == 0 && alarms == 0 && outcome.backwardEpochs == 0 && on ?? 0 <= 5 + slack
      && outcome.offDelays.allSatisfy { $0.seconds <= 10 + slack || $0.way <= 60 }
      && error ?? 0 <= 1.25 * fixError + plan
  }

  /// Adds a ride; prints it if it misses a target.
  mutating func add(_ other: Tally) {
    (wrong, epochs, alarms) = (wrong + other.wrong, epochs + other.epochs, alarms + other.alarms)
    off = [off, other.off].compactMap(\.self).max()
    on = [on, other.on].compactMap(\.self).max()
    error = [error, other.error].compactMap(\.self).max()
    (fixError, radius) = (max(fixError, other.fixError), max(radius, other.radius))
    if !other.isGood { print("\(other.name) misses a target: \(other.cells.joined(separator: " "))") }
    isGood = isGood && other.isGood
  }

  var cells: [String] {
    ["\(wrong) / \(epochs)", "\(alarms)"] + [off, on, error].map { $0.map { decimals($0, 1) } ?? "" }
  }
}

extension CourseOutcome {
  /// The mean radius of the fixes, metres.
  var radius: Double { fixes.reduce(0) { $0 + ($1.fix.horizontalAccuracy ?? 0) } / Double(max(fixes.count, 1)) }
}

/// The place of a course that is nearest, of those whose direction agrees with the rider's: the cosine is at least `gate`.
struct SimpleMethod {
  let ride: CourseRide
  let gate: Double

  func status(of fix: PublishedFix) -> CourseStatus {
    let place = ride.place(fix.fix.position)
    let heading = fix.fix.course.map { SIMD2(sin($0 * .pi / 180), cos($0 * .pi / 180)) }
    let found = ride.nearest(to: place) { direction in heading.map { ($0 * direction).sum() >= gate } ?? true }
    let limit = 10 + 1.25 * (fix.fix.horizontalAccuracy ?? 15)
    var status = CourseStatus(name: "", state: .off, seq: fix.seq, remaining: 0)
    guard let found, found.distance <= limit else { return status }
    status.state = .on
    status.along = found.along
    status.isReverse = heading.map { ($0 * found.direction).sum() < 0 } ?? false
    return status
  }
}
