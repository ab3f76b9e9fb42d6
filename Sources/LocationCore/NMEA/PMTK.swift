/// PMTK and three digits, what a MediaTek receiver says about itself.
package struct PMTK: Hashable, Sendable {
  /// Packet number, the three digits of the address.
  package var packet: Int?
  /// Packet 001, acknowledgement: the command that is answered.
  package var command: Int?
  /// Packet 001: 0 invalid, 1 unsupported, 2 failed, 3 done.
  package var result: Int?
  /// Packet 010, system message: 0 unknown, 1 start-up, 2 notification, 3 normal.
  package var message: Int?
  /// The fields that were present and malformed or out of range.
  package var problems: SentenceProblems
}

extension PMTK {
  /// Fewest fields on the wire.
  static let fieldCount = 0

  init(_ field: inout FieldCursor) {
    let address = field.fields.address
    packet = address.count == 7 ? address.baseAddress.flatMap { FieldCursor.packet($0) } : nil
    switch packet {
    case 1:
      command = field.integer(upTo: 999)
      result = field.integer(upTo: 9)
    case 10:
      message = field.integer(upTo: 999)
    default:
      break
    }
    problems = field.problems
  }
}

extension FieldCursor {
  /// The three digits at the end of `PMTKnnn`.
  fileprivate static func packet(_ address: UnsafeRawPointer) -> Int? {
    integer(address.assumingMemoryBound(to: UInt8.self) + 4, 3)
  }
}
