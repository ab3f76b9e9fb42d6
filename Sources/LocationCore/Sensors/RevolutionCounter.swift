/// Counts and times of revolutions, which wrap, on scales that do not. A step is judged by its rate and by the sensor's
/// clock, which does not run ahead of ours: a refused one adds nothing, and the next is measured from behind it.
struct RevolutionCounter: Sendable {
  /// How far readings may arrive behind each other, seconds: radios hold them back.
  private static let latency = 2.0
  /// How long before the first reading its revolution may have been, seconds: clocks that wrap do so in it.
  private static let firstLatency = 64.0
  /// Without a revolution for so long, seconds, it is still.
  private static let standstill = 2.5

  /// Revolutions since the first reading.
  private(set) var total = 0.0
  /// Seconds from the revolution of the first reading to the last one.
  private(set) var eventTime = 0.0
  /// Revolutions a minute of the last step; `nil` before the first, and after one that was refused.
  private(set) var rate: Double?
  private var hasStepped = false
  /// The newest reading that counted, and when it came.
  private var newest: (count: UInt64, time: Double?, received: MonotonicInstant)?

  /// Takes a reading; returns whether it follows from the one before.
  mutating func take(_ request: SensorRequest, at instant: MonotonicInstant) -> Bool {
    guard let new = request.count else { return false }
    guard let (count, time, changed) = newest else {
      newest = (new, request.time, instant)
      return true
    }
    let (difference, isBack) = new.subtractingReportingOverflow(count)
    let step = Double(isBack ? difference &+ request.countPeriod : difference)
    let elapsed = instant.seconds(since: changed)
    guard step > 0 else {
      if elapsed > Self.standstill { rate = 0 }
      return true
    }
    let seconds = Self.seconds(from: time, to: request, after: elapsed)
    newest = (new, request.time, instant)
    let limit = request.kind.plausible.upperBound
    let latency = hasStepped ? Self.latency : Self.firstLatency
    guard seconds > 0, seconds <= elapsed + latency, step / seconds * 60 <= limit else {
      eventTime += max(0, elapsed)
      rate = nil
      return false
    }
    hasStepped = true
    total += step
    eventTime += seconds
    rate = step / seconds * 60
    return true
  }

  /// Revolutions a minute at an instant: none where the next one has not come.
  func rate(at instant: MonotonicInstant) -> Double? {
    guard let rate, let newest else { return nil }
    return instant.seconds(since: newest.received) > Self.standstill ? 0 : rate
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
