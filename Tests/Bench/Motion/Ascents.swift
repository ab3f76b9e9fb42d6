import GPSDProtocol
import LocationCore
import RideTools
import TestRides

/// Ascents of simulated rides compared with the truth, and what readings of sensors cost.
enum Ascents {
  private static let names = ["city", "mountain", "tunnel", "motorway", "tour", "bicycle"]
  private static let legend = """
    Ascent and descent in metres: of the simulator, the sum of the receiver's altitudes, by GNSS alone, and with pressure
    while the weather changes by 3 hPa/h. Off: by more than 10 % and 10 m, with pressure by more than 3 % and 3 m (5 m
    with noise 3).

    """

  /// Prints the table, which marks the rides that are off.
  static func measure() throws {
    let widths = [10, 7] + Array(repeating: 18, count: 4)
    print(Text.row(widths, ["ride", "noise", "truth", "sum", "GNSS", "with pressure"]))
    for name in names {
      for noise in ["1", "3"] {
        for seed in ["4", "5", "104"] {
          let ride = try Self.ride(name, noise: noise, seed: seed, weather: nil)
          let pressed = try Self.ride(name, noise: noise, seed: seed, weather: seed == "5" ? "-3" : "3")
          let (truth, alone, fused) = (ride.motion.truth, Self.figures(of: ride), Self.figures(of: pressed))
          let good = [alone.isGood(truth, 0.1, 10), fused.isGood(truth, 0.03, noise == "1" ? 3 : 5)]
          print(
            Text.row(
              widths,
              [
                name, noise, Self.pair(truth.ascent, truth.descent), Self.pair(alone.sum.up, alone.sum.down),
                alone.text + (good[0] ? "" : " off"), fused.text + (good[1] ? "" : " off"),
              ]))
        }
      }
    }
    print(legend)
  }

  private static func ride(_ name: String, noise: String, seed: String, weather: String?) throws -> SimulatedRide {
    var options = try SimulationOptions(named: name == "bicycle" ? "tour" : name)
    var settings: [(SimulationKey, String)] = [(.seed, seed), (.noise, noise), (.receiver, "ublox-1hz")]
    if name == "tour" { settings.append((.length, "12000")) }
    if name == "bicycle" { settings += [(.length, "8000"), (.speed, "7")] }
    if let weather { settings.append((.weather, weather)) }
    for (key, text) in settings { try options.set(key, to: text) }
    return try options.ride()
  }

  private struct Figures {
    var ride: RideFigures
    var sum = (up: 0.0, down: 0.0)

    var text: String { ride.ascent.flatMap { up in ride.descent.map { pair(up, $0) } } ?? "-" }

    func isGood(_ truth: RideTruth, _ part: Double, _ metres: Double) -> Bool {
      [(ride.ascent, truth.ascent), (ride.descent, truth.descent)].allSatisfy { sum, exact in
        abs((sum ?? .infinity) - exact) <= max(metres, part * exact)
      }
    }
  }

  private static func pair(_ up: Double, _ down: Double) -> String {
    Text.decimals(up, 0) + " / " + Text.decimals(down, 0)
  }

  private static func figures(of ride: SimulatedRide) -> Figures {
    var engine = LocationEngine(sources: [SourceSetup(id: 0)], at: .zero)
    var (events, feed, sums, client) = (EngineEvents(), RideFeed(ride), RideAccumulator(), ClientID(0))
    var (before, sum): (Double?, (up: Double, down: Double)) = (nil, (0, 0))
    engine.connect(client, of: .replay)
    while let item = feed.next() {
      switch item {
      case .read(let bytes, let offset):
        bytes.withUnsafeBytes { engine.receive(.bytes($0), from: 0, at: .zero + offset, into: &events) }
      case .event(let json, let offset, _):
        guard case .engine(let request)? = Request(recorded: json) else { continue }
        try? engine.handle(request, from: client, at: .zero + offset, into: &events)
      case .epoch: break
      }
      for entry in events.list {
        guard case .fix(let fix, _, _) = entry.event else { continue }
        sums.add(fix)
        guard let altitude = fix.fix.altitudeMSL else { continue }
        if let before { sum = (sum.up + max(0, altitude - before), sum.down + max(0, before - altitude)) }
        before = altitude
      }
      events.removeAll()
    }
    return Figures(ride: sums.figures, sum: sum)
  }

  /// Prints what 20 readings of a wheel a second cost the engine, of which the socket's reads are no part.
  static func measureReadings() {
    let readings = (0..<20_000).map { number in
      Array(#"{"request":"SENSOR","sensor":"wheel","count":\#(number),"time":\#(number * 51 % 65_536)}"#.utf8)
    }
    var engine = LocationEngine(sources: [SourceSetup(id: 0)], at: .zero)
    var (events, client) = (EngineEvents(), ClientID(0))
    engine.connect(client, of: .replay)
    let begin = processorTime()
    for (number, json) in readings.enumerated() {
      guard case .engine(let request)? = Request(recorded: json) else { continue }
      try? engine.handle(request, from: client, at: at(Double(number) * 0.05), into: &events)
      events.removeAll()
    }
    let each = (processorTime() - begin) / Double(readings.count) * 1e6
    print(
      "A wheel's reading: \(Text.decimals(each, 2)) µs, 20 a second \(Text.decimals(each * 20 / 1e4, 2)) % of a processor"
    )
  }
}
