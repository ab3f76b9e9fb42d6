import LocationCore

/// The `SKY` line: every satellite in view at one epoch.
///
/// | field | unit |
/// |---|---|
/// | `device` | path |
/// | `time` | UTC |
/// | `vdop` `hdop` `pdop` | dilution of precision |
/// | `nSat` | objects in `satellites` |
/// | `uSat` | satellites that the solution uses |
/// | `satellites` | always there, at most 140 |
/// | `satellites[].PRN` | gpsd's number |
/// | `satellites[].el` `az` | degrees above the horizon; from true north |
/// | `satellites[].ss` | dBHz, absent when not tracked |
/// | `satellites[].used` | whether the solution uses it |
/// | `satellites[].gnssid` `svid` | the system in u-blox' numbering; number within it |
package enum SKYLine {
  /// More than this, gpsd's clients do not hold (`MAXCHANNELS`).
  package static let maximumSatellites = 140

  /// Writes the whole line.
  package static func write(_ sky: Sky, device: String?, into line: inout JSONLine) {
    object(sky, device: device, limit: line.count + JSONLine.maximumLength - 2, into: &line)
    line.endLine()
  }

  /// Writes the object without a line end, so that the line is at most `limit` bytes long afterwards: what does not fit is left out, satellites
  /// that are not used first.
  static func object(_ sky: Sky, device: String?, limit: Int, into line: inout JSONLine) {
    let start = line.count
    var count = min(sky.satellites.count, maximumSatellites)
    object(sky, count: count, device: device, into: &line)
    while line.count > limit, count > 0 {
      line.truncate(to: start)
      count -= min(count, 8)
      object(sky, count: count, device: device, into: &line)
    }
  }

  private static func object(_ sky: Sky, count: Int, device: String?, into line: inout JSONLine) {
    line.begin("SKY")
    line.field("device", device)
    line.field("time", sky.measured)
    line.field("vdop", sky.vdop, decimals: 2)
    line.field("hdop", sky.hdop, decimals: 2)
    line.field("pdop", sky.pdop, decimals: 2)
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

  private static func write(_ satellite: Satellite, into line: inout JSONLine) {
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
