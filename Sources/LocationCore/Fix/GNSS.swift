/// A satellite system; the raw values are gpsd's and u-blox's `gnssid`.
public enum GNSS: Int, Hashable, Sendable {
  /// GPS (USA).
  case gps = 0
  /// Satellite-based augmentation: WAAS, EGNOS, MSAS, GAGAN.
  case sbas = 1
  /// Galileo (EU).
  case galileo = 2
  /// BeiDou (China).
  case beidou = 3
  /// IMES (Japan).
  case imes = 4
  /// QZSS (Japan).
  case qzss = 5
  /// GLONASS (Russia).
  case glonass = 6
  /// NavIC, formerly IRNSS (India).
  case navic = 7
}
