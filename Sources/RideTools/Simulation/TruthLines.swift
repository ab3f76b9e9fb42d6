import GPSDProtocol
import LocationCore
import Recordings

/// The truth of a simulated ride as lines of JSON, for comparison with the output of a receiver or a daemon.
///
/// One `TRUTH` per epoch: `time`, `lat`, `lon` (degrees), `alt` (metres above mean sea level), `speed` (m/s), `track`
/// (degrees from true north), `distance` (metres from the start), `mode` (of the receiver: 1 no fix, 2, 3). At the end one
/// `RIDE` with the figures of the whole ride.
package enum TruthLines {
  /// Appends the line of an epoch.
  package static func write(_ epoch: SimulatedEpoch, into bytes: inout [UInt8]) {
    let place = epoch.truth.place
    bytes += Array(#"{"class":"TRUTH","time":""#.utf8)
    if epoch.isLeapSecond {
      // UTC instants do not distinguish this second from its successor.
      var before: [UInt8] = []
      (epoch.measured + .seconds(-1)).write(into: &before)
      before.replaceSubrange(17..<19, with: "60".utf8)
      bytes += before
    } else {
      epoch.measured.write(into: &bytes)
    }
    bytes += Array(#"","lat":"#.utf8)
    bytes.append(place.latitude, decimals: 9)
    for (name, value, decimals) in [
      ("lon", place.longitude, 9), ("alt", place.altitude, 3), ("speed", epoch.truth.speed, 3),
      ("track", place.course, 3), ("distance", place.station, 3),
    ] {
      write(name, value, decimals, into: &bytes)
    }
    let mode =
      switch epoch.solution {
      case .nothing, .time: 1
      case .fix(.twoD): 2
      case .fix(.threeD): 3
      }
    bytes += Array(#","mode":\#(mode)}"#.utf8)
    bytes.append(UInt8(ascii: "\n"))
  }

  /// Appends the line of the whole ride; times are seconds from the start.
  package static func write(_ truth: RideTruth, into bytes: inout [UInt8]) {
    bytes += Array(#"{"class":"RIDE","duration":"#.utf8)
    bytes.append(truth.duration, decimals: 3)
    for (name, value) in [
      ("movingTime", truth.movingTime), ("distance", truth.distance), ("ascent", truth.ascent),
      ("descent", truth.descent), ("maxSpeed", truth.topSpeed),
    ] {
      write(name, value, 3, into: &bytes)
    }
    bytes += Array(#","stops":["#.utf8)
    for (index, stop) in truth.stops.enumerated() {
      bytes += Array((index > 0 ? "," : "").utf8) + Array(#"{"begin":"#.utf8)
      bytes.append(stop.begin, decimals: 3)
      write("end", stop.end, 3, into: &bytes)
      write("distance", stop.station, 3, into: &bytes)
      bytes.append(UInt8(ascii: "}"))
    }
    bytes += Array("]}\n".utf8)
  }

  private static func write(_ name: String, _ value: Double, _ decimals: Int, into bytes: inout [UInt8]) {
    bytes += Array(",\"\(name)\":".utf8)
    bytes.append(value, decimals: decimals)
  }
}
