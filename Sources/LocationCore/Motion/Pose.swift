/// The rider's state at an instant between fixes, predicted from the fixes received before. Never a fix.
public struct Pose: Hashable, Codable, Sendable {
  /// Where the values of a pose come from.
  public enum Basis: String, Hashable, Codable, Sendable {
    /// The fix itself: the pose is at the instant of its measurement.
    case fix
    /// Predicted from the newest fixes.
    case predicted
    /// The last position: the rider stopped, or there was no fix for 3 s.
    case held
  }

  /// UTC of the pose; `nil` while the receiver sends no date.
  public var time: UTCInstant?
  /// The place.
  public var coordinate: Coordinate
  /// Course over ground, degrees from true north, 0 ≤ course < 360; `nil` before the first course.
  public var course: Double?
  /// Speed over ground, m/s.
  public var speed: Double
  /// 95 % radius around the place in which the receiver would report a fix at this instant, metres, learned from the
  /// errors of earlier predictions. It grows with the age of the fix.
  public var horizontalAccuracy: Double
  /// Number of the fix that the pose is based on.
  public var seq: UInt64
  /// Time since that fix was measured.
  public var age: Duration
  /// Where the values come from.
  public var basis: Basis
  /// Whether this fix moved the position at once instead of gradually. True for every pose of the fix.
  public var isJump: Bool
}

/// The instants at which a subscriber receives poses: the newest fix's time plus multiples of 1/rate, until the
/// position comes to rest for lack of fixes. Time that runs `pace` times as fast as the machine's, as in a fast replay,
/// has as many poses per second of the machine's clock.
package struct PoseGrid: Sendable {
  /// Poses per second, 1 to 60.
  package let rate: Int
  private var begin: MonotonicInstant
  /// Time of the last pose, nanoseconds.
  private var last: Int64?
  private var lastSeq: UInt64?

  package init(rate: Int, from begin: MonotonicInstant) {
    self.rate = rate
    self.begin = begin
  }

  /// The monotonic instant of the next pose; `nil` while none is due before the next fix.
  package func next(of motion: MotionEstimator, pace: Double = 1) -> MonotonicInstant? {
    nextTime(of: motion, pace: pace).map { motion.clock.instant(of: $0) }
  }

  /// The pose that is due at `instant` or before; `nil` if none is.
  package mutating func take(from motion: MotionEstimator, at instant: MonotonicInstant, pace: Double = 1) -> Pose? {
    guard let time = nextTime(of: motion, pace: pace), motion.clock.instant(of: time) <= instant,
      var pose = motion.pose(at: time)
    else { return nil }
    last = time
    begin = motion.clock.instant(of: time)
    pose.isJump = pose.isJump && pose.seq != lastSeq
    lastSeq = pose.seq
    return pose
  }

  /// The next time of the grid, in whole milliseconds as on the wire.
  private func nextTime(of motion: MotionEstimator, pace: Double) -> Int64? {
    guard let start = motion.path?.state.time else { return nil }
    if let last, lastSeq == motion.path?.seq, last >= motion.path?.end ?? 0 { return nil }
    // Poses before the newest fix are those of the fix before.
    var earliest = max(motion.clock.time(at: begin), motion.resumptionTime)
    // On a clock that stepped back, the grid begins again.
    if let last, last >= earliest, last &- earliest < 1_000_000_000 { earliest = last + 1 }
    let period = 1e9 / Double(rate)
    // Whole milliseconds of the grid may be one less than the interval.
    if let last, pace > 1, earliest > last {
      earliest = max(earliest, last &+ Int64(min(pace * period, 1e15)) - 1_000_000)
    }
    var step = (Double(earliest &- start) / period).rounded(.up) - 1
    var time: Int64
    repeat {
      let offset = (step * period * 1e-6).rounded() * 1e6
      guard abs(offset) < 1e15 else { return nil }
      time = start &+ Int64(offset)
      step += 1
    } while time < earliest
    return time
  }
}
