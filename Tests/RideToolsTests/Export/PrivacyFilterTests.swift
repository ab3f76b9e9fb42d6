@testable import LocationCore
import Recordings
import Testing

@testable import RideTools

struct PrivacyFilterTests {
  private static func filtered(_ moments: [RideMoment], _ zones: [PrivacyZone]) -> [RideMoment] {
    var filter = PrivacyFilter(zones)
    var kept: [RideMoment] = []
    for moment in moments { filter.filter(moment) { kept.append($0) } }
    return kept
  }

  @Test func `Nothing in a zone is let through, and the fix behind it begins a segment`() throws {
    let track = TestTrack.eastwards(100)
    let zone = PrivacyZone(centre: track[50].position, radius: 95)
    var moments = track.enumerated().map { TestTrack.moment($1, begins: $0 == 0) }
    moments.insert(.lost(at: .milliseconds(50_500)), at: 51)
    let kept = Self.filtered(moments, [zone])
    let fixes = kept.compactMap { moment -> TrackFix? in if case .fix(let fix) = moment { fix } else { nil } }
    #expect(fixes.count == 81)
    #expect(fixes.allSatisfy { $0.fix.position.distance(to: zone.centre) > zone.radius })
    #expect(fixes.filter(\.beginsSegment).map(\.fix) == [track[0], track[60]])
    #expect(kept.contains(.lost(at: track[40].received)) && !kept.contains(.lost(at: .milliseconds(50_500))))
  }

  @Test func `The zones of a ride surround its first and last fix`() {
    var ends = RideEnds()
    let track = TestTrack.eastwards(10)
    for fix in track { ends.add(TestTrack.moment(fix)) }
    let centres = ends.zones(radius: 200).map(\.centre)
    #expect(centres.contains(track[0].position) && centres.contains(track[9].position))
  }
}

struct RideStopsTests {
  private static func stops(_ samples: [(time: Double, moving: Double)]) -> [RideStops.Stop] {
    var stops = RideStops()
    for sample in samples {
      var figures = RideFigures()
      figures.movingTime = sample.moving
      stops.add(figures, at: sample.time)
    }
    return stops.stops
  }

  @Test func `A stop that is dated back begins, and a start that is dated back ends, when it was`() throws {
    // Moves until 3.5, which is known at 6, and again from 8.5, which is known at 11.
    let stops = Self.stops([(0, 0), (4, 4), (5, 5), (6, 3.5), (9, 3.5), (10, 3.5), (11, 6), (12, 7)])
    try #require(stops.count == 1)
    #expect(abs(stops[0].begin - 3.5) < 1e-9 && abs(stops[0].end - 8.5) < 1e-9)
  }

  @Test func `The checksum of a FIT file is that of its format`() {
    #expect(FITChecksum.sum(of: Array("123456789".utf8)[...]) == 0xBB3D)
  }
}
