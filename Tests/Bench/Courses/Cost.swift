import CAllocations
import Glibc
import LocationCore
import TestRides

/// What a course of 100,000 points costs.
enum Cost {
  /// Prints the figures; `false` if one misses its target.
  static func measure() -> Bool {
    print(
      "100,000 points        loading, ms   bytes/point  on, p50 \u{b5}s       p99 \u{b5}s  off, p50 \u{b5}s       p99 \u{b5}s  allocations"
    )
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
    // Of each fix the least time of three runs, since other programs run, too.
    var (times, states): ([Double], [CourseState]) = (Array(repeating: .infinity, count: 6000), [])
    var allocated: UInt64 = 0
    for _ in 0..<3 { states = ride(course, points, from: start, &times, &allocated) }
    let figures = [CourseState.on, .off].flatMap { state in
      let sorted = zip(times, states).filter { $0.1 == state }.map(\.0).sorted()
      return [sorted[sorted.count / 2], sorted[sorted.count * 99 / 100]]
    }
    let cells = [decimals(loading, 1), decimals(size, 1)] + figures.map { decimals($0, 1) }
    print(
      ([name] + cells + [decimals(Double(allocated) / 18_000, 2)]).enumerated().map { index, cell in
        let space = String(repeating: " ", count: max(1, (index == 0 ? 24 : 14) - cell.count))
        return index == 0 ? cell + space : space + cell
      }.joined())
    return loading < 100 && figures.allSatisfy { $0 < 50 } && allocated == 0
  }

  /// Rides from the start, far from it, where the rider begins again, and 150 m beside that; returns the states.
  private static func ride(
    _ course: Course, _ points: [CoursePoint], from start: Double, _ times: inout [Double], _ allocated: inout UInt64
  ) -> [CourseState] {
    var progress = CourseProgress(course)
    var states: [CourseState] = []
    states.reserveCapacity(times.count)
    for number in times.indices {
      let index = number % 4000 + (number < 2000 ? 0 : Int(start) / 5)
      let place = number < 4000 ? points[index].position : points[index].position.moved(by: 150, bearing: 0)
      guard let place else { continue }
      var fix = Fix(position: place, mode: .threeD, received: at(Double(number)))
      (fix.speed, fix.horizontalAccuracy) = (5, 5)
      fix.course = points[index].position.bearing(to: points[index + 1].position)
      let published = PublishedFix(fix: fix, seq: UInt64(number + 1), source: 0)
      let (first, count) = (now, CAllocations.allocations())
      let status = progress.published(published, at: fix.received)
      times[number] = min(times[number], (now - first) * 1e6)
      if number > 20 { allocated += CAllocations.allocations() - count }
      states.append(status.state)
    }
    return states
  }

  /// Time of the processor, seconds.
  private static var now: Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }
}
