import GPSDProtocol
import LocationCore

/// The truth of a simulated ride as lines of JSON, for comparison with the output of a receiver or a daemon.
/// One `TRUTH` per epoch: `time`, `lat`, `lon` (degrees), `alt` (metres above mean sea level), `speed` (m/s), `track`
/// (degrees from true north), `distance` (metres from the start), `mode` (of the receiver: 1 no fix, 2, 3). On the line
/// of a file also `leg` (index of the file's point at which it begins), `along` (metres, as in `COURSE`) and,
/// backwards, `reverse`. At the end one `RIDE` with the figures of the whole ride.
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
    line.fields([
      "alt": place.altitude, "speed": epoch.truth.speed, "track": place.course, "distance": place.station,
    ])
    switch epoch.solution {
    case .nothing, .time: line.field("mode", 1)
    case .fix(let mode): line.field("mode", mode == .twoD ? 2 : 3)
    }
    if let planned = place.planned {
      line.field("leg", planned.leg)
      line.field("along", planned.along, decimals: 3, trimmed: false)
      if planned.isReverse { line.field("reverse", true) }
    }
    line.end()
    bytes += line.bytes
  }

  /// Appends the line of the whole ride; times are seconds from the start.
  package static func write(_ truth: RideTruth, into bytes: inout [UInt8]) {
    var line = JSONLine(lineEnd: .lf)
    line.begin("RIDE")
    line.fields([
      "duration": truth.duration, "movingTime": truth.movingTime, "distance": truth.distance, "ascent": truth.ascent,
      "descent": truth.descent, "maxSpeed": truth.topSpeed,
    ])
    line.objects("stops", truth.stops) {
      $1.fields(["begin": $0.begin, "end": $0.end, "distance": $0.station])
    }
    line.end()
    bytes += line.bytes
  }
}

extension JSONLine {
  fileprivate mutating func fields(_ numbers: KeyValuePairs<StaticString, Double>) {
    for (name, number) in numbers { field(name, number, decimals: 3, trimmed: false) }
  }
}
