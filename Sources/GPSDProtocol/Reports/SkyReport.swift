import LocationCore

/// The satellites in view at one epoch (gpsd's class `SKY`). `xdop`, `ydop`, `tdop` and `gdop` are only written.
public struct SkyReport: Hashable, Codable, Sendable {
  /// One satellite.
  public struct Satellite: Hashable, Codable, Sendable {
    /// gpsd's number, `PRN` on the wire.
    public var number: Int
    /// Degrees above the horizon.
    public var elevation: Double?
    /// Degrees from true north.
    public var azimuth: Double?
    /// dBHz.
    public var signal: Double?
    /// Whether the solution uses it.
    public var isUsed: Bool
    /// The system, in u-blox' numbering.
    public var systemID: Int?
    /// Number within its system.
    public var numberInSystem: Int?

    /// A satellite of which only the number is known.
    public init(number: Int, isUsed: Bool) {
      self.number = number
      self.isUsed = isUsed
    }

    fileprivate init?(_ object: inout JSONObject) {
      guard let number: Int = object.integer("PRN") else {
        object.noteMissing("PRN")
        return nil
      }
      self.init(number: number, isUsed: object.required("used", object.bool("used"), or: false))
      elevation = object.double("el")
      azimuth = object.double("az")
      signal = object.double("ss")
      systemID = object.integer("gnssid")
      numberInSystem = object.integer("svid")
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
  /// Every satellite in view.
  public var satellites: [Satellite]
  /// Number of satellites that the solution uses, as stated beside the list.
  package var statedUsed: Int?
  /// Number of satellites that the solution uses, also those that are not listed in view.
  public var usedCount: Int { max(statedUsed ?? 0, satellites.count(where: \.isUsed)) }

  /// A report of these satellites.
  public init(device: String? = nil, satellites: [Satellite] = []) {
    self.device = device
    self.satellites = satellites
  }

  init(_ object: inout JSONObject) {
    device = object.string("device")
    time = object.time("time")
    hdop = object.double("hdop")
    vdop = object.double("vdop")
    pdop = object.double("pdop")
    // gpsd sends the dilutions alone, too.
    satellites = object.objects("satellites") { Satellite(&$0) } ?? []
    if let used: Int = object.integer("uSat"), used > usedCount { statedUsed = used }
  }

  /// Most satellites that gpsd's clients hold (`MAXCHANNELS`).
  package static let maximumSatellites = 140

  /// Writes the whole line; with a dilution, every value of it that the sky does not have.
  package static func write(_ sky: Sky, device: String?, dilution: Dilution? = nil, into line: inout JSONLine) {
    object(sky, device: device, dilution: dilution, limit: line.count + JSONLine.maximumLength - 2, into: &line)
    line.endLine()
  }

  /// Writes the object. Satellites that would make the line longer than `limit` are left out, unused ones first.
  static func object(_ sky: Sky, device: String?, dilution: Dilution? = nil, limit: Int, into line: inout JSONLine) {
    let start = line.count
    var count = min(sky.satellites.count, maximumSatellites)
    object(sky, count: count, device: device, dilution, into: &line)
    while line.count > limit, count > 0 {
      line.truncate(to: start)
      count -= min(count, 8)
      object(sky, count: count, device: device, dilution, into: &line)
    }
  }

  private static func object(
    _ sky: Sky, count: Int, device: String?, _ dilution: Dilution?, into line: inout JSONLine
  ) {
    line.begin("SKY")
    line.field("device", device)
    line.field("time", sky.measured)
    line.field("xdop", dilution?.x, decimals: 2)
    line.field("ydop", dilution?.y, decimals: 2)
    line.field("vdop", sky.vdop ?? dilution?.v, decimals: 2)
    line.field("tdop", dilution?.t, decimals: 2)
    line.field("hdop", sky.hdop ?? dilution?.h, decimals: 2)
    line.field("gdop", dilution?.g, decimals: 2)
    line.field("pdop", sky.pdop ?? dilution?.p, decimals: 2)
    line.field("nSat", count)
    line.field("uSat", sky.used)
    line.beginArray("satellites")
    if count == sky.satellites.count {
      for satellite in sky.satellites { write(satellite, into: &line) }
    } else {
      var room = count
      for used in [true, false] {
        for satellite in sky.satellites where satellite.used == used && room > 0 {
          write(satellite, into: &line)
          room -= 1
        }
      }
    }
    line.endArray()
    line.endObject()
  }

  private static func write(_ satellite: LocationCore.Satellite, into line: inout JSONLine) {
    line.beginObject()
    line.field("PRN", satellite.prn)
    line.field("el", satellite.elevation, decimals: 1)
    line.field("az", satellite.azimuth, decimals: 1)
    line.field("ss", satellite.signal, decimals: 1)
    line.field("used", satellite.used)
    line.field("gnssid", satellite.gnss?.rawValue)
    line.field("svid", satellite.svid)
    line.endObject()
  }
}
