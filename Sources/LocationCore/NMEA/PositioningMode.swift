/// The mode letter of RMC, GLL, VTG and GNS. A letter that no standard names is not here: it is `nil`
/// and the status decides.
package enum PositioningMode: UInt8, Hashable, Sendable {
  /// N, no fix.
  case notValid = 0x4E
  /// A, autonomous.
  case autonomous = 0x41
  /// D, differential or SBAS.
  case differential = 0x44
  /// E, estimated: dead reckoning.
  case estimated = 0x45
  /// F, real-time kinematic with float ambiguities.
  case floatRTK = 0x46
  /// R, real-time kinematic with integer ambiguities.
  case rtk = 0x52
  /// P, precise.
  case precise = 0x50
  /// M, manual input.
  case manual = 0x4D
  /// S, simulator.
  case simulator = 0x53
}
