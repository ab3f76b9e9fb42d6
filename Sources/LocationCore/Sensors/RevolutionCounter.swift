/// Counts and times of revolutions, which wrap, on scales that do not. A step is judged by its rate and by the sensor's
/// clock, which does not run ahead of ours: a refused one adds nothing, and the next is measured from behind it.
struct RevolutionCounter: Sendable {
  /// How far readings may arrive behind each other, seconds: radios hold them back.
  private static let latency = 2.0
  /// How long before the first reading its revolution may have been, seconds: clocks that wrap do so in it.
  private static let firstLatency = 64.0
  /// Without a revolution for so long, seconds, it is still.
  private static let standstill = 2.5

  /// The newest reading that counted, and when it came.
  private var newest: (count: UInt64, time: Double?, received: MonotonicInstant)?

  /// Takes a reading. The rate is unknown before the first step, and after one that is refused as implausible.
  mutating func take(_ request: SensorRequest, into status: inout SensorStatus) {
    guard let new = request.count else { return status.isImplausible = true }
    status.isImplausible = false
    guard let (count, time, changed) = newest, let revolutions = status.revolutions else {
      newest = (new, request.time, status.received)
      (status.revolutions, status.eventTime) = (0, 0)
      return
    }
    let (difference, isBack) = new.subtractingReportingOverflow(count)
    let step = Double(isBack ? difference &+ request.countPeriod : difference)
    let elapsed = status.received.seconds(since: changed)
    guard step > 0 else {
      if elapsed > Self.standstill { status.value = 0 }
      return
    }
    let seconds = Self.seconds(from: time, to: request, after: elapsed)
    newest = (new, request.time, status.received)
    let limit = request.kind.plausible.upperBound
    let latency = revolutions > 0 ? Self.latency : Self.firstLatency
    guard seconds > 0, seconds <= elapsed + latency, step / seconds * 60 <= limit else {
      status.eventTime? += max(0, elapsed)
      (status.value, status.isImplausible) = (nil, true)
      return
    }
    status.revolutions = revolutions + step
    status.eventTime? += seconds
    status.value = step / seconds * 60
  }

  /// Whether the next revolution has not come by an instant.
  func isStill(at instant: MonotonicInstant) -> Bool {
    newest.map { instant.seconds(since: $0.received) > Self.standstill } ?? false
  }

  /// Seconds from the last revolution to a reading's; if its time may have wrapped several times, the longest possible.
  private static func seconds(from time: Double?, to request: SensorRequest, after elapsed: Double) -> Double {
    guard let new = request.time, let time else { return elapsed }
    let seconds = (new - time) / request.tickRate
    guard let period = request.timePeriod.map({ $0 / request.tickRate }) else { return seconds }
    let first = seconds < 0 ? seconds + period : seconds
    return first + max(0, ((elapsed + latency - first) / period).rounded(.down)) * period
  }
}
