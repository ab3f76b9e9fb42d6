import Libc
import LocationCore

/// The courses and rides of the tests.
extension CourseRide {
  /// Named rides, each with a truth that only a state can follow.
  package static let cases: [(name: String, ride: CourseRide)] = [
    ("out and back", whole(outAndBack)), ("figure eight", whole(figureEight)), ("ten laps", whole(laps)),
    ("hairpins", whole(hairpins)), ("parallel road", whole(parallel)), ("crossing", whole(crossing)),
    (
      "zigzag",
      CourseRide(plan: [[0, 0], [2000, 0]], drawn: zigzag, pieces: [.line(from: 0, to: 2000)])
    ),
    (
      "start in the middle",
      CourseRide(plan: outAndBack, pieces: [.line(from: 900, to: 3990)])
    ),
    ("backwards", CourseRide(plan: winding, pieces: [.line(from: 3900, to: 10)])),
    (
      "turn round",
      CourseRide(
        plan: winding, pieces: [.line(from: 0, to: 1500), .line(from: 1500, to: 700), .line(from: 700, to: 3990)])
    ),
    (
      "shortcut",
      CourseRide(
        plan: square,
        pieces: [.line(from: 0, to: 900), .detour([[500, 900], [500, 0]]), .line(from: 3500, to: 3980)])
    ),
    (
      "detour",
      CourseRide(
        plan: square,
        pieces: [
          .line(from: 0, to: 300), .detour([[-300, 300], [-300, 800], [0, 800]]), .line(from: 800, to: 3980),
        ])
    ),
    (
      "detour on a lap",
      CourseRide(
        plan: laps,
        pieces: [
          .line(from: 0, to: 900), .detour([[-80, 100], [-80, 300], [100, 300], [100, 200]]),
          .line(from: 1100, to: 7990),
        ])
    ),
    (
      "ferry",
      CourseRide(
        plan: winding,
        pieces: [
          .line(from: 0, to: 1000), .stand(seconds: 120), .hidden(from: 1000, to: 2500, speed: 3),
          .line(from: 2500, to: 3990),
        ])
    ),
    (
      "tunnel",
      CourseRide(
        plan: outAndBack,
        pieces: [
          .line(from: 0, to: 500), .hidden(from: 500, to: 1300), .line(from: 1300, to: 2600),
          .hidden(from: 2600, to: 3500), .line(from: 3500, to: 3990),
        ])
    ),
    (
      "stops",
      CourseRide(
        plan: hairpins,
        pieces: [
          .line(from: 0, to: 250), .stand(seconds: 90), .line(from: 250, to: 700), .stand(seconds: 60),
          .line(from: 700, to: 1400),
        ])
    ),
  ]

  /// 2 km out with bends, and the same way back.
  package static let outAndBack: [SIMD2<Double>] = {
    let out = winding.prefix { $0.x <= 2000 }
    return Array(out) + out.reversed().dropFirst()
  }()

  /// 4 km of waves.
  package static let winding: [SIMD2<Double>] = {
    var points: [SIMD2<Double>] = [[0, 0]]
    var x = 0.0
    while x < 4000 {
      x += 20
      points.append([x, 60 * wave(x / 400)])
    }
    return points
  }()

  /// A lying eight, 800 m wide.
  package static let figureEight: [SIMD2<Double>] = (0...72).map { step in
    [400 * wave(Double(step) / 72), 200 * wave(Double(step) / 36)]
  }

  /// Ten rounds of 800 m.
  package static let laps: [SIMD2<Double>] =
    [[0, 0]] + (0..<10).flatMap { _ -> [SIMD2<Double>] in [[0, 200], [200, 200], [200, 0], [0, 0]] }

  /// Ten legs of 150 m, 20 m apart.
  package static let hairpins: [SIMD2<Double>] = {
    var points: [SIMD2<Double>] = []
    for leg in 0..<10 {
      let (near, far) = (leg % 2 == 0 ? 0.0 : 150, leg % 2 == 0 ? 150.0 : 0)
      points += [[near, 20 * Double(leg)], [far, 20 * Double(leg)]]
      let side = far > 0 ? 7.0 : -7
      points += [[far + side, 20 * Double(leg) + 5], [far + side, 20 * Double(leg) + 15]]
    }
    return Array(points.dropLast(2))
  }()

  /// A road and the one beside it, 15 m apart, both in one direction after a loop.
  package static let parallel: [SIMD2<Double>] = [
    [0, 0], [1000, 0], [1100, 100], [1000, 300], [0, 300], [-100, 100], [0, 15], [1000, 15], [1500, 15],
  ]

  /// A street that is crossed three times.
  package static let crossing: [SIMD2<Double>] = [
    [0, 0], [1000, 0], [1000, 200], [750, 200], [750, -200], [500, -200], [500, 200], [250, 200], [250, -300],
  ]

  package static let square: [SIMD2<Double>] = [[0, 0], [0, 1000], [1000, 1000], [1000, 0], [0, 0]]

  /// A straight road as it is drawn by a planner that misses it by 10 m, alternately.
  package static let zigzag: [SIMD2<Double>] = (0...100).map { [20 * Double($0), $0 % 2 == 0 ? -10 : 10] }

  private static func whole(_ plan: [SIMD2<Double>]) -> CourseRide {
    var ride = CourseRide(plan: plan, pieces: [])
    ride.pieces = [.line(from: 0, to: ride.length)]
    return ride
  }

  private static func wave(_ turns: Double) -> Double { sin((turns - turns.rounded(.down)) * 2 * .pi) }
}
