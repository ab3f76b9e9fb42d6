/// How a fix was made; the raw values are gpsd's `status` (gpsd_json(5)).
public enum FixStatus: Int, Hashable, Sendable {
  /// Autonomous GNSS.
  case normal = 1
  /// Differential or SBAS corrected.
  case dgps = 2
  /// Real-time kinematic, integer ambiguities.
  case rtkFixed = 3
  /// Real-time kinematic, float ambiguities.
  case rtkFloat = 4
  /// Dead reckoning: estimated without satellites.
  case deadReckoning = 5
  /// GNSS combined with dead reckoning.
  case gnssDeadReckoning = 6
  /// Surveyed-in or entered by hand.
  case surveyed = 7
  /// Simulated by the receiver.
  case simulated = 8
  /// Military code, precise positioning service.
  case pps = 9
}
