import LocationCore
import Recordings

/// What is known of a ride at its end alone: its figures, stops and laps, its extent, and its route.
package struct RideSurvey: Sendable {
  private(set) var stops = RideStops()
  private(set) var ride = RideAccumulator()
  package private(set) var bounds = TrackBounds()
  package private(set) var count = 0
  /// Whether a wheel or pressure added to a fix, and whether a grade.
  private(set) var hasFused = (motion: false, grade: false)
  private var sampler: RouteSampler?
  /// The ride at its newest fix with a date.
  private struct Mark {
    var time: UTCInstant
    var elapsed: Double
    var distance: Double
  }
  private var last: Mark?
  private var lapStart: UTCInstant?
  private var laps: [(end: Mark, trigger: LapTrigger)] = []

  package init(sampler: RouteSampler? = nil) { self.sampler = sampler }

  package var route: [Fix] { sampler?.route ?? [] }

  package mutating func add(_ moment: RideMoment) {
    count += 1
    ride.add(moment)
    if case .lap(let trigger, _) = moment, let last, last.time != lapStart {
      laps.append((last, trigger))
      lapStart = last.time
    }
    guard case .fix(let trackFix) = moment else { return }
    if let time = trackFix.fix.measured {
      lapStart = lapStart ?? time
      last = Mark(time: time, elapsed: ride.elapsed, distance: max(last?.distance ?? 0, ride.figures.distance))
    }
    stops.add(ride.figures, at: ride.elapsed)
    bounds.add(trackFix.fix.position)
    let fused = trackFix.sensed.fused
    if fused != FusedMotion() { hasFused = (true, hasFused.grade || fused.grade != nil) }
    sampler?.add(trackFix.fix)
  }

  /// The sums of the lap behind so many others, and what ended it; the last ends with the ride.
  func lap(_ number: Int) -> (distance: Double, movingTime: Double, trigger: LapTrigger) {
    guard number <= laps.count else { return (0, 0, .request) }
    let sums = { (mark: Mark) in (mark.distance, stops.movingTime(at: mark.elapsed)) }
    let begin = number == 0 ? (0, 0) : sums(laps[number - 1].end)
    let isLast = number >= laps.count
    let end = isLast ? (ride.figures.distance, ride.figures.movingTime) : sums(laps[number].end)
    return (max(0, end.0 - begin.0), max(0, end.1 - begin.1), isLast ? .request : laps[number].trigger)
  }
}

/// The stops of a ride as its figures have them at its end: what is corrected later, such as a start that is dated
/// back, is corrected here, too. The time outside of them is the moving time. Memory grows with the stops alone.
package struct RideStops: Sendable {
  /// A stop, in seconds of the ride.
  struct Stop: Hashable, Sendable {
    var begin: Double
    var end: Double
    /// Distance of the ride at the stop, metres.
    var distance: Double
  }

  private static let precision = 1e-6

  private(set) var stops: [Stop] = []
  private var standing = 0.0

  /// The moving time until so many seconds of the ride.
  func movingTime(at time: Double) -> Double {
    stops.reduce(time) { $0 - max(0, min($1.end, time) - $1.begin) }
  }

  /// Takes the state after a fix, at so many seconds of the ride.
  mutating func add(_ figures: RideFigures, at time: Double) {
    var change = time - figures.movingTime - standing
    standing += change
    // Motion that is recognised later began at the end of the stop before.
    while change < -Self.precision, let last = stops.popLast() {
      let length = last.end - last.begin
      guard length <= -change else {
        stops.append(Stop(begin: last.begin, end: last.end + change, distance: last.distance))
        return
      }
      change += length
    }
    guard change > Self.precision else { return }
    var begin = time - change
    while let last = stops.last, last.end >= begin - Self.precision {
      begin = last.begin - max(0, last.end - begin)
      stops.removeLast()
    }
    stops.append(Stop(begin: max(0, begin), end: time, distance: figures.distance))
  }
}

/// A filter after which the chords between the fixes add up to the ride's distance. Of a stop, the first and the last
/// fix are left, both at the place of the first; in motion those are left out whose noise would make the way longer.
package struct StopFilter: Sendable {
  /// Largest excess of the sum of the chords: a share of the distance, and metres.
  private static let excess = (share: 0.002, metres: 1.0)
  /// Longest way and time without a fix in motion, metres and seconds.
  private static let longest = (way: 100.0, time: 30.0)

  private let stops: [RideStops.Stop]
  private var next = 0
  private var ride = RideAccumulator()
  private var held: TrackFix?
  /// The newest fix, if it was left out.
  private var omitted: TrackFix?
  /// The newest fix that was not, with the time and distance of the ride.
  private var last: (position: Coordinate, time: Double, distance: Double)?
  /// Sum of the chords, metres.
  private var way = 0.0

  package init(_ survey: RideSurvey) { stops = survey.stops.stops }

  package mutating func filter(_ moment: RideMoment, _ body: (RideMoment) throws -> Void) rethrows {
    ride.add(moment)
    guard case .fix(var fix) = moment else {
      switch moment {
      case .lost, .source, .interrupted: try finish(body)
      // The stop goes on.
      case .fix, .follow, .lap: if let omitted { try pass(omitted, body) }
      }
      return try body(moment)
    }
    let elapsed = ride.elapsed
    while next < stops.count, stops[next].end <= elapsed {
      if held != nil { try finish(body) }
      next += 1
    }
    guard next < stops.count, stops[next].begin <= elapsed else {
      if fix.beginsSegment || isWanted(fix) { return try pass(fix, body) }
      omitted = fix
      return
    }
    if fix.fix.speed != nil { fix.fix.speed = 0 }
    guard let held, !fix.beginsSegment else {
      if self.held != nil { try finish(body) }
      self.held = fix
      return try pass(fix, body)
    }
    (fix.fix.position, fix.fix.altitudeMSL) = (held.fix.position, nil)
    if let altitude = held.fix.altitudeMSL {
      fix.fix.altitudeMSL = altitude
    } else {
      fix.fix.altitudeHAE = held.fix.altitudeHAE
    }
    omitted = fix
  }

  package mutating func finish(_ body: (RideMoment) throws -> Void) rethrows {
    if let omitted { try pass(omitted, body) }
    held = nil
  }

  private func isWanted(_ fix: TrackFix) -> Bool {
    guard let last else { return true }
    let distance = ride.figures.distance
    if distance - last.distance >= Self.longest.way || ride.elapsed - last.time >= Self.longest.time { return true }
    let sum = way + fix.fix.position.distance(to: last.position)
    return sum <= distance * (1 + Self.excess.share) + Self.excess.metres
  }

  private mutating func pass(_ fix: TrackFix, _ body: (RideMoment) throws -> Void) rethrows {
    way += last.map { fix.fix.position.distance(to: $0.position) } ?? 0
    last = (fix.fix.position, ride.elapsed, ride.figures.distance)
    omitted = nil
    try body(.fix(fix))
  }
}

/// A place at which a lap begins each time the rider is nearest to it.
package struct LapPlace: Sendable {
  /// Farthest from the place that the rider comes by, metres.
  package static let radius = 25.0

  private let place: Coordinate
  /// Whether the rider has been farther away than twice the radius since the lap began, or since the ride did.
  private var isAway = false
  private var distance = Double.infinity

  package init(_ place: Coordinate) { self.place = place }

  /// Calls `body` with the next moment, behind a lap if the rider goes away again at it.
  package mutating func mark(_ moment: RideMoment, _ body: (RideMoment) throws -> Void) rethrows {
    if case .fix(let fix) = moment, isPassed(at: fix) { try body(.lap(.place, at: fix.fix.received)) }
    try body(moment)
  }

  private mutating func isPassed(at fix: TrackFix) -> Bool {
    let before = distance
    distance = fix.fix.position.distance(to: place)
    if distance > 2 * Self.radius { isAway = true }
    guard isAway, before <= Self.radius, distance > before else { return false }
    isAway = false
    return true
  }
}
