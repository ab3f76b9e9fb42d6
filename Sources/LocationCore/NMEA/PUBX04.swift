/// PUBX,04, time of day and clock (u-blox M8 protocol).
package struct PUBX04: Hashable, Sendable {
  /// UTC time of day.
  @Compact package var time: TimeOfDay?
  /// UTC date.
  @Compact package var date: CalendarDate?
  /// Seconds since the beginning of the week in UTC.
  @Compact package var timeOfWeek: Double?
  /// GPS week.
  @Compact package var week: Int?
  /// Leap seconds between GPS time and UTC.
  @Compact package var leapSeconds: Int?
  /// Whether the leap seconds came from a satellite; false for the firmware's own number.
  package var leapSecondsReceived: Bool?
  /// Receiver clock bias, nanoseconds.
  @Compact package var clockBias: Double?
  /// Receiver clock drift, nanoseconds per second.
  @Compact package var clockDrift: Double?
  /// Granularity of the time pulse, nanoseconds.
  @Compact package var pulseGranularity: Double?
  /// The fields that were present and malformed or out of range.
  package var problems: SentenceProblems
}

extension PUBX04 {
  /// Fewest fields on the wire, the message number included.
  static let fieldCount = 9

  init(_ fields: SentenceFields) {
    var field = FieldCursor(fields)
    field.skip()
    time = field.time()
    date = field.date()
    timeOfWeek = field.unsigned(upTo: 604_800)
    week = field.integer(upTo: 99_999)
    (leapSeconds, leapSecondsReceived) = field.leapSeconds()
    clockBias = field.signed()
    clockDrift = field.signed()
    pulseGranularity = field.signed()
    problems = field.problems
  }
}

extension FieldCursor {
  /// A number, with a `D` behind it while it is the firmware's default.
  fileprivate mutating func leapSeconds() -> (Int?, Bool?) {
    let field = next()
    if field.count == 0 { return (nil, nil) }
    let isDefault = field.start[field.count - 1] == 0x44
    let digits = field.count - (isDefault ? 1 : 0)
    guard digits > 0, let seconds = Digits.value(field.start, digits), seconds <= 255 else { return (fail(field), nil) }
    return (Int(truncatingIfNeeded: seconds), !isDefault)
  }
}
