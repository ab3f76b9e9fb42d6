import GPSDProtocol
import Glibc
import LocationCore
import RideTools
import TestRides

/// Estimates without a fix on simulated rides of 14 m/s on winding roads, compared with the truth.
enum Outages {
  fileprivate enum Kind {
    case time(Double)
    case tunnel(Double)
  }

  /// What is known of the way.
  private enum Way: CaseIterable { case straight, ridden, riddenThrough, course }

  private static let columns = (first: 10, guess: 18, way: 26)
  private static let ways = ["straight", "ridden", "ridden through", "on course"]

  private static let kinds: [(name: String, kind: Kind)] = [
    ("10 s", .time(10)), ("30 s", .time(30)), ("60 s", .time(60)), ("200 m", .tunnel(200)), ("1 km", .tunnel(1000)),
    ("5 km", .tunnel(5000)),
  ]
  private static let seeds: ClosedRange<UInt64> = 1...10
  private static let legend = """
    Errors in metres at the end of outages and tunnels, or after 5 min, median / 95 %, and how many of all; inside:
    estimates whose eph holds the truth. Below, by seconds since the fix. Without a wheel nothing is estimated: constant speed, straight on and along the road. Free: the true
    way, by the receiver's course and a yaw rate with a bias of 0.06 degrees/s. By the wheel: straight on, along the way
    of a ride with fixes there, along that of a ride through the same outages, and along the course.

    """

  /// Prints the table; `false` if a target is missed: 95 % of the estimates on known ways are inside, and on the course
  /// the wheel is better than constant speed and than a free heading.
  static func measure() throws -> Bool {
    var isGood = true
    var all: [Way: Errors] = [:]
    let widths = [columns.first] + Array(repeating: columns.guess, count: 3) + Array(repeating: columns.way, count: 4)
    print(Text.row(widths, ["outage", "constant speed", "same, on course", "free"] + ways))
    for (name, kind) in kinds {
      var guesses = Guesses()
      var errors: [Way: Errors] = [:]
      for seed in seeds {
        let ride = try Self.ride(kind, seed: seed)
        for way in Way.allCases {
          let earlier = try Self.earlier(ride, kind, on: way)
          let outcome = ride.play(way == .course, after: earlier, silent: kind.silences)
          errors[way, default: Errors()].add(outcome, ride)
          all[way, default: Errors()].add(outcome, ride)
          if way == .course { guesses.add(outcome, ride, seed: seed) }
        }
      }
      let cells = Way.allCases.map { errors[$0]?.cell ?? "" }
      print(Text.row(widths, [name, guesses.constant.text, guesses.onCourse.text, guesses.free.text] + cells))
      for way in Way.allCases where way != .straight { isGood = isGood && errors[way]?.isHonest == true }
      let most = errors[.course]?.ends.quantile(0.95) ?? .infinity
      isGood = isGood && most < guesses.onCourse.quantile(0.95) && most < max(20, guesses.free.quantile(0.95))
    }
    let rows = [columns.first] + Array(repeating: columns.way, count: 4)
    print("\n" + Text.row(rows, ["seconds"] + ways))
    for (index, name) in Errors.spans.enumerated() {
      print(Text.row(rows, [name] + Way.allCases.map { all[$0]?.cell(index) ?? "" }))
    }
    print(legend)
    return isGood
  }

  private static func ride(_ kind: Kind, seed: UInt64) throws -> SimulatedRide {
    var options = try SimulationOptions(named: "tour")
    let settings: [(SimulationKey, String)] = [
      (.seed, "\(seed)"), (.length, "12000"), (.speed, "14"), (.wheel, "2.1"), (.receiver, "ublox-1hz"),
    ]
    for (key, text) in settings { try options.set(key, to: text) }
    var ride = try options.ride()
    // The tunnels of the tour itself are other outages.
    ride.route.surround(0...ride.route.length, with: .open)
    for tunnel in kind.tunnels { ride.route.surround(tunnel, with: .tunnel) }
    return ride
  }

  /// The fixes of another day.
  private static func earlier(_ ride: SimulatedRide, _ kind: Kind, on way: Way) throws -> [PublishedFix] {
    guard way == .ridden || way == .riddenThrough else { return [] }
    var earlier = ride
    earlier.seed += 1000
    if way == .ridden { earlier.route.surround(0...ride.route.length, with: .open) }
    return earlier.play(false, after: [], silent: way == .ridden ? [] : kind.silences).fixes.map(\.fix)
  }
}

extension Outages.Kind {
  /// Seconds from the start without reads.
  fileprivate var silences: [ClosedRange<Double>] {
    guard case .time(let seconds) = self else { return [] }
    return stride(from: 300.0, to: 800, by: 120).map { $0...($0 + seconds) }
  }

  fileprivate var tunnels: [ClosedRange<Double>] {
    guard case .tunnel(let length) = self else { return [] }
    return stride(from: 4000.0, to: 11_900 - length, by: length + 1000).map { $0...($0 + length) }
  }
}

/// What an engine publishes of a ride: fixes, and per outage the estimates, each with its seconds from the start.
private struct Outcome {
  var fixes: [(fix: PublishedFix, seconds: Double)] = []
  var estimates: [(fix: PublishedFix, seconds: Double)] = []

  /// The outages: the last fix and the first one behind, or the longest time of an estimate.
  var outages: [(begin: (fix: PublishedFix, seconds: Double), end: Double)] {
    let longest = OutageEstimate.limit.time.inSeconds + 1
    return zip(fixes, fixes.dropFirst()).filter { $1.seconds - $0.seconds > 4 }
      .map { ($0, min($1.seconds, $0.seconds + longest)) }
  }
}

extension SimulatedRide {
  fileprivate func play(
    _ isOnCourse: Bool, after earlier: [PublishedFix], silent: [ClosedRange<Double>]
  ) -> Outcome {
    var outcome = Outcome()
    var engine = LocationEngine(sources: [SourceSetup(id: 0)], at: .zero)
    var (events, feed, client, lost) = (EngineEvents(), RideFeed(self), ClientID(0), UInt64(0))
    engine.connect(client, of: .replay)
    if isOnCourse {
      let points = route.points.compactMap { $0.coordinate.map { CoursePoint($0) } }
      let request = CourseRequest(name: "way", change: .set(points, isPersistent: false))
      try? engine.handle(.course(request), from: client, at: .zero, into: &events)
    }
    while let item = feed.next() {
      switch item {
      case .read(let bytes, let offset) where !silent.contains(where: { $0.contains(offset.inSeconds) }):
        bytes.withUnsafeBytes { engine.receive(.bytes($0), from: 0, at: .zero + offset, into: &events) }
      case .event(let json, let offset, _):
        guard case .engine(let request)? = Request(recorded: json) else { continue }
        try? engine.handle(request, from: client, at: .zero + offset, into: &events)
      case .epoch, .read: break
      }
      for entry in events.list {
        switch entry.event {
        case .fix(let fix, _, _):
          if let measured = fix.fix.measured { outcome.fixes.append((fix, (measured - start).inSeconds)) }
        case .estimate(let fix):
          if let measured = fix.fix.measured { outcome.estimates.append((fix, (measured - start).inSeconds)) }
          guard lost != fix.seq, !earlier.isEmpty, let newest = outcome.fixes.last?.fix.fix else { continue }
          lost = fix.seq
          var search = RiddenWaySearch(from: newest)
          for fix in earlier { search.add(fix.fix, fix.sensed.fused) }
          search.end()
          if let way = search.found { engine.desk.outage?.riddenWay = way }
        default: break
        }
      }
      events.removeAll()
    }
    return outcome
  }
}

extension Route.Point {
  fileprivate var coordinate: Coordinate? { Coordinate(latitude: latitude, longitude: longitude) }
}

/// Errors, metres.
struct ErrorList {
  var all: [Double] = []

  func quantile(_ share: Double) -> Double {
    all.isEmpty ? .infinity : all.sorted()[Int(share * Double(all.count - 1))]
  }

  var text: String {
    all.isEmpty ? "-" : Text.decimals(quantile(0.5), 1) + " / " + Text.decimals(quantile(0.95), 1)
  }
}

private struct Errors {
  static let spans = (0..<6).map { "\($0 * 10 + 1)-\($0 * 10 + 10)" } + ["61-300"]

  /// At the ends of the outages that the estimates reach.
  var ends = ErrorList()
  private var outages = 0
  /// All, and how many are inside, by the time since the fix.
  private var bySpan = Array(repeating: (errors: ErrorList(), inside: 0), count: spans.count)

  mutating func add(_ outcome: Outcome, _ ride: SimulatedRide) {
    var (estimates, motion) = (outcome.estimates[...], ride.motion)
    for (begin, end) in outcome.outages {
      outages += 1
      var last: (error: Double, seconds: Double)?
      while let (fix, seconds) = estimates.first, seconds < end {
        estimates = estimates.dropFirst()
        guard seconds > begin.seconds, let truth = motion.state(at: seconds).place.coordinate else { continue }
        let error = fix.fix.position.distance(to: truth)
        let span = min(max(0, Int((seconds - begin.seconds).rounded()) - 1) / 10, bySpan.count - 1)
        bySpan[span].errors.all.append(error)
        bySpan[span].inside += error <= fix.fix.horizontalAccuracy ?? 0 ? 1 : 0
        last = (error, seconds)
      }
      if let last, end - last.seconds < 3 { ends.all.append(last.error) }
    }
  }

  private var inside: Int { bySpan.reduce(0) { $0 + $1.inside } }
  private var count: Int { bySpan.reduce(0) { $0 + $1.errors.all.count } }

  var isHonest: Bool { inside * 100 >= 95 * count }

  var cell: String { "\(ends.text) \(ends.all.count) of \(outages), \(Self.share(inside, of: count))" }

  func cell(_ span: Int) -> String {
    let (errors, inside) = bySpan[span]
    return errors.all.isEmpty ? "-" : "\(errors.text), \(Self.share(inside, of: errors.all.count))"
  }

  private static func share(_ inside: Int, of count: Int) -> String {
    Text.decimals(100 * Double(inside) / Double(max(count, 1)), 0) + " %"
  }
}

/// Guesses at the ends of outages without estimates.
private struct Guesses {
  var constant = ErrorList()
  var onCourse = ErrorList()
  var free = ErrorList()

  mutating func add(_ outcome: Outcome, _ ride: SimulatedRide, seed: UInt64) {
    var random = SeededNoise(seed: seed)
    var motion = ride.motion
    for (begin, behind) in outcome.outages {
      let (fix, end) = (begin.fix.fix, behind - 1)
      guard let speed = fix.speed, let course = fix.course, let truth = motion.state(at: end).place.coordinate
      else { continue }
      let way = speed * (end - begin.seconds)
      if let guess = fix.position.moved(by: way, bearing: course) { constant.all.append(guess.distance(to: truth)) }
      let first = motion.state(at: begin.seconds).place
      onCourse.all.append(abs(first.station + way - motion.state(at: end).place.station))
      let bias = 0.06 * random.normal()
      var (place, before) = (fix.position, first)
      for seconds in stride(from: begin.seconds + 1, through: end, by: 1) {
        let here = motion.state(at: seconds).place
        let turned = (here.course - first.course) + bias * (seconds - begin.seconds)
        place = place.moved(by: here.station - before.station, bearing: course + turned) ?? place
        before = here
      }
      free.all.append(place.distance(to: truth))
    }
  }
}

/// The text of tables.
enum Text {
  static func row(_ widths: [Int], _ cells: [String]) -> String {
    zip(widths, cells).map { width, cell in cell + String(repeating: " ", count: max(1, width - cell.count)) }.joined()
  }

  static func decimals(_ value: Double, _ count: Int) -> String {
    let scale = [1.0, 10, 100][count]
    let whole = Int((abs(value) * scale).rounded())
    let sign = value < 0 && whole > 0 ? "-" : ""
    guard count > 0 else { return "\(sign)\(whole)" }
    return "\(sign)\(whole / Int(scale)).\(String(whole % Int(scale) + Int(scale)).dropFirst())"
  }
}
