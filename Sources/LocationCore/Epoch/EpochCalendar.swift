/// Completes times of day with dates.
///
/// Dates come only from RMC and ZDA. An epoch without one gets the day nearest to the time extrapolated from the last
/// dated epoch by the monotonic clock, so midnight can pass without a date.
struct EpochCalendar: Sendable {
  /// Dates before this one are suspect.
  let floor: CalendarDate
  /// Whether suspect dates are moved forward by multiples of 1024 weeks.
  let snaps: Bool

  private var last: Dated?

  private struct Dated {
    var measured: UTCInstant
    var received: MonotonicInstant
  }

  init(floor: CalendarDate, snaps: Bool) {
    self.floor = floor
    self.snaps = snaps
  }

  /// The UTC instant of a time of day; `nil` until a date is known.
  mutating func measured(
    _ time: TimeOfDay, stated date: CalendarDate?, received: MonotonicInstant
  ) -> UTCInstant? {
    let measured = date.flatMap { plausible($0) }.flatMap { UTCInstant(date: $0, time: time) }
    guard let result = measured ?? carried(time, received) else { return nil }
    last = Dated(measured: result, received: received)
    return result
  }

  /// Whether an instant lies before the floor date.
  func isSuspect(_ measured: UTCInstant) -> Bool { measured.date.isRolloverSuspect(floor: floor) }

  /// The date, snapped if configured; `nil` for the first year of GPS time, which receivers send before they have
  /// acquired a date.
  private func plausible(_ date: CalendarDate) -> CalendarDate? {
    guard date.year > 1980 else { return nil }
    return snaps ? date.rolledForward(to: floor) : date
  }

  private func carried(_ time: TimeOfDay, _ received: MonotonicInstant) -> UTCInstant? {
    guard let last else { return nil }
    let expected = last.measured.nanosecondsSince1970
      .addingReportingOverflow(received.nanoseconds &- last.received.nanoseconds)
    guard !expected.overflow else { return nil }
    let expectedTime = UTCInstant(nanosecondsSince1970: expected.partialValue).nanosecondsOfDay
    let result = expected.partialValue
      .addingReportingOverflow(TimeOfDay.nearestDay(time.nanoseconds - expectedTime))
    return result.overflow ? nil : UTCInstant(nanosecondsSince1970: result.partialValue)
  }
}
