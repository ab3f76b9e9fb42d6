import LocationCore
import Recordings
import Testing

@testable import RideTools

struct TrackSimplifierTests {
  private static func simplified(_ fixes: [Fix], tolerance: Double) throws -> [Fix] {
    var simplifier = try #require(TrackSimplifier(tolerance: tolerance))
    var kept: [Fix] = []
    for fix in fixes { simplifier.add(TestTrack.trackFix(fix)) { kept.append($0.fix) } }
    simplifier.endSegment { kept.append($0.fix) }
    return kept
  }

  /// A way that winds: 10 m steps with a sine of 200 m length.
  private static func winding(_ count: Int, amplitude: Double) -> [Fix] {
    (0..<count).map { index in
      let east = Double(index) * 10
      let phase = (east / 200).truncatingRemainder(dividingBy: 1)
      let north = amplitude * (phase < 0.5 ? 4 * phase - 1 : 3 - 4 * phase)
      return TestTrack.fix(north / 110_574.3, 10 + east / 111_319.5, seconds: Double(index))
    }
  }

  @Test func `A straight line is reduced to its ends`() throws {
    let way = TestTrack.eastwards(500)
    let kept = try Self.simplified(way, tolerance: 0.5)
    #expect(kept == [way[0], way[499]])
  }

  @Test(arguments: [0.5, 2, 10])
  func `Left-out fixes are within the tolerance`(tolerance: Double) throws {
    let way = Self.winding(5000, amplitude: 6)
    let kept = try Self.simplified(way, tolerance: tolerance)
    #expect(kept.count < way.count / 4)
    var index = 0
    for fix in way {
      if index + 1 < kept.count, fix == kept[index + 1] { index += 1 }
      let next = kept[min(index + 1, kept.count - 1)]
      #expect(fix.position.distance(toSegmentFrom: kept[index].position, to: next.position) <= tolerance)
    }
    #expect(index == kept.count - 1)
  }

  @Test func `Corners are kept`() throws {
    let way = Self.winding(101, amplitude: 30)
    let kept = try Self.simplified(way, tolerance: 5)
    #expect(kept.count == 11)
  }

  @Test func `A tolerance of 0 leaves out only what is exactly on the line`() throws {
    let way = Self.winding(300, amplitude: 6)
    let again = [way[0], way[0], way[0]]
    #expect(try Self.simplified(again, tolerance: 0) == [way[0], way[0]])
    #expect(try Self.simplified(way, tolerance: 0).count > 250)
  }

  @Test func `Each segment keeps its ends`() throws {
    var simplifier = try #require(TrackSimplifier(tolerance: 1))
    var kept: [Fix] = []
    for _ in 0..<2 {
      for fix in TestTrack.eastwards(100) { simplifier.add(TestTrack.trackFix(fix)) { kept.append($0.fix) } }
      simplifier.endSegment { kept.append($0.fix) }
      simplifier.endSegment { kept.append($0.fix) }
    }
    #expect(kept.map(\.received) == [.zero, .milliseconds(99_000), .zero, .milliseconds(99_000)])
  }

  @Test(arguments: [-1, .nan, .infinity] as [Double])
  func `A tolerance is finite and not negative`(tolerance: Double) {
    #expect(TrackSimplifier(tolerance: tolerance) == nil)
  }
}
