/// The quality indicator of GGA.
package enum GGAQuality: UInt8, Hashable, Sendable {
  /// 0, no fix.
  case notValid = 0
  /// 1, autonomous.
  case autonomous = 1
  /// 2, differential or SBAS.
  case differential = 2
  /// 3, precise positioning service.
  case pps = 3
  /// 4, real-time kinematic with integer ambiguities.
  case rtk = 4
  /// 5, real-time kinematic with float ambiguities.
  case floatRTK = 5
  /// 6, estimated: dead reckoning.
  case estimated = 6
  /// 7, manual input.
  case manual = 7
  /// 8, simulator.
  case simulator = 8
  /// 9, defined by the vendor; a valid fix.
  case vendor = 9
}
