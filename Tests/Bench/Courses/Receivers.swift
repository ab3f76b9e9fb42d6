import Libc
import LocationCore
import RideTools
import TestRides

/// A simulated ride of a plan with departures, received by a receiver of the simulator and read by the daemon's engine.
struct ReceivedRide {
  let name: String
  /// The points that are ridden, in metres east and north.
  let plan: [SIMD2<Double>]
  /// The course, if that is another line.
  var course: [SIMD2<Double>]?
  var departures: [Departure] = []
  var tunnels: [ClosedRange<Double>] = []
  /// Whether there are high buildings everywhere, and traffic lights.
  var isCity = false
  /// From metres along what is ridden to metres along the course.
  var along: @Sendable (Double) -> Double = { $0 }
  var isReverse = false

  /// The cases of a receiver; the last one is a ride of two hours in a city.
  static let cases: [ReceivedRide] = [
    Self(name: "out and back", plan: CourseRide.outAndBack), Self(name: "figure eight", plan: CourseRide.figureEight),
    Self(name: "ten laps", plan: CourseRide.laps), Self(name: "hairpins", plan: CourseRide.hairpins),
    Self(name: "parallel road", plan: CourseRide.parallel), Self(name: "crossing", plan: CourseRide.crossing),
    Self(
      name: "zigzag", plan: [[0, 0], [2000, 0]], course: CourseRide.zigzag, along: { $0 * 2.0.squareRoot() }),
    Self(
      name: "start in the middle", plan: Array(CourseRide.square[2...]), course: CourseRide.square,
      along: { $0 + 2000 }),
    Self(
      name: "backwards", plan: CourseRide.square.reversed(), course: CourseRide.square, along: { 4000 - $0 },
      isReverse: true),
    Self(name: "turn round", plan: CourseRide.square, departures: [.uTurn(at: 1500, metres: 800)]),
    Self(name: "wrong turn", plan: CourseRide.square, departures: [.wrongTurn(at: 1500, metres: 200)]),
    Self(name: "shortcut", plan: CourseRide.square, departures: [.shortcut(900...3500)]),
    Self(name: "detour", plan: CourseRide.square, departures: [.detour(300...800, aside: -300)]),
    Self(name: "detour on a lap", plan: CourseRide.laps, departures: [.detour(1610...1790, aside: -150)]),
    Self(name: "detour inside a lap", plan: CourseRide.laps, departures: [.detour(1650...1750, aside: 90)]),
    Self(name: "detour across a lap", plan: CourseRide.laps, departures: [.detour(2450...2550, aside: 250)]),
    Self(name: "tunnel", plan: CourseRide.outAndBack, tunnels: [500...1300, 2600...3500]),
    Self(
      name: "stops", plan: CourseRide.hairpins,
      departures: [.stop(at: 250, seconds: 90), .stop(at: 700, seconds: 60)]),
    Self(name: "city", plan: Array(repeating: CourseRide.laps.dropLast(), count: 5).flatMap(\.self), isCity: true),
  ]

  private static let speed = 8.0

  func play(_ receiver: ReceiverProfile, noise: Double, seed: UInt64) throws -> CourseOutcome {
    let ridden = Self.thinned(plan)
    var ride = CourseRide(plan: ridden, drawn: course, pieces: [])
    (ride.speed, ride.noise, ride.isCity) = (Self.speed, noise, isCity)
    let vertices = ridden.map { RouteVertex(ride.coordinate($0)) }
    guard var route = try Route(along: vertices, departures, speedLimit: Self.speed) else { throw CourseError.noLine }
    route.stand(atStart: 3, atEnd: 5)
    for tunnel in tunnels { route.surround(tunnel, with: .tunnel) }
    if isCity {
      route.surround(0...route.length, with: .canyon)
      route.putLights(every: 250, seed: seed)
    }
    let start = UTCInstant(nanosecondsSince1970: 1_778_752_800_000_000_000)
    var simulated = SimulatedRide(along: route, receiver: receiver, start: start, seed: seed)
    simulated.conditions.noise = noise
    return follow(simulated, ride, try ride.course())
  }

  /// Without the points that a course leaves out.
  private static func thinned(_ plan: [SIMD2<Double>]) -> [SIMD2<Double>] {
    let ride = CourseRide(plan: plan, pieces: [])
    return CourseFile.needed(plan.map { CoursePoint(ride.coordinate($0)) }).map { plan[$0] }
  }

  private func follow(_ simulated: SimulatedRide, _ ride: CourseRide, _ course: Course) -> CourseOutcome {
    var outcome = CourseOutcome(ride: ride)
    var progress = CourseProgress(course)
    var engine = LocationEngine(sources: [SourceSetup(id: 0)], at: .zero)
    var (events, feed) = (EngineEvents(), RideFeed(simulated))
    var fixes: [(fix: PublishedFix, instant: MonotonicInstant)] = []
    var moments: [UTCInstant: (moment: CourseRide.Moment, error: SIMD2<Double>)] = [:]
    var pieces = (count: 0, state: 0)
    while let item = feed.next() {
      switch item {
      case .read(let bytes, let offset):
        bytes.withUnsafeBytes { engine.receive(.bytes($0), from: 0, at: .zero + .seconds(1) + offset, into: &events) }
      case .event: break
      case .epoch(let epoch):
        let planned = epoch.truth.place.planned
        let state = planned.map { $0.isReverse ? 2 : 1 } ?? 0
        if state != pieces.state { pieces = (pieces.count + 1, state) }
        guard let position = epoch.position, let reported = epoch.reported else { continue }
        let place = ride.place(position)
        moments[epoch.measured] = (
          CourseRide.Moment(
            time: epoch.elapsed.inSeconds, place: place, along: planned.map { along($0.along) },
            isReverse: planned?.isReverse ?? false != isReverse, speed: epoch.truth.speed,
            course: epoch.truth.place.course, isVisible: true, piece: pieces.count),
          ride.place(reported) - place
        )
      }
      events.drain { entry in if case .fix(let fix, _, _) = entry.event { fixes.append((fix, entry.instant)) } }
    }
    for (fix, instant) in fixes {
      let status = progress.published(fix, at: instant)
      guard let measured = fix.fix.measured, let (moment, error) = moments[measured] else { continue }
      outcome.fixes.append(fix)
      outcome.add(status, at: moment, error: error)
    }
    return outcome
  }
}
