/// PMTK and three digits, what a MediaTek receiver says about itself.
package struct PMTK: Hashable, Sendable {
  /// Packet number, the three digits at the address's end.
  @Compact package var packet: Int?
  /// Packet 001, acknowledgement: the command that is answered.
  @Compact package var command: Int?
  /// Packet 001: 0 invalid, 1 unsupported, 2 failed, 3 done.
  @Compact package var result: Int?
  /// Packet 010, system message: 0 unknown, 1 start-up, 2 notification, 3 normal.
  @Compact package var message: Int?
  /// The fields that were present and malformed or out of range.
  package var problems: SentenceProblems
}

extension PMTK {
  /// Fewest fields on the wire.
  static let fieldCount = 0

  init(_ fields: SentenceFields) {
    var field = FieldCursor(fields)
    let packet = field.addressNumber(behind: 4)
    self.packet = packet
    command = packet == 1 ? field.integer(upTo: 999) : nil
    result = packet == 1 ? field.integer(upTo: 9) : nil
    message = packet == 10 ? field.integer(upTo: 999) : nil
    problems = field.problems
  }
}
