/// How the receiver chooses between 2D and 3D, in GSA.
package enum GSASelection: UInt8, Hashable, Sendable {
  /// M, forced by hand.
  case manual = 0x4D
  /// A, automatic.
  case automatic = 0x41
}
