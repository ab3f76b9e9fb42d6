import CAllocations
import Glibc
import LocationCore
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

  static func main() {
    let methods: [(name: String, play: (CourseRide) throws -> CourseOutcome)] = [
      ("course", { try $0.play() }), ("nearest", { $0.play(SimpleMethod(ride: $0, gate: -1).status) }),
      ("gated", { $0.play(SimpleMethod(ride: $0, gate: 0.5).status) }),
    ]
    print(row("case", "noise", methods.flatMap { ["\($0.name): wrong", "alarms", "off", "on", "along"] }))
    var isGood = true
    for (name, planned) in CourseRide.cases {
      for noise in [1.0, 3] {
        var ride = planned
        ride.noise = noise
        do {
          let outcomes = try methods.map { try $0.play(ride) }
          print(row(name, decimals(noise, 0), outcomes.flatMap(cells)))
          isGood = isGood && outcomes[0].wrongEpochs == 0 && outcomes[0].falseAlarms == 0
        } catch {
          print("courses: \(name): \(error)")
          isGood = false
        }
      }
    }
    print(legend)
    isGood = Cost.measure() && isGood
    exit(isGood ? 0 : 1)
  }

  private static func cells(of outcome: CourseOutcome) -> [String] {
    func longest(_ delays: [Double]) -> String { delays.max().map { decimals($0, 1) } ?? "" }
    let epochs = outcome.moments.count { $0.along != nil }
    return [
      "\(outcome.wrongEpochs) / \(epochs)", "\(outcome.falseAlarms)", longest(outcome.offDelays.map(\.seconds)),
      longest(outcome.onDelays), outcome.errors.isEmpty ? "" : decimals(outcome.quantile(0.95, of: outcome.errors), 1),
    ]
  }

  private static func row(_ name: String, _ noise: String, _ cells: [String]) -> String {
    let widths = [20, 6] + (0..<cells.count).map { [16, 7, 6, 6, 7][$0 % 5] }
    return zip([name, noise] + cells, widths).enumerated().map { index, cell in
      let space = String(repeating: " ", count: max(1, cell.1 - cell.0.count))
      return index == 0 ? cell.0 + space : space + cell.0
    }.joined()
  }
}

/// The place of a course that is nearest, of those whose direction agrees with the rider's: the cosine is at least `gate`.
struct SimpleMethod {
  let ride: CourseRide
  let gate: Double

  func status(of fix: PublishedFix) -> CourseStatus {
    let place = ride.place(fix.fix.position)
    let heading = fix.fix.course.map { SIMD2(sin($0 * .pi / 180), cos($0 * .pi / 180)) }
    let found = ride.nearest(to: place) { direction in heading.map { ($0 * direction).sum() >= gate } ?? true }
    let limit = 10 + 1.25 * (fix.fix.horizontalAccuracy ?? 15)
    var status = CourseStatus(name: "", state: .off, seq: fix.seq, remaining: 0)
    guard let found, found.distance <= limit else { return status }
    status.state = .on
    status.along = found.along
    status.isReverse = heading.map { ($0 * found.direction).sum() < 0 } ?? false
    return status
  }
}

func decimals(_ value: Double, _ count: Int) -> String {
  let scale = [1.0, 10, 100][count]
  let whole = Int((value * scale).rounded())
  guard count > 0 else { return "\(whole)" }
  return "\(whole / Int(scale)).\(String(whole % Int(scale) + Int(scale)).dropFirst())"
}
