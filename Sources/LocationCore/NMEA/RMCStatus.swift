/// The status letter of RMC and GLL.
package enum RMCStatus: UInt8, Hashable, Sendable {
  /// A, valid.
  case valid = 0x41
  /// V, navigation receiver warning: void.
  case void = 0x56
  /// D, valid and differential; Unicore receivers only.
  case differential = 0x44
}
