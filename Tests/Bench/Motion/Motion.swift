import CAllocations
import Glibc
import LocationCore
import Recordings

/// Measures poses on rides whose fixes are held back: `Motion FILE…`.
///
/// The estimator receives one fix per second at most; the others are the truth. Beside it, in the same run, the last fix
/// held and the last fix moved on by its speed and course. Errors are along and across the true course, at 95 % of all
/// fixes of a moving rider; the share is that of all poses within their stated radius. Frames are drawn at 60 Hz.
@main
enum Motion {
  static func main() {
    let files = CommandLine.arguments.dropFirst()
    guard !files.isEmpty else { fail("usage: Motion FILE…") }
    print(
      "Error in metres, along / across, 95 %; inside: poses within their 95 % radius; back, stalled: frames at 60 Hz")
    print(
      row(
        "ride", "horizon", "held", "linear", "poses", "p50", "inside", "back", "stalled", "jumps", "µs", "allocations"))
    var isGood = true
    for file in files {
      do throws(RecordingError) {
        let fixes = try HeldBackFixes(file: file)
        guard fixes.all.count > 100 else { continue }
        isGood = measure(fixes, name: file) && isGood
      } catch {
        fail("\(error)")
      }
    }
    exit(isGood ? 0 : 1)
  }

  /// Prints the rows of a ride; `false` if a frame moved back or stalled.
  private static func measure(_ fixes: HeldBackFixes, name: String) -> Bool {
    let name = String(name.split(separator: "/").last ?? "")
    let errors = PredictionErrors(fixes)
    let frames = Frames(fixes)
    var isFirst = true
    for horizon in [0.2, 0.5, 1.0, 2.0] {
      guard let figures = errors.figures(at: horizon) else { continue }
      let cost =
        isFirst
        ? [
          percent(frames.inside), "\(frames.back)", "\(frames.stalled)", "\(frames.jumps)",
          decimals(frames.microseconds, 2), "\(frames.allocations)",
        ] : Array(repeating: "", count: 6)
      print(
        row(
          isFirst ? name : "", decimals(horizon, 1), pair(figures.held), pair(figures.linear), pair(figures.poses),
          pair(figures.median), cost[0], cost[1], cost[2], cost[3], cost[4], cost[5]))
      isFirst = false
    }
    return frames.back == 0 && frames.stalled == 0
  }

  private static func row(_ cells: String...) -> String {
    let widths = [38, 8, 15, 15, 15, 13, 8, 6, 9, 7, 6, 12]
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

/// The fixes of a ride, of which one per second is used.
struct HeldBackFixes {
  let all: [Fix]
  /// Indices of the fixes that are used.
  let used: [Int]

  init(file: String) throws(RecordingError) {
    var reader = try RideReader(files: [file])
    var fixes: [Fix] = []
    while try reader.advance() {
      for index in reader.moments.indices {
        guard case .fix(let fix) = reader.moments[index], let time = fix.fix.measured else { continue }
        if let last = fixes.last?.measured, time <= last { continue }
        fixes.append(fix.fix)
      }
    }
    all = fixes
    used = fixes.indices.filter { (fixes[$0].measured?.nanosecondsSince1970 ?? 1) % 1_000_000_000 == 0 }
  }

  /// A fix as the estimator receives it, 0.1 s after its measurement.
  func published(_ index: Int) -> PublishedFix {
    var fix = all[index]
    fix.received = arrival(of: index)
    return PublishedFix(fix: fix, seq: UInt64(index + 1), source: 0)
  }

  func arrival(of index: Int) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: time(of: index) - time(of: 0) + 1_100_000_000)
  }

  func time(of index: Int) -> Int64 { all[index].measured?.nanosecondsSince1970 ?? 0 }

  /// The position at a time; between two fixes only if they are close. `index` is where the search begins.
  func truth(at time: Int64, from index: inout Int) -> Coordinate? {
    while index + 1 < all.count, self.time(of: index + 1) <= time + 4_000_000 { index += 1 }
    let start = self.time(of: index)
    if abs(time - start) <= 4_000_000 { return all[index].position }
    guard index + 1 < all.count, time > start, self.time(of: index + 1) - start <= 500_000_000 else { return nil }
    let part = Double(time - start) / Double(self.time(of: index + 1) - start)
    let (from, to) = (all[index].position, all[index + 1].position)
    return Coordinate(
      latitude: from.latitude + part * (to.latitude - from.latitude),
      longitude: from.longitude + part * (to.longitude - from.longitude))
  }
}
