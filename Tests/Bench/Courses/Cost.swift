import CAllocations
import Glibc
import LocationCore
import TestRides

/// What a course of 100,000 points costs.
enum Cost {
  /// Prints the figures; `false` if one misses its target.
  static func measure() -> Bool {
    print("100,000 points             loading, ms   bytes/point   \u{b5}s/fix p50      p99   allocations/fix")
    let rounds = (0..<1000).flatMap { _ in
      (0..<100).map { step in 80 * SIMD2(sin(Double(step) * .pi / 50), cos(Double(step) * .pi / 50)) }
    }
    return [
      figures("winding road", winding(), from: 200_000), figures("1,000 rounds of 500 m", rounds, from: 250_000),
    ].allSatisfy { $0 }
  }

  private static func winding() -> [SIMD2<Double>] {
    var random = SeededNoise(seed: 7)
    var (place, course) = (SIMD2(0.0, 0), 0.0)
    return (0..<100_000).map { _ in
      course += random.uniform(-0.3...0.3)
      place += 5 * SIMD2(sin(course), cos(course))
      return place
    }
  }

  private static func figures(_ name: String, _ plan: [SIMD2<Double>], from start: Double) -> Bool {
    let points = plan.map { place in
      CoursePoint(here.offset(north: place.y, east: place.x), elevation: 500 + 20 * sin(place.x / 300))
    }
    let before = CAllocations.heap_bytes()
    let begin = now
    guard let course = try? Course(name: name, points: points) else { return false }
    let loading = (now - begin) * 1e3
    let size = Double(CAllocations.heap_bytes() - before) / Double(points.count)
    var progress = CourseProgress(course)
    // From the start, and far from it, where the rider begins again.
    var times: [Double] = []
    var allocated: UInt64 = 0
    for (number, index) in (0..<4000).map({ ($0, $0 + ($0 < 2000 ? 0 : Int(start) / 5)) }) {
      var fix = Fix(position: points[index].position, mode: .threeD, received: at(Double(number)))
      (fix.speed, fix.horizontalAccuracy) = (5, 5)
      fix.course = points[index].position.bearing(to: points[index + 1].position)
      let published = PublishedFix(fix: fix, seq: UInt64(number + 1), source: 0)
      let (first, count) = (now, CAllocations.allocations())
      _ = progress.published(published, at: fix.received)
      times.append((now - first) * 1e6)
      if number > 20 { allocated += CAllocations.allocations() - count }
    }
    times.sort()
    let (median, late) = (times[times.count / 2], times[times.count * 99 / 100])
    let perFix = Double(allocated) / Double(times.count)
    print(
      [
        name + String(repeating: " ", count: 24 - name.count), decimals(loading, 1), decimals(size, 1),
        decimals(median, 1),
        decimals(late, 1), decimals(perFix, 2),
      ].joined(separator: "         "))
    return loading < 100 && median < 50 && late < 50 && allocated == 0
  }

  private static var now: Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }
}
