/// PUBX,00, position, velocity and accuracies (u-blox M8 protocol).
package struct PUBX00: Hashable, Sendable {
  @Compact package var time: TimeOfDay?
  /// Estimated horizontal error, metres.
  @Rounded package var horizontalAccuracy: Double?
  /// Estimated vertical error, metres.
  @Rounded package var verticalAccuracy: Double?
  /// Vertical velocity, m/s, down positive.
  @Rounded package var velocityDown: Double?

  /// Minimum number of fields, including the message number.
  static let fieldCount = 20

  init(_ fields: some SentenceSource) {
    var field = fields.reader
    field.skip()
    time = field.time()
    field.position()
    field.rounded("altHAE", 4) { $0.signed(upTo: Thousandths.limit) }
    field.value("status", { .text(Array($0)) }, { $0.pubxStatus() })
    horizontalAccuracy = field.rounded("eph", 4) { $0.unsigned(upTo: Thousandths.limit) }
    verticalAccuracy = field.rounded("epv", 4) { $0.unsigned(upTo: Thousandths.limit) }
    field.number("speed", 3) { $0.kilometresPerHour() }
    field.course("track")
    velocityDown = field.rounded("velD", 3) { $0.signed(upTo: FieldCursor.fastest) }
    field.rounded("dgpsAge", 3) { $0.unsigned(upTo: Thousandths.limit) }
    field.rounded("hdop", 3) { $0.dilution() }
    field.rounded("vdop", 3) { $0.dilution() }
    field.rounded("tdop", 3) { $0.dilution() }
    field.integer("nSat", upTo: 255)
    field.skip()
    field.value("deadReckoning", FieldValue.flag) { $0.integer(upTo: 1).map { $0 == 1 } }
  }
}

extension SentenceReader {
  @discardableResult
  fileprivate mutating func rounded(
    _ name: StaticString, _ places: Int, _ fields: (inout FieldCursor) -> Double?
  ) -> Double? {
    number(name, places) { Thousandths(fields(&$0)).value }
  }
}

extension FieldCursor {
  /// No fix, dead reckoning, 2D and 3D alone, both with corrections, GNSS with dead reckoning, time only.
  private static let pubxStatuses = ["NF", "DR", "G2", "G3", "D2", "D3", "RK", "TT"]

  /// Navigation status of PUBX,00.
  fileprivate mutating func pubxStatus() -> String.UTF8View? {
    let field = next()
    if field.count == 0 { return nil }
    let text = UnsafeBufferPointer(start: field.start, count: field.count)
    return Self.pubxStatuses.first { $0.utf8.elementsEqual(text) }?.utf8 ?? fail(field)
  }
}

/// PSRFEPE, estimated errors (SiRF).
package struct PSRFEPE: Hashable, Sendable {
  @Compact package var time: TimeOfDay?
  package var status: RMCStatus?
  /// Estimated horizontal position error, metres.
  @Compact package var horizontal: Double?
  /// Estimated vertical position error, metres.
  @Compact package var vertical: Double?
  /// Estimated horizontal velocity error, m/s.
  @Compact package var velocity: Double?
  /// Estimated heading error, degrees.
  @Compact package var heading: Double?

  static let fieldCount = 7

  init(_ fields: some SentenceSource) {
    var field = fields.reader
    time = field.time()
    status = field.letter("status")
    field.dilution("hdop")
    horizontal = field.unsigned("eph")
    vertical = field.unsigned("epv")
    velocity = field.unsigned("eps", 3)
    heading = field.unsigned("epd", upTo: 360)
  }
}

/// PGRME, estimated position errors (Garmin).
package struct PGRME: Hashable, Sendable {
  /// Horizontal error, metres.
  @Compact package var horizontal: Double?
  /// Vertical error, metres.
  @Compact package var vertical: Double?

  static let fieldCount = 6

  init(_ fields: some SentenceSource) {
    var field = fields.reader
    horizontal = field.number("eph", 4) { $0.distance() }
    vertical = field.number("epv", 4) { $0.distance() }
    field.number("sep", 4) { $0.distance() }
  }
}

extension FieldCursor {
  /// Unsigned metres, with an optional unit `M`.
  fileprivate mutating func distance() -> Double? {
    let value = unsigned()
    return unit(0x4D) ? value : nil
  }
}
