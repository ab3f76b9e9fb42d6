/// The navigational status of RMC and GNS, NMEA 4.1. V never invalidates a fix: it says that the
/// receiver gives no such status.
package enum NavStatus: UInt8, Hashable, Sendable {
  /// S, safe.
  case safe = 0x53
  /// C, caution.
  case caution = 0x43
  /// U, unsafe.
  case unsafe = 0x55
  /// V, not provided.
  case notProvided = 0x56
}
