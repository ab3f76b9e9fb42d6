/// Errors, 95 %, that a receiver states in a sentence of its maker. u-blox and SiRF send one standard deviation of the
/// distance, Garmin the radius of half of all errors. None documents it; with these readings they agree with GST and gpsd.
package struct MakersErrors: Hashable, Sendable {
  @Compact package var time: TimeOfDay?
  /// Radius of the horizontal error, metres.
  @Compact package var horizontal: Double?
  /// Error of the altitude, metres.
  @Compact package var vertical: Double?
  /// Error of the speed, m/s.
  @Compact package var speed: Double?
  /// Error of the course, degrees; `nil` from 180 on, where the direction is unknown.
  @Compact package var course: Double?
  /// Vertical speed, m/s, upwards positive.
  @Compact package var climb: Double?

  /// PUBX,00, position, velocity and accuracies (u-blox M8 protocol).
  init(pubx00 fields: some SentenceSource) {
    var field = fields.reader
    field.skip()
    time = field.time()
    field.position()
    field.rounded("altHAE", 4) { $0.signed(upTo: Thousandths.limit) }
    field.value("status", { .text(Array($0)) }, { $0.pubxStatus() })
    horizontal = Confidence.error(field.rounded("eph", 4) { $0.unsigned(upTo: Thousandths.limit) }, Confidence.distance)
    vertical = Confidence.error(field.rounded("epv", 4) { $0.unsigned(upTo: Thousandths.limit) })
    field.number("speed", 3) { $0.kilometresPerHour() }
    field.course("track")
    climb = field.rounded("velD", 3) { $0.signed(upTo: FieldCursor.fastest) }.map { 0 - $0 }
    field.rounded("dgpsAge", 3) { $0.unsigned(upTo: Thousandths.limit) }
    field.rounded("hdop", 3) { $0.dilution() }
    field.rounded("vdop", 3) { $0.dilution() }
    field.rounded("tdop", 3) { $0.dilution() }
    field.integer("nSat", upTo: 255)
    field.skip()
    field.value("deadReckoning", FieldValue.flag) { $0.integer(upTo: 1).map { $0 == 1 } }
  }

  /// PSRFEPE, estimated errors (SiRF).
  init(psrfepe fields: some SentenceSource) {
    var field = fields.reader
    time = field.time()
    let status = field.letter("status", RMCStatus.self)
    field.dilution("hdop")
    let (horizontal, vertical) = (field.unsigned("eph"), field.unsigned("epv"))
    if status != .void {
      self.horizontal = Confidence.error(horizontal, Confidence.distance)
      self.vertical = Confidence.error(vertical)
    }
    speed = Confidence.error(field.unsigned("eps", 3))
    course = Confidence.error(field.unsigned("epd", upTo: 360)).flatMap { $0 < 180 ? $0 : nil }
  }

  /// PGRME, estimated position errors (Garmin).
  init(pgrme fields: some SentenceSource) {
    var field = fields.reader
    let (horizontal, vertical) = (field.number("eph", 4) { $0.distance() }, field.number("epv", 4) { $0.distance() })
    self.horizontal = Confidence.error(horizontal, Confidence.circle, of: Confidence.halfCircle)
    self.vertical = Confidence.error(vertical, Confidence.line, of: Confidence.halfLine)
    field.number("sep", 4) { $0.distance() }
  }
}

extension SentenceReader {
  @discardableResult
  fileprivate mutating func rounded(
    _ name: StaticString, _ places: Int, _ fields: (inout FieldCursor) -> Double?
  ) -> Double? {
    number(name, places) { Thousandths(wrappedValue: fields(&$0)).wrappedValue }
  }
}

extension FieldCursor {
  /// No fix, dead reckoning, 2D and 3D alone, both with corrections, GNSS with dead reckoning, time only.
  private static let pubxStatuses = ["NF", "DR", "G2", "G3", "D2", "D3", "RK", "TT"]

  fileprivate mutating func pubxStatus() -> String.UTF8View? {
    let field = next()
    if field.count == 0 { return nil }
    let text = UnsafeBufferPointer(start: field.start, count: field.count)
    return Self.pubxStatuses.first { $0.utf8.elementsEqual(text) }?.utf8 ?? fail(field)
  }

  /// Unsigned metres, with an optional unit `M`.
  fileprivate mutating func distance() -> Double? {
    let value = unsigned()
    return unit(0x4D) ? value : nil
  }
}
