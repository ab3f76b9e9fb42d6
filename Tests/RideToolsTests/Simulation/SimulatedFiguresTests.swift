import LocationCore
import Recordings
import Testing

@testable import RideTools

/// The figures of simulated rides, compared with the truth.
struct SimulatedFiguresTests {
  @Test(
    arguments: [
      (ReceiverModel.ublox1Hz, 1), (.ublox1Hz, 2), (.ublox1Hz, 3), (.ublox1Hz, 4), (.ublox5Hz, 1), (.ublox10Hz, 2),
    ]
  )
  func `Distance and moving time are those of the ride`(
    model: ReceiverModel, seed: Int
  ) throws {
    var ride = try SimulatedRide.described(
      "tour",
      [.receiver: model.rawValue, .seed: "\(seed)", .length: "3000", .noise: "0", .lights: "400"])
    ride.route.surround(0...ride.route.length, with: .open)
    var sums = RideAccumulator()
    ride.received { received in
      if case .fix(let fix, let suspect) = received.outcome { sums.add(fix, isSuspect: suspect) }
    }
    let truth = ride.truth
    #expect(abs(sums.figures.distance / truth.distance - 1) < 0.005, "\(sums.figures.distance) of \(truth.distance) m")
    #expect(abs(sums.figures.movingTime - truth.movingTime) < 2)
  }

  @Test(
    arguments: [ReceiverModel.ublox1Hz, .ublox5Hz, .ublox10Hz],
    ["city", "mountain", "tunnel", "tour"]
  )
  func `With noise the moving time is off by 2 s at most`(model: ReceiverModel, name: String) throws {
    // An epoch costs the same at every rate.
    for seed in 1...(model == .ublox1Hz ? 4 : 1) {
      var settings: [SimulationKey: String] = [.receiver: model.rawValue, .seed: "\(seed)"]
      if name == "tour" { settings[.length] = "3000" }
      var ride = try SimulatedRide.described(name, settings)
      ride.script = RideScript()
      let (start, motion) = (ride.start, ride.motion)
      var sums = RideAccumulator()
      var begin: Double?
      var end = 0.0
      ride.received { received in
        guard case .fix(let fix, let suspect) = received.outcome, let measured = fix.measured else { return }
        sums.add(fix, isSuspect: suspect)
        end = (measured - start).inSeconds
        begin = begin ?? end
      }
      // The truth between the first fix and the last.
      var truth = end - (try #require(begin))
      for stop in motion.truth.stops { truth -= max(0, min(stop.end, end) - max(stop.begin, begin ?? 0)) }
      #expect(abs(sums.figures.movingTime - truth) < 2, "\(sums.figures.movingTime) of \(truth), seed \(seed)")
    }
  }

  @Test(
    arguments: [
      ("city", ReceiverModel.ublox1Hz, "1"), ("city", .garmin, "3"), ("city", .mtk, "3"), ("mountain", .mtk, "1"),
      ("mountain", .sirf, "3"), ("tunnel", .ublox1Hz, "1"), ("tunnel", .mtk, "3"), ("motorway", .sirf, "0.3"),
      ("tour", .ublox1Hz, "1"), ("tour", .sirf, "3"), ("bicycle", .mtk, "1"),
    ]
  )
  func `The ascent is within 10 m or 10 % of the truth`(name: String, model: ReceiverModel, noise: String) throws {
    // The constants of the filter were chosen without seeds above 100.
    for seed in [4, 5, 104] {
      var settings: [SimulationKey: String] = [.receiver: model.rawValue, .seed: "\(seed)", .noise: noise]
      if name == "tour" { settings[.length] = "12000" }
      if name == "bicycle" { (settings[.length], settings[.speed]) = ("8000", "7") }
      var ride = try SimulatedRide.described(name == "bicycle" ? "tour" : name, settings)
      ride.script = RideScript()
      var sums = RideAccumulator()
      ride.received { received in
        if case .fix(let fix, let suspect) = received.outcome { sums.add(fix, isSuspect: suspect) }
      }
      let truth = ride.motion.truth
      for (sum, exact) in [(sums.figures.ascent, truth.ascent), (sums.figures.descent, truth.descent)] {
        #expect(abs(try #require(sum) - exact) < max(10, 0.1 * exact), "\(sum ?? 0) of \(exact), seed \(seed)")
      }
    }
  }
}
