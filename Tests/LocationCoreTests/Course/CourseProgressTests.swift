@_exported import TestRides
import Testing

@testable import LocationCore

/// Progress on courses whose truth is known.
struct CourseProgressTests {
  static let conditions = [(noise: 1.0, rate: 1.0), (3, 1), (1, 10), (3, 10)]

  @Test(arguments: CourseRide.cases.map(\.name), conditions)
  func `The rider is on the true leg, and never goes back`(name: String, conditions: (noise: Double, rate: Double))
    throws
  {
    var ride = try #require(CourseRide.cases.first { $0.name == name }?.ride)
    (ride.noise, ride.rate) = conditions
    let outcome = try ride.play()
    #expect(outcome.wrongEpochs == 0)
    #expect(outcome.falseAlarms == 0)
    #expect(outcome.backwardEpochs == 0)
    #expect(outcome.onDelays.allSatisfy { $0 <= 5 })
    #expect(outcome.offDelays.allSatisfy { $0.seconds <= 10 || $0.way <= 60 })
    let departures = ride.pieces.count { if case .detour = $0 { true } else { false } }
    #expect(outcome.offDelays.count == departures)
    // A careless plan is longer than the road.
    let plan = ride.drawn == nil ? 0.5 : 8
    #expect(outcome.quantile(0.95, of: outcome.errors) <= 1.25 * outcome.quantile(0.95, of: outcome.fixErrors) + plan)
  }

  @Test func `A receiver without speed and course tells the direction by its way`() throws {
    for name in ["out and back", "hairpins", "backwards", "detour"] {
      var ride = try #require(CourseRide.cases.first { $0.name == name }?.ride)
      (ride.hasSpeed, ride.hasCourse) = (false, false)
      let outcome = try ride.play()
      #expect(outcome.wrongEpochs == 0)
      #expect(outcome.falseAlarms == 0)
      #expect(outcome.onDelays.allSatisfy { $0 <= 6 })
    }
  }

  @Test(arguments: [1.1, 2.2])
  func `Reflections between high buildings do not lead off the line`(noise: Double) throws {
    var ride = CourseRide(plan: CourseRide.laps, pieces: [])
    // 95 % within 15 m and 30 m.
    (ride.isCity, ride.noise, ride.speed) = (true, noise, 4)
    for stop in 0..<10 {
      ride.pieces += [.line(from: 800 * Double(stop), to: 800 * Double(stop + 1)), .stand(seconds: 30)]
    }
    for seed in 1...4 {
      ride.seed = UInt64(seed)
      #expect(try ride.play().falseAlarms == 0)
    }
  }

  @Test(arguments: [2.5, 4, 5])
  func `A road 15 m beside is another one`(radius: Double) throws {
    for seed in 1...10 {
      var ride = CourseRide(plan: [[0, 0], [4000, 0]], pieces: [])
      ride.pieces = [
        .line(from: 0, to: 500), .detour([[520, 15], [1500, 15], [1520, 0]]), .line(from: 1520, to: 3999),
      ]
      (ride.noise, ride.seed) = (radius / Confidence.circle, UInt64(seed))
      let outcome = try ride.play()
      #expect(outcome.falseAlarms == 0 && outcome.statuses.contains { $0.state == .off })
      #expect(outcome.statuses.last?.state == .finished)
      #expect(outcome.onDelays.allSatisfy { $0 <= 5 })
      // On a bad plan, which is as far from the road on alternate sides, he is on it.
      ride.drawn = (0...80).map { [50 * Double($0), $0 % 2 == 0 ? -12 : 12] }
      ride.pieces = [.line(from: 0, to: 3990)]
      #expect(try !ride.play().statuses.contains { $0.state == .off })
    }
  }

  @Test(arguments: [0.5, 1, 2], [6.0, 7, 8, 9])
  func `A detour on a lap ends on the same lap at low rates`(rate: Double, speed: Double) throws {
    let detours: [[CourseRide.Piece]] = [
      [
        .line(from: 0, to: 900), .detour([[-80, 100], [-80, 300], [100, 300], [100, 200]]),
        .line(from: 1100, to: 7990),
      ],
      [.line(from: 0, to: 1610), .detour([[-150, 10], [-150, 190], [0, 190]]), .line(from: 1790, to: 7990)],
    ]
    for pieces in detours {
      for (noise, seed) in [(1.0, 1), (1, 2), (3, 1), (3, 2)] {
        var ride = CourseRide(plan: CourseRide.laps, pieces: pieces)
        (ride.rate, ride.speed, ride.noise, ride.seed) = (rate, speed, noise, UInt64(seed))
        let outcome = try ride.play()
        #expect(outcome.wrongEpochs == 0 && outcome.falseAlarms == 0, "noise \(noise), seed \(seed)")
      }
    }
  }

  /// Near other legs, by errors as large as those of a receiver whose 95 % are 7 m and 17 m.
  @Test(arguments: [3.0, 7], [(1650.0, 1750.0, 90.0), (1650, 1750, 250), (2450, 2550, 90), (1690, 1770, -60)])
  func `A detour near other legs ends on the same lap`(noise: Double, detour: (from: Double, to: Double, aside: Double))
    throws
  {
    let begin = detour.from.truncatingRemainder(dividingBy: 800)
    let end = begin + detour.to - detour.from
    for (speed, rate, seed) in [(8.0, 1.0, 1), (8, 1, 2), (6, 1, 4), (6, 0.5, 5)] {
      var ride = CourseRide(
        plan: CourseRide.laps,
        pieces: [
          .line(from: 0, to: detour.from), .detour([[detour.aside, begin], [detour.aside, end], [0, end]]),
          .line(from: detour.to, to: 7990),
        ])
      (ride.rate, ride.speed, ride.noise, ride.seed) = (rate, speed, noise, UInt64(seed))
      let outcome = try ride.play()
      #expect(outcome.wrongEpochs == 0 && outcome.falseAlarms == 0, "\(speed) m/s, \(rate) Hz, seed \(seed)")
    }
  }

  @Test func `Crossing the line while off it is no return`() throws {
    let ride = CourseRide(
      plan: CourseRide.square,
      pieces: [.line(from: 0, to: 500), .detour([[-300, 500], [-300, 1200], [500, 1200], [500, 500]])])
    let outcome = try ride.play()
    let off = try #require(outcome.statuses.firstIndex { $0.state == .off })
    #expect(outcome.statuses[off...].allSatisfy { $0.state == .off })
  }

  @Test func `Off the line, the way back is to its nearest place`() throws {
    let ride = CourseRide(plan: [[0, 0], [2000, 0]], pieces: [.line(from: 0, to: 500), .detour([[500, 400]])])
    let outcome = try ride.play()
    let last = try #require(outcome.statuses.last)
    let moment = try #require(outcome.moments.last)
    #expect(last.state == .off)
    #expect(abs(try #require(last.distance) - moment.place.y) < 4)
    #expect(abs(try #require(last.bearing) - 180) < 2)
    #expect(abs(try #require(last.along) - 500) < 10)
    #expect(last.eta == nil)
  }

  @Test func `A turn near the turning point of an out and back is the way back`() throws {
    var ride = CourseRide(plan: CourseRide.outAndBack, pieces: [])
    let half = ride.length / 2
    ride.pieces = [.line(from: 0, to: half - 60), .line(from: half + 60, to: ride.length)]
    let near = try ride.play()
    #expect(near.wrongEpochs == 0)
    #expect(near.statuses.last?.state == .finished)
    ride.pieces = [.line(from: 0, to: half - 800), .line(from: half - 800, to: 100)]
    #expect(try ride.play().statuses.last?.isReverse == true)
  }

  @Test func `The end is for good once half of the line has been ridden`() throws {
    var ride = CourseRide(plan: CourseRide.square, pieces: [])
    ride.pieces = [.line(from: 0, to: 3995), .line(from: 0, to: 600)]
    #expect(try ride.play().statuses.last?.state == .finished)
    // The way from home to the start is the end of the line.
    ride.pieces = [.line(from: 3700, to: 3995), .line(from: 0, to: 600)]
    let outcome = try ride.play()
    #expect(outcome.statuses.last?.state == .on)
    #expect(outcome.statuses.contains { $0.state == .finished })
    #expect(abs(try #require(outcome.statuses.last?.along) - 600) < 20)
  }

  @Test func `The time to the end does not count stops`() throws {
    let ride = CourseRide(
      plan: [[0, 0], [5000, 0]], pieces: [.line(from: 0, to: 1000), .stand(seconds: 60), .line(from: 1000, to: 1100)])
    let last = try #require(try ride.play().statuses.last)
    #expect(abs(try #require(last.eta).inSeconds - 3900 / 6) < 20)
    #expect(abs(last.remaining - 3900) < 10)
  }

  @Test(arguments: [place(65, 179.998), place(89.999, 20), place(-89.995, -170), place(0.001, -179.999)])
  func `Poles and the antimeridian are places like others`(origin: Coordinate) throws {
    var ride = CourseRide(plan: CourseRide.square, pieces: [.line(from: 0, to: 3990)])
    ride.origin = origin
    // Courses at a pole refer to the meridian of the fix.
    ride.hasCourse = abs(origin.latitude) < 89
    let outcome = try ride.play()
    #expect(outcome.wrongEpochs == 0)
    #expect(outcome.statuses.last?.state == .finished)
    #expect(outcome.quantile(0.95, of: outcome.errors) < 4)
  }

  @Test func `Poses follow the bends of the course, and off it they are those of a rider without one`() throws {
    var ride = CourseRide(plan: CourseRide.figureEight, pieces: [])
    ride.pieces = [
      .line(from: 0, to: 0.9 * ride.length), .detour([[-300, 300], [-500, 300], [-500, 900]]),
    ]
    (ride.speed, ride.noise) = (16, 0.3)
    let outcome = try ride.play()
    var (plain, followed) = (MotionEstimator(), MotionEstimator())
    var errors = (plain: 0.0, followed: 0.0)
    for (index, fix) in outcome.fixes.dropLast().enumerated() {
      var bent = fix
      bent.bend = outcome.statuses[index].bend
      #expect(outcome.statuses[index].state == .on || bent.bend == nil)
      plain.receive(fix, at: fix.fix.received)
      followed.receive(bent, at: fix.fix.received)
      let next = ride.coordinate(outcome.moments[index + 1].place)
      let moment = fix.fix.received + .seconds(0.9)
      let (first, second) = (try #require(plain.pose(at: moment)), try #require(followed.pose(at: moment)))
      errors.plain += first.coordinate.distance(to: next)
      errors.followed += second.coordinate.distance(to: next)
    }
    #expect(outcome.statuses.last?.state == .off)
    #expect(errors.followed < 0.95 * errors.plain)
  }

  @Test func `A bend to the left is negative, also backwards`() throws {
    var ride = CourseRide(plan: [], pieces: [])
    ride.plan = (0...36).map { 100 * SIMD2(course: 90 - 5 * Double($0)) }
    (ride.speed, ride.noise) = (8, 0.1)
    for (from, to) in [(0.0, ride.length), (ride.length, 0)] {
      ride.pieces = [.line(from: from, to: to)]
      let bends = try ride.play().statuses.compactMap(\.bend)
      #expect(bends.count > 20)
      // A circle of 100 m.
      #expect(bends.allSatisfy { abs($0 - (to > from ? -10 : 10)) < 5 }, "\(bends)")
    }
  }

  @Test func `Another run goes on from where the rider was, in the round that he rode`() throws {
    var ride = CourseRide(plan: CourseRide.laps, pieces: [.line(from: 0, to: 4300)])
    let kept = try #require(try ride.play().kept)
    #expect(KeptProgress(line: Substring(kept.line)) == kept)
    for (from, isFound) in [(4400.0, true), (4800, true), (4250, true)] {
      ride.pieces = [.line(from: from, to: 8000)]
      let outcome = try ride.play(from: kept)
      #expect(outcome.statuses.first?.state == .before && outcome.statuses.first?.along != nil)
      #expect((outcome.wrongEpochs == 0) == isFound)
      #expect(outcome.statuses.last?.state == .finished)
    }
    // Without it, the rider is in the first round.
    #expect(try ride.play().wrongEpochs > 0)
    // A course with the same name and another line.
    ride.plan = CourseRide.winding
    ride.pieces = [.line(from: 0, to: 200)]
    #expect(try ride.play(from: kept).statuses.first?.along == nil)
  }

  @Test(arguments: [
    "", "61", "61 1000 1200 false 0", "61 1000 -1 false 0", "61 nan 1 false 0", "61 1000 1 2 0", "6 1 1 true 0",
  ])
  func `Damaged progress is none`(line: String) { #expect(KeptProgress(line: Substring(line)) == nil) }

  @Test func `A change of state is marked, and the fix is named`() throws {
    let ride = CourseRide(plan: CourseRide.square, pieces: [.line(from: 0, to: 300), .detour([[-300, 300]])])
    let outcome = try ride.play()
    let transitions = outcome.statuses.filter(\.isTransition)
    #expect(transitions.map(\.state) == [.on, .off])
    #expect(outcome.statuses.map(\.seq) == Array(1...UInt64(outcome.statuses.count)))
    #expect(outcome.statuses.first?.state == .before)
    #expect(outcome.statuses.first?.along == nil)
  }
}
