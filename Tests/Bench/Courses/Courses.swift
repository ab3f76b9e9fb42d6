import CAllocations
import Glibc
import LocationCore
import RideTools
import TestRides

/// Measures progress on courses beside two simple methods, on rides whose truth is known, and what it costs: `Courses`.
@main
enum Courses {
  private static let legend = """
    Wrong: epochs on another leg or in the other direction, more than 10 s after a piece of the ride began, of all on the
    line. Alarms: off while the rider was on it. Off, on: the longest delays, s. Along: its error at 95 %, m. Nearest: the
    nearest place of the line. Gated: the nearest one within 60 degrees of the course over ground. Both know the rider off
    beyond the same distance.

    """
  private static let methods: [(name: String, play: @Sendable (CourseRide) throws -> CourseOutcome)] = [
    ("course", { try $0.play() }), ("nearest", { $0.play(SimpleMethod(ride: $0, gate: -1).status) }),
    ("gated", { $0.play(SimpleMethod(ride: $0, gate: 0.5).status) }),
  ]

  static func main() {
    do {
      let parts = [try cases(), try rates(), try receivers(), try city(), try roadBeside(), Cost.measure()]
      exit(parts.allSatisfy(\.self) ? 0 : 1)
    } catch {
      print("courses: \(error)")
      exit(1)
    }
  }

  private static func cases() throws -> Bool {
    print(row("case", "noise", methods.flatMap { ["\($0.name): wrong", "alarms", "off", "on", "along"] }))
    var tally = Tally()
    for (name, planned) in CourseRide.cases {
      for noise in [1.0, 3] {
        var ride = planned
        ride.noise = noise
        let outcomes = try methods.map { method in Tally(name, try method.play(ride)) }
        print(row(name, decimals(noise, 0), outcomes.flatMap(\.cells)))
        tally.add(outcomes[0])
      }
    }
    print(legend)
    return tally.isGood
  }

  /// All cases at the lowest and the highest rate.
  private static func rates() throws -> Bool {
    var isGood = true
    print(row("all cases", "noise", ["course: wrong", "alarms", "off", "on", "along", "fix"]))
    for rate in [0.5, 25] {
      for noise in [1.0, 3] {
        var tally = Tally()
        for (name, planned) in CourseRide.cases {
          var ride = planned
          (ride.noise, ride.rate) = (noise, rate)
          // Leaving is seen at the fourth fix.
          tally.add(Tally(name, try ride.play(), slack: 1 / rate))
        }
        print(row("at \(decimals(rate, 1)) Hz", decimals(noise, 0), tally.cells + [decimals(tally.fixError, 1)]))
        isGood = isGood && tally.isGood
      }
    }
    return isGood
  }

  /// Rides with departures through the daemon's engine, as each receiver of the simulator sends them.
  private static func receivers() throws -> Bool {
    var isGood = true
    print(
      row(
        "\n\(ReceivedRide.cases.count - 1) rides", " noise",
        ["course: wrong", "alarms", "off", "on", "along", "fix", "eph"]))
    for model in ReceiverModel.allCases {
      for noise in [1.0, 3] {
        var tally = Tally()
        for (number, ride) in ReceivedRide.cases.dropLast().enumerated() {
          tally.add(Tally(ride.name, try ride.play(model.profile, noise: noise, seed: UInt64(number + 1)), slack: 1))
        }
        print(
          row(
            model.rawValue, decimals(noise, 0), tally.cells + [decimals(tally.fixError, 1), decimals(tally.radius, 1)]))
        isGood = isGood && tally.isGood
      }
    }
    return isGood
  }

  /// At most one false alarm in ten hours between high buildings, with all receivers.
  private static func city() throws -> Bool {
    var isGood = true
    guard let ride = ReceivedRide.cases.last else { return false }
    print(row("\ncity", " noise", ["hours", "alarms", "eph"]))
    for noise in [1.0, 2] {
      var (seconds, alarms, radii) = (0.0, 0, [Double]())
      for (number, model) in ReceiverModel.allCases.enumerated() {
        let outcome = try ride.play(model.profile, noise: noise, seed: UInt64(number + 1))
        seconds += outcome.moments.last?.time ?? 0
        alarms += outcome.falseAlarms
        radii.append(outcome.radius)
      }
      print(
        row(
          "all receivers", decimals(noise, 0),
          [decimals(seconds / 3600, 1), "\(alarms)", decimals(radii.max() ?? 0, 1)]))
      isGood = isGood && Double(alarms) * 36_000 <= seconds
    }
    return isGood
  }

  /// How often riders on a road 15 m beside the line are seen off it, by the radius of the error.
  private static func roadBeside() throws -> Bool {
    var isGood = true
    print(row("\nroad 15 m beside", " eph", ["seen of 100", "delay p50", "hours", "alarms"]))
    for radius in [2.5, 4, 5, 6, 8, 10, 15] {
      var (delays, alarms, seconds) = ([Double](), 0, 0.0)
      for seed in 1...100 {
        var ride = CourseRide(plan: [[0, 0], [4000, 0]], pieces: [])
        ride.pieces = [
          .line(from: 0, to: 500), .detour([[520, 15], [1500, 15], [1520, 0]]), .line(from: 1520, to: 3990),
        ]
        (ride.noise, ride.seed) = (radius / Confidence.circle, UInt64(seed))
        let outcome = try ride.play()
        if let off = outcome.statuses.indices.first(where: { outcome.statuses[$0].state == .off }),
          outcome.moments[off].along == nil
        {
          delays.append(outcome.moments[off].time - 500 / ride.speed)
        }
        alarms += outcome.falseAlarms
        seconds += outcome.moments.last?.time ?? 0
      }
      let median = delays.isEmpty ? "" : decimals(delays.sorted()[delays.count / 2], 1)
      print(row("", decimals(radius, 1), ["\(delays.count)", median, decimals(seconds / 3600, 1), "\(alarms)"]))
      isGood = isGood && (radius > 5 || delays.count >= 95) && Double(alarms) * 36_000 <= seconds
    }
    return isGood
  }

  private static func row(_ name: String, _ noise: String, _ cells: [String]) -> String {
    let widths = [20, 6] + (0..<cells.count).map { [16, 7, 6, 6, 7][$0 % 5] }
    return zip([name, noise] + cells, widths).enumerated().map { index, cell in
      let space = String(repeating: " ", count: max(1, cell.1 - cell.0.count))
      return index == 0 ? cell.0 + space : space + cell.0
    }.joined()
  }
}

func decimals(_ value: Double, _ count: Int) -> String {
  let scale = [1.0, 10, 100][count]
  let whole = Int((value * scale).rounded())
  guard count > 0 else { return "\(whole)" }
  return "\(whole / Int(scale)).\(String(whole % Int(scale) + Int(scale)).dropFirst())"
}
