/// The system clock's reference: UTC at one instant of the monotonic clock.
package struct ClockSample: Hashable, Sendable {
  /// UTC as POSIX counts it; a leap second repeats the numbers of the second before it.
  package let utc: UTCInstant
  /// The instant at which the first byte of the epoch's burst appeared on the line.
  package let instant: MonotonicInstant
  package let isLeapSecond: Bool
}

/// Epochs with a fix, a date and a separate burst set the clock, from the third that agrees on; a jump starts over.
struct ClockSampler: Sendable {
  /// Number of consecutive epochs that must agree.
  static let agreement = 3

  private var previous: (time: FixTime, source: SourceID, count: Int)?

  /// The sample of an epoch of the leading source; `nil` if it must not set the clock.
  mutating func receive(_ epoch: borrowing Epoch, from source: SourceID) -> ClockSample? {
    if case .dropped(.duplicate) = epoch.outcome { return nil }
    guard case .fix(_, suspect: false) = epoch.outcome, !epoch.isClockSetBack, !epoch.rolloverSuspect,
      let utc = epoch.measured, let timeOfDay = epoch.timeOfDay
    else {
      previous = nil
      return nil
    }
    // An epoch that was not separated from the one before it does not give the time.
    guard let began = epoch.began else { return nil }
    let time = FixTime(measured: utc, timeOfDay: timeOfDay, received: began)
    var count = 1
    if let previous, previous.source == source, Self.agrees(time, with: previous.time) {
      count = min(previous.count + 1, Self.agreement)
    }
    previous = (time, source, count)
    guard count == Self.agreement else { return nil }
    let isLeapSecond = timeOfDay.isLeapSecond
    return ClockSample(utc: isLeapSecond ? utc - .seconds(1) : utc, instant: began, isLeapSecond: isLeapSecond)
  }

  /// Within 0.1 s and 10 %: the kernel slews the monotonic clock by up to that while it corrects the system's.
  private static func agrees(_ time: FixTime, with earlier: FixTime) -> Bool {
    guard let lead = time.lead(on: earlier) else { return false }
    let elapsed = time.elapsed(since: earlier)
    return elapsed > 0 && lead.magnitude <= UInt64(min(100_000_000 + elapsed / 10, 500_000_000))
  }
}

extension LocationEngine {
  package mutating func setClock(_ isWanted: Bool) {
    clock = isWanted ? clock ?? ClockSampler() : nil
  }

  mutating func sampleClock(_ epoch: borrowing Epoch, _ index: Int, into events: inout EngineEvents) {
    let setup = sources[index].setup
    guard setup.isLive, supervisor.lead == index, let sample = clock?.receive(epoch, from: setup.id) else { return }
    events.append(.clock(sample))
  }
}
