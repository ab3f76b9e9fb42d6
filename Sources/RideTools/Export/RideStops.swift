import LocationCore

/// The stops of a ride as its figures have them at its end: what is corrected later, such as a start that is dated back,
/// is corrected here, too. The time outside of them is the moving time. Memory grows with the stops alone.
package struct RideStops: Sendable {
  /// A stop, in seconds of the ride.
  struct Stop: Hashable, Sendable {
    var begin: Double
    var end: Double
    /// Distance of the ride at the stop, metres.
    var distance: Double
  }

  private static let precision = 1e-6

  private(set) var stops: [Stop] = []
  private var standing = 0.0

  /// Takes the state after a fix, at so many seconds of the ride.
  mutating func take(_ figures: RideFigures, at time: Double) {
    var change = time - figures.movingTime - standing
    standing += change
    // Motion that is recognised later began at the end of the stop before.
    while change < -Self.precision, let last = stops.popLast() {
      let length = last.end - last.begin
      guard length <= -change else {
        stops.append(Stop(begin: last.begin, end: last.end + change, distance: last.distance))
        return
      }
      change += length
    }
    guard change > Self.precision else { return }
    var begin = time - change
    while let last = stops.last, last.end >= begin - Self.precision {
      begin = last.begin - max(0, last.end - begin)
      stops.removeLast()
    }
    stops.append(Stop(begin: max(0, begin), end: time, distance: figures.distance))
  }
}
