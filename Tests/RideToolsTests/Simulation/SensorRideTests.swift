import GPSDProtocol
import LocationCore
import Testing

@testable import RideTools

extension SimulatedRide {
  /// The fixes that an engine publishes from what receiver and sensors send, each with the seconds since the start.
  func published(_ body: (PublishedFix, Double) -> Void) {
    published(course: nil) { event, seconds in
      if case .fix(let fix, _, _) = event { body(fix, seconds) }
    }
  }

  /// The fixes, estimates and states that an engine publishes, perhaps on a course, or after an earlier ride.
  func published(
    course: [CoursePoint]?, after earlier: [PublishedFix] = [], _ body: (EngineEvent, Double) -> Void
  ) {
    var lost: UInt64?
    var engine = LocationEngine(sources: [SourceSetup(id: 0)], at: .zero)
    var (events, feed, client) = (EngineEvents(), RideFeed(self), ClientID(0))
    engine.connect(client, of: .replay)
    if let course {
      let request = EngineRequest.course(CourseRequest(name: "way", change: .set(course, isPersistent: false)))
      #expect(throws: Never.self) { try engine.handle(request, from: client, at: .zero, into: &events) }
    }
    while let item = feed.next() {
      switch item {
      case .read(let bytes, let offset):
        bytes.withUnsafeBytes { engine.receive(.bytes($0), from: 0, at: .zero + offset, into: &events) }
      case .event(let json, let offset, _):
        if case .engine(let request)? = Request(recorded: json) {
          try? engine.handle(request, from: client, at: .zero + offset, into: &events)
        }
      case .epoch: break
      }
      for entry in events.list {
        if case .estimate(let estimate) = entry.event, lost != estimate.seq, let newest = engine.desk.newest?.fix {
          lost = estimate.seq
          if let way = earlier.way(from: newest) { engine.desk.outage?.riddenWay = way }
        }
        switch entry.event {
        case .fix(let fix, _, _), .estimate(let fix):
          if let measured = fix.fix.measured { body(entry.event, (measured - start).inSeconds) }
        case .lead: body(entry.event, .nan)
        default: break
        }
      }
      events.removeAll()
    }
  }
}

extension [PublishedFix] {
  fileprivate func way(from last: Fix) -> RiddenWay? {
    var search = RiddenWaySearch(from: last)
    for fix in self { search.add(fix.fix, fix.sensed.fused) }
    search.end()
    return search.found
  }
}

/// Rides with a wheel and a barometer, compared with the truth.
struct SensorRideTests {
  private static let names = ["city", "mountain", "tunnel", "motorway", "tour", "bicycle"]

  private static func ride(
    _ name: String, seed: Int, noise: String, _ sensors: [SimulationKey: String]
  ) throws -> SimulatedRide {
    var settings = sensors
    (settings[.seed], settings[.noise], settings[.receiver]) = ("\(seed)", noise, "ublox-1hz")
    if name == "tour" { settings[.length] = "12000" }
    if name == "bicycle" { (settings[.length], settings[.speed]) = ("8000", "7") }
    var ride = try SimulatedRide.described(name == "bicycle" ? "tour" : name, settings)
    ride.script = RideScript()
    return ride
  }

  private static func figures(of ride: SimulatedRide) -> RideFigures {
    var sums = RideAccumulator()
    ride.published { fix, _ in sums.add(fix) }
    return sums.figures
  }

  @Test(arguments: names, ["1", "3"])
  func `With pressure the ascent is within 3 % or 3 m of the truth, of a bad receiver within 3 % or 5 m`(
    name: String, noise: String
  ) throws {
    let limit = noise == "1" ? 3.0 : 5
    for (seed, weather, warmth) in [(4, "0", "0"), (5, "-3", "5"), (104, "3", "-8")] {
      let ride = try Self.ride(name, seed: seed, noise: noise, [.weather: weather, .warmth: warmth])
      let (sums, truth) = (Self.figures(of: ride), ride.motion.truth)
      for (sum, exact) in [(sums.ascent, truth.ascent), (sums.descent, truth.descent)] {
        let error = abs(try #require(sum) - exact)
        #expect(error < max(limit, 0.03 * exact), "\(name): \(sum ?? 0) of \(exact) m, seed \(seed)")
      }
    }
  }

  @Test(arguments: names)
  func `Fused altitude and grade are within their errors`(name: String) throws {
    var (heights, grades) = ((inside: 0.0, count: 0.0), (inside: 0.0, near: 0.0, count: 0.0))
    for seed in [4, 5] {
      let ride = try Self.ride(name, seed: seed, noise: "1", [.weather: "-1", .warmth: "5"])
      var motion = ride.motion
      let points = ride.route.points
      ride.published { fix, seconds in
        let place = motion.state(at: seconds).place
        if let height = fix.sensed.fused.altitude, let error = fix.sensed.fused.altitudeError {
          heights.count += 1
          heights.inside += abs(Double(height) - place.altitude) <= Double(error) ? 1 : 0
        }
        guard let grade = fix.sensed.fused.grade, let error = fix.sensed.fused.gradeError else { return }
        // The grade of the road at least 20 m behind its last change.
        let behind = points.filter { (place.station - 70...place.station).contains($0.station) }
        let slopes = zip(behind, behind.dropFirst()).map {
          ($1.altitude - $0.altitude) / ($1.station - $0.station)
        }
        guard let least = slopes.min(), let most = slopes.max(), most - least < 0.002 else { return }
        grades.count += 1
        grades.near += abs(Double(grade) - 100 * least) <= 1 ? 1 : 0
        grades.inside += abs(Double(grade) - 100 * least) <= Double(error) ? 1 : 0
      }
    }
    #expect(heights.inside >= 0.9 * heights.count, "\(heights)")
    #expect(grades.inside >= 0.9 * grades.count, "\(grades)")
    #expect(grades.near >= 0.93 * grades.count, "\(grades)")
  }

  @Test func `The wheel is learned, and its speed is that of the ride`() throws {
    for doubled in ["0", "0.1"] {
      let ride = try Self.ride("tour", seed: 3, noise: "1", [.wheel: "2.1", .wheelDoubled: doubled])
      var motion = ride.motion
      var (count, near) = (0.0, 0.0)
      ride.published { fix, seconds in
        guard let speed = fix.sensed.fused.wheelSpeed else { return }
        count += 1
        // It is that of the arrival.
        near += abs(Double(speed) - motion.state(at: seconds + 0.15).speed) < 1 ? 1 : 0
      }
      #expect(count > 300, "\(count)")
      #expect(near >= 0.9 * count, "\(near) of \(count)")
    }
  }

  @Test func `The distance of a ride through a tunnel is the wheel's`() throws {
    var ride = try Self.ride("tour", seed: 3, noise: "1", [.wheel: "2.1"])
    let plain = Self.figures(of: ride)
    ride.route.surround(6000...7500, with: .tunnel)
    let figures = Self.figures(of: ride)
    #expect(figures.gaps > plain.gaps)
    #expect(abs(figures.distance / ride.motion.truth.distance - 1) < 0.01, "\(figures.distance)")
    #expect(abs(figures.movingTime - ride.motion.truth.movingTime) < 5)
  }

  @Test func `With a wheel stops and starts are told with the first fix after them`() throws {
    let ride = try Self.ride("tour", seed: 4, noise: "1", [.wheel: "2.1", .lights: "300"])
    var (truth, delays) = (ride.motion.truth.stops[...], [Double]())
    ride.published { fix, seconds in
      guard fix.sensed.fused.wheelSpeed != nil else { return }
      while let stop = truth.first, stop.begin < seconds - 5 { truth = truth.dropFirst() }
      if fix.changes.contains(.stopped), let stop = truth.first(where: { abs($0.begin - seconds) < 5 }) {
        delays.append(seconds - stop.begin)
      }
    }
    #expect(delays.count > 8)
    // A fix a second: half a second on average, and half a second to decide.
    #expect(delays.allSatisfy { $0 < 1.6 }, "\(delays)")
  }
}
