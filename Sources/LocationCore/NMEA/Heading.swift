/// HDT, true heading.
package struct HDT: Hashable, Sendable {
  /// Degrees from true north, 0 ≤ heading < 360.
  @Compact package var heading: Double?

  static let fieldCount = 1

  init(_ fields: some SentenceSource) {
    var field = fields.reader
    heading = field.course("heading", unit: 0x54)
  }
}

/// THS, true heading and its status.
package struct THS: Hashable, Sendable {
  package enum Mode: UInt8, Hashable, Sendable {
    case autonomous = 0x41  // A
    case estimated = 0x45  // E, estimated: dead reckoning
    case manual = 0x4D  // M
    case simulator = 0x53  // S
    case notValid = 0x56  // V
  }

  /// Degrees from true north, 0 ≤ heading < 360.
  @Compact package var heading: Double?
  package var mode: Mode?

  static let fieldCount = 2

  init(_ fields: some SentenceSource) {
    var field = fields.reader
    heading = field.course("heading")
    mode = field.letter("mode")
  }
}
