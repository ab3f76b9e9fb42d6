import Libc
import Testing

@testable import LocationCore

/// The line of a course, its heights and its cues.
struct CourseLineTests {
  private static func course(_ points: [SIMD2<Double>], _ heights: [Double?] = []) throws -> Course {
    let ride = CourseRide(plan: points, pieces: [])
    return try Course(
      name: "c",
      points: points.enumerated().map { index, point in
        CoursePoint(ride.coordinate(point), elevation: heights.indices.contains(index) ? heights[index] : nil)
      })
  }

  @Test(arguments: [
    [place(48, 11), place(48.01, 11.02)], [place(10, 170), place(12, -178)], [place(80, 0), place(80, 180)],
    [place(-90, 0), place(-89, 50)],
  ])
  func `A leg is the geodesic, to a centimetre`(leg: [Coordinate]) throws {
    let line = try Course(name: "c", points: leg.map { CoursePoint($0) }).line
    let geodesic = Geodesic.inverse(from: leg[0], to: leg[1])
    #expect(abs(line.length - geodesic.distance) < 0.01 + geodesic.distance * 1e-7)
    for part in 1...9 {
      let along = geodesic.distance * Double(part) / 10
      let expected = try #require(leg[0].moved(by: along, bearing: geodesic.initialBearing))
      let beside = expected.moved(30, towards: geodesic.initialBearing + 90)
      #expect(try #require(line.coordinate(at: along)).distance(to: expected) < 0.2)
      var passages: [CoursePassage] = []
      line.findPassages(near: CoursePlane(at: expected), within: 50, into: &passages)
      #expect(passages.count == 1)
      #expect(abs(try #require(passages.first).distance) < 0.01)
      line.findPassages(near: CoursePlane(at: beside), within: 50, into: &passages)
      #expect(abs(try #require(passages.first).distance) < 30.01)
    }
  }

  @Test func `Passages are the minima of the distance, wherever they lie`() throws {
    var random = SeededNoise(seed: 3)
    let points = (0..<400).map { _ in SIMD2(random.uniform(-2000...2000), random.uniform(-2000...2000)) }
    let line = try Self.course(points).line
    for _ in 0..<50 {
      let plane = CoursePlane(
        at: here.offset(north: random.uniform(-2000...2000), east: random.uniform(-2000...2000)))
      let places = line.vertices.map { plane.point($0.place) }
      let nearest = zip(places, places.dropFirst()).map { start, end in
        let way = end - start
        return (start + min(max(-start.dot(way) / way.dot(way), 0), 1) * way).length
      }
      var passages: [CoursePassage] = []
      line.findPassages(near: plane, within: 15, into: &passages)
      #expect(passages.allSatisfy { $0.distance <= 15 })
      if let least = nearest.min(), least < 15 { #expect(passages.contains { abs($0.distance - least) < 1e-6 }) }
      // The chord of a leg of 4 km lies 0.3 m below the ground.
      #expect(abs(line.nearest(to: plane).distance - (nearest.min() ?? 0)) < 0.3)
    }
  }

  @Test func `Of a thousand rounds those are found that are nearest along the line`() throws {
    let square: [SIMD2<Double>] = [[0, 100], [100, 100], [100, 0], [0, 0]]
    let line = try Self.course([[0, 0]] + (0..<1000).flatMap { _ in square }).line
    var passages: [CoursePassage] = []
    for (focus, first) in [(0.0, 0), (200_150, 493), (400_000, 992)] {
      line.findPassages(
        near: CoursePlane(at: here.offset(north: 50, east: 3)), within: 20, focus: focus, into: &passages)
      let rounds = passages.map { ($0.along / 400).rounded(.down) }
      let count = focus > 300_000 ? 8 : 16
      #expect(rounds == (first..<first + count).map(Double.init), "\(focus)")
      #expect(passages.allSatisfy { abs($0.distance - 3) < 0.01 })
    }
    for north in [50.0, 1000, -40] {
      let nearest = line.nearest(to: CoursePlane(at: here.offset(north: north, east: 50))).distance
      #expect(abs(nearest - (north > 100 ? 900 : north < 0 ? 40 : 50)) < 0.05, "\(north)")
    }
  }

  @Test func `A place right of the line is positive`() throws {
    let line = try Self.course([[0, 0], [0, 1000]]).line
    var passages: [CoursePassage] = []
    line.findPassages(near: CoursePlane(at: here.offset(north: 500, east: 7)), within: 50, into: &passages)
    #expect(abs(try #require(passages.first).beside - 7) < 0.01)
    #expect(abs(try #require(passages.first).along - 500) < 0.02)
  }

  /// Pieces of all sizes, and one that does not fit.
  @Test func `A line in pieces is the line in one piece`() throws {
    var (course, way) = (0.0, SIMD2(0.0, 0))
    let points = (0..<700).map { number in
      course += Double(number % 7 - 3) / 10
      way += Double(number % 90 == 0 ? 40_000 : 12) * SIMD2(sin(course), cos(course))
      let height = number % 5 == 0 ? nil : 500 + 50 * sin(Double(number) / 40)
      return CoursePoint(here.offset(north: way.y, east: way.x), elevation: height)
    }
    let tooFar = (0..<4000).map { CoursePoint(place(Double($0 % 2), Double($0 % 180))) }
    let whole = try Course(name: "c", points: points)
    for step in [1, 2, 15, 16, 17, 300] {
      var growing = try Course(name: "c", points: Array(points[..<2]))
      for begin in stride(from: 2, to: points.count, by: step) {
        let piece = Array(points[begin..<min(begin + step, points.count)])
        #expect(throws: CourseError.tooLong) { try growing.append(piece + tooFar) }
        try growing.append(piece)
      }
      growing.updateProfile()
      let (line, profile) = (growing.line, try #require(growing.profile))
      #expect(line.vertices == whole.line.vertices && line.index == whole.line.index)
      #expect(line.points(line.vertices.indices) == whole.line.points(line.vertices.indices))
      for along in stride(from: 0, to: line.length, by: 777) {
        #expect(profile.elevation(at: along, of: line) == whole.profile?.elevation(at: along, of: line))
      }
    }
  }

  /// A cue at a place asks the index of the whole line; the pieces are small, and so is the work for each.
  @Test func `Points and cues in turn cost no more on a long line`() throws {
    func points(_ range: Range<Int>) -> [CoursePoint] {
      range.map { CoursePoint(here.offset(north: 10 * Double($0), east: Double($0 % 2))) }
    }
    func time(_ count: Int) throws -> Double {
      var course = try Course(name: "c", points: points(0..<count))
      let begin = processorTime()
      for number in 0..<500 {
        try course.append(points(count + number..<count + number + 1))
        try course.add(CueChange("x", at: .near(here.offset(north: 500, east: 0))))
      }
      return processorTime() - begin
    }
    let (short, long) = try (time(1000), time(96_000))
    #expect(long < 10 * short, "\(long) s beside \(short) s")
  }

  @Test func `A line needs two different points`() {
    for count in [0, 1, 2, 10_000] {
      let error = #expect(throws: CourseError.self) {
        try Course(name: "c", points: Array(repeating: CoursePoint(here), count: count))
      }
      #expect(error == .noLine)
    }
  }

  @Test func `A line has limits`() {
    let ride = CourseRide(plan: [], pieces: [])
    #expect(throws: CourseError.tooManyPoints) {
      try Course(name: "c", points: (0...100_000).map { CoursePoint(ride.coordinate([Double($0), 0])) })
    }
    #expect(throws: CourseError.tooLong) {
      try Course(name: "c", points: (0..<4000).map { CoursePoint(place(Double($0 % 2), Double($0 % 180))) })
    }
  }

  @Test func `Elevations are smoothed, and missing ones lie between the others`() throws {
    let points = (0...100).map { SIMD2(50 * Double($0), 0) }
    // 2500 m up at 4 %, with noise of 4 m, and down again; some are missing.
    let heights = (0...100).map { index -> Double? in
      let noise = index % 2 == 0 ? 2.0 : -2
      let height = 500 + 2 * Double(min(index, 100 - index)) + noise
      return index % 7 == 3 ? -32768 : height
    }
    let profile = try #require(Self.course(points, heights).profile)
    let line = try Self.course(points).line
    #expect(abs(profile.ascentLeft(from: 0, of: line, isReverse: false) - 100) < 6)
    #expect(abs(profile.ascentLeft(from: 1250, of: line, isReverse: false) - 50) < 6)
    #expect(profile.ascentLeft(from: 2600, of: line, isReverse: false) < 6)
    #expect(abs(profile.ascentLeft(from: 3750, of: line, isReverse: true) - 50) < 8)
    let left = (0...100).map { profile.ascentLeft(from: 50 * Double($0), of: line, isReverse: false) }
    #expect(left == left.sorted(by: >))
    #expect(abs(profile.slope(at: 1000, of: line) - 0.04) < 0.02)
    #expect(try Self.course(points).profile == nil)
  }

  @Test func `A climb begins and ends where the road does not rise by three percent`() throws {
    // Flat for 1 km, 100 m up in 2 km with a flat piece of 200 m, flat for 1 km, 20 m up.
    let corners: [(Double, Double)] = [
      (0, 0), (1000, 0), (1900, 50), (2100, 50), (3000, 100), (4000, 100), (4200, 120),
    ]
    let points = corners.map { SIMD2($0.0, 0) }
    let profile = try #require(Self.course(points, corners.map(\.1)).profile)
    let climb = try #require(profile.climb(at: 1500, isReverse: false))
    #expect(profile.climbs.forward == [climb])
    #expect(abs(climb.begin - 1000) < 60 && abs(climb.end - 3000) < 60)
    #expect(abs(climb.summit - 100) < 3)
    #expect(profile.climb(at: 500, isReverse: false) == nil)
    #expect(profile.climbs.backward.isEmpty)
    let down = try #require(Self.course(points, corners.map { 200 - $0.1 }).profile)
    #expect(down.climbs.forward.isEmpty)
    #expect(down.climb(at: 1500, isReverse: true) != nil)
  }

  @Test func `A cue at a place is on the passage behind the cue before`() throws {
    var course = try Self.course(CourseRide.laps)
    for _ in 0..<4 { try course.add(CueChange("corner", kind: "right", at: .near(here.offset(north: 203, east: 1)))) }
    #expect(course.cues.map { Int(($0.along / 10).rounded()) } == [20, 20, 20, 20])
    try course.add(CueChange("half", at: .along(500)))
    try course.add(CueChange("corner", at: .near(here.offset(north: 203, east: 1))))
    #expect(abs(try #require(course.cues.last).along - 1000) < 2)
    #expect(course.cue(from: 210)?.text == "half")
    #expect(course.cue(from: 1100) == nil)
    let far = here.offset(north: -150, east: 0)
    #expect(throws: CourseError.cueOffLine(far)) { try course.add(CueChange("inn", at: .near(far))) }
    #expect(throws: CourseError.cueBeyondLine(9000, length: course.line.length)) {
      try course.add(CueChange("inn", at: .along(9000)))
    }
    let length = course.line.length
    #expect(throws: CourseError.cueBeyondLine(length + 1.5, length: length)) {
      try course.add(CueChange("inn", at: .along(length + 1.5)))
    }
    // A cue within a metre of an end is there.
    try course.add(CueChange("finish", at: .along(length + 0.9)))
    try course.add(CueChange("start", at: .along(-0.9)))
    #expect(course.cues.first == CourseCue(along: 0, text: "start"))
    #expect(course.cues.last == CourseCue(along: length, text: "finish"))
    for _ in course.cues.count..<1000 { try course.add(CueChange("x", at: .along(1))) }
    #expect(throws: CourseError.tooManyCues) { try course.add(CueChange("x", at: .along(1))) }
  }

  @Test func `A status has the next cue, the climb and the grade`() throws {
    let plan: [SIMD2<Double>] = [[0, 0], [1000, 0], [3000, 0]]
    let ride = CourseRide(plan: plan, pieces: [.line(from: 0, to: 1500)])
    var course = try Self.course(plan, [100, 100, 220])
    try course.add(CueChange("summit", kind: "peak", at: .along(2900)))
    var progress = CourseProgress(course)
    var status: CourseStatus?
    for (number, moment) in ride.moments().enumerated() {
      var fix = Fix(position: ride.coordinate(moment.place), mode: .threeD, received: at(moment.time))
      (fix.speed, fix.course, fix.horizontalAccuracy) = (6, 90, 3)
      let published = PublishedFix(fix: fix, seq: UInt64(number + 1), source: 0)
      status = progress.published(published, at: fix.received)
    }
    let last = try #require(status)
    #expect(last.cue?.text == "summit" && last.cue?.kind == "peak")
    #expect(abs(try #require(last.cueDistance) - 1400) < 7)
    #expect(abs(try #require(last.grade) - 6) < 0.2)
    #expect(abs(try #require(last.climb) - 1500) < 60)
    #expect(abs(try #require(last.climbAscent) - 90) < 4)
    #expect(abs(try #require(last.ascent) - 90) < 4)
    #expect(abs(try #require(last.beside)) < 0.01)
  }
}
