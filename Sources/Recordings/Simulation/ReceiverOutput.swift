import LocationCore

/// What the sentences of an epoch are made of.
struct ReceiverOutput {
  /// The receiver's clock.
  var measured: UTCInstant
  /// Whether this is the second 23:59:60, which shares its number with the one that follows it.
  var isLeapSecond: Bool
  /// Nanoseconds since the receiver was switched on.
  var uptime: Int64
  var solution: SimulatedEpoch.Solution
  var position: (latitude: Double, longitude: Double)?
  var altitude: Double
  /// m/s.
  var speed: Double
  /// Degrees from true north.
  var course: Double
  /// 1 σ in metres.
  var sigma: Double
  var satellites: [[SimulatedSky.Satellite]]
  /// Whether GSA and GSV are due.
  var hasSky: Bool
}

extension ReceiverOutput {
  /// What the receiver tells of the time: its day and the nanoseconds in it; `nil` for nothing.
  func clock(of receiver: ReceiverProfile) -> (date: CalendarDate, time: Int64)? {
    if solution == .nothing {
      switch receiver.unsetClock {
      case .empty: return nil
      case .since1980: return (CalendarDate(daysSince1970: 3657), uptime % TimeOfDay.day)
      }
    }
    guard isLeapSecond else { return (measured.date, measured.nanosecondsOfDay) }
    return ((measured + .seconds(-1)).date, TimeOfDay.day + measured.nanosecondsOfDay)
  }
}
