@testable import LocationCore
import Testing

@testable import RideTools

struct RidePlotTests {
  /// A ride of 1 Hz at a speed along the equator.
  private static func riding(_ seconds: ClosedRange<Int>, at speed: Double, from longitude: Double) -> [Fix] {
    seconds.map { second in
      let way = Double(second - seconds.lowerBound) * speed
      var fix = TestTrack.fix(0, longitude + way / 111_319.490793, seconds: Double(second))
      fix.speed = speed
      fix.horizontalAccuracy = 3
      return fix
    }
  }

  private static func plot(_ segments: [[Fix]], loses: Bool = false) -> RidePlot {
    var plot = RidePlot()
    for (number, segment) in segments.enumerated() {
      if loses, number > 0, let last = segments[number - 1].last { plot.add(.lost(at: last.received + .seconds(3))) }
      for (index, fix) in segment.enumerated() { plot.add(TestTrack.moment(fix, begins: index == 0)) }
    }
    plot.finish()
    return plot
  }

  @Test func `The line connects fixes that lie 10 m apart`() {
    let plot = Self.plot([Self.riding(0...99, at: 5, from: 10)])
    #expect(plot.fixCount == 100)
    #expect(plot.cloud.points.count == 100)
    #expect((49...51).contains(plot.filteredCount))
    #expect(plot.path.points.count == plot.filteredCount)
    #expect(abs(plot.end - 99) < 1e-9)
  }

  @Test func `A loss has a beginning, an end and a position on either side`() {
    let first = Self.riding(0...20, at: 10, from: 10)
    let second = Self.riding(60...80, at: 10, from: 10.01)
    let plot = Self.plot([first, second], loses: true)
    #expect(plot.losses.count == 1)
    let loss = plot.losses.marks.first
    #expect(loss?.begin == 20 && loss?.end == 60)
    #expect(loss?.position == first[20].position && loss?.endPosition == second[0].position)
    #expect(plot.path.parts.count == 2)
  }

  @Test func `A loss at the end is counted`() {
    var plot = RidePlot()
    plot.add(.lost(at: .zero))
    for fix in Self.riding(0...5, at: 10, from: 10) { plot.add(TestTrack.moment(fix)) }
    plot.add(.lost(at: .milliseconds(8000)))
    plot.finish()
    #expect(plot.losses.count == 1)
    #expect(plot.losses.marks.first?.endPosition == nil)
  }

  @Test func `A stop is where the rider stands`() {
    let before = Self.riding(0...30, at: 8, from: 10)
    let standing = Self.riding(31...90, at: 0, from: 10.002)
    let after = Self.riding(91...120, at: 8, from: 10.002)
    let plot = Self.plot([before + standing + after])
    #expect(plot.stops.count == 1)
    let stop = plot.stops.marks.first
    #expect(stop.map { abs($0.begin - 31) <= 2 && abs($0.end - 90) <= 2 } == true)
    #expect(plot.figures.movingTime < 70)
  }

  @Test func `A view's change is at the rider's position`() {
    var plot = RidePlot()
    let state = FollowState(view: "main", following: false, reason: .drift)
    plot.add(state, at: .zero)
    for fix in Self.riding(0...5, at: 10, from: 10) { plot.add(TestTrack.moment(fix)) }
    plot.add(state, at: .milliseconds(5500))
    #expect(plot.follows.count == 1)
    #expect(plot.follows.first?.seconds == 5.5)
    #expect(plot.follows.first?.isFollowing == false)
  }

  @Test func `Time on the axis is the receiver's, and continues without it`() {
    var clock = PlotClock()
    var fix = TestTrack.fix(0, 0)
    fix.measured = nil
    fix.received = .milliseconds(1000)
    #expect(clock.seconds(of: fix) == 0)
    fix.received = .milliseconds(3000)
    #expect(clock.seconds(of: fix) == 2)
    // The first date: the axis continues.
    fix.measured = TestTrack.start
    fix.received = .milliseconds(4000)
    #expect(clock.seconds(of: fix) == 3)
    // The recorder was off for ten minutes, which its own clock does not show.
    fix.measured = TestTrack.start + .seconds(600)
    fix.received = .milliseconds(5000)
    #expect(clock.seconds(of: fix) == 603)
    // A date nineteen years off does not stretch the axis.
    fix.measured = TestTrack.start + .seconds(86_400 * 7168)
    fix.received = .milliseconds(6000)
    #expect(clock.seconds(of: fix) == 604)
    #expect(clock.seconds(at: .milliseconds(7000)) == 605)
  }

  @Test func `A series of any length keeps its extremes in a bounded number of bins`() {
    var series = PlotSeries()
    for second in 0..<100_000 {
      series.add(second == 77_777 ? 50 : second == 3 ? -5 : 10, at: Double(second), beginsRun: second == 50_000)
    }
    let bins = series.bins.compactMap { $0 }
    #expect(series.bins.count <= PlotSeries.room && bins.count > PlotSeries.room / 3)
    #expect(bins.map(\.highest).max() == 50 && bins.map(\.lowest).min() == -5)
    #expect(bins.reduce(0) { $0 + $1.count } == 100_000)
    #expect(bins.count(where: \.beginsRun) <= 1)
    #expect(series.range == -5...50)
  }

  @Test func `A path of any length is bounded and keeps its course`() throws {
    var path = PlotPath()
    var points: [Coordinate] = []
    for index in 0..<60_000 {
      // A spiral of growing loops.
      let turn = Double(index) / 100
      let radius = 0.000_02 * turn
      let (x, y) = Self.circle(turn)
      let point = try #require(Coordinate(latitude: radius * y, longitude: 20 + radius * x))
      points.append(point)
      path.append(point, begins: index == 0)
    }
    #expect(path.points.count < PlotPath.room)
    #expect(path.parts.count == 1)
    #expect(path.points.first == points.first && path.points.last == points.last)
    #expect(path.tolerance <= 16)
    let kept = Set(path.points)
    #expect(kept.isSubset(of: Set(points)))
  }

  @Test func `A path of many parts is bounded`() {
    var path = PlotPath()
    for index in 0..<40_000 {
      if let point = Coordinate(latitude: 0, longitude: Double(index) * 1e-4) { path.append(point, begins: true) }
    }
    #expect(path.points.count < PlotPath.room)
  }

  @Test func `The longest of many marks are kept`() {
    var marks = PlotMarks()
    for number in 0..<1000 {
      marks.append(PlotMark(begin: 0, end: Double(number), position: .equator))
    }
    #expect(marks.count == 1000 && marks.marks.count == PlotMarks.room)
    #expect(marks.marks.map(\.duration).min() == 800)
  }

  /// A point of the unit circle, by turns, without libm: a square will do.
  private static func circle(_ turn: Double) -> (Double, Double) {
    let phase = turn.truncatingRemainder(dividingBy: 1) * 4
    switch phase {
    case ..<1: return (phase, 1 - phase)
    case ..<2: return (2 - phase, 1 - phase)
    case ..<3: return (2 - phase, phase - 3)
    default: return (phase - 4, phase - 3)
    }
  }
}
