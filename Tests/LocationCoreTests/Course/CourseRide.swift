@testable import LocationCore

/// A simulated ride with a course, whose truth is known: pieces on the line and off it, at a steady speed.
struct CourseRide {
  enum Piece {
    /// On the line, from one place along it to another; backwards if that is less.
    case line(from: Double, to: Double, beside: Double = 0)
    /// Off the line, through points in metres east and north of the origin.
    case detour([SIMD2<Double>])
    case stand(seconds: Double)
    /// On the line without a fix, as in a tunnel or on a ferry.
    case hidden(from: Double, to: Double, speed: Double? = nil)
  }

  /// The planned points in metres east and north of the origin.
  var plan: [SIMD2<Double>]
  /// The points as a planner drew them, if that is another line.
  var drawn: [SIMD2<Double>]?
  var pieces: [Piece]
  var speed = 6.0
  var rate = 1.0
  var noise = 1.0
  /// Whether there are reflections between high buildings: a standard deviation of 5.5 m.
  var isCity = false
  var hasCourse = true
  var hasSpeed = true
  var seed: UInt64 = 1
  var origin = here
  var name = "course"

  /// A moment of the truth: metres along the line, or `nil` off it.
  struct Moment {
    var time: Double
    var place: SIMD2<Double>
    var along: Double?
    var isReverse: Bool
    var speed: Double
    var course: Double
    var isVisible: Bool
    var piece: Int
  }

  private static func stations(_ plan: [SIMD2<Double>]) -> [Double] {
    var sums = [0.0]
    for index in plan.indices.dropFirst() { sums.append(sums[index - 1] + (plan[index] - plan[index - 1]).length) }
    return sums
  }

  var length: Double { Self.stations(plan)[plan.count - 1] }

  func coordinate(_ place: SIMD2<Double>) -> Coordinate { origin.offset(north: place.y, east: place.x) }

  func course() throws -> Course {
    try Course(name: name, points: (drawn ?? plan).map { CoursePoint(coordinate($0)) })
  }

  /// The whole truth, epoch by epoch.
  func moments() -> [Moment] {
    let stations = Self.stations(plan)
    let stretch = drawn.map { Self.stations($0)[$0.count - 1] / length } ?? 1
    func place(_ along: Double) -> (SIMD2<Double>, SIMD2<Double>) {
      let index = max(1, stations.firstIndex { $0 >= along } ?? plan.count - 1)
      let way = plan[index] - plan[index - 1]
      let part = (along - stations[index - 1]) / (stations[index] - stations[index - 1])
      return (plan[index - 1] + part * way, way / way.length)
    }
    var moments: [Moment] = []
    var (epoch, time) = (0, 0.0)
    var at = SIMD2(0.0, 0)
    func add(_ duration: Double, _ body: (Double) -> Moment) {
      while Double(epoch) / rate <= time + duration {
        moments.append(body(Double(epoch) / rate - time))
        epoch += 1
      }
      time += duration
    }
    for (number, piece) in pieces.enumerated() {
      switch piece {
      case .line(let from, let to, _), .hidden(let from, let to, _):
        var (speed, beside, isVisible) = (speed, 0.0, true)
        if case .line(_, _, let shift) = piece { beside = shift }
        if case .hidden(_, _, let other) = piece { (speed, isVisible) = (other ?? speed, false) }
        let start = time
        let sign = to > from ? 1.0 : -1
        add(abs(to - from) / speed) { seconds in
          let along = from + sign * seconds * speed
          let (point, way) = place(along)
          let direction = sign * way
          return Moment(
            time: start + seconds, place: point + beside * SIMD2(direction.y, -direction.x), along: along * stretch,
            isReverse: sign < 0, speed: speed, course: Degrees.bearing(Degrees.atan2(direction.x, direction.y)),
            isVisible: isVisible, piece: number)
        }
        at = place(to).0
      case .detour(let points):
        for point in points {
          let (from, way, start) = (at, point - at, time)
          add(way.length / speed) { seconds in
            Moment(
              time: start + seconds, place: from + seconds * speed / way.length * way, along: nil, isReverse: false,
              speed: speed, course: Degrees.bearing(Degrees.atan2(way.x, way.y)), isVisible: true, piece: number)
          }
          at = point
        }
      case .stand(let seconds):
        guard var last = moments.last else { continue }
        (last.speed, last.piece) = (0, number)
        let start = time
        add(seconds) {
          last.time = start + $0
          return last
        }
      }
    }
    return moments
  }

  /// Plays the ride.
  func play() throws -> CourseOutcome {
    var progress = CourseProgress(try course())
    var random = SeededNoise(seed: seed)
    var errors = [1.0, 1, isCity ? 5.5 : 0, isCity ? 5.5 : 0].map { $0 * noise * random.normal() }
    let deviation = noise * (isCity ? 5.59 : 1)
    var outcome = CourseOutcome(ride: self)
    for (number, moment) in moments().enumerated() {
      for axis in 0..<4 {
        let (sigma, memory) = axis < 2 ? (noise, 120.0) : (isCity ? 5.5 * noise : 0, 7)
        let kept = 1 - 1 / memory / rate
        errors[axis] = errors[axis] * kept + sigma * (1 - kept * kept).squareRoot() * random.normal()
      }
      let error = SIMD2(errors[0] + errors[2] + 0.04 * random.normal(), errors[1] + errors[3] + 0.04 * random.normal())
      let (drift, slip) = ((isCity ? 0.25 : 0.05) * noise * random.normal(), 0.05 * noise * random.normal())
      guard moment.isVisible else { continue }
      var fix = Fix(position: coordinate(moment.place + error), mode: .threeD, received: instant(moment.time))
      fix.horizontalAccuracy = max(Confidence.circle * deviation, 0.5)
      if hasSpeed { fix.speed = abs(moment.speed + slip) }
      if hasCourse, moment.speed > 0.3 {
        fix.course = Degrees.bearing(moment.course + Degrees.atan2(drift, moment.speed))
      }
      let published = PublishedFix(fix: fix, seq: UInt64(number + 1), source: 0)
      outcome.add(progress.published(published, at: fix.received), at: moment, error: error)
    }
    return outcome
  }
}

private func instant(_ seconds: Double) -> MonotonicInstant { at(seconds) }

/// What a course reported, beside the truth.
struct CourseOutcome {
  let ride: CourseRide
  var statuses: [CourseStatus] = []
  var moments: [CourseRide.Moment] = []
  /// Epochs on another leg, or in the other direction, more than 10 s after the rider came to a piece of the ride.
  var wrongEpochs = 0
  /// Times at which the rider went off while he rode the line.
  var falseAlarms = 0
  /// Seconds and metres from leaving the line by more than the radius to `off`, and seconds from the return to `on`.
  var offDelays: [(seconds: Double, way: Double)] = []
  var onDelays: [Double] = []
  /// Of `along`, and of the fix along the way, metres.
  var errors: [Double] = []
  var fixErrors: [Double] = []
  /// Epochs at which `along` moved back without a turn round.
  var backwardEpochs = 0

  private var piece = -1
  private var pieceBegin = 0.0
  private var outsideSince: Double?
  private var insideSince: Double?
  private var line: CourseLine?

  init(ride: CourseRide) { self.ride = ride }

  mutating func add(_ status: CourseStatus, at moment: CourseRide.Moment, error: SIMD2<Double>) {
    let last = statuses.last
    statuses.append(status)
    moments.append(moment)
    if moment.piece != piece { (piece, pieceBegin) = (moment.piece, moment.time) }
    let radius = max(Confidence.circle * ride.noise * (ride.isCity ? 5.59 : 1), 0.5)
    if line == nil { line = try? ride.course().line }
    var passages: [CoursePassage] = []
    line?.findPassages(near: CoursePlane(at: ride.coordinate(moment.place)), within: radius, into: &passages)
    let isOutside = moment.along == nil && passages.isEmpty
    outsideSince = isOutside ? outsideSince ?? moment.time : nil
    insideSince = moment.along != nil ? insideSince ?? moment.time : nil
    if status.state == .off, last?.state == .on {
      if let outsideSince {
        let seconds = moment.time - outsideSince
        offDelays.append((seconds, seconds * ride.speed))
      } else if moment.along != nil {
        falseAlarms += 1
      }
    }
    if status.state == .on, let last, last.state == .off || last.state == .before, let insideSince {
      onDelays.append(moment.time - insideSince)
    }
    if let last, let before = last.along, let now = status.along, status.state == .on, last.state == .on,
      status.isReverse == last.isReverse, (status.isReverse ? now - before : before - now) > 1e-6, before - now < 60
    {
      backwardEpochs += 1
    }
    guard let truth = moment.along, status.state == .on, let along = status.along else { return }
    if moment.speed > 0 || moment.time - pieceBegin > 10 {
      let isWrong = abs(along - truth) > 25 + 2 * radius || status.isReverse != moment.isReverse
      if isWrong, moment.time - pieceBegin > 10 { wrongEpochs += 1 }
      if !isWrong {
        errors.append(abs(along - truth))
        let heading = SIMD2(course: moment.course)
        fixErrors.append(abs(error.dot(heading)))
      }
    }
  }

  func quantile(_ part: Double, of values: [Double]) -> Double {
    let sorted = values.sorted()
    return sorted.isEmpty ? 0 : sorted[min(Int(Double(sorted.count) * part), sorted.count - 1)]
  }
}
