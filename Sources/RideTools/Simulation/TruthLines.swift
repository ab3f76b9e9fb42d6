import GPSDProtocol
import LocationCore

/// The truth of a simulated ride as lines of JSON, for comparison with the output of a receiver or a daemon.
///
/// One `TRUTH` per epoch: `time`, `lat`, `lon` (degrees), `alt` (metres above mean sea level), `speed` (m/s), `track`
/// (degrees from true north), `distance` (metres from the start), `mode` (of the receiver: 1 no fix, 2, 3). At the end one
/// `RIDE` with the figures of the whole ride.
package enum TruthLines {
  package static func write(_ epoch: SimulatedEpoch, into bytes: inout [UInt8]) {
    let place = epoch.truth.place
    // UTC instants do not distinguish a leap second from its successor.
    var time: [UInt8] = []
    (epoch.measured + .seconds(epoch.isLeapSecond ? -1 : 0)).write(into: &time)
    if epoch.isLeapSecond { time.replaceSubrange(17..<19, with: "60".utf8) }
    var line = JSONLine(lineEnd: .lf)
    line.begin("TRUTH")
    line.field("time", String(decoding: time, as: UTF8.self))
    line.field("lat", place.latitude, decimals: 9, trimmed: false)
    line.field("lon", place.longitude, decimals: 9, trimmed: false)
    line.field("alt", place.altitude, decimals: 3, trimmed: false)
    line.field("speed", epoch.truth.speed, decimals: 3, trimmed: false)
    line.field("track", place.course, decimals: 3, trimmed: false)
    line.field("distance", place.station, decimals: 3, trimmed: false)
    switch epoch.solution {
    case .nothing, .time: line.field("mode", 1)
    case .fix(let mode): line.field("mode", mode == .twoD ? 2 : 3)
    }
    line.end()
    bytes += line.bytes
  }

  /// Appends the line of the whole ride; times are seconds from the start.
  package static func write(_ truth: RideTruth, into bytes: inout [UInt8]) {
    var line = JSONLine(lineEnd: .lf)
    line.begin("RIDE")
    line.field("duration", truth.duration, decimals: 3, trimmed: false)
    line.field("movingTime", truth.movingTime, decimals: 3, trimmed: false)
    line.field("distance", truth.distance, decimals: 3, trimmed: false)
    line.field("ascent", truth.ascent, decimals: 3, trimmed: false)
    line.field("descent", truth.descent, decimals: 3, trimmed: false)
    line.field("maxSpeed", truth.topSpeed, decimals: 3, trimmed: false)
    line.beginArray("stops")
    for stop in truth.stops {
      line.beginObject()
      line.field("begin", stop.begin, decimals: 3, trimmed: false)
      line.field("end", stop.end, decimals: 3, trimmed: false)
      line.field("distance", stop.station, decimals: 3, trimmed: false)
      line.endObject()
    }
    line.endArray()
    line.end()
    bytes += line.bytes
  }
}
