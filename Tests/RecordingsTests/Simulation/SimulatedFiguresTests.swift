import LocationCore
import Testing

@testable import Recordings

/// What a ride's figures are reckoned to from its fixes, against the truth.
struct SimulatedFiguresTests {
  @Test(arguments: [ReceiverModel.ublox1Hz, .ublox5Hz, .ublox10Hz], [1, 2, 3, 4])
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
    // Each stop is seen once a second at best.
    let patience = model == .ublox1Hz ? 2 + 0.5 * Double(truth.stops.count) : 2
    #expect(abs(sums.figures.movingTime - truth.movingTime) < patience)
  }
}
