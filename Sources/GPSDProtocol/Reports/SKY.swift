import LocationCore

/// The satellites in view at one epoch as they came over the wire (gpsd's class `SKY`).
public struct SKY: Hashable, Sendable, Decodable {
  /// One satellite.
  public struct Satellite: Hashable, Sendable, Decodable {
    /// gpsd's number.
    public var number: Int
    /// Degrees above the horizon.
    public var elevation: Double?
    /// Degrees from true north.
    public var azimuth: Double?
    /// dBHz.
    public var signal: Double?
    /// Whether the solution uses it.
    public var used: Bool
    /// The system, in u-blox' numbering.
    public var gnssID: Int?
    /// Number within its system.
    public var svID: Int?

    private enum CodingKeys: String, CodingKey {
      case number = "PRN"
      case elevation = "el"
      case azimuth = "az"
      case signal = "ss"
      case used
      case gnssID = "gnssid"
      case svID = "svid"
    }
  }

  /// Path of the device.
  public var device: String?
  /// UTC of the epoch.
  public var time: UTCInstant?
  /// Horizontal dilution of precision.
  public var hdop: Double?
  /// Vertical dilution of precision.
  public var vdop: Double?
  /// Position dilution of precision.
  public var pdop: Double?
  /// Satellites that the solution uses.
  public var uSat: Int?
  /// Every satellite in view.
  public var satellites: [Satellite]
}
