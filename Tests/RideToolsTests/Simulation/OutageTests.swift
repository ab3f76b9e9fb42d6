import GPSDProtocol
import LocationCore
import Testing

@testable import RideTools

/// Estimates through tunnels, compared with the truth.
struct OutageTests {
  /// Errors of the estimates in metres, by the seconds since the last fix, and what share of the truth is inside.
  private struct Errors {
    var bySeconds: [Int: [Double]] = [:]
    var inside = 0
    var count = 0
    /// The same by the tens of seconds since the last fix.
    var tens: [Int: (inside: Int, count: Int)] = [:]

    mutating func add(_ error: Double, radius: Double, seconds: Double) {
      let isInside = error <= radius ? 1 : 0
      count += 1
      inside += isInside
      tens[Int(seconds / 10), default: (0, 0)].inside += isInside
      tens[Int(seconds / 10), default: (0, 0)].count += 1
      for wanted in [10, 30, 60] where abs(seconds - Double(wanted)) <= 0.5 {
        bySeconds[wanted, default: []].append(error)
      }
    }

    /// The median and the 95 % of the errors so many seconds after the fix.
    func quantiles(_ seconds: Int) -> (median: Double, most: Double)? {
      guard let errors = bySeconds[seconds]?.sorted(), errors.count > 4 else { return nil }
      return (errors[errors.count / 2], errors[min(errors.count - 1, errors.count * 95 / 100)])
    }

    var line: String {
      [10, 30, 60].map { seconds in
        quantiles(seconds).map {
          "\(seconds) s: \(($0.median * 10).rounded() / 10) / \(($0.most * 10).rounded() / 10) m of \(bySeconds[seconds]?.count ?? 0)"
        } ?? "\(seconds) s: -"
      }.joined(separator: "  ") + "  inside \(count > 0 ? inside * 100 / count : 0) % of \(count)"
    }
  }

  /// What is known of the way.
  private enum Way: Hashable {
    case straight
    case course
    /// Of a ride without tunnels.
    case ridden
    /// Of a ride with the same tunnels.
    case riddenThroughTunnels
  }

  /// The errors of the estimates on tours with tunnels, and of constant speed along the road.
  private static func errors(
    seeds: Range<Int>, on way: Way, tunnel: Double = 900, speed: String = "14"
  ) throws -> (wheel: Errors, constant: Errors) {
    var (wheel, constant) = (Errors(), Errors())
    for seed in seeds {
      var ride = try SimulatedRide.described(
        "tour", [.seed: "\(seed)", .length: "9000", .speed: speed, .wheel: "2.1"])
      var earlier = ride
      earlier.seed += 1000
      for begin in [3500.0, 5500, 7200] {
        ride.route.surround(begin...(begin + tunnel), with: .tunnel)
        if way == .riddenThroughTunnels { earlier.route.surround(begin...(begin + tunnel), with: .tunnel) }
      }
      var ridden: [PublishedFix] = []
      if way != .straight, way != .course { earlier.published { fix, _ in ridden.append(fix) } }
      var motion = ride.motion
      let points = ride.route.points.compactMap { point in
        Coordinate(latitude: point.latitude, longitude: point.longitude).map { CoursePoint($0) }
      }
      var last: (seconds: Double, station: Double, speed: Double)?
      ride.published(course: way == .course ? points : nil, after: ridden) { event, seconds in
        let truth = motion.state(at: seconds)
        switch event {
        case .fix: last = (seconds, truth.place.station, truth.speed)
        case .estimate(let estimate):
          guard let last,
            let place = Coordinate(latitude: truth.place.latitude, longitude: truth.place.longitude)
          else { return }
          let error = estimate.fix.position.distance(to: place)
          wheel.add(error, radius: estimate.fix.horizontalAccuracy ?? 0, seconds: seconds - last.seconds)
          let guess = last.station + last.speed * (seconds - last.seconds)
          constant.add(abs(guess - truth.place.station), radius: 0, seconds: seconds - last.seconds)
        default: break
        }
      }
    }
    return (wheel, constant)
  }

  @Test func `Along the course the wheel holds 20 m after a minute, and the truth is inside the radius`() throws {
    let (wheel, constant) = try Self.errors(seeds: 1..<5, on: .course)
    let lines = "wheel \(wheel.line)\nconstant speed \(constant.line)"
    #expect(wheel.count > 300, "\(lines)")
    #expect(wheel.inside * 100 >= 94 * wheel.count, "\(lines)")
    #expect(try #require(wheel.quantiles(30)).most < 20, "\(lines)")
    #expect(try #require(wheel.quantiles(60)).most < 20, "\(lines)")
    #expect(try #require(wheel.quantiles(60)).most < #require(constant.quantiles(60)).most / 2, "\(lines)")
  }

  @Test(arguments: ["7", "14", "25"])
  func `Straight on the estimate ends where its radius is 100 m, and until then the truth is inside`(
    speed: String
  ) throws {
    let (wheel, _) = try Self.errors(seeds: 1..<5, on: .straight, tunnel: 600, speed: speed)
    #expect(wheel.count > 90, "\(wheel.line)")
    for (ten, errors) in wheel.tens where errors.count > 20 {
      #expect(errors.inside * 100 >= 95 * errors.count, "\(errors) from \(10 * ten) s on, \(wheel.line)")
    }
  }

  @Test func `Along a way ridden before the wheel holds as on a course`() throws {
    let (wheel, _) = try Self.errors(seeds: 1..<5, on: .ridden)
    #expect(wheel.count > 300, "\(wheel.line)")
    #expect(wheel.inside * 100 >= 94 * wheel.count, "\(wheel.line)")
    #expect(try #require(wheel.quantiles(30)).most < 25, "\(wheel.line)")
    #expect(try #require(wheel.quantiles(60)).most < 25, "\(wheel.line)")
  }

  @Test func `Through a tunnel ridden before the wheel goes farther than straight on, and the truth is inside`() throws
  {
    let (wheel, _) = try Self.errors(seeds: 1..<5, on: .riddenThroughTunnels, tunnel: 500)
    let (straight, _) = try Self.errors(seeds: 1..<5, on: .straight, tunnel: 500)
    let lines = "ridden \(wheel.line)\nstraight \(straight.line)"
    #expect(wheel.count > straight.count, "\(lines)")
    #expect(wheel.inside * 100 >= 93 * wheel.count, "\(lines)")
  }

  @Test(arguments: [true, false])
  func `The state is lost and says estimating, until the estimate ends or there is a fix`(onCourse: Bool) throws {
    var ride = try SimulatedRide.described(
      "tour", [.seed: "1", .length: "8000", .speed: "14", .wheel: "2.1", .receiver: "ublox-1hz"])
    ride.script = RideScript()
    ride.route.surround(3500...5500, with: .tunnel)
    let points = ride.route.points.compactMap { point in
      Coordinate(latitude: point.latitude, longitude: point.longitude).map { CoursePoint($0) }
    }
    var states: [String] = []
    ride.published(course: onCourse ? points : nil) { event, _ in
      guard case .lead(let status) = event else { return }
      let state = "\(status.state.phase)" + (status.isEstimating ? ", estimating" : "")
      if state != states.last { states.append(state) }
    }
    let begin = try #require(states.firstIndex(of: "tracking"))
    let middle = ["lost, estimating"] + (onCourse ? [] : ["lost"])
    #expect(Array(states[begin...].prefix(middle.count + 2)) == ["tracking"] + middle + ["tracking"])
  }
}
