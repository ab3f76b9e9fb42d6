import Glibc
import LocationCore
import Recordings

/// Measures poses on rides whose fixes are held back: `Motion FILE…`.
///
/// The estimator receives one fix per second at most; the others are the truth. Beside it, in the same run, the last fix
/// held and the last fix moved on by its speed and course. Errors are along and across the true course, of all fixes of a
/// moving rider. Then the estimates and ascents of simulated rides, compared with the simulator's truth.
@main
enum Motion {
  private static let legend = """
    Errors in metres, along / across the course, at 95 %: the last fix held, moved on by speed and course, poses, those on
    a course that is 3.6 m beside the way; p50 of poses. Inside: poses whose eph holds the held-back fix; true: poses whose eph and the fix's eph (root of the squares)
    hold the simulator's truth. Frames at 60 Hz: moved back, stalled above 2 m/s, jumps. CPU per pose and per fix.
    """

  static func main() {
    let files = CommandLine.arguments.dropFirst()
    guard !files.isEmpty else { fail("usage: Motion FILE…") }
    print(
      row(
        "ride", "horizon", "held", "linear", "poses", "on course", "p50", "inside", "true", "back", "stalled", "jumps",
        "µs/pose",
        "µs/fix", "allocations"))
    var isGood = true
    for file in files {
      do throws(RecordingError) {
        let fixes = try HeldBackFixes(file: file)
        guard fixes.used.count > 30 else { continue }
        isGood = measure(fixes, name: file) && isGood
      } catch {
        fail("\(error)")
      }
    }
    print(legend)
    do {
      isGood = try Outages.measure() && isGood
      try Ascents.measure()
      Ascents.measureReadings()
    } catch {
      fail("\(error)")
    }
    exit(isGood ? 0 : 1)
  }

  /// Prints the rows of a ride; `false` if a frame moved back or stalled, also on a course.
  private static func measure(_ fixes: HeldBackFixes, name: String) -> Bool {
    let name = String(name.split(separator: "/").last ?? "")
    let errors = PredictionErrors(fixes)
    let frames = Frames(fixes)
    let followed = Frames(fixes, on: fixes.course)
    var isFirst = true
    for horizon in [0.2, 0.5, 1.0, 2.0] {
      guard let figures = errors.figures(at: horizon) else { continue }
      let cost =
        isFirst
        ? [
          percent(frames.inside), fixes.hasTruth ? percent(frames.insideTruth) : "", "\(frames.back)",
          "\(frames.stalled)", "\(frames.jumps)",
          decimals(frames.perPose, 2), decimals(frames.perFix, 2), "\(frames.allocations)",
        ] : Array(repeating: "", count: 8)
      print(
        row(
          isFirst ? name : "", decimals(horizon, 1), pair(figures.held), pair(figures.linear), pair(figures.poses),
          pair(figures.followed), pair(figures.median), cost[0], cost[1], cost[2], cost[3], cost[4], cost[5],
          cost[6], cost[7]))
      isFirst = false
    }
    return [frames, followed].allSatisfy { $0.back == 0 && $0.stalled == 0 }
  }

  private static func row(_ cells: String...) -> String {
    let widths = [34, 8, 15, 15, 15, 15, 13, 8, 8, 6, 9, 7, 9, 8, 12]
    return zip(cells, widths).enumerated().map { index, cell in
      let space = String(repeating: " ", count: max(1, cell.1 - cell.0.count))
      return index == 0 ? cell.0 + space : space + cell.0
    }.joined()
  }

  private static func pair(_ errors: PredictionErrors.Pair) -> String {
    decimals(errors.along, 2) + " / " + decimals(errors.across, 2)
  }

  private static func percent(_ share: Double) -> String { decimals(share * 100, 1) + " %" }

  private static func decimals(_ value: Double, _ count: Int) -> String {
    let scale = count == 1 ? 10.0 : 100.0
    let whole = Int((value * scale).rounded())
    let fraction = String(whole % Int(scale) + Int(scale)).dropFirst()
    return "\(whole / Int(scale)).\(fraction)"
  }

  private static func fail(_ message: String) -> Never {
    print("motion: \(message)")
    exit(1)
  }
}
