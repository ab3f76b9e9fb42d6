package struct Heading: Hashable, Sendable {
  private enum Mode: UInt8 {
    case autonomous = 0x41  // A
    case estimated = 0x45  // E, estimated: dead reckoning
    case manual = 0x4D  // M
    case simulator = 0x53  // S
    case notValid = 0x56  // V
  }

  /// Degrees from true north, 0 ≤ heading < 360; `nil` also if it is stated as not valid.
  @Compact package var degrees: Double?

  init(hdt fields: some SentenceSource) {
    var field = fields.reader
    degrees = field.course("heading", unit: 0x54)
  }

  init(ths fields: some SentenceSource) {
    var field = fields.reader
    let course = field.course("heading")
    degrees = field.letter("mode", Mode.self) == .notValid ? nil : course
  }
}
