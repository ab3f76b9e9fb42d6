/// Completes times of day with dates. A date comes from RMC or ZDA only. An epoch without one gets the day that lies
/// nearest to the time predicted by the last believed time and the monotonic clock, so midnight is passed without a
/// date. Believed are the times of accepted fixes, stated dates that agree with the believed time, and dates stated
/// three times in agreement: one wrong date is not carried on.
struct EpochCalendar: Sendable {
  /// Whether suspect dates are moved forward by multiples of 1024 weeks.
  let snaps: Bool
  private var believed: FixTime?
  /// The newest stated time that does not agree with the believed one, and how many agree with it.
  private var doubted: (time: FixTime, count: Int)?

  init(snaps: Bool) { self.snaps = snaps }

  /// The UTC instant of a time of day; `nil` as long as no date is known.
  func measured(_ time: TimeOfDay, stated date: CalendarDate?, received: MonotonicInstant) -> UTCInstant? {
    date.flatMap { stated($0, time) } ?? carried(time, received)
  }

  mutating func note(_ date: CalendarDate, _ time: TimeOfDay, received: MonotonicInstant) {
    guard let measured = stated(date, time) else { return }
    let new = FixTime(measured: measured, timeOfDay: time, received: received)
    let count = doubted.map { new.agrees(with: $0.time) ? $0.count + 1 : 1 } ?? 1
    if count < 3, let believed, !new.agrees(with: believed) {
      doubted = (new, count)
    } else {
      believed = new
      doubted = nil
    }
  }

  mutating func accepted(_ measured: UTCInstant, _ time: TimeOfDay, received: MonotonicInstant) {
    believed = FixTime(measured: measured, timeOfDay: time, received: received)
  }

  /// Whether the date lies before the floor date; not without a date.
  static func isSuspect(_ measured: UTCInstant?) -> Bool {
    measured.map { $0 < ReceiverConfiguration.floor } ?? false
  }

  /// The instant of a stated date, snapped if configured; `nil` in GPS time's first year, sent before a date is known.
  private func stated(_ date: CalendarDate, _ time: TimeOfDay) -> UTCInstant? {
    guard date.year > 1980 else { return nil }
    return UTCInstant(date: snaps ? date.rolledForward(to: ReceiverConfiguration.floorDate) : date, time: time)
  }

  private func carried(_ time: TimeOfDay, _ received: MonotonicInstant) -> UTCInstant? {
    guard let believed, let start = believed.measured else { return nil }
    let expected = start.nanosecondsSince1970
      .addingReportingOverflow(received.nanoseconds &- believed.received.nanoseconds)
    guard !expected.overflow else { return nil }
    let expectedTime = UTCInstant(nanosecondsSince1970: expected.partialValue).nanosecondsOfDay
    let result = expected.partialValue
      .addingReportingOverflow(TimeOfDay.nearestDay(time.nanoseconds - expectedTime))
    return result.overflow ? nil : UTCInstant(nanosecondsSince1970: result.partialValue)
  }
}
