import Recordings
import Testing

@testable import LocationCore
@testable import RideTools

struct StopFilterTests {
  /// 60 s at 8 m/s, 60 s standing while the position wanders 4 m about, and 60 s at 8 m/s.
  private static let ride: [Fix] = {
    var random = SeededRandom(seed: 5, stream: 0)
    var east = 0.0
    return (0..<180).map { second in
      let isStanding = (60..<120).contains(second)
      if !isStanding { east += 8 }
      let noise = isStanding ? random.uniform(-4...4) : 0
      var fix = TestTrack.fix(noise / 110_574, 10 + (east + noise) / 111_319.490793, seconds: Double(second))
      fix.speed = isStanding ? 0.1 : 8
      fix.altitudeMSL = 500 + noise
      return fix
    }
  }()

  private static func filtered(_ moments: [RideMoment]) -> (fixes: [Fix], figures: RideFigures) {
    var survey = RideSurvey()
    for moment in moments { survey.add(moment) }
    var filter = StopFilter(survey)
    var left: [Fix] = []
    func take(_ moment: RideMoment) { if case .fix(let fix) = moment { left.append(fix.fix) } }
    for moment in moments { filter.filter(moment, take) }
    filter.finish(take)
    return (left, survey.ride.figures)
  }

  private static func way(_ fixes: [Fix]) -> Double {
    zip(fixes, fixes.dropFirst()).reduce(0) { $0 + $1.0.position.distance(to: $1.1.position) }
  }

  @Test func `Of a stop the first and the last fix are left, at one place and height`() throws {
    let moments = Self.ride.enumerated().map { TestTrack.moment($1, begins: $0 == 0) }
    let (left, figures) = Self.filtered(moments)
    let stop = left.filter { $0.speed == 0 }
    #expect(stop.count == 2 && stop[0].position == stop[1].position && stop[0].altitudeMSL == stop[1].altitudeMSL)
    #expect(left.count < 130 && left.first == Self.ride.first && left.last == Self.ride.last)
    let (first, last) = (try #require(stop.first?.measured), try #require(stop.last?.measured))
    #expect(abs((last - first).inSeconds - 59) <= 2)
    #expect(Self.way(Self.ride) > 1.1 * figures.distance)
    #expect(abs(Self.way(left) / figures.distance - 1) < 0.01)
  }

  @Test func `A lap or a change of follow mode does not end a stop`() {
    var moments = Self.ride.enumerated().map { TestTrack.moment($1, begins: $0 == 0) }
    let follow = FollowState(view: "main", following: true, reason: .requested)
    moments.insert(.follow(follow, at: .milliseconds(99_500)), at: 100)
    moments.insert(.lap(.request, at: .milliseconds(79_500)), at: 80)
    let stop = Self.filtered(moments).fixes.filter { $0.speed == 0 }
    #expect(Set(stop.map(\.position)).count == 1)
    #expect(stop.contains { $0.measured == Self.ride[79].measured })
  }

  @Test func `A ride that ends standing ends with its last fix`() {
    let moments = Self.ride.prefix(110).enumerated().map { TestTrack.moment($1, begins: $0 == 0) }
    #expect(Self.filtered(moments).fixes.last?.measured == Self.ride[109].measured)
  }

  @Test func `A loss during a stop keeps the fixes on both sides of it`() {
    var moments = Self.ride.enumerated().map { TestTrack.moment($1, begins: [0, 90].contains($0)) }
    moments.insert(.lost(at: .milliseconds(89_500)), at: 90)
    let left = Self.filtered(moments).fixes
    #expect(
      left.contains { $0.measured == Self.ride[89].measured } && left.contains { $0.measured == Self.ride[90].measured }
    )
  }

  @Test func `Motion without noise is left as it is, but for a start that is not certain yet`() {
    let moments = Self.ride.prefix(60).enumerated().map { TestTrack.moment($1, begins: $0 == 0) }
    #expect(Self.filtered(moments).fixes.filter { $0.speed == 8 }.count >= 56)
  }

  @Test(arguments: [1, 10])
  func `The noise of positions in motion does not make the way longer`(rate: Int) {
    var random = SeededRandom(seed: 9, stream: 0)
    let moments = (0..<(600 * rate)).map { index -> RideMoment in
      let east = Double(index) * 5 / Double(rate)
      let noise = (random.uniform(-2...2), random.uniform(-2...2))
      var fix = TestTrack.fix(
        noise.0 / 110_574, 10 + (east + noise.1) / 111_319.490793, seconds: Double(index) / Double(rate))
      fix.speed = 5
      return TestTrack.moment(fix, begins: index == 0)
    }
    let (left, figures) = Self.filtered(moments)
    #expect(abs(Self.way(left) / figures.distance - 1) < 0.005)
    let longest = zip(left, left.dropFirst()).map { $0.1.received - $0.0.received }.max() ?? .zero
    #expect(left.last?.received == .milliseconds(Int64(600_000 - 1000 / rate)))
    #expect(longest <= .seconds(30))
  }
}
