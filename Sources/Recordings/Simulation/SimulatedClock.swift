import LocationCore

/// UTC on a simulated ride.
package struct SimulatedClock: Sendable {
  /// What a receiver's date is off by when its week number has run over.
  static let rollover = Duration.seconds(-1024 * 7 * 86_400)

  /// The first epoch.
  let start: UTCInstant
  /// The midnight before which a leap second is inserted.
  let leap: UTCInstant?

  /// So much later on the ride: its UTC, and whether that is the second 23:59:60.
  package func time(after elapsed: Duration) -> (utc: UTCInstant, isLeapSecond: Bool) {
    let plain = start + elapsed
    guard let leap, plain >= leap else { return (plain, false) }
    return plain < leap + .seconds(1) ? (plain, true) : (plain + .seconds(-1), false)
  }
}

extension SimulatedRide {
  /// Its clock.
  package var clock: SimulatedClock {
    var leap: UTCInstant?
    if conditions.hasLeapSecond {
      let nextDay = Int64(start.date.daysSince1970 + 1)
      leap = UTCInstant(nanosecondsSince1970: nextDay * TimeOfDay.day)
    }
    return SimulatedClock(start: start, leap: leap)
  }
}
