import LocationCore
import Testing

@testable import RideTools

/// The true figures, compared with the motion in steps of 20 ms.
struct RideTruthTests {
  private struct Followed {
    var distance = 0.0
    var moving = 0.0
    var ascent = 0.0
    var top = 0.0

    init(_ motion: Motion, step: Double = 0.02) {
      var motion = motion
      var last = motion.state(at: 0)
      for index in 1...Int(motion.duration / step) {
        let now = motion.state(at: Double(index) * step)
        if let from = Coordinate(latitude: last.place.latitude, longitude: last.place.longitude),
          let to = Coordinate(latitude: now.place.latitude, longitude: now.place.longitude)
        {
          distance += from.chord(to: to)
        }
        if now.place.station > last.place.station { moving += step }
        ascent += max(0, now.place.altitude - last.place.altitude)
        top = max(top, now.speed)
        last = now
      }
    }
  }

  @Test(arguments: BundledRide.allCases.map(\.rawValue) + ["tour"])
  func `The truth matches the motion in steps of 20 ms`(
    name: String
  ) throws {
    let ride = try SimulatedRide.described(name, name == "tour" ? [.length: "4000", .lights: "300"] : [:])
    let truth = ride.truth
    let followed = Followed(ride.motion)
    // Chords between steps cut the bends by less than a ten-thousandth.
    #expect(abs(followed.distance / truth.distance - 1) < 1e-4)
    #expect(abs(followed.moving - truth.movingTime) < 0.05 * Double(truth.stops.count + 2))
    #expect(abs(followed.ascent - truth.ascent) < 0.5)
    #expect(abs(followed.top - truth.topSpeed) < 0.1)
    #expect(abs(truth.stops.reduce(0) { $0 + $1.end - $1.begin } + truth.movingTime - truth.duration) < 1e-6)
    var motion = ride.motion
    for stop in truth.stops {
      #expect(motion.state(at: (stop.begin + stop.end) / 2).speed == 0)
      #expect(abs(motion.state(at: (stop.begin + stop.end) / 2).place.station - stop.station) < 1e-9)
    }
  }

  @Test func `The truth is written as lines of JSON`() throws {
    let ride = try SimulatedRide.described(
      "tour", [.length: "300", .start: "2026-12-31T23:59:58Z", .leapSecond: "true", .coldStart: "2"])
    var lines: [UInt8] = []
    for epoch in ride.epochs.prefix(4) { TruthLines.write(epoch, into: &lines) }
    TruthLines.write(ride.truth, into: &lines)
    let texts = String(decoding: lines, as: UTF8.self).split(separator: "\n")
    #expect(
      texts[0]
        == #"{"class":"TRUTH","time":"2026-12-31T23:59:58Z","lat":47.265400000,"lon":11.392800000,"alt":400.000,"speed":0.000,"track":90.000,"distance":0.000,"mode":1}"#
    )
    #expect(texts[2].hasPrefix(#"{"class":"TRUTH","time":"2026-12-31T23:59:60Z","#))
    #expect(texts[2].hasSuffix(#","mode":2}"#))
    #expect(texts[3].hasPrefix(#"{"class":"TRUTH","time":"2027-01-01T00:00:00Z","#))
    #expect(texts[4].hasPrefix(#"{"class":"RIDE","duration":"#))
    #expect(texts[4].contains(#""stops":[{"begin":0.000,"end":3.000,"distance":0.000}"#))
    #expect(texts.count == 5)
  }
}
