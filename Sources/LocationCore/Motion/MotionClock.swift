/// The relation between the monotonic clock and the measurement times of fixes. A fix is valid at its epoch and arrives
/// later. The varying part of the delay is the excess over the shortest delay of late, the constant part is assumed.
package struct MotionClock: Sendable {
  /// Delay from an epoch to the arrival of its fix, the part that is always there. It cannot be measured here.
  package static let standardLatency = Duration.milliseconds(100)
  /// Change of the delay that means another time scale: the receiver's clock was set, or a replay moved.
  static let longestStep: UInt64 = 2_000_000_000
  /// Time between arrivals up to which two fixes may belong to the same printed second.
  private static let longestSecond: Int64 = 700_000_000

  /// The constant part of the delay, nanoseconds.
  package let latency: Int64
  /// Shortest difference of arrival and measurement of late, nanoseconds.
  private var offset: Int64?
  private var lastArrival: Int64 = 0
  private var lastTime: Int64 = 0

  init(latency: Duration) { self.latency = latency.nanoseconds }

  mutating func register(_ time: Int64, arrival: MonotonicInstant) -> Bool {
    let difference = arrival.nanoseconds &- time
    // Receivers that learn the leap seconds step back by 1 to 3 s; some print whole seconds in each fix of one.
    let isBack = time < lastTime || time == lastTime && arrival.nanoseconds &- lastArrival > Self.longestSecond
    defer { (lastArrival, lastTime) = (arrival.nanoseconds, time) }
    guard let offset, !isBack, (difference &- offset).magnitude < Self.longestStep else {
      let isStep = offset != nil
      self.offset = difference
      return isStep
    }
    // Rises by 1 ms/s, for clocks that drift and receivers that begin to send later.
    self.offset = min(difference, offset &+ max(0, arrival.nanoseconds &- lastArrival) / 1000)
    return false
  }

  /// The time on the receiver's scale at a monotonic instant, nanoseconds.
  func time(at instant: MonotonicInstant) -> Int64 { instant.nanoseconds &- (offset ?? 0) &+ latency }
  /// The monotonic instant of a time on the receiver's scale.
  func instant(of time: Int64) -> MonotonicInstant { MonotonicInstant(nanoseconds: time &+ (offset ?? 0) &- latency) }
}
